import type { Command } from 'commander';
import { EXIT } from '../core/errors.ts';
import { counted, foreignName, plainText } from '../core/plain-text.ts';
import { type Merged, merge } from '../run/tasks/merge.ts';
import type { CliCommand, Console, Report } from './shared/command.ts';
import { addReadFlags, type ReadFlags, readFlagsOf } from './shared/flags.ts';

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
}

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
