import { isWithin, WHOLE_BODY } from '../../core/answer-body.ts';
import { suggestion } from '../../core/nearest.ts';
import type { Method, Operation } from '../../core/operation.ts';
import { foreignName } from '../../core/plain-text.ts';
import type { SchemaProblem } from '../../lib/yaml/schema-problem.ts';
import type { Dialect, DialectOperation, Envelope, Listing, ReadBack } from './dialect-schema.ts';

/**
 * Finds what no schema can see in a dialect: entries that contradict each other, and requests that could not be made
 * for some call. A dialect that passes never makes a request with an unfilled placeholder.
 */

type Headers = Readonly<Record<string, string>>;
type Fields = Pick<DialectOperation, 'fields'>;

type Problems = Iterable<SchemaProblem>;

const IDEMPOTENCY_KEY = 'idempotency_key';

/** Values of the account that the headers of any request may name. */
const ACCOUNT_VALUES = ['key', 'project_id', 'organization_id'];

/** A header by whose name servers know that it is secret. What stands in others gets into logs. */
const AUTHENTICATES = /auth|key|token|secret|credential|password/;
const NAMES_REQUEST = /idempotency|websocket/;

/** @param operations ours by name, for the parameters that their calls may have. */
export function firstProblem(
  dialect: Dialect,
  operations: ReadonlyMap<string, Operation>,
): SchemaProblem | undefined {
  for (const problem of problemsIn(dialect, operations)) return problem;
  return undefined;
}

function* problemsIn(dialect: Dialect, operations: ReadonlyMap<string, Operation>): Problems {
  yield* inHeaders(dialect.headers, ['headers']);
  yield* besideIdempotencyKey(dialect);
  for (const [name, entry] of Object.entries(dialect.operations)) {
    const keys = ['operations', name];
    const inputs = operations.get(name)?.inputs.map((input) => input.name);
    const parameters = CHANGE_PARAMETERS.get(name) ?? inputs;
    yield* inCredits(entry, keys);
    yield* nestedInQuery(entry, keys);
    yield* inPaging(entry, inputs ?? [], [...keys, 'paging']);
    yield* inHeaders(entry.headers, [...keys, 'headers'], dialect.headers);
    if (CHANGE_PARAMETERS.has(name)) yield* inChange(dialect, name, entry);
    else if (inputs !== undefined) yield* inFields(entry, inputs, keys);
    if (entry.read_back !== undefined)
      yield* inReadBack(dialect, name, entry.read_back, askable(entry, parameters ?? []));
  }
  if (dialect.usage !== undefined) {
    yield* inHeaders(dialect.usage.headers, ['usage', 'headers'], dialect.headers);
    yield* inPath(dialect.usage.path, [], ['usage', 'path']);
  }
  if (dialect.balance !== undefined) {
    yield* inHeaders(dialect.balance.headers, ['balance', 'headers'], dialect.headers);
    yield* inPath(dialect.balance.path, [], ['balance', 'path']);
  }
  yield* inLookUps(dialect);
  if (dialect.api_call !== undefined) {
    yield* inHeaders(dialect.api_call.headers, ['api_call', 'headers']);
    yield* besideWholeBody(dialect.api_call);
  }
}

function* besideWholeBody({ answer }: Envelope): Problems {
  const beside = (['status', 'headers'] as const).find((name) => answer[name] !== undefined);
  if (answer.body !== WHOLE_BODY || beside === undefined) return;
  const fact = `with \`body: ${WHOLE_BODY}\` the vendor's answer is all that the service answers, so its ${beside} cannot be inside it`;
  yield { keys: ['api_call', 'answer', beside], part: 'name', fact, next: 'Leave it out.' };
}

function* inCredits({ credits: { most, found } }: DialectOperation, keys: readonly string[]): Problems {
  if (found <= most) return;
  yield {
    keys: [...keys, 'credits', 'found'],
    part: 'value',
    fact: `a successful answer is booked at ${found} credits, and only ${most} are reserved for it`,
    next: `Write most: ${found}, or more.`,
  };
}

