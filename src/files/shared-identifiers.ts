import { hash } from 'node:crypto';
import { loadFamily, OPERATIONS } from '../core/families.ts';
import type { ReadOptions } from '../core/format.ts';
import type { Operation } from '../core/operation.ts';
import { identifierText } from '../values/blank.ts';
import { email } from '../values/email.ts';
import { abn } from '../values/number.ts';
import { companyProfile, personProfile } from '../values/profile.ts';
import type { ReadAs } from '../values/reading.ts';
import { domain, website } from '../values/website.ts';
import { guessColumns, readContent } from './columns/columns.ts';
import { openFile } from './input.ts';

/** Tells whether two files are one list: by the identifiers by which their rows are, or would be, asked. */

/** How many of the smaller one's identifiers both have. */
export interface SharedIdentifiers {
  readonly shared: number;
  readonly of: number;
}

/**
 * @param chosen columns by which the rows are asked, beside those that are guessed.
 * @returns undefined where neither has any identifier.
 * @throws StopError `input` where one of them cannot be read.
 */
export async function sharedIdentifiers(
  read: ReadOptions,
  before: string,
  now: string,
  chosen: readonly string[],
): Promise<SharedIdentifiers | undefined> {
  const all = [await identifiersIn(before, read, chosen), await identifiersIn(now, read, chosen)];
  const [smaller, larger] = all.toSorted((one, other) => one.size - other.size);
  if (smaller === undefined || larger === undefined || larger.size === 0) return undefined;
  const shared = [...smaller].filter((each) => larger.has(each)).length;
  return { shared, of: smaller.size };
}

/** The hashes of the identifiers: those of a million rows fit into memory, and their texts may not. */
async function identifiersIn(
  path: string,
  read: ReadOptions,
  chosen: readonly string[],
): Promise<ReadonlySet<string>> {
  const { sheet } = await openFile(path, read);
  const header = await sheet.header();
  const content = await readContent(sheet, header.length);
  const guessed = [...(await loadFamily<Operation>(OPERATIONS)).values()].flatMap((operation) => {
    const { sure } = guessColumns(operation, header, content);
    return operation.inputs.flatMap(({ name, looksRight }) => {
      const column = sure.get(name)?.column;
      return column === undefined ? [] : [{ column, isIdentifier: looksRight !== undefined }];
    });
  });
  const sure = guessed.filter(({ isIdentifier }) => isIdentifier).map(({ column }) => column);
  const by = new Set([...sure, ...chosen].filter((column) => header.includes(column)));
  // Where a row has no identifier of its own, it is asked by all that names it.
  const names = new Set(guessed.map(({ column }) => column));
  const found = new Set<string>();
  const add = (text: string): unknown => text !== '' && found.add(hash('sha1', text, 'base64'));
  for await (const group of sheet.groups())
    for (const { cells } of group) {
      const textOf = (column: string): string => meaningOf(cells[header.indexOf(column)] ?? '');
      if (by.size > 0) for (const column of by) add(textOf(column));
      else add([...names].map(textOf).join(' ').trim());
    }
  return found;
}

/** What a cell means, however it is written. */
function meaningOf(cell: string): string {
  const [, normalise] = KINDS.find(([looksRight]) => looksRight(cell)) ?? [];
  const read = normalise?.(cell);
  return read?.kind === 'usable' ? read.value : identifierText(cell).toLowerCase();
}

const KINDS: readonly (readonly [(cell: string) => boolean, (cell: string) => ReadAs])[] = [
  [abn.looksRight, abn.read],
  [email.looksRight, email.read],
  [personProfile.looksRight, personProfile.read],
  [companyProfile.looksRight, companyProfile.read],
  [website.looksRight, domain.read],
];
