import { hash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import { z } from 'zod';
import type { Account } from '../client/account/account.ts';
import { dialectOf } from '../client/dialect.ts';
import { needingAttention } from '../core/counts.ts';
import { invariant, stop } from '../core/errors.ts';
import { Team } from '../core/membership.ts';
import { present } from '../core/objects.ts';
import { besideFolder } from '../core/paths.ts';
import { asCommand, faces, type Phrase, phrase, typing } from '../core/phrase.ts';
import { capital, counted, linesOf, plainText } from '../core/plain-text.ts';
import { EXIT, type ExitCode } from '../core/stops.ts';
import { contentHash, openHeader } from '../files/input.ts';
import { notedOutput } from '../files/output/output.ts';
import { ownershipIn, writeOwnFile } from '../files/output/own-files.ts';
import { loadJob } from '../job/job.ts';
import { type Batch, type BatchId, type Ledger, type LedgerReader, undoneBy } from '../ledger/ledger.ts';
import { commandLine, nextCommand } from '../lib/command-line.ts';
import { UndoPlanObject } from '../objects/plan-object.ts';
import { type RunObject, UndoObject } from '../objects/run-object.ts';
import { guardLines, guardProblems } from '../plan/team/change-guards.ts';
import { type ChangePlan, planChanges, shownChanges } from '../plan/team/change-plan.ts';
import { diffLines, sentCounts } from '../plan/team/diff-words.ts';
import { isOrderedHere, nextCommandOf } from '../run/batches.ts';
import { accountOfBatch } from '../run/known-account.ts';
import { allBatches, type FoundBatch, findBatch, lookInto } from '../run/open-ledger.ts';
import { openSpender } from '../run/run-job.ts';
import { exitCodeOf } from '../run/summary.ts';
import type { ResolvedJob } from '../walk/resolved-job.ts';
import { countWords } from './shared/batch-lines.ts';
import { argument, command, type Host, onOff, type Report, text } from './shared/command.ts';
import { BATCH } from './shared/input.ts';
import {
  adviceOn,
  mayBeSent,
  type Resume,
  spend,
  spendingInput,
  toldOn,
  withNext,
} from './shared/spending.ts';
import { touchedBy, type UndoRow, undoList } from './undo/list.ts';

/**
 * Takes back what a batch changed in the service, as far as the service allows. An undo is a batch itself: it
 * writes a list of the earlier states beside the ledger and runs it like any list. So an undo resumes after a
 * crash, shows in `status`, and can be undone.
 */

const undoInput = z.strictObject({
  ...spendingInput(),
  batch: argument(z.string(), BATCH, { page: 'batch' }),
  dry_run: onOff('show what would be sent and what cannot be undone; sends nothing'),
  plan: text('send exactly what the plan with this id showed, or nothing: --dry-run prints it', '<id>'),
  yes: onOff('agree without being asked'),
  attention_ok: onOff('exit with 0 even when something could not be undone'),
});
type UndoInput = z.output<typeof undoInput>;

export default command({
  name: 'undo',
  summary:
    'Takes back what a batch changed in the service; ' +
    'run the same command again to continue where it stopped.',
  details:
    'It deletes the invites that the batch made, ' +
    'removes people whom it brought in, by their user_id, and gives others their former role. ' +
    'What it cannot take back is listed, and the exit code is 3: ' +
    'new projects, removed people, deleted or accepted invites, ' +
    'and everybody whom another batch has changed since. An undo is a batch, and can be undone.',
  example: 'undo last',
  work: 'spends',
  input: undoInput,
  output: z.union([UndoObject, UndoPlanObject]),
  async run(input, host) {
    const { console } = host;
    const { batch, location } = await findToUndo(input.batch, input.store, console.warn);
    refuseUnfinished({ batch, location });
    const account = await lookInto(location, (ledger) => requireAccount(batch, ledger));
    const chosen = await undoJob(batch, account);
    if (input.dry_run === true)
      return lookInto(location, async (ledger) =>
        planReport(batch, await undoIn(ledger, batch), ledger, chosen),
      );
    // The printed command names the batch, because "last" would then be the undo itself.
    const resume: Resume = { words: host.wordsWith(input.batch, batch.id) };
    const undone = await undo({ batch, location }, input, host, chosen, resume);
    return {
      lines: [...undoneLines(batch.id, undone), ...leftLines(batch.id, undone)],
      object: withNext(objectOf(batch.id, undone), nextCommand(resume.words)),
      advice: undone.summary === undefined ? [] : adviceOn(undone.summary),
      exitCode: exitCode(undone, input.attention_ok === true),
    };
  },
});

// ---------------------------------------------------------------------------------------- what is left to do

/** The work that is left to undo a batch, and the work that was done. */
interface Undo {
  /** The list of the undo; empty where nothing of the batch can be taken back, or nothing needs to be. */
  readonly rows: readonly UndoRow[];
  /** Changes that stay as the batch left them. */
  readonly notUndone: UndoObject['not_undone'];
  /** How many undos of the batch there were. */
  readonly earlier: number;
  /**
   * The undo that still has rows to work on, or rows in doubt to look at again. It goes on with the list with
   * which it began.
   */
  readonly begun?: Batch | undefined;
  /** The last undo that has finished. */
  readonly done?: { readonly by: BatchId; readonly counts: RunObject['counts'] } | undefined;
  /** The summary of the undo that ran just now. */
  readonly summary?: RunObject | undefined;
}

async function undoIn(ledger: LedgerReader, batch: Batch): Promise<Undo> {
  const undos = new Map<string, string>();
  const earlier: Batch[] = [];
  for (const each of await ledger.batches()) {
    const undone = undoneBy(each.settings);
    if (undone !== undefined) undos.set(each.id, undone);
    if (undone === batch.id) earlier.push(each);
  }
  const begun = await unfinishedAmong(ledger, earlier);
  const last = earlier.find(({ state }) => state === 'finished');
  const list = undoList({
    batch: batch.id,
    touched: await touchedBy(ledger, batch),
    undos,
    begun: begun?.id,
    team: new Team(await ledger.subjects(batch.accountIdentity)),
  });
  return {
    ...list,
    earlier: earlier.length,
    begun,
    done: last && { by: last.id, counts: await ledger.counts(last.id) },
  };
}

async function unfinishedAmong(ledger: LedgerReader, undos: readonly Batch[]): Promise<Batch | undefined> {
  for (const undo of undos) {
    if (undo.state === 'open') return undo;
    if (undo.state === 'finished' && ((await ledger.counts(undo.id)).in_doubt ?? 0) > 0) return undo;
  }
  return undefined;
}

/**
 * Finds the batch to undo. While an undo is unfinished, `last` means the batch that it undoes, so that the
 * same command goes on with it.
 */
async function findToUndo(...named: Parameters<typeof findBatch>): Promise<FoundBatch> {
  const found = await findBatch(...named);
  const { batch, location } = found;
  const undone = named[0] === 'last' ? undoneBy(batch.settings) : undefined;
  if (undone === undefined) return found;
  return lookInto(location, async (ledger) => {
    const isOver = (await unfinishedAmong(ledger, [batch])) === undefined;
    return isOver ? found : await findBatch(undone, location);
  });
}

// ---------------------------------------------------------------------------------------------- what is sent

/** @throws StopError as a run. */
async function undo(
  { batch, location }: FoundBatch,
  input: UndoInput,
  host: Host,
  chosen: ResolvedJob,
  resume: Resume,
): Promise<Undo> {
  const { console } = host;
  const { account } = chosen;
  return spend(host, input, resume, toldOn(console), async ({ store: _, ...opening }) => {
    const command = commandLine(resume.words);
    const spender = await openSpender(account.sandbox, { ...opening, command, store: location });
    try {
      const { ledger } = spender;
      const { maxPauseMs, signal, onEvent } = opening;
      const undone = await undoIn(ledger, batch);
      const { begun, rows, notUndone } = undone;
      if (begun === undefined && rows.length === 0) return undone;
      if (begun !== undefined) await requireSameList(begun, batch.id);
      await requirePlan(input.plan, batch, undone, ledger, chosen);
      const show = (plan: ChangePlan): void => {
        for (const line of diffLines(asListed(plan, rows))) console.say(plainText(line));
        for (const line of leftLines(batch.id, { notUndone })) console.say(line);
      };
      const agrees = async (plan: ChangePlan): Promise<boolean> => {
        show(plan);
        if (input.yes === true || input.plan !== undefined) return true;
        return mayBeSent(console, `Send ${sentCounts(plan)} to the service?`);
      };
      const file = begun?.inputPath ?? (await writeUndoList(location, batch.id, undone, ledger, console.say));
      // A sandbox account needs no agreement, so no one would be shown the plan otherwise.
      if (begun === undefined && account.sandbox) show(await planOf(chosen, ledger, file));
      const output = begun && notedOutput(begun, console.say);
      // A person has already agreed to a list that has begun here. What a store says of it is no agreement.
      const isAgreed = begun !== undefined && isOrderedHere(begun);
      const askChanges = isAgreed ? async () => true : agrees;
      // The plan of an undo names each person who becomes an admin again, and a person agrees to that plan.
      const order = { file, output, maxPauseMs, signal, onEvent, askChanges, allowAdmin: true };
      const summary = await spender.run(chosen, order);
      return { ...undone, summary };
    } finally {
      await spender.close();
    }
  });
}

/** @throws StopError `plan` where that is not the plan of the undo any more. */
async function requirePlan(
  shown: string | undefined,
  batch: Batch,
  undone: Undo,
  ledger: LedgerReader,
  chosen: ResolvedJob,
): Promise<void> {
  if (shown === undefined) return;
  const { object } = await planReport(batch, undone, ledger, chosen);
  if (object?.id !== shown)
    throw stop('plan', 'What the undo would send has changed since it was shown.', 'Check the new plan.');
}

function cancelling(id: BatchId): Phrase {
  return faces(phrase`run ${asCommand(commandLine(['cancel', id]))}`, 'cancel it');
}

function refuseUnfinished(found: FoundBatch): void {
  const { id, state, vendor, operation } = found.batch;
  if (vendor !== 'service') {
    const fact = `Batch ${id} is a batch of ${operation}, which changes nothing in the service.`;
    throw stop('usage', fact, 'Name a batch that does.', allBatches());
  }
  if (state !== 'open') return;
  const command = nextCommandOf(found);
  const finish = command === undefined ? '' : typing`: ${asCommand(command)}`;
  const cancel = cancelling(id);
  throw stop(
    'usage',
    `Batch ${id} is unfinished, so what it changes is not known yet.`,
    phrase`${cancel.map(capital)} first, or let it finish${finish}`,
  );
}

async function requireAccount(batch: Batch, ledger: LedgerReader): Promise<Account> {
  const account = await accountOfBatch(batch, ledger);
  if (account !== undefined) return account;
  const fact = `Account ${batch.accountName}, which batch ${batch.id} used, is not configured any more.`;
  throw stop('account', fact, 'Add it again.', commandLine(['accounts', 'add', '--help']));
}

async function planOf(chosen: ResolvedJob, ledger: LedgerReader, file: string): Promise<ChangePlan> {
  return planChanges({ ...chosen, ledger }, await openHeader(file, chosen.job));
}

/** The plan with the rows and the project names of the list whose batch is undone. */
function asListed(plan: ChangePlan, rows: readonly UndoRow[]): ChangePlan {
  const changes = plan.changes.map((change) => ({ ...change, ...rows[change.row - 2]?.of }));
  return { ...plan, changes };
}

/**
 * The job of an undo is `onboard` over a list of ours, in which a role may be `none`. The list is not a state
 * that must last: later changes by other people stay after the undo has finished. So the list never gets a
 * new generation.
 */
async function undoJob(batch: Batch, account: Account): Promise<ResolvedJob> {
  const onboard = await loadJob('onboard');
  const dialect = await dialectOf(account);
  const { change, ...operation } = onboard.operation;
  invariant(change !== undefined, 'onboard changes the service');
  return {
    job: {
      name: 'undo',
      operation: { ...operation, change: { ...change, isState: false } },
      columns: Object.fromEntries(UNDO_COLUMNS.map((name) => [name, name])),
      origin: { undoes: batch.id },
    },
    account,
    dialect,
    further: [],
  };
}

const UNDO_COLUMNS = ['email', 'project_id', 'role', 'user_id'] as const satisfies readonly (keyof UndoRow)[];

/**
 * Writes the list for its owner alone, because it holds e-mail addresses. It is beside the ledger, so that
 * both are kept, copied and deleted together. Each undo of a batch keeps its own list, because the list is
 * the input of the undo's batch. A crash before that batch begins leaves a list, which the next undo writes
 * again unless it was edited.
 * @returns its path.
 */
async function writeUndoList(
  location: string,
  batch: BatchId,
  { rows, earlier }: Undo,
  ledger: Ledger,
  say: (sentence: string) => void,
): Promise<string> {
  const name = earlier === 0 ? `${batch}.csv` : `${batch}-${earlier + 1}.csv`;
  const path = join(besideFolder(location), 'undo', name);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  return writeOwnFile({ path, mode: 0o600, chunks: [csvOf(rows)] }, ownershipIn(ledger, say));
}

/** Lends a list that is removed afterwards, because a plan leaves nothing behind. */
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
  const fact = `${inputPath}, the list of batch ${id}, which undoes batch ${undone}, has changed.`;
  const again = commandLine(['undo', undone]);
  const anew = faces(asCommand(again), 'undo it once more');
  throw stop('input', fact, phrase`Put it back as it was, or ${cancelling(id)} and then ${anew}`);
}

