import type { Answers } from '../../client/account/agreements.ts';
import { stop } from '../../core/errors.ts';
import { OPERATIONS } from '../../core/families.ts';
import { familyNames, loadMember } from '../../core/family.ts';
import type { Operation } from '../../core/operation.ts';
import { foreignName } from '../../core/plain-text.ts';
import type { OwnOperation } from '../own-operation.ts';

/** The operation of a name: a built-in one, one that a program has passed, or that of an installed package. */

/** Where operations come from that are not built in, and how a person agrees to the code of a package. */
export interface OperationSources extends Answers {
  /** Operations that the program brings. */
  readonly operations?: readonly OwnOperation[] | undefined;
}

/**
 * Undefined for a name that is none.
 * @param folder of the job: a package is looked for there and above it, then in the current folder and above that.
 * @throws StopError `job` for an operation that is wrong; for a package as `packageOperation`.
 */
export async function findOperation(
  name: string,
  sources: OperationSources,
  folder?: string,
): Promise<Operation | undefined> {
  const { operations = [] } = sources;
  if (operations.length > 0) await requireOwnNames(operations);
  const builtIn = await loadMember<Operation>(OPERATIONS, name);
  if (builtIn !== undefined) return builtIn;
  const own = operations.find((each) => each.name === name);
  if (own !== undefined) return (await import('../own-operation.ts')).operationFrom(own);
  if (!/(?:^|\/)rowonce-/.test(name)) return undefined;
  const { PACKAGE_NAME, packageOperation } = await import('./package-operation.ts');
  if (!PACKAGE_NAME.test(name)) return undefined;
  const folders = folder === undefined ? [process.cwd()] : [folder, process.cwd()];
  return packageOperation(name, folders, sources);
}

/** Finds an operation again by its name with the version, as a batch keeps it. Undefined where only another version is there. */
export async function findVersion(name: string, sources: OperationSources): Promise<Operation | undefined> {
  const found = await findOperation(name.replace(/@\d+$/, ''), sources);
  return found?.name === name ? found : undefined;
}

/** Two operations of one name would share their answers. */
async function requireOwnNames(operations: readonly OwnOperation[]): Promise<void> {
  const taken = new Set(await familyNames(OPERATIONS));
  for (const { name } of operations) {
    if (taken.has(name))
      throw stop('job', `There are two operations ${foreignName(name)}.`, 'Give one of them another name.');
    taken.add(name);
  }
}
