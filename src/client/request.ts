import { randomUUID } from 'node:crypto';
import { isWithin, mergedObjects, objectWith } from '../core/answer-body.ts';
import { bringsRequest } from '../core/described.ts';
import { invariant, stop } from '../core/errors.ts';
import { isTaking, TAKEN_BY } from '../core/given.ts';
import { ROLES, type Role } from '../core/membership.ts';
import { isObject } from '../core/objects.ts';
import { type Call, type JsonObject, type JsonValue, METHODS, type Method } from '../core/operation.ts';
import { foreignName } from '../core/plain-text.ts';
import { KEY_PLACE, keysIn, leadsElsewhere } from '../core/vendor-path.ts';
import {
  type Dialect,
  type DialectOperation,
  dialectOperationOf,
  type EnvelopeRoute,
  type Later,
  type ReadBack,
  timeoutMsOf,
} from './dialect.ts';

export interface HttpRequest {
  readonly method: Method;
  /** The path with its query; the connection has the origin. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
  /**
   * The transport writes this for `{key}` in path and body, so no request that is kept or shown contains the
   * key.
   */
  readonly key?: string;
  /** How long the whole exchange may take; left out: as long as the account says. */
  readonly timeoutMs?: number;
}

declare const free: unique symbol;

/**
 * A request that the dialect calls free. Only the two functions below, which read such an entry, make one.
 */
export interface FreeRequest extends HttpRequest {
  readonly [free]: true;
}

/**
 * Asks the vendor's origin only for its `Date`. The request has no key, so it can be charged to no account.
 */
export const TIME_REQUEST = { method: 'HEAD', path: '/', headers: {}, body: undefined } as const;
export type TimeRequest = typeof TIME_REQUEST;

/** Path and body as they leave, with the key in its place. Only the transport uses this. */
export function sentOf(request: HttpRequest | TimeRequest): Pick<HttpRequest, 'path' | 'body'> {
  const { path, body, key } = request as HttpRequest;
  if (key === undefined || !`${path}${body}`.includes(KEY)) return request;
  const text = body?.toString().replaceAll(KEY_PLACE, () => JSON.stringify(key).slice(1, -1));
  return {
    path: path.replaceAll(KEY_PLACE, () => encodeURIComponent(key)),
    body: text === undefined ? undefined : Buffer.from(text),
  };
}

const KEY = '{key}';
const ENCODED_KEY = `\\u007b${KEY.slice(1)}`;

/**
 * Stands for the key until the request is written. In the text of a row a `{key}` is encoded, so that it
 * stays a text.
 */
const KEY_MARK = randomUUID();

function marked<Value extends JsonValue>(value: Value): Value {
  return JSON.parse(JSON.stringify(value).replaceAll(KEY_PLACE, KEY_MARK));
}

export function basePathOf(baseUrl: URL): string {
  return baseUrl.pathname.replace(/\/+$/, '');
}

export interface RequestValues {
  readonly key: string;
  readonly project_id?: string;
  readonly organization_id?: string;
  /** What fills the slots of the dialect, by their names. */
  readonly secrets?: Readonly<Record<string, string>>;
  /**
   * The idempotency key of this attempt; in a read-back, the one of the lost attempt. It is sent where the
   * dialect has a header for it.
   */
  readonly idempotency_key?: string;
}

export type RequestShape = Pick<DialectOperation, 'method' | 'path' | 'headers' | 'fields' | 'body'>;