// ---------------------------------------------------------------------------------------------- what is said

/** The counts are those of changes that would be sent, and of subjects that stay as they are. */
async function planReport(
  { id }: Batch,
  { begun, done, rows, notUndone }: Undo,
  ledger: LedgerReader,
  chosen: ResolvedJob,
): Promise<Report<UndoPlanObject>> {
  const reportOf = (state: UndoPlanObject['state'], by: BatchId | null, line: string) => ({
    lines: [line, ...leftLines(id, { notUndone })],
    object: withId({ undoes: id, state, by, changes: [], not_undone: notUndone }),
  });
  if (begun !== undefined)
    return reportOf(
      'begun',
      begun.id,
      `Batch ${begun.id} is undoing batch ${id}; an undo continues with the list that it began with.`,
    );
  if (rows.length > 0) {
    const plan = asListed(await withUndoList(rows, (file) => planOf(chosen, ledger, file)), rows);
    const stops = guardProblems({ ...chosen, allowAdmin: true }, plan);
    const object = withId({
      undoes: id,
      state: 'plan',
      by: null,
      // The page asks for each person who becomes an admin.
      ...shownChanges(plan, guardProblems(chosen, plan)),
      not_undone: notUndone,
    });
    const shown = [...diffLines(plan), ...guardLines(stops, 'An undo')].map(plainText);
    return { lines: [...shown, ...leftLines(id, { notUndone }), `Plan  ${object.id}`], object };
  }
  if (done === undefined) return reportOf('nothing', null, nothingToUndo(id));
  return reportOf('undone', done.by, `Batch ${id} was undone by batch ${done.by}. Nothing is left to send.`);
}

