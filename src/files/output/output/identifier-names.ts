import { OPERATIONS } from '../../../core/families.ts';
import { loadFamily } from '../../../core/family.ts';
import type { Operation } from '../../../core/operation.ts';
import { isNameOf } from '../../columns/columns.ts';

/**
 * Which names would be taken for an identifier, by any operation that knows one by its cells. An answer under such a name
 * would be looked up again and paid for, although it may be about somebody else by then.
 */
export async function identifierNames(): Promise<(name: string) => boolean> {
  const operations = await loadFamily<Operation>(OPERATIONS);
  const identifiers = [...operations.values()].flatMap(({ inputs }) =>
    inputs.filter(({ looksRight }) => looksRight !== undefined),
  );
  return (name) => identifiers.some((input) => isNameOf(input, name));
}
