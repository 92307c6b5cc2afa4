import type { Dialect, DialectOperation, ReadBack } from './dialect.ts';
import { envelopeBody } from './envelope.ts';
import { invariant } from './errors.ts';
import type { Call, JsonObject, JsonValue } from './operation.ts';

/** What leaves for the vendor, to the byte. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  /** With the query; the origin is the connection's. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

/** What the placeholders of a dialect's headers stand for. */
export interface RequestValues {
  readonly key: string;
  readonly project_id?: string;
  readonly organization_id?: string;
  /** Of this attempt; in a read-back, of the attempt that was lost. Sent where the dialect has a header for it. */
  readonly idempotency_key?: string;
}

/** How one request is shaped: an operation, a read-back, or the usage request. */
type Shape = Pick<DialectOperation, 'method' | 'path' | 'headers' | 'fields'>;

/** The dialect's entry for a call. The operations that a dialect lacks are refused before a batch begins. */
export function dialectOperationOf(dialect: Dialect, call: Call): DialectOperation {
  const operation = dialect.operations[call.operation];
  invariant(operation !== undefined, `the dialect ${dialect.name} has no operation ${call.operation}`);
  return operation;
}

/** The parameters of an operation for which the vendor has no field: it is never asked by them. */
export function unaskable(dialect: Dialect, operation: string): readonly string[] {
  const fields = Object.entries(dialect.operations[operation]?.fields ?? {});
  return fields.flatMap(([parameter, field]) => (field === null ? [parameter] : []));
}

/**
 * The request of a call: the dialect's path, headers and field names around the call's parameters.
 * @param movedTo path and query to which the vendor has redirected the call; left out: the dialect's.
 */
export function requestOf(
  dialect: Dialect,
  basePath: string,
  call: Call,
  values: RequestValues,
  movedTo?: string,
): HttpRequest {
  const operation = dialectOperationOf(dialect, call);
  const left = unaskable(dialect, call.operation).find((name) => Object.hasOwn(call.parameters, name));
  invariant(left === undefined, `${call.operation} is asked by ${left}, for which the vendor has no field`);
  const shaped = shapedRequest(operation, fieldsOf(operation, call));
  const path = movedTo ?? pathOf(dialect, basePath, shaped);
  const known = valuesFor(call, values);
  const headers = { ...headersOf(dialect, operation, known), ...idempotencyHeader(dialect, known) };
  return addressed(dialect, basePath, { ...shaped, path }, headers, known);
}

/** The free request that says what became of a call. `values` has the lost attempt's idempotency key, if it had one. */
export function readBackRequestOf(
  dialect: Dialect,
  basePath: string,
  call: Call,
  readBack: ReadBack,
  values: RequestValues,
): HttpRequest {
  const known = valuesFor(call, values);
  const shaped = shapedRequest(readBack, fieldsOf(readBack, call), known.idempotency_key);
  const path = pathOf(dialect, basePath, shaped);
  return addressed(dialect, basePath, { ...shaped, path }, headersOf(dialect, readBack, known), known);
}

/** The free request with the vendor's own count of credits; undefined when the dialect has none. */
export function usageRequestOf(
  dialect: Dialect,
  basePath: string,
  values: RequestValues,
): HttpRequest | undefined {
  if (dialect.usage === undefined) return undefined;
  const shaped = shapedRequest(dialect.usage, new Map());
  const path = pathOf(dialect, basePath, shaped);
  return addressed(dialect, basePath, { ...shaped, path }, headersOf(dialect, dialect.usage, values), values);
}

// ------------------------------------------------------------------------------------------------ path and body

interface Shaped {
  readonly method: 'GET' | 'POST';
  /** With the query, below the account's address. */
  readonly path: string;
  readonly body: JsonObject | undefined;
}

/** The call's parameters by the vendor's names; those that it has no field for are left out. */
function fieldsOf({ fields }: Shape, call: Call): Map<string, JsonValue> {
  const entries = Object.entries(call.parameters).flatMap(([name, value]) => {
    const field = fields?.[name] === undefined ? name : fields[name];
    return field === null ? [] : [[field, value] as const];
  });
  return new Map(entries);
}

function shapedRequest(shape: Shape, fields: Map<string, JsonValue>, idempotencyKey?: string): Shaped {
  const path = fillPath(shape.path, fields, idempotencyKey);
  if (shape.method === 'POST') return { method: 'POST', path, body: Object.fromEntries(fields) };
  return { method: 'GET', path: withQuery(path, fields), body: undefined };
}

/** Moves the fields that the path names out of the body. */
function fillPath(
  template: string,
  fields: Map<string, JsonValue>,
  idempotencyKey: string | undefined,
): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (name === 'idempotency_key') return pathSegment(name, idempotencyKey);
    const value = fields.get(name);
    fields.delete(name);
    return pathSegment(name, value);
  });
}

/** One segment and no more: `.` and `..` would be resolved away by whoever reads the path, encoded or not. */
function pathSegment(name: string, value: JsonValue | undefined): string {
  invariant(
    typeof value === 'string' && value !== '' && value !== '.' && value !== '..' && !/[/\\]/.test(value),
    `the path parameter ${name} is not one path segment`,
  );
  return encodeURIComponent(value);
}

/** A path of the dialect may have a query of its own, such as a version. */
function withQuery(path: string, fields: ReadonlyMap<string, JsonValue>): string {
  const query = new URLSearchParams(
    [...fields].map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  if (query === '') return path;
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

/** The account's address is the vendor's, or that of the service, which knows the vendor's by itself. */
function pathOf({ through }: Dialect, basePath: string, { path }: Shaped): string {
  return through === undefined ? basePath + path : path;
}

/** The request to the vendor itself, or the one to the service that it goes through. */
function addressed(
  { through }: Dialect,
  basePath: string,
  { method, path, body }: Shaped,
  headers: Record<string, string>,
  values: RequestValues,
): HttpRequest {
  if (through === undefined) {
    if (body !== undefined) return { method, path, headers, body: jsonBytes(body) };
    const { 'content-type': _, ...others } = headers;
    return { method, path, headers: others, body };
  }
  return {
    method: 'POST',
    path: basePath === '' ? '/' : basePath,
    headers: filled(through.envelope.headers, values),
    body: jsonBytes(envelopeBody(through, { method, endpoint: path, body })),
  };
}

function jsonBytes(body: JsonObject): Buffer {
  return Buffer.from(JSON.stringify(body));
}

// ------------------------------------------------------------------------------------------------ headers

function valuesFor(call: Call, values: RequestValues): RequestValues {
  return call.project === undefined ? values : { ...values, project_id: call.project };
}

/** Through a service none are needed: the envelope has no place for them, and the service knows the vendor's key. */
function headersOf(dialect: Dialect, { headers }: Shape, values: RequestValues): Record<string, string> {
  return dialect.through === undefined ? filled({ ...dialect.headers, ...headers }, values) : {};
}

function idempotencyHeader(
  { idempotency }: Dialect,
  { idempotency_key: key }: RequestValues,
): Record<string, string> {
  return idempotency === undefined || key === undefined ? {} : { [idempotency.header]: key };
}

function filled(templates: Readonly<Record<string, string>>, values: RequestValues): Record<string, string> {
  const known: Readonly<Record<string, string | undefined>> = { ...values };
  const fill = (template: string): string =>
    template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const value = known[name];
      invariant(value !== undefined, `a header needs {${name}}, which this account does not have`);
      return value;
    });
  return Object.fromEntries(Object.entries(templates).map(([name, template]) => [name, fill(template)]));
}
