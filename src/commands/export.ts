import { existsSync } from 'node:fs';
import { z } from 'zod';
import { systemClock } from '../core/clock.ts';
import { StopError, stop } from '../core/errors.ts';
import type { Listener } from '../core/events.ts';
import { present } from '../core/objects.ts';
import { byFlag, phrase } from '../core/phrase.ts';
import { inputFileOf } from '../files/called.ts';
import { openInput, openMappedInput } from '../files/input.ts';
import {
  chooseDestination,
  keptList,
  keptWords,
  type ListSource,
  type OutputFiles,
  outputPlace,
  writeOutput,
} from '../files/output/output.ts';
import { readSettings, settingsKept } from '../job/job-settings.ts';
import type { Batch, LedgerReader } from '../ledger/ledger.ts';
import { besideFile, nameParts } from '../lib/file-name.ts';
import { newestBatch } from '../plan/batch-key.ts';
import type { JobOptions } from '../plan/context.ts';
import { chooseJob } from '../run/choose.ts';
import { knownAccount, pricesIn } from '../run/known-account.ts';
import {
  allBatches,
  eachLedger,
  type FoundBatch,
  findBatch,
  lookAtLedger,
  openIfFree,
} from '../run/open-ledger.ts';
import { withAccounts } from '../walk/resolved-job.ts';
import { argument, command, type Host, onOff } from './shared/command.ts';
import { BATCH, COMMON, notesOn, OUTPUT, refuseTwoOnStdout } from './shared/input.ts';
import { ENTRIES, entriesOf, FORMULAS, READ } from './shared/job-entries.ts';

const exportInput = z.strictObject({
  ...COMMON,
  batch: argument(z.string().optional(), `${BATCH}; or a job, when a file follows`),
  file: argument(z.string().optional(), 'the input of the job'),
  job: z.string().optional(),
  ...READ,
  output: OUTPUT,
  formulas: FORMULAS,
  copy: onOff('with -o: write a copy, and leave the batch its own output'),
  account: ENTRIES.account,
  repair: ENTRIES.repair,
});
type ExportInput = z.output<typeof exportInput>;

export default command({
  name: 'export',
  summary: 'Writes the output of a batch again, from the ledger.',
  details:
    'Beside a run that is spending from the same store, or from a store that lost something, ' +
    'it writes NAME.so-far. Where the list is gone or was changed, ' +
    'the output is made of the cells that the store keeps.',
  example: 'export last',
  faces: ['terminal', 'library'],
  input: exportInput,
  output: z.object({
    batch: z.string(),
    output: z.string().nullable(),
    needs_attention: z.string().nullable(),
    results: z.string().exactOptional(),
    report: z.string().exactOptional(),
  }),
  entriesOf: (first, file) => (file === undefined ? { batch: first } : { job: first, file }),
  async run(input, host) {
    const { batch, job, file, output, store } = input;
    refuseTwoOnStdout(host.console.json, output);
    const found =
      job !== undefined && file !== undefined
        ? await batchOfJob({ job, file, entries: entriesOf(input), store }, host.console.warn)
        : await findBatch(batch ?? 'last', store, host.console.warn);
    const files = await exported({ formulas: input.formulas, ...found }, input, host);
    const written = [files.output, files.attention, files.results, files.report];
    return {
      lines: written.filter((path) => path !== undefined),
      object: {
        batch: found.batch.id,
        output: files.output ?? null,
        needs_attention: files.attention ?? null,
        ...present({ results: files.results, report: files.report }),
      },
    };
  },
});

/** `formulas` is as typed, or as in the job that was named. No store is asked for it. */
type Exported = FoundBatch & Pick<ExportInput, 'formulas'>;

