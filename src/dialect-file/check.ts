import type { Dialect, DialectOperation, ReadBack } from '../dialect.ts';
import { suggestion } from '../nearest.ts';
import type { Operation } from '../operation.ts';
import type { SchemaProblem } from '../schema-problem.ts';

/**
 * What is wrong with a dialect as a whole, which no schema can know: entries that contradict each other, and requests
 * that could not be made for some call. Whatever passes here never becomes a request with a hole in it.
 */

type Problem = SchemaProblem;
type Problems = Iterable<Problem>;

/** What the headers of any request may take from the account. */
const ACCOUNT_VALUES = ['key', 'project_id', 'organization_id'];

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
    yield* inCredits(entry, keys);
    yield* inHeaders(entry.headers, [...keys, 'headers'], ACCOUNT_VALUES);
    if (inputs !== undefined) yield* inFields(entry, inputs, keys);
    if (entry.read_back !== undefined) {
      yield* inReadBack(dialect, entry.read_back, askable(entry, inputs ?? []), [...keys, 'read_back']);
    }
  }
  if (dialect.usage !== undefined) {
    yield* inHeaders(dialect.usage.headers, ['usage', 'headers'], ACCOUNT_VALUES);
    yield* inPath(dialect.usage.path, [], ['usage', 'path']);
  }
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

function* inHeaders(
  headers: Readonly<Record<string, string>> | undefined,
  keys: readonly string[],
  known: readonly string[],
): Problems {
  for (const [name, template] of Object.entries(headers ?? {})) {
    const unknown = placeholdersIn(template).find((each) => !known.includes(each));
    if (unknown === undefined) continue;
    const fact = `{${unknown}} stands for nothing in a header here`;
    yield { keys: [...keys, name], part: 'value', fact, next: suggestion(unknown, known) };
  }
}

/** The parameters and the path of an operation whose inputs are known. */
function* inFields(entry: DialectOperation, inputs: readonly string[], keys: readonly string[]): Problems {
  const unknown = Object.keys(entry.fields ?? {}).find((name) => !inputs.includes(name));
  if (unknown !== undefined) {
    const fact = `the operation has no parameter "${unknown}"`;
    yield { keys: [...keys, 'fields', unknown], part: 'name', fact, next: suggestion(unknown, inputs) };
  }
  const asked = askable(entry, inputs);
  if (asked.length === 0) {
    const fact = 'the vendor has no field for any parameter, so nothing can be asked';
    yield { keys: [...keys, 'fields'], part: 'value', fact, next: 'Name the field of at least one.' };
  }
  const twice = asked.find((name, index) =>
    asked.slice(0, index).some((each) => sameField(entry, each, name)),
  );
  if (twice !== undefined) {
    const fact = `two parameters go into the field "${fieldOf(entry, twice)}", and a call may have both`;
    const next = `Write ${twice}: null for the one that the vendor has no field for.`;
    yield { keys: [...keys, 'fields', twice], part: 'value', fact, next };
  }
  yield* inPath(
    entry.path,
    asked.map((name) => fieldOf(entry, name)),
    [...keys, 'path'],
  );
}

/**
 * A call may have any one of the parameters alone, so a path can only name a field when there is no other.
 * @param fields those that a call may have.
 */
function* inPath(path: string, fields: readonly string[], keys: readonly string[]): Problems {
  for (const name of placeholdersIn(path)) {
    if (!fields.includes(name)) {
      const fact = `the path has {${name}}, and no call has such a field`;
      yield { keys, part: 'value', fact, next: suggestion(name, fields) };
    }
    const other = fields.find((each) => each !== name);
    if (other === undefined) continue;
    const fact = `the path has {${name}}, which a call by ${other} does not have`;
    const next = `Take {${name}} out of the path, or write null for every other field.`;
    yield { keys, part: 'value', fact, next };
  }
}

function* inReadBack(
  dialect: Dialect,
  readBack: ReadBack,
  parameters: readonly string[],
  keys: readonly string[],
): Problems {
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
  const path = readBack.path.replaceAll(`{${IDEMPOTENCY_KEY}}`, '');
  const fields = askable(readBack, parameters).map((name) => fieldOf(readBack, name));
  yield* inPath(path, fields, [...keys, 'path']);
}

type Fields = Pick<DialectOperation, 'fields'>;

/** The parameters that the vendor has a field for. */
function askable({ fields }: Fields, inputs: readonly string[]): readonly string[] {
  return inputs.filter((name) => fields?.[name] !== null);
}

function fieldOf({ fields }: Fields, parameter: string): string {
  return fields?.[parameter] ?? parameter;
}

function sameField(entry: Fields, one: string, other: string): boolean {
  return fieldOf(entry, one) === fieldOf(entry, other);
}

function placeholdersIn(template: string): readonly string[] {
  return [...template.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name);
}
