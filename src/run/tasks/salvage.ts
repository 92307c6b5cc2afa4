import { mkdir, readdir, rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import { isoTime } from '../../core/clock.ts';
import { messageOf, stop } from '../../core/errors.ts';
import { openInput } from '../../files/input.ts';
import { chooseDestination, writeOutput } from '../../files/output/output.ts';
import { outputSettings, readSettings } from '../../job/job-settings.ts';
import type { Batch } from '../../ledger/ledger.ts';
import type { Salvage, SalvagedCall, Unreadable } from '../../ledger/store.ts';
import { outputProblem, replaceFile } from '../../lib/atomic-file.ts';
import { besideFile, nameParts } from '../../lib/file-name.ts';
import { CellSafety } from '../../lib/formulas.ts';
import { codeOf } from '../../lib/system-errors.ts';
import { salvageLedger } from '../open-ledger.ts';
import { finishedIn } from './batch-status.ts';

/**
 * The readable parts of a damaged store, written to files: the output of every batch whose input is still there, every
 * answer that was ever bought, and a list of what cannot be read. The store itself is not changed.
 */
interface Salvaged {
  /** The paths of all written files. */
  readonly files: readonly string[];
  readonly answers: number;
  readonly unreadable: readonly Unreadable[];
}

/** The folder for a copy of the ledger, which exists only while it is read. */
const COPY = 'copy';

const PRIVATE = { folder: 0o700, file: 0o600 };

/** @throws StopError `output` when the folder is not empty or none, `store_damaged` when nothing at all can be read. */
export async function salvage(location: string, into: string): Promise<Salvaged> {
  const folder = resolve(into);
  await prepare(folder);
  const copy = join(folder, COPY);
  await mkdir(copy, { mode: PRIVATE.folder });
  try {
    const store = await salvageLedger(location, copy);
    try {
      return await written(store, folder);
    } finally {
      await store.close();
    }
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

async function prepare(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: PRIVATE.folder });
    if ((await readdir(folder)).length === 0) return;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw outputProblem(folder, error);
    throw stop('output', `${folder} is not a folder.`, 'Name a new one with -o.');
  }
  throw stop('output', `The folder ${folder} is not empty.`, 'Name a new one with -o.');
}

async function written(store: Salvage, folder: string): Promise<Salvaged> {
  const more: Unreadable[] = [];
  const batches = (await store.batches()).toReversed();
  for (const batch of batches) {
    try {
      await writeBatch(store, batch, folder);
      more.push(...(await missingRows(store, batch)));
    } catch (error) {
      more.push({ what: `the output of batch ${batch.id}, or part of it`, why: messageOf(error) });
    }
  }
  await replaceFile(join(folder, 'batches.csv'), PRIVATE.file, await linesOfBatches(store, batches));
  const lines = linesOfCalls(store);
  await replaceFile(join(folder, 'answers.csv'), PRIVATE.file, lines.chunks);
  const unreadable = [...store.unreadable, ...more];
  const cells = [['what', 'why'], ...unreadable.map(({ what, why }) => [what, why])];
  await replaceFile(join(folder, 'unreadable.csv'), PRIVATE.file, [stringify(cells)]);
  const names = (await readdir(folder)).filter((name) => name !== COPY).sort();
  return { files: names.map((name) => join(folder, name)), answers: lines.count(), unreadable };
}

async function writeBatch(store: Salvage, batch: Batch, folder: string): Promise<void> {
  const input = await openInput(batch.inputPath, readSettings(batch.settings));
  if (input.survey.sha256 !== batch.inputSha256) {
    throw stop('input', `${batch.inputPath} has changed since the batch worked on it.`, 'Put it back.');
  }
  const { ending } = nameParts(batch.inputPath);
  const named = join(folder, basename(besideFile(batch.inputPath, `.${batch.id}${ending}`)));
  const settings = outputSettings(batch.settings);
  const destination = await chooseDestination(input, settings, { named, sandbox: batch.sandbox });
  const { answerPlace } = settings;
  const context = { ledger: store, job: settings, answerPlace, emit: () => {} };
  await writeOutput(context, input, batch, destination);
}

const PAGE_ROWS = 1000;

/** The finished rows that left no trace: the ledger keeps their number, and fewer were found. */
async function missingRows(store: Salvage, batch: Batch): Promise<readonly Unreadable[]> {
  const counts = finishedIn(await store.counts(batch.id));
  let found = 0;
  for (let from = 0; ; ) {
    const page = await store.rows(batch.id, from, PAGE_ROWS);
    found += page.length;
    const last = page.at(-1);
    if (last === undefined) break;
    from = last.row + 1;
  }
  if (found >= counts) return [];
  const why = `${found} of ${counts} finished rows can be read.`;
  return [{ what: `rows of batch ${batch.id}`, why }];
}

const BATCHES_HEADER = [
  'batch',
  'state',
  'paused_since',
  'operation',
  'account',
  'input',
  'rows',
  'ended',
] as const;

/** What is left of a batch beside its rows: a run that begins anew leaves a batch alone that a person has paused. */
async function linesOfBatches(store: Salvage, batches: readonly Batch[]): Promise<readonly string[]> {
  const safety = new CellSafety('safe');
  const lines: (readonly string[])[] = [BATCHES_HEADER];
  for (const batch of batches) {
    const { id, state, operation, accountName, inputPath, inputRows } = batch;
    const paused = store.heldSince(id).then((atMs) => (atMs === undefined ? '' : isoTime(atMs)));
    const ended = store.counts(id).then((counts) => String(finishedIn(counts)));
    const known = await Promise.all([paused, ended].map((cell) => cell.catch(() => 'unknown')));
    const [pausedSince = '', endedRows = ''] = known;
    lines.push([id, state, pausedSince, operation, accountName, inputPath, String(inputRows), endedRows]);
  }
  return [stringify(lines.map((cells) => cells.map((cell) => safety.cell(cell))))];
}

const HEADER = ['account', 'operation', 'asked', 'state', 'why', 'credits', 'as_of', 'answer'];

function linesOfCalls(store: Salvage): {
  readonly chunks: AsyncIterable<Buffer>;
  readonly count: () => number;
} {
  const safety = new CellSafety('safe');
  let count = 0;
  async function* chunks(): AsyncIterable<Buffer> {
    yield Buffer.from(stringify([HEADER]));
    for await (const call of store.everyCall()) {
      const cells = cellsOf(call);
      if (cells === undefined) continue;
      count += 1;
      yield Buffer.from(stringify([cells.map((cell) => safety.cell(cell))]));
    }
  }
  return { chunks: chunks(), count: () => count };
}

/** The cells for one call; undefined for a call that nobody paid for. */
function cellsOf({ accountIdentity, call, state }: SalvagedCall): readonly string[] | undefined {
  const asked = [accountIdentity, call.operation, JSON.stringify(call.parameters)];
  switch (state.kind) {
    case 'answered':
    case 'unanswered': {
      const { kind, why, charged, answeredAtMs, body } = state.answer;
      return [...asked, kind, why, String(charged), isoTime(answeredAtMs), body.toString()];
    }
    case 'in_doubt': {
      const { why, atRisk, sentAtMs } = state.doubt;
      return [...asked, 'in_doubt', why, String(atRisk), isoTime(sentAtMs), ''];
    }
    case 'unknown':
    case 'in_flight':
      return undefined;
  }
}
