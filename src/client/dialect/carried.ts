import { stop } from '../../core/errors.ts';
import { OPERATIONS } from '../../core/families.ts';
import { loadFamily } from '../../core/family.ts';
import { present } from '../../core/objects.ts';
import type { JsonObject, Operation } from '../../core/operation.ts';
import type { Account } from '../account/account.ts';
import { firstProblem } from './check.ts';
import { type Dialect, dialectSchema, envelope } from './dialect-schema.ts';

/**
 * A dialect as it travels with a batch to processes that do not have its file. Its reader believes nothing that it says about itself: it
 * is checked like a file, and its differences from the built-in one are found anew.
 */
const carriedSchema = dialectSchema.extend({ envelope: envelope.optional() });

export function carriedDialect({ differences: _, through, ...dialect }: Dialect): JsonObject {
  const builtIn = Object.entries(dialect.operations).filter(([name]) => !name.includes('@'));
  const operations = Object.fromEntries(builtIn);
  return JSON.parse(JSON.stringify({ ...dialect, operations, envelope: through?.envelope }));
}

/**
 * @param account the one of this host: through which service the vendor is reached is its word.
 * @throws StopError `store_version` for what this program does not understand.
 */
export async function dialectCarried(content: JsonObject, { via }: Account): Promise<Dialect> {
  const { data } = carriedSchema.safeParse(content);
  const { envelope: wrapped, ...dialect } = data ?? {};
  const isWhole =
    data !== undefined &&
    (wrapped === undefined) === (via === undefined) &&
    firstProblem(data, await loadFamily<Operation>(OPERATIONS)) === undefined;
  if (!isWhole)
    throw stop(
      'store_version',
      'The dialect of this batch comes from another version of Rowonce, or is for another account, and cannot be read.',
      'Install the same version on all hosts, and give them the same accounts.',
    );
  const through = wrapped && via && { envelope: wrapped, connectedAccount: via.connectedAccount };
  return { ...(dialect as Dialect), ...present({ through }) };
}