/** Problems of the parameters and the path of an operation with known inputs; an operation whose job brings its inputs has none. */
function* inFields(entry: DialectOperation, inputs: readonly string[], keys: readonly string[]): Problems {
  yield* unknownParameter(entry, inputs, keys);
  const asked = askable(entry, inputs);
  if (asked.length === 0 && inputs.length > 0) {
    const fact = 'the dialect has no field for any parameter, so nothing can be asked';
    yield { keys: [...keys, 'fields'], part: 'value', fact, next: 'Name the field of at least one.' };
  }
  yield* sharedField(entry, asked, keys);
  const fields = asked.map((name) => fieldOf(entry, name));
  yield* inPath(entry.path, fields, [...keys, 'path']);
  yield* sometimesMissing(entry.path, fields, [...keys, 'path']);
}

function* inPaging(entry: DialectOperation, inputs: readonly string[], keys: readonly string[]): Problems {
  const { method, paging } = entry;
  if (paging === undefined) return;
  const { parameter, size } = paging;
  const asked = askable(entry, inputs).map((name) => fieldOf(entry, name));
  yield* takenField(method, parameter, asked, [...keys, 'parameter']);
  yield* takenField(method, size?.parameter, [...asked, parameter], [...keys, 'size', 'parameter']);
}

function* takenField(
  method: Method,
  field: string | undefined,
  taken: readonly string[],
  keys: readonly string[],
): Problems {
  yield* nestedName(method, field, keys);
  const other =
    field === undefined ? undefined : taken.find((each) => isWithin(each, field) || isWithin(field, each));
  if (other === undefined) return;
  const fact = `${foreignName(other)} is already sent with it`;
  yield { keys, part: 'value', fact, next: 'Write the name of the field that asks for a page.' };
}

/** A lookup may have any one of its fields alone, so a path can only name a field that is the only one. */
function* sometimesMissing(path: string, fields: readonly string[], keys: readonly string[]): Problems {
  for (const name of placeholdersIn(path)) {
    const other = fields.find((each) => each !== name);
    if (other === undefined) continue;
    const fact = `the path has {${name}}, which a call by ${other} does not have`;
    const next = `Remove {${name}} from the path, or write null for every other field.`;
    yield { keys, part: 'value', fact, next };
  }
}

function* inReadBack(
  dialect: Dialect,
  operation: string,
  readBack: ReadBack,
  parameters: readonly string[],
): Problems {
  const keys = ['operations', operation, 'read_back'];
  const templates = [readBack.path, ...Object.values(readBack.headers ?? {})];
  if (
    dialect.idempotency === undefined &&
    templates.some((each) => placeholdersIn(each).includes(IDEMPOTENCY_KEY))
  ) {
    const fact = `the read-back asks by {${IDEMPOTENCY_KEY}}, but no request has one`;
    yield {
      keys: [...keys, 'path'],
      part: 'value',
      fact,
      next: 'Add idempotency: { header: …, valid_for: … }.',
    };
  }
  yield* inHeaders(readBack.headers, [...keys, 'headers'], dialect.headers, [IDEMPOTENCY_KEY]);
  yield* nestedInQuery(readBack, keys);
  const path = readBack.path.replaceAll(`{${IDEMPOTENCY_KEY}}`, '');
  const fields = askable(readBack, parameters).map((name) => fieldOf(readBack, name));
  const isChange = CHANGE_PARAMETERS.has(operation);
  yield* inPath(path, isChange ? [...fields, 'project_id'] : fields, [...keys, 'path']);
  if (!isChange) yield* sometimesMissing(path, fields, [...keys, 'path']);
  if (
    readBack.method === 'GET' &&
    parameters.includes('permissions') &&
    readBack.fields?.permissions !== null
  ) {
    const fact = 'permissions are an object, but a query can hold only text';
    const next = 'Write fields: { permissions: null }.';
    yield { keys: [...keys, 'fields'], part: 'value', fact, next };
  }
}

// -------------------------------------------------------------------------------------------------- the changes of a service

const CHANGE_PARAMETERS: ReadonlyMap<string, readonly string[]> = new Map([
  ['create-project', ['name', 'description', 'organization_id']],
  ['create-invite', ['permissions', 'email']],
  ['update-user', ['user_id', 'permissions']],
  ['delete-invite', ['invite_code']],
  ['remove-user', ['user_id']],
]);

/** The one change without a project, because it makes one. */
const MAKES_A_PROJECT = 'create-project';

/** The one operation whose answer may say that a person is in the project at once. */
const INVITES = 'create-invite';

