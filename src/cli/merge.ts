import type { Command } from 'commander';
import { EXIT } from '../core/errors.ts';
import { counted, foreignName, listed, plainText } from '../core/plain-text.ts';
import { type Merged, merge } from '../run/tasks/merge.ts';
import type { CliCommand, Console, Report } from './shell/command.ts';
import { addReadFlags, type ReadFlags, readFlagsOf } from './shell/flags.ts';

interface Flags extends ReadFlags {
  readonly output?: string;
  readonly store?: string;
}

export default {
  name: 'merge',
  summary: 'Puts a result, or corrected rows, into your own file, even if you have edited it since.',
  example: 'merge leads.enriched.xlsx leads.xlsx -o leads.merged.xlsx',
  configure(command: Command, wrap) {
    addReadFlags(command)
      .argument('<result>', 'an output, or the file of rows that need attention, edited or not')
      .argument('<into>', 'your own file, sorted or edited as you like')
      .option('-o, --output <file>', 'where the merged file goes; left out: NAME.merged beside your own')
      .action(wrap(mergeCommand));
  },
} satisfies CliCommand;

async function mergeCommand(console: Console, result: string, into: string, flags: Flags): Promise<Report> {
  const { output, store } = flags;
  const merged = await merge({ result, into, output, store, read: readFlagsOf(flags), note: console.say });
  const { rows, found, moved, mended, filled, nowhere, kept } = merged;
  const needsLook = nowhere.length + kept.length > 0;
  return {
    lines: [merged.output],
    warnings: wordsOf(merged),
    exitCode: needsLook ? EXIT.attention : EXIT.done,
    object: {
      ...{ output: merged.output, rows, found, moved, mended, filled },
      nowhere: nowhere.map(({ row, identifiers }) => ({ row, identifiers: [...identifiers] })),
      kept: [...kept],
    },
  };
}

/** So many of each kind are shown; `--json` has all. */
const MOST_SHOWN = 20;

function wordsOf({ rows, found, moved, mended, filled, nowhere, kept }: Merged): readonly string[] {
  const moves = moved === 0 ? '' : `; ${counted(moved, 'of them is', 'of them are')} at another row now`;
  const mends = mended === 0 ? [] : [`${counted(mended, 'cell')} of yours as mended in the result.`];
  const has = filled === 1 ? 'has' : 'have';
  const fills =
    filled === 0
      ? []
      : [`${counted(filled, 'cell')} of yours, in a column that the job adds, ${has} what was found now.`];
  return [
    `${found} of ${counted(rows, 'row')} found in the result${moves}.`,
    ...mends,
    ...fills,
    ...shown(nowhere, nowhereWords),
    ...shown(
      kept,
      (cell) =>
        `Row ${cell.row}, column ${foreignName(cell.column)}: yours ${foreignName(plainText(cell.kept))} is kept, the result has ${foreignName(plainText(cell.result))}.`,
    ),
  ];
}

/** So many rows of the user's file are named for one of the result. */
const MOST_NAMED = 5;

function nowhereWords({ row, identifiers, mayBe, taken }: Merged['nowhere'][number]): string {
  const names = identifiers.map((text) => foreignName(text)).join(', ');
  return `Row ${row} of the result${names === '' ? '' : ` (${names})`} ${why()}, so none of it was written.`;

  function why(): string {
    const sure = mayBe.length === 1 ? 'but not for certain' : 'but none of them for certain';
    if (mayBe.length > 0) return `fits ${named(mayBe)} of your file, ${sure}`;
    if (taken.length > 0)
      return `says the same as ${named(taken)} of your file, where another row of the result was written`;
    return names === ''
      ? 'has no identifier, and nothing else tells which row of your file it is'
      : 'was not found: no row of your file says the same';
  }
}

function named(rows: readonly number[]): string {
  const first = rows.slice(0, MOST_NAMED).map((row) => `row ${row}`);
  return listed(rows.length > MOST_NAMED ? [...first, `${rows.length - MOST_NAMED} more`] : first);
}

function shown<Item>(items: readonly Item[], wordsFor: (item: Item) => string): readonly string[] {
  const lines = items.slice(0, MOST_SHOWN).map(wordsFor);
  return items.length > MOST_SHOWN
    ? [...lines, `And ${items.length - MOST_SHOWN} more: --json has them all.`]
    : lines;
}
