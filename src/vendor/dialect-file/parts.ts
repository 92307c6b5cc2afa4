import { suggestion } from '../../core/nearest.ts';
import type { Method } from '../../core/operation.ts';
import { foreignName } from '../../core/plain-text.ts';
import type { SchemaProblem } from '../../core/yaml/schema-problem.ts';
import type { DialectOperation } from '../dialect.ts';
import { isWithin } from '../request.ts';

/** Finds problems in the parts that all requests of a dialect have: headers, path, fields. */

export type Problem = SchemaProblem;
export type Problems = Iterable<Problem>;

/** Values of the account that the headers of any request may name. */
export const ACCOUNT_VALUES = ['key', 'project_id', 'organization_id'];

type Headers = Readonly<Record<string, string>>;
type Fields = Pick<DialectOperation, 'fields'>;

export function* inHeaders(
  headers: Headers | undefined,
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

/** @param known the names that the path may use. */
export function* inPath(path: string, known: readonly string[], keys: readonly string[]): Problems {
  const unknown = placeholdersIn(path).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const fact = `the path has {${unknown}}, and no call has such a field`;
  yield { keys, part: 'value', fact, next: suggestion(unknown, known) };
}

export function* unknownParameter(
  { fields }: Fields,
  parameters: readonly string[],
  keys: readonly string[],
): Problems {
  const unknown = Object.keys(fields ?? {}).find((name) => !parameters.includes(name));
  if (unknown === undefined) return;
  const fact = `the operation has no parameter ${foreignName(unknown)}`;
  yield { keys: [...keys, 'fields', unknown], part: 'name', fact, next: suggestion(unknown, parameters) };
}

export function* sharedField(entry: Fields, asked: readonly string[], keys: readonly string[]): Problems {
  const fields = asked.map((name) => fieldOf(entry, name));
  const twice = asked.find((name, index) => {
    const field = fieldOf(entry, name);
    return fields.slice(0, index).some((each) => isWithin(each, field) || isWithin(field, each));
  });
  if (twice === undefined) return;
  const fact = `two parameters go into the field ${foreignName(fieldOf(entry, twice))}, and a call may have both`;
  const next = `Write ${twice}: null for the one that the vendor has no field for.`;
  yield { keys: [...keys, 'fields', twice], part: 'value', fact, next };
}

/** Fields that a query cannot hold. Fields that the path names are not in the query. */
export function* nestedInQuery(
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

export function* nestedName(method: Method, field: string | undefined, keys: readonly string[]): Problems {
  if (method !== 'GET' || field?.includes('.') !== true) return;
  const fact = `${foreignName(field)} is a nested field, and the query of a GET has none`;
  const next = 'Write the name as it has to stand in the query, without a dot.';
  yield { keys, part: 'value', fact, next };
}

/** The parameters for which the vendor has a field. */
export function askable({ fields }: Fields, parameters: readonly string[]): readonly string[] {
  return parameters.filter((name) => fields?.[name] !== null);
}

export function fieldOf({ fields }: Fields, parameter: string): string {
  return fields?.[parameter] ?? parameter;
}

export function placeholdersIn(template: string): readonly string[] {
  return [...template.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name);
}

/** Whether a request with its own headers and those of the dialect has that placeholder in one of them. */
export function headersName(placeholder: string, ofAll: Headers, own: Headers | undefined): boolean {
  return Object.values({ ...ofAll, ...own }).some((each) => placeholdersIn(each).includes(placeholder));
}