/** The request of a call: the dialect's path, headers and field names around the call's parameters. */
export function requestOf(
  dialect: Dialect,
  basePath: string,
  call: Call,
  values: RequestValues,
): HttpRequest {
  const operation = dialectOperationOf(dialect, call);
  const { fields = {} } = operation;
  for (const name in call.parameters)
    if (ownMember(fields, name) === null)
      invariant(false, `${call.operation}: the vendor has no field for ${name}`);
  const shaped = bringsRequest(call.operation)
    ? shapedByItself(call)
    : shapedRequest(
        operation,
        fieldsOf(operation, withPermissions(dialect, call)),
        {},
        takenField(operation, call),
      );
  const timeoutMs = timeoutMsOf(operation);
  const builtRequest = built(dialect, basePath, operation, shaped, valuesFor(call, values));
  const request = timeoutMs === undefined ? builtRequest : { ...builtRequest, timeoutMs };
  const { idempotency } = dialect;
  if (idempotency === undefined || values.idempotency_key === undefined) return request;
  return { ...request, headers: { ...request.headers, [idempotency.header]: values.idempotency_key } };
}

/**
 * Refuses a call that cannot become a request. The plan calls this before anything is sent.
 * @returns a value of the row, with its field, that the call's path would name and cannot hold; undefined
 *   when there is none.
 * @throws StopError `job` where two values of the call share a field, or a query has no form for one;
 *   `unsupported` where the service does not send such requests.
 */
export function unfitForPath(dialect: Dialect, call: Call): string | undefined {
  const operation = dialectOperationOf(dialect, call);
  const isGeneric = bringsRequest(call.operation);
  const unfit = isGeneric
    ? undefined
    : unfitField(operation, fieldsOf(operation, withPermissions(dialect, call)), takenField(operation, call));
  if (unfit !== undefined) return unfit;
  const { method } = isGeneric ? shapedByItself(call) : operation;
  const { endpoint, body } = call.parameters;
  if (dialect.through !== undefined && keysIn([endpoint ?? null, body ?? null]) > 0)
    throw stop(
      'unsupported',
      `${call.operation} has ${KEY}, and its account asks through a service, which has the key.`,
      `Write the request without ${KEY}.`,
    );
  if (dialect.through === undefined || method === 'GET' || method === 'POST') return undefined;
  const fact = `The "API Call" step of the service sends GET and POST, but ${call.operation} is a ${method}.`;
  throw stop('unsupported', fact, 'Use an account that calls the vendor directly.');
}

/** Placeholders of a path that no parameter of a call fills. */
const OF_ACCOUNT: readonly string[] = ['key', 'idempotency_key', 'project_id'];

/** The field of a call that takes by the vendor's id what an earlier call has found. */
const takenField = ({ fields }: RequestShape, call: Call): string | undefined =>
  isTaking(call) ? (fields?.[TAKEN_BY] ?? TAKEN_BY) : undefined;

function unfitField(
  shape: RequestShape,
  fields: ReadonlyMap<string, JsonValue>,
  idField: string | undefined,
): string | undefined {
  const isQuery = shape.method === 'GET';
  const namesFields = shape.path.includes('{');
  if (!isQuery && !namesFields) return undefined;
  const named = namesFields ? Array.from(shape.path.matchAll(PATH_FIELD), ([, name = '']) => name) : [];
  const missing = named.find((name) => !OF_ACCOUNT.includes(name) && !fields.has(name));
  if (missing !== undefined)
    throw stop(
      'unsupported',
      `The path ${shape.path} needs {${missing}}, and the job asks by ${[...fields.keys()].join('+')} alone.`,
      'Take such calls out of the waterfall of the job.',
    );
  const fits = (name: string): boolean =>
    name === idField ? staysBelow(shape.path, name, fields.get(name)) : isPathSegment(fields.get(name));
  const unfit = named.find((name) => fields.has(name) && !fits(name));
  if (unfit !== undefined) return `${unfit} ${foreignName(String(fields.get(unfit)))}`;
  if (isQuery) requireFlat([...fields.keys()].filter((name) => !named.includes(name)));
  return undefined;
}

/**
 * The free request for the result of a lost call. `values` has the lost attempt's idempotency key, if there
 * was one.
 */
