import { loadFamily, OPERATIONS } from '../core/families.ts';
import type { Sheet } from '../core/format.ts';
import type { Operation } from '../core/operation.ts';
import { identifierText } from '../values/blank.ts';
import { email } from '../values/email.ts';
import { abn } from '../values/number.ts';
import { companyProfile, personProfile } from '../values/profile.ts';
import type { ReadAs } from '../values/reading.ts';
import { domain, website } from '../values/website.ts';
import { guessColumns, readContent } from './columns/columns.ts';

/** The columns of a list that say who is meant, and what stands in them. */

/** The columns that are surely inputs of operations, the surest of each operation first. */
export async function guessedIn(
  sheet: Sheet,
  header: readonly string[],
): Promise<readonly { readonly input: string; readonly column: string }[]> {
  const content = await readContent(sheet, header.length);
  return (await operations()).flatMap((operation) => {
    const { sure } = guessColumns(operation, header, content);
    return operation.inputs.flatMap(({ name: input }) => {
      const column = sure.get(input)?.column;
      return column === undefined ? [] : [{ input, column }];
    });
  });
}

/** The inputs that alone say who is meant, such as an ABN, and unlike a name. */
export async function identifierInputs(): Promise<ReadonlySet<string>> {
  const inputs = (await operations()).flatMap((operation) => operation.inputs);
  const tellingInputs = inputs.filter(
    ({ looksRight, isOnes }) => looksRight !== undefined || isOnes === true,
  );
  return new Set(tellingInputs.map(({ name }) => name));
}

const operations = async (): Promise<readonly Operation[]> => [
  ...(await loadFamily<Operation>(OPERATIONS)).values(),
];

/** What a cell means, however it is written. One that is not usable is blank, damaged, or no identifier. */
export function meaningOf(cell: string): { readonly text: string; readonly isUsable: boolean } {
  const [, normalise] = KINDS.find(([looksRight]) => looksRight(cell)) ?? [];
  const read = normalise?.(cell);
  const isUsable = read?.kind === 'usable';
  return { text: isUsable ? read.value : identifierText(cell).toLowerCase(), isUsable };
}

const KINDS: readonly (readonly [(cell: string) => boolean, (cell: string) => ReadAs])[] = [
  [abn.looksRight, abn.read],
  [email.looksRight, email.read],
  [personProfile.looksRight, personProfile.read],
  [companyProfile.looksRight, companyProfile.read],
  [website.looksRight, domain.read],
];
