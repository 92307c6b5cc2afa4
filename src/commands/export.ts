import type { Command } from 'commander';
import { present } from '../core/objects.ts';
import type { OutputFiles } from '../files/output/output.ts';
import type { FormulaMode } from '../lib/formulas.ts';
import { findBatch } from '../run/open-ledger.ts';
import { batchOfJob, exportBatch } from '../run/tasks/export.ts';
import type { CliCommand, Console, Report } from './shared/command.ts';
import { addOutputFlags, addReadFlags, notesOn, type ReadFlags, readFlagsOf } from './shared/flags.ts';

interface Flags extends ReadFlags {
  readonly output?: string;
  readonly copy?: true;
  readonly store?: string;
  readonly account?: string;
  readonly formulas?: FormulaMode;
  readonly repair?: true;
}

export default {
  name: 'export',
  summary: 'Writes the output of a batch again, from the ledger.',
  example: 'export last',
  configure(command: Command, wrap) {
    addOutputFlags(addReadFlags(command))
      .argument('<batch>', 'its id, the beginning of it, or "last"; or a job, when a file follows')
      .argument('[file]', 'the input of the job')
      .option('--copy', 'with -o: write a copy, and leave the batch its own output')
      .option('--account <name>', "the account that was used, over the job's")
      .option('--repair', 'the batch of the job that was run with --repair')
      .action(wrap(exportCommand));
  },
} satisfies CliCommand;

async function exportCommand(
  console: Console,
  word: string,
  file: string | undefined,
  flags: Flags,
): Promise<Report> {
  const { output, copy, account, formulas, repair, store } = flags;
  const found =
    file === undefined
      ? await findBatch(word, store, console.warn)
      : await batchOfJob({ job: word, file, account, read: readFlagsOf(flags), repair, store }, console.warn);
  const files: Partial<OutputFiles> = await exportBatch(found, {
    output: output === '-' ? process.stdout : output,
    copy,
    formulas,
    onEvent: notesOn(console),
  });
  const written = [
    files.output,
    files.attention,
    files.results,
    files.removed,
    files.notRemoved,
    files.report,
  ];
  return {
    lines: written.filter((path) => path !== undefined),
    object: {
      batch: found.batch.id,
      output: files.output ?? null,
      needs_attention: files.attention ?? null,
      ...present({
        results: files.results,
        removed_file: files.removed,
        not_removed_file: files.notRemoved,
      }),
    },
  };
}