export function readBackRequestOf(
  dialect: Dialect,
  basePath: string,
  call: Call,
  readBack: ReadBack,
  values: RequestValues,
): FreeRequest {
  const fields = fieldsOf(readBack, withPermissions(dialect, call));
  return freeRequestOf(dialect, basePath, readBack, Object.fromEntries(fields), valuesFor(call, values));
}

/** @param idField the field that is an id of the vendor's. */
export function freeRequestOf(
  dialect: Dialect,
  basePath: string,
  shape: RequestShape,
  parameters: JsonObject,
  values: RequestValues,
  idField?: string,
): FreeRequest {
  const fields = new Map(Object.entries({ ...parameters, ...marked(shape.body ?? {}) }));
  const shaped = shapedRequest(shape, fields, values, idField);
  return built(dialect, basePath, shape, shaped, values) as FreeRequest;
}

/** The free request for the answer to a call that the vendor has accepted. */
export function laterRequestOf(
  dialect: Dialect,
  basePath: string,
  later: Later,
  vendorId: string,
  values: RequestValues,
): FreeRequest {
  const { method = 'GET' } = later;
  const parameters = { [laterField(later)]: vendorId };
  return freeRequestOf(dialect, basePath, { ...later, method }, parameters, values, laterField(later));
}

/** Longer ids are no ids, and the index of the ledger holds none that are much longer. */
const MOST_ID_BYTES = 1_000;

/**
 * Whether the request for a later answer can name this id. A query and a body hold any text, a path none that
 * leads elsewhere.
 */
export function isLaterId(later: Later, id: JsonValue | undefined): id is string {
  if (typeof id !== 'string' || id.trim() === '' || Buffer.byteLength(id) > MOST_ID_BYTES) return false;
  if (!id.isWellFormed() || /\p{Cc}/u.test(id)) return false;
  return staysBelow(later.path, laterField(later), id);
}

const laterField = ({ fields }: Later): string => fields?.id ?? 'id';

type PathValues = Partial<Pick<RequestValues, 'idempotency_key' | 'project_id'>>;

interface RequestParts {
  readonly method: Method;
  readonly path: string;
  readonly body: JsonObject | undefined;
}

/**
 * The call's parameters by the vendor's names, without parameters for which the vendor has no field.
 * @throws StopError `job` where two of them have one name, such as a filter of the job: one of the two
 *   would be lost.
 */
function fieldsOf({ fields, body }: Partial<RequestShape>, call: Call): Map<string, JsonValue> {
  const sent = new Map<string, JsonValue>();
  for (const name in call.parameters) {
    const named = fields && ownMember(fields, name);
    if (named !== null) addField(sent, named ?? name, call.parameters[name] ?? null, call);
  }
  if (body !== undefined)
    for (const [name, value] of Object.entries(marked(body))) addField(sent, name, value, call);
  return sent;
}

function addField(
  sent: Map<string, JsonValue>,
  field: string,
  value: JsonValue,
  { operation }: Pick<Call, 'operation'>,
): void {
  for (const other of sent.keys()) {
    if (!isWithin(other, field) && !isWithin(field, other)) continue;
    const fact = `${operation}: two values would be sent as ${JSON.stringify(other)}.`;
    throw stop('job', fact, 'Rename a filter of the job, or a field of the dialect.');
  }
  sent.set(field, value);
}

