import type { Command } from 'commander';
import { systemClock } from '../core/clock.ts';
import { EXIT, type ExitCode, stop } from '../core/errors.ts';
import type { Listener } from '../core/events.ts';
import { besideFile, partsOf } from '../core/file-name.ts';
import { present } from '../core/objects.ts';
import { openInput, openMappedInput } from '../files/input.ts';
import { asWorkbook, besideInput, chooseDestination, notesIn, writeOutput } from '../files/output/output.ts';
import { type OutputSettings, outputNameOf, outputSettings, readSettings } from '../job/job-settings.ts';
import type { Batch, LedgerReader } from '../ledger/ledger.ts';
import { batchIdentityOf, batchKeyOf } from '../plan/batch-key.ts';
import { eachLedger, type FoundBatch, findBatch } from '../run/find-batch.ts';
import { lookAtLedger, openIfFree } from '../run/open-ledger.ts';
import { choose } from '../run/run-job.ts';
import { lookerNotes } from './export/looker-notes.ts';
import type { CliCommand, Console } from './shell/command.ts';
import { FORMULAS_ABOUT, formulaModeOf } from './shell/formula-flag.ts';
import { addReadFlags, type ReadFlags, readOptionsOf } from './shell/read-flags.ts';

interface Flags extends ReadFlags {
  readonly output?: string;
  readonly forExcel?: true;
  readonly store?: string;
  readonly account?: string;
  readonly formulas?: string;
  readonly withInput?: boolean;
  readonly repair?: true;
}

const exportCommand: CliCommand = {
  name: 'export',
  summary: 'Writes the output of a batch again, from the ledger.',
  example: 'npx --no rowonce export last',
  configure(command: Command, wrap) {
    addReadFlags(command)
      .argument('<batch>', 'its id, the beginning of it, or "last"; or a job, when a file follows')
      .argument('[file]', 'the input of the job')
      .option('-o, --output <file>', 'where the output goes; - is standard output')
      .option('--for-excel', 'write an Excel workbook (.xlsx), whatever the input is')
      .option('--account <name>', "the account that was used, over the job's")
      .option('--formulas <mode>', FORMULAS_ABOUT)
      .option('--with-input', 'what a row found carries the columns of that row, which is so when left out')
      .option('--no-with-input', 'what a row found has nothing but the number of that row')
      .option('--repair', 'the batch of the job that was run with --repair')
      .action(wrap(exportBatch));
  },
};

export default exportCommand;

async function exportBatch(
  console: Console,
  word: string,
  file: string | undefined,
  flags: Flags,
): Promise<ExitCode> {
  const { batch, location } =
    file === undefined
      ? await findBatch(word, flags.store, console.warn)
      : await batchOfJob(console, word, file, flags);
  const input = await openInput(batch.inputPath, readSettings(batch.settings));
  if (input.survey.sha256 !== batch.inputSha256) {
    throw stop(
      'input',
      `${batch.inputPath} is not the file any more that batch ${batch.id} worked on.`,
      'Put the original back, or run the job on the new file: what was bought is not bought again.',
    );
  }
  const settings = { ...outputSettings(batch.settings), ...overrides(flags) };
  const spender = await openIfFree(location, `export ${batch.id}`, systemClock);
  const ledger = spender ?? (await lookAtLedger(location));
  try {
    const usual = await usualPath(ledger, batch, flags.forExcel);
    const wanted = flags.output ?? (spender === undefined ? snapshotPath(usual) : usual);
    const destination = await chooseDestination(input, settings, {
      named: wanted === '-' ? process.stdout : wanted,
      sandbox: batch.sandbox,
      forExcel: flags.forExcel,
    });
    const notes = spender === undefined ? lookerNotes(location, ledger) : notesIn(spender, batch);
    const { answerPlace } = settings;
    const order = { ledger, job: settings, answerPlace, emit: sayNotes(console), ...notes };
    const files = await writeOutput(order, input, batch, destination);
    for (const path of [files.output, files.attention, files.results, files.removed, files.report]) {
      if (path !== undefined) console.print(path);
    }
    console.result({
      batch: batch.id,
      output: files.output ?? null,
      needs_attention: files.attention ?? null,
      ...present({ results: files.results }),
    });
  } finally {
    await ledger.close();
  }
  return EXIT.done;
}

/** The flags win over the settings of the batch. */
function overrides(flags: Flags): Pick<OutputSettings, 'formulas' | 'withInput'> {
  const formulas = formulaModeOf(flags);
  const { withInput } = flags;
  return present({ formulas, withInput });
}

/** The path of the batch's output. It gets another name when a later batch, such as a refresh, has written there. */
async function usualPath(ledger: LedgerReader, batch: Batch, forExcel: true | undefined): Promise<string> {
  const standing =
    batch.outputPath ?? besideInput(batch.inputPath, batch.sandbox, { name: outputNameOf(batch.settings) });
  const path = forExcel === true ? asWorkbook(standing) : standing;
  const newest = (await ledger.batches()).find(({ outputPath }) => outputPath === path);
  return newest === undefined || newest.id === batch.id
    ? path
    : besideFile(path, `.${batch.id}${partsOf(path).ending}`);
}

/** While a run goes on, the output goes to a file of its own, because the run will write the real one. */
function snapshotPath(outputPath: string): string {
  return besideFile(outputPath, `.so-far${partsOf(outputPath).ending}`);
}

function sayNotes(console: Console): Listener {
  return (event) => {
    if (event.kind === 'note') console.say(event.message);
  };
}

async function batchOfJob(
  console: Console,
  jobArgument: string,
  file: string,
  flags: Flags,
): Promise<FoundBatch> {
  const { job, account } = await choose({
    job: jobArgument,
    account: flags.account,
    read: readOptionsOf(flags),
    repair: flags.repair,
  });
  const batchIn = async (ledger: LedgerReader, location: string): Promise<readonly FoundBatch[]> => {
    const input = await openMappedInput(file, job, ledger);
    const key = batchKeyOf(batchIdentityOf({ account, job }, input), input.survey.sha256);
    const batch = await ledger.batchByKey(key);
    return batch === undefined ? [] : [{ batch, location }];
  };
  const found = await eachLedger(flags.store, batchIn, console.warn);
  const [first] = found.flat();
  if (first !== undefined) return first;
  throw stop('usage', `This job has no batch over ${file}.`, 'Run the job first, or run rowonce status.');
}
