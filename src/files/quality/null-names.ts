import type { Sheet } from '../../core/format.ts';
import type { NullNames } from '../../core/operation.ts';
import { inputOf } from '../../core/steps.ts';
import { alsoName, mostAlsoNames } from '../../values/person-name.ts';
import type { ColumnMap } from '../columns/columns.ts';

/** People are called Null or None; where more rows than these say so, a program has written it. */
const MOST_CALLED_SO = 2;

const PARTS = ['first_name', 'last_name'];

/** No such word is longer. */
const LONGEST_WORD = 5;

/** Whether the text of a list has so many of these words at all. Nearly none has. */
async function mayHaveMany(sheet: Pick<Sheet, 'text'>): Promise<boolean> {
  if (sheet.text === undefined) return true;
  let count = 0;
  let end = '';
  for await (const piece of sheet.text()) {
    const text = end + piece.toString();
    // A word may go on in the next piece. One that stands at the end of this piece is counted twice.
    end = text.slice(-LONGEST_WORD);
    count += mostAlsoNames(text);
    if (count > MOST_CALLED_SO) return true;
  }
  return false;
}

/**
 * By input, the words such as Null that are nothing in its column. Only lists with columns for the parts of
 * names are looked through for it, and their rows are read where the text has such words.
 * @throws StopError `input` where the file is damaged.
 */
export async function nullNamesIn(
  sheet: Pick<Sheet, 'groups' | 'text'>,
  header: readonly string[],
  columns: ColumnMap['columns'],
): Promise<NullNames> {
  const parts = Object.entries(columns).flatMap(([input, column]) => {
    const name = inputOf(input);
    return PARTS.includes(name)
      ? [{ name, at: header.indexOf(column), counts: new Map<string, number>() }]
      : [];
  });
  if (parts.length === 0 || !(await mayHaveMany(sheet))) return {};
  for await (const group of sheet.groups())
    for (const { cells } of group)
      for (const { at, counts } of parts) {
        const word = alsoName(cells[at] ?? '');
        if (word !== undefined) counts.set(word, (counts.get(word) ?? 0) + 1);
      }
  const found = parts.map(({ name, counts }) => {
    const many = [...counts].filter(([, count]) => count > MOST_CALLED_SO);
    return [name, many.map(([word]) => word)] as const;
  });
  return Object.fromEntries(found.filter(([, words]) => words.length > 0));
}
