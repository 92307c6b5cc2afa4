import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import type { Account } from '../../client/account/account.ts';
import { dialectOf } from '../../client/dialect.ts';
import { invariant, stop } from '../../core/errors.ts';
import { Team } from '../../core/membership.ts';
import { besideFolder } from '../../core/paths.ts';
import { contentHash, openHeader } from '../../files/input.ts';
import { ownershipIn, writeOwnFile } from '../../files/output/own-files.ts';
import { loadJob } from '../../job/job.ts';
import { undoneBy } from '../../job/job-origin.ts';
import type { Batch, BatchId, Ledger, LedgerReader } from '../../ledger/ledger.ts';
import { commandLine } from '../../lib/command-line.ts';
import type { FileOptions } from '../../plan/context.ts';
import type { ResolvedJob } from '../../plan/row-walk.ts';
import { type ChangePlan, planChanges } from '../../plan/team/change-plan.ts';
import { allBatches, type FoundBatch, findBatch, lookInto } from '../open-ledger.ts';
import { openSpender, type Spender, type SpenderOptions } from '../run-job.ts';
import type { RunSummary } from '../summary.ts';
import { accountOfBatch } from './batch-account.ts';
import { type NotUndone, touchedBy, type UndoList, type UndoRow, undoList } from './undo/list.ts';

/**
 * This file takes back what a batch changed in the service, as far as the service allows. An undo is a batch itself: it
 * writes a list of the earlier states beside the ledger and runs it like any list. So an undo resumes after a crash, shows
 * in `status`, and can be undone.
 */

export type { NotUndone } from './undo/list.ts';

interface UndoOptions
  extends Omit<SpenderOptions, 'store' | 'mayCreateStore'>,
    Pick<FileOptions, 'output' | 'maxPauseMs' | 'askChanges' | 'signal' | 'onEvent'> {
  readonly batch: Batch;
  /** The store that holds it. */
  readonly location: string;
  /** Receives the plan and what cannot be undone, before anything is sent. A resumed undo does not call it. */
  readonly onPlan?: (plan: ChangePlan, left: readonly NotUndone[]) => void;
}

/** The result of an undo, and the changes that stay as the batch left them. */
export type Undone = { readonly left: readonly NotUndone[] } & (
  | { readonly kind: 'run'; readonly summary: RunSummary }
  /** Nothing of the batch can be taken back, or nothing needs to be. */
  | { readonly kind: 'nothing' }
  /** An earlier undo has finished already. */
  | { readonly kind: 'undone'; readonly by: BatchId; readonly counts: RunSummary['counts'] }
);

/** @throws StopError `usage` when the batch cannot be undone at all; otherwise like a run. */
export async function undoBatch(options: UndoOptions): Promise<Undone> {
  const { batch, location } = options;
  refuseUnfinished(batch);
  const account = await requireAccount(batch);
  const chosen = await undoJob(batch, account);
  const spender = await openSpender(account.sandbox, { ...options, store: location });
  try {
    const { ledger } = spender;
    const earlier = await undosOf(ledger, batch.id);
    const begun = await unfinishedAmong(ledger, earlier);
    const list = await listOf(ledger, batch, begun?.id);
    if (begun !== undefined) return await goOn(options, { spender, chosen, begun, left: list.left });
    if (list.rows.length === 0) return await nothingToSend(ledger, earlier, list.left);
    const say = (message: string): void => options.onEvent?.({ kind: 'note', message });
    const place = undoPath(location, batch.id, earlier.length);
    const file = await writeUndoList(place, list.rows, ledger, say);
    const show = (plan: ChangePlan): void => options.onPlan?.(plan, list.left);
    // A sandbox account needs no agreement, so the plan is shown here.
    if (account.sandbox) show(await planOf(chosen, ledger, file));
    const askChanges = async (plan: ChangePlan): Promise<boolean> => {
      show(plan);
      return (await options.askChanges?.(plan)) === true;
    };
    const summary = await spender.run(chosen, { ...wishesOf(options), askChanges, file });
    return { kind: 'run', summary, left: list.left };
  } finally {
    await spender.close();
  }
}

