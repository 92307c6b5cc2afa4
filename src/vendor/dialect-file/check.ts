import type { Operation } from '../../core/operation.ts';
import type { Dialect, DialectOperation, ReadBack } from '../dialect.ts';
import { CHANGE_PARAMETERS, inChange } from './changes.ts';
import { inLookUps } from './look-ups.ts';
import {
  ACCOUNT_VALUES,
  askable,
  fieldOf,
  inHeaders,
  inPath,
  nestedInQuery,
  nestedName,
  type Problem,
  type Problems,
  placeholdersIn,
  sharedField,
  unknownParameter,
} from './parts.ts';

/**
 * Finds what no schema can see in a dialect: entries that contradict each other, and requests that could not be made
 * for some call. A dialect that passes never makes a request with an unfilled placeholder.
 */

const IDEMPOTENCY_KEY = 'idempotency_key';

/** @param operations ours by name, for the parameters that their calls may have. */
export function firstProblem(
  dialect: Dialect,
  operations: ReadonlyMap<string, Operation>,
): Problem | undefined {
  for (const problem of problemsIn(dialect, operations)) return problem;
  return undefined;
}

function* problemsIn(dialect: Dialect, operations: ReadonlyMap<string, Operation>): Problems {
  yield* inHeaders(dialect.headers, ['headers'], ACCOUNT_VALUES);
  for (const [name, entry] of Object.entries(dialect.operations)) {
    const keys = ['operations', name];
    const inputs = operations.get(name)?.inputs.map((input) => input.name);
    const parameters = CHANGE_PARAMETERS.get(name) ?? inputs;
    yield* inCredits(entry, keys);
    yield* nestedInQuery(entry, keys);
    yield* nestedName(entry.method, entry.paging?.parameter, [...keys, 'paging', 'parameter']);
    yield* inHeaders(entry.headers, [...keys, 'headers'], ACCOUNT_VALUES);
    if (CHANGE_PARAMETERS.has(name)) yield* inChange(dialect, name, entry);
    else if (inputs !== undefined) yield* inFields(entry, inputs, keys);
    if (entry.read_back !== undefined)
      yield* inReadBack(dialect, name, entry.read_back, askable(entry, parameters ?? []));
  }
  if (dialect.usage !== undefined) {
    yield* inHeaders(dialect.usage.headers, ['usage', 'headers'], ACCOUNT_VALUES);
    yield* inPath(dialect.usage.path, [], ['usage', 'path']);
  }
  yield* inLookUps(dialect);
  if (dialect.api_call !== undefined) {
    yield* inHeaders(dialect.api_call.headers, ['api_call', 'headers'], ACCOUNT_VALUES);
  }
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

/**
 * Problems of the parameters and the path of an operation with known inputs; an operation whose job brings its inputs
 * has none.
 */
function* inFields(entry: DialectOperation, inputs: readonly string[], keys: readonly string[]): Problems {
  yield* unknownParameter(entry, inputs, keys);
  const asked = askable(entry, inputs);
  if (asked.length === 0 && inputs.length > 0) {
    const fact = 'the vendor has no field for any parameter, so nothing can be asked';
    yield { keys: [...keys, 'fields'], part: 'value', fact, next: 'Name the field of at least one.' };
  }
  yield* sharedField(entry, asked, keys);
  const fields = asked.map((name) => fieldOf(entry, name));
  yield* inPath(entry.path, fields, [...keys, 'path']);
  yield* sometimesMissing(entry.path, fields, [...keys, 'path']);
}

/** A lookup may have any one of its fields alone, so a path can only name a field that is the only one. */
function* sometimesMissing(path: string, fields: readonly string[], keys: readonly string[]): Problems {
  for (const name of placeholdersIn(path)) {
    const other = fields.find((each) => each !== name);
    if (other === undefined) continue;
    const fact = `the path has {${name}}, which a call by ${other} does not have`;
    const next = `Take {${name}} out of the path, or write null for every other field.`;
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
    const fact = `the read-back asks by {${IDEMPOTENCY_KEY}}, and no request has one`;
    yield {
      keys: [...keys, 'path'],
      part: 'value',
      fact,
      next: 'Add idempotency: { header: …, valid_for: … }.',
    };
  }
  yield* inHeaders(readBack.headers, [...keys, 'headers'], [...ACCOUNT_VALUES, IDEMPOTENCY_KEY]);
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
    const fact = 'permissions are an object, and a query holds text';
    const next = 'Write fields: { permissions: null }.';
    yield { keys: [...keys, 'fields'], part: 'value', fact, next };
  }
}
