import { problemOf, type SchemaProblem } from '../../lib/yaml/schema-problem.ts';
import { firstProblem } from './check.ts';
import { type Dialect, dialectOperation } from './dialect-schema.ts';

/**
 * What is wrong with the request of an operation that is not built in, by itself and beside the headers of the built-in dialect;
 * undefined when nothing is.
 */
export function requestProblem(request: unknown, builtIn: Dialect): SchemaProblem | undefined {
  const checked = dialectOperation.safeParse(request);
  if (!checked.success) return problemOf(dialectOperation, request, checked.error.issues);
  const found = firstProblem({ ...builtIn, operations: { own: checked.data } }, new Map());
  return found && { ...found, keys: found.keys.slice(2) };
}