/** What is to be undone. While an undo is unfinished, `last` is what it undoes, so that the same command goes on with it. */
export async function findToUndo(...named: Parameters<typeof findBatch>): Promise<FoundBatch> {
  const found = await findBatch(...named);
  const { batch, location } = found;
  const undone = named[0] === 'last' ? undoneBy(batch.settings) : undefined;
  if (undone === undefined) return found;
  return lookInto(location, async (ledger) => {
    const isOver = (await unfinishedAmong(ledger, [batch])) === undefined;
    return isOver ? found : await findBatch(undone, location);
  });
}

interface BegunUndo {
  readonly spender: Spender;
  readonly chosen: ResolvedJob;
  readonly begun: Batch;
  readonly left: readonly NotUndone[];
}

/** What an undo would do, found without sending or keeping anything. */
export type UndoPlan = { readonly left: readonly NotUndone[] } & (
  | { readonly kind: 'plan'; readonly plan: ChangePlan }
  /** An undo has begun, and goes on with the list that it began with. */
  | { readonly kind: 'begun'; readonly by: BatchId }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'undone'; readonly by: BatchId }
);

/** @throws StopError `usage` when the batch cannot be undone at all. */
export async function planUndo({
  batch,
  location,
}: Pick<UndoOptions, 'batch' | 'location'>): Promise<UndoPlan> {
  refuseUnfinished(batch);
  const account = await requireAccount(batch);
  return lookInto(location, async (ledger) => {
    const earlier = await undosOf(ledger, batch.id);
    const begun = await unfinishedAmong(ledger, earlier);
    const { rows, left } = await listOf(ledger, batch, begun?.id);
    if (begun !== undefined) return { kind: 'begun', by: begun.id, left };
    if (rows.length === 0) {
      const nothing = await nothingToSend(ledger, earlier, left);
      return nothing.kind === 'undone' ? { kind: 'undone', by: nothing.by, left } : { kind: 'nothing', left };
    }
    const chosen = await undoJob(batch, account);
    return { kind: 'plan', plan: await withUndoList(rows, (file) => planOf(chosen, ledger, file)), left };
  });
}

/** Resumes an undo, whose list a person has agreed to already. For a finished undo, it only looks at rows in doubt. */
async function goOn(options: UndoOptions, { spender, chosen, begun, left }: BegunUndo): Promise<Undone> {
  await requireSameList(begun, options.batch.id);
  const { output = begun.outputPath, ...wishes } = wishesOf(options);
  const summary = await spender.run(chosen, {
    ...wishes,
    output,
    file: begun.inputPath,
    askChanges: async () => true,
  });
  return { kind: 'run', summary, left };
}

function wishesOf({
  output,
  maxPauseMs,
  askChanges,
  signal,
  onEvent,
}: UndoOptions): Omit<FileOptions, 'file'> {
  return { output, maxPauseMs, askChanges, signal, onEvent };
}

function refuseUnfinished(batch: Batch): void {
  const { id, state, vendor, operation, command } = batch;
  if (vendor !== 'service') {
    const fact = `Batch ${id} is a batch of ${operation}, which changes nothing in the service.`;
    throw stop('usage', fact, 'Name a batch that does.', allBatches());
  }
  if (state !== 'open') return;
  const finish = command === undefined ? '' : `: ${command}`;
  const cancel = commandLine(['cancel', id]);
  throw stop(
    'usage',
    `Batch ${id} is unfinished, so what it changes is not known yet.`,
    `Run ${cancel} first, or let it finish${finish}`,
  );
}

async function requireAccount(batch: Batch): Promise<Account> {
  const account = await accountOfBatch(batch);
  if (account !== undefined) return account;
  throw stop(
    'account',
    `Account ${batch.accountName}, which batch ${batch.id} used, is not configured any more.`,
    'Add it again.',
    commandLine(['accounts', 'add', '--help']),
  );
}

/** The undos of a batch, the newest first. */
async function undosOf(ledger: LedgerReader, undone: BatchId): Promise<readonly Batch[]> {
  return (await ledger.batches()).filter(({ settings }) => undoneBy(settings) === undone);
}

/** The undo that has rows left to work on, or rows in doubt to look at again. */
async function unfinishedAmong(ledger: LedgerReader, undos: readonly Batch[]): Promise<Batch | undefined> {
  for (const undo of undos) {
    if (undo.state === 'open') return undo;
    if (undo.state === 'finished' && ((await ledger.counts(undo.id)).in_doubt ?? 0) > 0) return undo;
  }
  return undefined;
}

