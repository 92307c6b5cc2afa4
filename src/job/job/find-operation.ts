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
 * Undefined for a name that is none, or that has another version behind it: `rowonce-work-email@1`, as a batch keeps it.
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
  const { bare = name } = /^(?<bare>.+)@\d+$/.exec(name)?.groups ?? {};
  const own = operations.find((each) => each.name === bare);
  const found = own === undefined ? await ofPackage(bare, sources, folder) : await ofProgram(own);
  return bare === name || found?.name === name ? found : undefined;
}

async function ofProgram(own: OwnOperation): Promise<Operation> {
  return (await import('../own-operation.ts')).operationFrom(own);
}

async function ofPackage(
  name: string,
  sources: OperationSources,
  folder: string | undefined,
): Promise<Operation | undefined> {
  // Most names that are none are paths of jobs, and loading the code for packages takes its time.
  if (!/(?:^|\/)rowonce-/.test(name)) return undefined;
  const { PACKAGE_NAME, packageOperation } = await import('./package-operation.ts');
  const folders = folder === undefined ? [process.cwd()] : [folder, process.cwd()];
  return PACKAGE_NAME.test(name) ? packageOperation(name, folders, sources) : undefined;
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
