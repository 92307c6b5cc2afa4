import type { Command } from 'commander';
import type { CliCommand, Console } from '../command.ts';
import { EXIT, type ExitCode } from '../errors.ts';
import { chooseStore } from '../open-ledger.ts';
import { salvage } from '../salvage.ts';

interface Flags {
  readonly output?: string;
  readonly store?: string;
}

const store: CliCommand = {
  name: 'store',
  summary: 'Reads what can still be read of a damaged store.',
  example: 'npx rowonce store salvage -o what-is-left',
  examples: { salvage: 'npx rowonce store salvage -o what-is-left' },
  configure(command: Command, run) {
    command
      .command('salvage')
      .description(
        'Write the outputs of all batches, all answers and a list of what cannot be read. The store stays as it is.',
      )
      .option('-o, --output <folder>', 'an empty folder for the files; left out: rowonce-salvage')
      .action(run((console, flags: Flags) => salvageStore(console, flags)));
  },
};

export default store;

async function salvageStore(
  console: Console,
  { output = 'rowonce-salvage', store }: Flags,
): Promise<ExitCode> {
  const { files, answers, unreadable } = await salvage(chooseStore(store, false).location, output);
  for (const file of files) console.print(file);
  console.say(`${answers} answers were read; ${unreadable.length} things cannot be read.`);
  console.result({ files, answers, unreadable });
  return unreadable.length === 0 ? EXIT.done : EXIT.attention;
}