async function nothingToSend(
  ledger: LedgerReader,
  undos: readonly Batch[],
  left: readonly NotUndone[],
): Promise<Exclude<Undone, { readonly kind: 'run' }>> {
  const last = undos.find(({ state }) => state === 'finished');
  if (last === undefined) return { kind: 'nothing', left };
  return { kind: 'undone', by: last.id, counts: await ledger.counts(last.id), left };
}

async function listOf(ledger: LedgerReader, batch: Batch, begun: BatchId | undefined): Promise<UndoList> {
  const touched = await touchedBy(ledger, batch);
  const team = new Team(await ledger.subjects(batch.accountIdentity));
  const undos = (await ledger.batches()).flatMap(({ id, settings }): [string, string][] => {
    const undone = undoneBy(settings);
    return undone === undefined ? [] : [[id, undone]];
  });
  return undoList({ batch: batch.id, touched, team, undos: new Map(undos), begun });
}

async function planOf(chosen: ResolvedJob, ledger: LedgerReader, file: string): Promise<ChangePlan> {
  return planChanges({ ...chosen, ledger }, await openHeader(file, chosen.job));
}

/**
 * The job of an undo is `onboard` over a list of ours, in which a role may be `none`. The list is not a state to be kept:
 * once the undo is finished, later changes by other people stay. So it never gets a new generation.
 */
async function undoJob(batch: Batch, account: Account): Promise<ResolvedJob> {
  const onboard = await loadJob('onboard');
  const dialect = await dialectOf(account);
  const { change, ...operation } = onboard.operation;
  invariant(change !== undefined, 'onboard changes the service');
  return {
    job: {
      name: 'undo',
      operation: {
        ...operation,
        change: { ...change, isState: false },
      },
      columns: Object.fromEntries(UNDO_COLUMNS.map((name) => [name, name])),
      origin: { kind: 'undo', undoes: batch.id },
      // Each person that this job makes admin was admin before.
      guards: { admins: 'allow' },
    },
    account,
    dialect,
  };
}

/** The list of an undo is a file and the input of its batch. It holds e-mail addresses, so only its owner can read it. */

const UNDO_COLUMNS = ['email', 'project_id', 'role', 'user_id'] as const satisfies readonly (keyof UndoRow)[];

/**
 * The path of the list. It is beside the ledger, so that both are kept, copied and deleted together.
 * @param earlier how many undos of the batch there were. Each keeps its own list, because it is the input of its batch.
 */
function undoPath(location: string, batch: BatchId, earlier: number): string {
  const name = earlier === 0 ? `${batch}.csv` : `${batch}-${earlier + 1}.csv`;
  return join(besideFolder(location), 'undo', name);
}

/**
 * Writes the list. A crash before its batch begins leaves a list that the next undo writes again, unless it was edited.
 * @returns the path of the list.
 */
async function writeUndoList(
  path: string,
  rows: readonly UndoRow[],
  ledger: Ledger,
  say: (sentence: string) => void,
): Promise<string> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  return writeOwnFile({ path, mode: 0o600, chunks: [csvOf(rows)] }, ownershipIn(ledger, say));
}

/** Hands over a list that is gone afterwards, because a plan leaves nothing behind. */
async function withUndoList<T>(rows: readonly UndoRow[], use: (path: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'rowonce-undo-'));
  try {
    const path = join(folder, 'undo.csv');
    await writeFile(path, csvOf(rows), { mode: 0o600 });
    return await use(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function csvOf(rows: readonly UndoRow[]): string {
  return stringify([...rows], { header: true, columns: [...UNDO_COLUMNS] });
}

/** @throws StopError `input` when the list of a begun undo has changed since it was written. */
async function requireSameList({ id, inputPath, inputSha256 }: Batch, undone: BatchId): Promise<void> {
  if ((await contentHash(inputPath)) === inputSha256) return;
  throw stop(
    'input',
    `${inputPath}, the list of batch ${id}, which undoes batch ${undone}, has changed.`,
    `Put it back as it was, or run ${commandLine(['cancel', id])} and then ${commandLine(['undo', undone])}`,
  );
}