/** Unlike a lookup, a change of a service always has all of its parameters. */
function* inChange(dialect: Dialect, name: string, entry: DialectOperation): Problems {
  const keys = ['operations', name];
  const parameters = CHANGE_PARAMETERS.get(name) ?? [];
  yield* unknownParameter(entry, parameters, keys);
  const without = parameters.find((each) => entry.fields?.[each] === null);
  if (without !== undefined) {
    const fact = `every ${name} has ${without}, so the vendor needs a field for it`;
    yield { keys: [...keys, 'fields', without], part: 'value', fact, next: 'Name the field.' };
  }
  yield* sharedField(entry, askable(entry, parameters), keys);
  // Permissions are an object, and a path can only hold text.
  const inPaths = parameters.filter((each) => each !== 'permissions').map((each) => fieldOf(entry, each));
  yield* inPath(entry.path, inPaths, [...keys, 'path']);
  if (name !== MAKES_A_PROJECT && !headersName('project_id', dialect.headers, entry.headers)) {
    const fact = `no header of ${name} has {project_id}, so the service would not know which project is meant`;
    const next = 'Put {project_id} into a header, such as authorization: Bearer {project_id}:{key}.';
    yield { keys: [...keys, 'headers'], part: 'value', fact, next };
  }
  if (entry.accepted !== undefined && name !== INVITES) {
    const fact = `${name} invites nobody, so its answer cannot say that an invite was accepted`;
    yield { keys: [...keys, 'accepted'], part: 'name', fact, next: 'Leave it out.' };
  }
}

// -------------------------------------------------------------------------------------------------- who is in a project, who is invited to it, and whose key it is

const LISTINGS = ['list_users', 'list_invites'] as const;

const OF_A_SERVICE = [...LISTINGS, 'whoami', 'permissions'] as const;

function* inLookUps(dialect: Dialect): Problems {
  const { vendor, whoami } = dialect;
  const stray = OF_A_SERVICE.find((name) => dialect[name] !== undefined);
  if (stray !== undefined && vendor !== 'service') {
    const fact = `only a service has ${stray}, and this is a ${vendor}`;
    yield { keys: [stray], part: 'name', fact, next: 'Leave it out.' };
  }
  for (const name of LISTINGS) {
    const listing = dialect[name];
    if (listing !== undefined) yield* inListing(dialect, name, listing);
  }
  if (whoami === undefined) return;
  yield* inHeaders(whoami.headers, ['whoami', 'headers'], dialect.headers);
  yield* inPath(whoami.path, [], ['whoami', 'path']);
  if (whoami.user_id === undefined && whoami.email === undefined) {
    const fact = 'whoami gives no path to the user id or the e-mail in its answer';
    yield { keys: ['whoami'], part: 'name', fact, next: 'Add user_id or email, with its path.' };
  }
}

function* inListing(dialect: Dialect, name: string, listing: Listing): Problems {
  const { method, path, headers, next_page: nextPage } = listing;
  yield* nestedName(method, nextPage?.parameter, [name, 'next_page', 'parameter']);
  yield* inHeaders(headers, [name, 'headers'], dialect.headers);
  yield* inPath(path, ['project_id'], [name, 'path']);
  if (placeholdersIn(path).includes('project_id') || headersName('project_id', dialect.headers, headers))
    return;
  const fact = `neither the path nor a header of ${name} has {project_id}, so it could be the list of any project`;
  const next = 'Put {project_id} into one of them.';
  yield { keys: [name], part: 'name', fact, next };
}

// -------------------------------------------------------------------------------------------------- what all requests have: headers, path, fields

/** @param ofAll the headers of every request, which stand beside these. @param also what they may name besides. */
function* inHeaders(
  headers: Headers = {},
  keys: readonly string[],
  ofAll: Headers = {},
  also: readonly string[] = [],
): Problems {
  const known = [...ACCOUNT_VALUES, ...also];
  for (const [name, template] of Object.entries(headers)) {
    const unknown = placeholdersIn(template).find((each) => !known.includes(each));
    if (unknown === undefined) continue;
    const fact = `{${unknown}} has no meaning in a header here`;
    yield { keys: [...keys, name], part: 'value', fact, next: suggestion(unknown, known) };
  }
  yield* inKeyHeaders(headers, keys, ofAll);
}