/** Reads own members only: the job names a filter, and every object also has a `constructor`. */
function ownMember<Value>(members: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

/**
 * Writes a role as the service grants it. A call has our word, so that its key does not depend on the
 * dialect.
 */
function withPermissions({ permissions }: Dialect, call: Call): Call {
  if (permissions === undefined || call.parameters.role === undefined) return call;
  const { role, ...others } = call.parameters;
  invariant(isRole(role), `${JSON.stringify(role)} is no role`);
  const granted = { items: { [permissions.item]: { actions: { [permissions[role]]: true } } } };
  // Permissions stand before the others, as in the published table.
  return { ...call, parameters: { permissions: granted, ...others } };
}

const isRole = (value: JsonValue): value is Role => (ROLES as readonly JsonValue[]).includes(value);

/** The request of a call that brings its own. Braces are ordinary characters, except in `{key}`. */
function shapedByItself(call: Call): RequestParts {
  const { method, endpoint, body = {} } = call.parameters;
  invariant(
    isMethod(method) && typeof endpoint === 'string' && isObject(body),
    `${call.operation} has no method, endpoint and body`,
  );
  if (method === 'GET') {
    const fields = new Map(Object.entries(marked(body)));
    return { method, path: withQuery(endpoint, fields), body: undefined };
  }
  return { method, path: endpoint, body: bodyFor(method, marked(body)) };
}

const isMethod = (value: JsonValue | undefined): value is Method =>
  (METHODS as readonly (JsonValue | undefined)[]).includes(value);

/** A DELETE with nothing but a path has no body, because some servers refuse even an empty one. */
function bodyFor(method: Method, body: JsonObject): JsonObject | undefined {
  return method === 'DELETE' && Object.keys(body).length === 0 ? undefined : body;
}

/**
 * @param values further names that the path may use: for a free request about a call, never for the call
 *   itself.
 */
function shapedRequest(
  shape: RequestShape,
  fields: Map<string, JsonValue>,
  values: PathValues,
  idField?: string,
): RequestParts {
  const path = fillPath(shape.path, fields, values, idField);
  const { method } = shape;
  if (method !== 'GET') return { method, path, body: bodyFor(method, nested(fields)) };
  requireFlat([...fields.keys()]);
  return { method, path: withQuery(path, fields), body: undefined };
}

/** @throws StopError `job` for a name that leads into an object. */
function requireFlat(names: readonly string[]): void {
  const deep = names.find((name) => name.includes('.'));
  if (deep === undefined) return;
  const fact = `${JSON.stringify(deep)} is a nested field, which a query cannot have.`;
  const next = 'Write its name in the job or the dialect as it must be in the query, without a dot.';
  throw stop('job', fact, next);
}

function nested(fields: ReadonlyMap<string, JsonValue>): JsonObject {
  let body: JsonObject = {};
  for (const [name, value] of fields)
    body = name.includes('.') ? mergedObjects(body, objectWith(name, value)) : { ...body, [name]: value };
  return body;
}

const PATH_FIELD = /\{([^{}]*)\}/g;

function fillPath(
  template: string,
  fields: Map<string, JsonValue>,
  values: PathValues,
  idField: string | undefined,
): string {
  if (!template.includes('{')) return template;
  return template.replaceAll(PATH_FIELD, (_, name: string) => {
    if (name === 'key') return KEY;
    if (name === 'idempotency_key' || name === 'project_id') return pathSegment(name, values[name]);
    const value = fields.get(name);
    fields.delete(name);
    return name === idField && staysBelow(template, name, value)
      ? encodeURIComponent(value)
      : pathSegment(name, value);
  });
}

/**
 * Whether an id of the vendor's can stand in the path, encoded. The reader of the path would resolve `.` and
 * `..`, encoded or not.
 */
function staysBelow(template: string, field: string, id: JsonValue | undefined): id is string {
  if (typeof id !== 'string' || id === '' || !id.isWellFormed()) return false;
  return !leadsElsewhere(template.replaceAll(`{${field}}`, () => encodeURIComponent(id)));
}

/** Whether a value of a row can stand in a path: it is one segment, and has no `/`, as Base64 has. */
const isPathSegment = (value: JsonValue | undefined): value is string =>
  staysBelow('/x/{value}', 'value', value) && !/[/\\]/.test(value);

function pathSegment(name: string, value: JsonValue | undefined): string {
  invariant(isPathSegment(value), `the path parameter ${name} is not one path segment`);
  return encodeURIComponent(value);
}

function withQuery(path: string, fields: ReadonlyMap<string, JsonValue>): string {
  const query = new URLSearchParams(
    [...fields].map(([name, value]): [string, string] => [name, queryText(value)]),
  )
    .toString()
    .replaceAll(KEY_MARK, KEY);
  if (query === '') return path;
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

/** A list becomes its members with commas between them; a query cannot hold anything deeper. */
function queryText(value: JsonValue): string {
  if (value === null) return '';
  if (typeof value !== 'object') return String(value);
  const isPlainList =
    Array.isArray(value) && value.every((each) => each === null || typeof each !== 'object');
  return isPlainList ? value.join(',') : JSON.stringify(value);
}

/**
 * Through a service there are no headers: the envelope has no place for them, and the service knows the
 * vendor's key.
 */
function built(
  { through, headers: ofAll, auth }: Dialect,
  basePath: string,
  { headers: ownHeaders }: RequestShape,
  { method, path, body }: RequestParts,
  values: RequestValues,
): HttpRequest {
  invariant(!leadsElsewhere(path), 'a path leads out of the address of its account');
  if (through !== undefined)
    return {
      method: 'POST',
      path: basePath === '' ? '/' : basePath,
      headers: headersOf(through.envelope.headers, values, true),
      body: jsonBytes(envelopeBody(through, { method, path, body })),
    };
  const sent = headersOf(
    ownHeaders === undefined ? ofAll : { ...ofAll, ...ownHeaders },
    values,
    body !== undefined,
  );
  return {
    method,
    path: basePath + path,
    headers: auth === undefined ? sent : { authorization: basicOf(auth.basic, values), ...sent },
    body: body && jsonBytes(body),
    key: values.key,
  };
}

/**
 * The body of the outer request, where a service carries it: its "API Call" step wraps the request in the
 * form in which it would go to the vendor itself. The names are in the dialect, because the service publishes
 * none of them.
 */
function envelopeBody(
  { envelope, connectedAccount }: EnvelopeRoute,
  { method, path, body }: RequestParts,
): JsonObject {
  const { request } = envelope;
  const members = [
    objectWith(request.account, connectedAccount),
    objectWith(request.method, method),
    objectWith(request.endpoint, path),
    ...(body === undefined ? [] : [objectWith(request.body, body)]),
  ];
  return members.reduce(mergedObjects, {});
}

function jsonBytes(body: JsonObject): Buffer {
  const text = JSON.stringify(body).replaceAll(KEY, ENCODED_KEY);
  return Buffer.from(text.replaceAll(KEY_MARK, KEY));
}

function valuesFor(call: Call, values: RequestValues): RequestValues {
  return call.project === undefined ? values : { ...values, project_id: call.project };
}

type Headers = Readonly<Record<string, string>>;

function headersOf(templates: Headers, values: RequestValues, hasBody: boolean): Headers {
  const headers: Record<string, string> = {};
  for (const name in templates) {
    const template = templates[name] ?? '';
    if (hasBody || name !== 'content-type')
      headers[name] = template.includes('{') ? filled(template, values) : template;
  }
  return headers;
}

function filled(template: string, values: RequestValues): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    return name === 'basic_key' ? nameAndPassword(['key'], values) : valueFor(name, values);
  });
}

const basicOf = (names: readonly string[], values: RequestValues): string =>
  `Basic ${nameAndPassword(names, values)}`;

/** `Basic` takes a name and a password with a colon between them, in Base64; the password may be blank. */
function nameAndPassword([name = '', password = '']: readonly string[], values: RequestValues): string {
  const filledIn = (each: string): string => (each === '' ? '' : valueFor(each, values));
  return Buffer.from(`${filledIn(name)}:${filledIn(password)}`).toString('base64');
}

function valueFor(name: string, values: RequestValues): string {
  const ofSlot = values.secrets && ownMember(values.secrets, name);
  const value = ofSlot ?? values[name as keyof Omit<RequestValues, 'secrets'>];
  invariant(value !== undefined, `a header needs {${name}}, which this account does not have`);
  return value;
}
