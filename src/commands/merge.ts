import { z } from 'zod';
import { EXIT } from '../core/errors.ts';
import { counted, foreignName, plainText } from '../core/plain-text.ts';
import { type Merged, merge } from '../run/tasks/merge.ts';
import { argument, command, flag } from './shared/command.ts';
import { COMMON, READ, readOf } from './shared/input.ts';

export default command({
  name: 'merge',
  summary: 'Puts a result, or corrected rows, into your own file, even if you have edited it since.',
  details:
    'It takes our columns of an output, and the corrected cells of a needs-attention file; every other cell of yours stays, and no file is replaced. A row is found by what was sent for it, then by its other cells and their order; without the store, by all identifiers that both files have. What fits no row for certain, or was changed on both sides, is listed and not written, and the exit code is 3.',
  example: 'merge leads.enriched.xlsx leads.xlsx -o leads.merged.xlsx',
  input: z.strictObject({
    ...COMMON,
    result: argument(z.string(), 'an output, or the file of rows that need attention, edited or not'),
    into: argument(z.string(), 'your own file, sorted or edited as you like'),
    ...READ,
    output: flag(
      z.string().optional(),
      'where the merged file goes; left out: NAME.merged beside your own',
      '<file>',
      { short: 'o' },
    ),
  }),
  output: z.object({
    output: z.string(),
    rows: z.number(),
    found: z.number(),
    mended: z.number(),
    nowhere: z.array(z.object({ row: z.number(), identifiers: z.array(z.string()) })),
    kept: z.array(z.object({ row: z.number(), column: z.string(), kept: z.string(), result: z.string() })),
  }),
  async run({ result, into, output, store, ...read }, { console }) {
    const merged = await merge({ result, into, output, store, read: readOf(read), note: console.say });
    const { rows, found, mended, nowhere, kept } = merged;
    return {
      lines: [merged.output],
      warnings: wordsOf(merged),
      exitCode: nowhere.length + kept.length > 0 ? EXIT.attention : EXIT.done,
      object: {
        ...{ output: merged.output, rows, found, mended },
        nowhere: nowhere.map(({ row, identifiers }) => ({ row, identifiers: [...identifiers] })),
        kept: [...kept],
      },
    };
  },
});

/** So many of each kind are shown; `--json` has all. */
const MOST_SHOWN = 20;

function wordsOf({ rows, found, mended, nowhere, kept }: Merged): readonly string[] {
  const named = (words: readonly string[]): string => words.map((text) => foreignName(text)).join(', ');
  return [
    `${found} of ${counted(rows, 'row')} found in the result.`,
    ...(mended === 0
      ? []
      : [`${mended} of your cells ${mended === 1 ? 'was' : 'were'} corrected from the result.`]),
    ...shown(nowhere, ({ row, identifiers }) =>
      identifiers.length === 0
        ? `Row ${row} of the result has no identifier, and no row of your file is sure to be the same, so none of it was written.`
        : `Row ${row} of the result (${named(identifiers)}) fits no row of your file for certain, so none of it was written.`,
    ),
    ...shown(
      kept,
      (cell) =>
        `Row ${cell.row}, column ${foreignName(cell.column)}: yours ${foreignName(plainText(cell.kept))} is kept, the result has ${foreignName(plainText(cell.result))}.`,
    ),
  ];
}

function shown<Item>(items: readonly Item[], wordsFor: (item: Item) => string): readonly string[] {
  const lines = items.slice(0, MOST_SHOWN).map(wordsFor);
  return items.length > MOST_SHOWN
    ? [...lines, `And ${items.length - MOST_SHOWN} more: --json has them all.`]
    : lines;
}