/** The key stands in one header of a request, which authenticates it. */
function* inKeyHeaders(headers: Headers, keys: readonly string[], ofAll: Headers): Problems {
  const withKey = Object.entries({ ...ofAll, ...headers }).flatMap(([name, template]) =>
    placeholdersIn(template).includes('key') ? [name] : [],
  );
  const own = withKey.findLast((name) => Object.hasOwn(headers, name));
  if (own === undefined) return;
  const at = { keys: [...keys, own], part: 'name' } as const;
  if (!AUTHENTICATES.test(own) || NAMES_REQUEST.test(own)) {
    const fact = `{key} is in ${own}, which does not authenticate`;
    const next = 'Write it into authorization, or a header whose name says auth, key, token or secret.';
    yield { ...at, fact, next };
  }
  const other = withKey.find((name) => name !== own);
  if (other === undefined) return;
  const fact = `${other} and ${own} both have {key}, but only one header of a request can authenticate`;
  yield { ...at, fact, next: `Remove one of them, such as with ${other}: null.` };
}

/** The idempotency key has a header of its own: it would take the place of what else stands there, such as the key. */
function* besideIdempotencyKey({ idempotency, headers, operations }: Dialect): Problems {
  if (idempotency === undefined) return;
  const { header } = idempotency;
  const all = [headers, ...Object.values(operations).map((entry) => entry.headers ?? {})];
  if (!all.some((each) => Object.hasOwn(each, header))) return;
  const fact = `${header} is set under headers already`;
  const next = 'Name a header that is not used for anything else.';
  yield { keys: ['idempotency', 'header'], part: 'value', fact, next };
}

function* inPath(path: string, known: readonly string[], keys: readonly string[]): Problems {
  const unknown = placeholdersIn(path).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const fact = `the path has {${unknown}}, but no call has such a field`;
  yield { keys, part: 'value', fact, next: suggestion(unknown, known) };
}

function* unknownParameter(
  { fields }: Fields,
  parameters: readonly string[],
  keys: readonly string[],
): Problems {
  const unknown = Object.keys(fields ?? {}).find((name) => !parameters.includes(name));
  if (unknown === undefined) return;
  const fact = `the operation has no parameter ${foreignName(unknown)}`;
  yield { keys: [...keys, 'fields', unknown], part: 'name', fact, next: suggestion(unknown, parameters) };
}

function* sharedField(entry: Fields, asked: readonly string[], keys: readonly string[]): Problems {
  const fields = asked.map((name) => fieldOf(entry, name));
  const twice = asked.find((name, index) => {
    const field = fieldOf(entry, name);
    return fields.slice(0, index).some((each) => isWithin(each, field) || isWithin(field, each));
  });
  if (twice === undefined) return;
  const fact = `two parameters go into the field ${foreignName(fieldOf(entry, twice))}, but a call may have both`;
  const next = `Write ${twice}: null for the one without a field at the vendor.`;
  yield { keys: [...keys, 'fields', twice], part: 'value', fact, next };
}

/** Fields that a query cannot hold. Fields that the path names are not in the query. */
function* nestedInQuery(
  { method, path, fields }: Pick<DialectOperation, 'method' | 'path' | 'fields'>,
  keys: readonly string[],
): Problems {
  if (method !== 'GET') return;
  const inPaths = placeholdersIn(path);
  const isNested = (field: string | null): boolean =>
    field?.includes('.') === true && !inPaths.includes(field);
  const [name, field] = Object.entries(fields ?? {}).find(([, each]) => isNested(each)) ?? [];
  if (name !== undefined) yield* nestedName(method, field ?? undefined, [...keys, 'fields', name]);
}

function* nestedName(method: Method, field: string | undefined, keys: readonly string[]): Problems {
  if (method !== 'GET' || field?.includes('.') !== true) return;
  const fact = `${foreignName(field)} is a nested field, which the query of a GET cannot have`;
  const next = 'Write the name as it must be in the query, without a dot.';
  yield { keys, part: 'value', fact, next };
}

function askable({ fields }: Fields, parameters: readonly string[]): readonly string[] {
  return parameters.filter((name) => fields?.[name] !== null);
}

function fieldOf({ fields }: Fields, parameter: string): string {
  return fields?.[parameter] ?? parameter;
}

function placeholdersIn(template: string): readonly string[] {
  return [...template.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name);
}

/** Whether a request with its own headers and those of the dialect has that placeholder in one of them. */
function headersName(placeholder: string, ofAll: Headers, own: Headers | undefined): boolean {
  return Object.values({ ...ofAll, ...own }).some((each) => placeholdersIn(each).includes(placeholder));
}