async function exported(
  { batch, location, formulas }: Exported,
  { output: path, copy }: ExportInput,
  host: Host,
): Promise<Partial<OutputFiles>> {
  const output = host.ownParts.output || (path === '-' ? process.stdout : path);
  if (copy === true && output === undefined)
    throw stop('usage', 'A copy needs a name.', phrase`Name it ${byFlag('-o')}.`);
  const settings = { ...settingsKept(batch.settings), ...present({ formulas }) };
  const emit = notesOn(host);
  const spender = copy === true ? undefined : await openIfFree(location, `export ${batch.id}`, systemClock);
  const ledger = spender ?? (await lookAtLedger(location));
  try {
    const input = await sourceOf(ledger, batch, emit);
    const say = (message: string): void => emit({ kind: 'note', message });
    const unnamed = async (): Promise<string> => {
      const usual = await usualPath(ledger, batch, say);
      // While a run spends, the output goes to a file of its own, because the run will write the real output.
      const ours = spender === undefined ? besideFile(usual, `.so-far${nameParts(usual).ending}`) : usual;
      const isPlain = input.file === undefined && !isAnswers(ours) && existsSync(ours);
      return isPlain ? besideFile(ours, `.answers${nameParts(ours).ending}`) : ours;
    };
    const destination = await chooseDestination(input, settings, {
      named: output ?? (await unnamed()),
      sandbox: batch.sandbox,
      answerPlace: settings.answer_at,
    });
    const keptJob = { job: settings, answerPlace: settings.answer_at };
    const order = { ledger, ...keptJob, emit, spender, priceOf: await pricesIn(ledger) };
    return await writeOutput(order, input, batch, destination);
  } finally {
    await ledger.close();
  }
}

/**
 * Whether a file is a plain table. A plain table never replaces an output that was made from the file itself.
 */
const isAnswers = (path: string): boolean => nameParts(path).stem.endsWith('.answers');

/**
 * The list of the batch, or the cells that the store keeps where the file is gone or has other content now.
 */
async function sourceOf(ledger: LedgerReader, batch: Batch, emit: Listener): Promise<ListSource> {
  const { id, inputPath, inputSha256, settings } = batch;
  const keptSource = keptList(ledger, batch);
  try {
    const input = await openInput(inputFileOf(batch), readSettings(settings));
    if (input.survey.sha256 === inputSha256) return input;
  } catch (error) {
    if (keptSource === undefined || !(error instanceof StopError)) throw error;
  }
  if (keptSource === undefined) {
    const fact = `${inputPath} has changed since batch ${id} began to read it, and nothing was bought for it yet.`;
    throw stop('input', fact, 'Run the job on the file as it is now.');
  }
  emit({ kind: 'note', message: keptWords(batch) });
  return keptSource;
}

/**
 * The path of the batch's output. The output gets another name when a later batch, such as a refresh, has
 * written to that path. An output for which this host knows no place goes into the folder in which the person
 * stands.
 */
async function usualPath(
  ledger: LedgerReader,
  batch: Batch,
  say: (sentence: string) => void,
): Promise<string> {
  const path = outputPlace(batch, () => process.cwd(), say);
  const newest = (await ledger.batches()).find(({ outputPath }) => outputPath === path);
  return newest === undefined || newest.id === batch.id
    ? path
    : besideFile(path, `.${batch.id}${nameParts(path).ending}`);
}

async function batchOfJob(
  request: Pick<JobOptions, 'job' | 'file' | 'entries' | 'store'>,
  tell: (sentence: string) => void,
): Promise<Exported> {
  const { file, store } = request;
  const chosen = await chooseJob(request);
  const { job } = chosen;
  const batchIn = async (ledger: LedgerReader, location: string): Promise<readonly Exported[]> => {
    const input = await openMappedInput(file, job, ledger);
    const known = await withAccounts(chosen, (account) => knownAccount(account, ledger));
    const batch = await newestBatch({ ...known, ledger }, input);
    // The content is the same, whatever path the batch has read it from.
    if (batch === undefined) return [];
    return [{ batch: { ...batch, inputPath: input.path }, location, formulas: job.formulas }];
  };
  const found = await eachLedger(store, batchIn, tell);
  const [first] = found.flat();
  if (first !== undefined) return first;
  throw stop('usage', `This job has no batch over ${file}.`, 'Run the job first.', allBatches());
}
