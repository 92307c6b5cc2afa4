import { stop } from '../../core/errors.ts';
import { OPERATIONS } from '../../core/families.ts';
import { familyNames, loadMember } from '../../core/family.ts';
import type { Operation } from '../../core/operation.ts';
import { foreignName } from '../../core/plain-text.ts';
import type { OwnOperation } from '../own-operation.ts';

/** The operation of a name: a built-in one, or one that a program has passed. */

/** Where operations come from that are not built in. */
export interface OperationSources {
  /** Operations that the program brings. */
  readonly operations?: readonly OwnOperation[] | undefined;
}

/**
 * Undefined for a name that is none, or that has another version behind it: `rowonce-work-email@1`, as a batch keeps it.
 * @throws StopError `job` for an operation that is wrong.
 */
export async function findOperation(
  name: string,
  { operations = [] }: OperationSources,
): Promise<Operation | undefined> {
  if (operations.length > 0) await requireOwnNames(operations);
  const builtIn = await loadMember<Operation>(OPERATIONS, name);
  if (builtIn !== undefined) return builtIn;
  const { bare = name } = /^(?<bare>.+)@\d+$/.exec(name)?.groups ?? {};
  const own = operations.find((each) => each.name === bare);
  if (own === undefined) return undefined;
  const found = await (await import('../own-operation.ts')).operationFrom(own);
  return bare === name || found.name === name ? found : undefined;
}

/** Two operations of one name would share their answers. */
async function requireOwnNames(operations: readonly OwnOperation[]): Promise<void> {
  const taken = new Set(await familyNames(OPERATIONS));
  for (const { name } of operations) {
    if (taken.has(name))
      throw stop('job', `There are two operations ${foreignName(name)}.`, 'Rename one of them.');
    taken.add(name);
  }
}