/** The id of an undo is made of all that it shows. */
const withId = (shown: Omit<UndoPlanObject, 'id'>): UndoPlanObject => ({
  id: hash('sha256', JSON.stringify(shown), 'hex').slice(0, 24),
  ...shown,
});

const nothingToUndo = (batch: string): string => `There is nothing to send to undo batch ${batch}.`;

/** The changes that are not undone. Their row numbers are those of the batch. */
const leftLines = (batch: string, { notUndone }: Pick<Undo, 'notUndone'>): readonly string[] =>
  notUndone.map(({ row, subject, reason }) =>
    plainText(`! ${subject} (row ${row} of batch ${batch}): ${reason}`),
  );

function undoneLines(batch: string, { summary, done }: Undo): readonly string[] {
  if (summary !== undefined) {
    const { batch: by, counts, requests, output, needs_attention: attention } = summary;
    return linesOf(
      `Batch ${by} undoes batch ${batch}: ${countWords(counts, 'nothing finished')}; ` +
        `${counted(requests, 'request')}`,
      output !== null && `Output     ${output}`,
      attention !== null && `Attention  ${attention}`,
    );
  }
  if (done === undefined) return [nothingToUndo(batch)];
  const { by, counts } = done;
  return [
    `Batch ${batch} was undone by batch ${by}: ${countWords(counts, 'nothing finished')}. ` +
      'Nothing is left to send.',
  ];
}

function objectOf(undoes: string, { notUndone, done, summary }: Undo): UndoObject {
  const run: Partial<RunObject> = summary ?? {};
  const { batch = done?.by ?? null, counts = done?.counts ?? {}, requests = 0, stopped = null } = run;
  const { rows, output, needs_attention, changes } = run;
  const found = present({ rows, output, needs_attention, changes });
  return { undoes, batch, counts, requests, ...found, stopped, not_undone: notUndone };
}

function exitCode({ summary, done, notUndone }: Undo, attentionIsFine: boolean): ExitCode {
  if (summary !== undefined) {
    const code = exitCodeOf(summary, attentionIsFine);
    if (code !== EXIT.done) return code;
  }
  const counts = summary === undefined ? done?.counts : undefined;
  const needsAttention = notUndone.length > 0 || needingAttention(counts ?? {}) > 0;
  return needsAttention && !attentionIsFine ? EXIT.attention : EXIT.done;
}
