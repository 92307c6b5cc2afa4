import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { Account } from '../client/account/account.ts';
import { canonicalJson } from '../core/call-key.ts';
import { messageOf, type StopError, stop, unreachable } from '../core/errors.ts';
import { present } from '../core/objects.ts';
import type { JsonObject } from '../core/operation.ts';
import { isSealedJson, ownershipOfSealed, sealedJson, writeOwnFile } from '../files/output/own-files.ts';
import type { Job } from '../job/job.ts';
import type { LedgerReader, PlannedRow } from '../ledger/ledger.ts';
import { plannedPages } from '../ledger/row-pages.ts';
import { commandLine } from '../lib/command-line.ts';
import type { PlanContext } from './row-walk.ts';
import { CHANGE_ACTIONS, type ChangePlan, hasWork, type PlannedChange } from './team/change-plan.ts';
import { diffLines, EVERY_LINE, rowAndWho } from './team/diff-words.ts';

/**
 * A saved plan is a file that a person can look at; a run of it does exactly what it says. It contains the e-mail
 * addresses of the list, so only its owner can read it.
 */

/** The format number of the file. Other versions of the program may write another number. */
const FORMAT = 1;

const MODE = 0o600;

const rowNumber = z.int().min(1);

const savedChange = z.object({
  row: rowNumber,
  action: z.enum(CHANGE_ACTIONS),
  email: z.string().optional(),
  userId: z.string().optional(),
  project: z.string().optional(),
  from: z.string().optional(),
  to: z.string().optional(),
  calls: z.array(z.string()),
  reason: z.string().optional(),
  beyond: z.literal(true).optional(),
});

const savedPlan = z.object({
  rowonce_plan: z.literal(FORMAT),
  operation: z.string(),
  account: z.string(),
  account_identity: z.string(),
  input: z.string(),
  input_sha256: z.string(),
  /** What a run of it needs besides; absent in a plan of before, which is run with its job and file. */
  run: z
    .object({
      job: z.string(),
      store: z.string().optional(),
      read: z.looseObject({}).optional(),
      /** What was said beside the job. */
      entries: z.looseObject({}).optional(),
      repair: z.boolean().optional(),
      allow_admin: z.boolean().optional(),
    })
    .optional(),
  changes: z.array(savedChange),
  /** What the ledger keeps about each row, with the sequence numbers of its subjects. It is only compared, never run. */
  planned: z.array(z.looseObject({ row: rowNumber, kind: z.enum(['work', 'end']) })),
});

export type SavedPlan = z.infer<typeof savedPlan>;

/** The job, account and file of a plan. The plan holds for no others. */
export interface PlannedFor {
  readonly job: Job;
  readonly account: Account;
  readonly inputPath: string;
  /** The store and the flag that were typed. */
  readonly store?: string | undefined;
  readonly allowAdmin?: boolean | undefined;
}

/**
 * Writes the plan. An unchanged plan of ours at that path is replaced; any other file is kept, and ours goes beside it.
 * @returns the path of the written file. @throws StopError `output` when it cannot be written, `plan` when a batch of this
 * list is unfinished.
 */
export async function savePlan(
  path: string,
  { job, account, inputPath, store, allowAdmin }: PlannedFor,
  plan: ChangePlan,
  say: (sentence: string) => void,
): Promise<string> {
  if (plan.batch?.state === 'open') {
    throw stop(
      'plan',
      `Batch ${plan.batch.id} of this list is unfinished, and continues with the plan that it began with.`,
      'Let it end, or cancel it; then plan again.',
    );
  }
  const saved = {
    rowonce_plan: FORMAT,
    operation: job.operation.name,
    account: account.name,
    account_identity: account.identity,
    input: inputPath,
    input_sha256: plan.inputSha256,
    run: {
      job: job.path ?? job.operation.name,
      ...present({ store, read: job.read, entries: job.said, repair: job.repair, allow_admin: allowAdmin }),
    },
    // For people who read or sign it; the program does not use it.
    lines: diffLines(plan, EVERY_LINE),
    changes: plan.changes.map(({ lastBatch: _, ...change }) => change),
    planned: plan.planned,
  };
  return writeOwnFile(
    { path, mode: MODE, chunks: [sealedJson(saved)], flag: '--save' },
    ownershipOfSealed(isSealedJson, say),
  );
}

/** Whether the file says that it is a plan of ours, of whatever version. */
export async function saysItIsPlan(path: string): Promise<boolean> {
  return (await readFile(path, 'utf8').catch(() => '')).includes('"rowonce_plan"');
}

/** @throws StopError `plan` when there is no saved plan at that path. */
export async function readSavedPlan(path: string): Promise<SavedPlan> {
  try {
    return savedPlan.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    const fact = missing ? 'no such file' : 'it was not written by plan --save of this version';
    const why =
      error instanceof z.ZodError || error instanceof SyntaxError || missing ? fact : messageOf(error);
    throw stop(
      'plan',
      `${path} is not a saved plan: ${why}.`,
      `Make one: ${commandLine(['plan', 'JOB', 'FILE', '--save', 'FILE'])}`,
    );
  }
}

/** What a saved plan says that is to be done, by which options. */
export interface SavedOrder {
  readonly job: string;
  readonly file: string;
  readonly account: string;
  readonly store: string | undefined;
  readonly said: {
    readonly read?: JsonObject;
    readonly entries?: JsonObject;
    readonly repair?: boolean;
    readonly allowAdmin?: boolean;
  };
}

/** @throws StopError `plan` for one that was saved without its job. */
export function orderIn({ run, account, input }: SavedPlan, path: string): SavedOrder {
  if (run === undefined)
    throw stop(
      'plan',
      `${path} was saved by an earlier version, without its job.`,
      'Name the job and the file before --plan, or save the plan again.',
    );
  const { store, read, entries, repair, allow_admin: allowAdmin, job } = run;
  return {
    ...{ job, file: input, account, store },
    said: present({ read: read as JsonObject, entries: entries as JsonObject, repair, allowAdmin }),
  };
}

/**
 * Requires that a run does what the saved plan says. A batch that began with exactly this plan passes, open or finished
 * with nothing left to do. So the same command can be run again: it resumes the batch, and later does nothing.
 * @throws StopError `plan` with the first difference.
 */
export async function requireSavedPlan(
  saved: SavedPlan,
  {
    job,
    account,
    ledger,
  }: Pick<PlanContext, 'job' | 'account'> & { readonly ledger: LedgerReader | undefined },
  plan: ChangePlan,
): Promise<void> {
  if (saved.operation !== job.operation.name)
    throw notThisPlan(`it is a plan for ${saved.operation}, and this is ${job.operation.name}`);
  if (saved.account_identity !== account.identity)
    throw notThisPlan(`it was made for account ${saved.account}, not for ${account.name} as it is now`);
  if (saved.input_sha256 !== plan.inputSha256) throw notThisPlan('the file has changed since');
  const { batch } = plan;
  if (ledger !== undefined && batch !== undefined && (batch.state === 'open' || !hasWork(plan))) {
    const kept = await keptRows(ledger, batch.id);
    if (firstDifference(saved.planned, kept) === undefined) return;
    if (batch.state === 'open')
      throw notThisPlan(`batch ${batch.id} of this list is unfinished and began with another plan`);
  }
  const row = firstDifference(saved.planned, plan.planned);
  if (row !== undefined) throw notThisPlan(differenceWords(row, saved.changes, plan.changes));
}

function notThisPlan(why: string): StopError {
  return stop(
    'plan',
    `The saved plan is out of date: ${why}.`,
    'Nothing was sent. Plan again with --save, check the plan, and run it.',
  );
}

async function keptRows(
  ledger: LedgerReader,
  batch: Parameters<LedgerReader['plannedRows']>[0],
): Promise<PlannedRow[]> {
  const rows: PlannedRow[] = [];
  for await (const page of plannedPages(ledger, batch)) rows.push(...page);
  return rows;
}

/** The number of the first row that is not the same in both plans to the byte; undefined when there is none. */
function firstDifference(saved: SavedPlan['planned'], now: readonly PlannedRow[]): number | undefined {
  const length = Math.max(saved.length, now.length);
  for (let index = 0; index < length; index += 1) {
    const [before, after] = [saved[index], now[index]];
    if (before === undefined || after === undefined) return before?.row ?? after?.row;
    if (comparedText(before) !== comparedText(after)) return Math.min(before.row, after.row);
  }
  return undefined;
}

/**
 * The row as text for a comparison. The order of its names does not count, because a store may change it. The fingerprint
 * of the row's cells does not count either, because the files themselves were compared. Nor does the work of a row for which
 * nothing is sent.
 */
export function comparedText({ input: _, ...row }: object & { readonly input?: unknown }): string {
  const { work, ...rest } = JSON.parse(JSON.stringify(row)) as JsonObject;
  return canonicalJson(rest.kind === 'work' ? { ...rest, ...present({ work }) } : rest);
}

/** `row 4, jo@x.com in Sales: was to be invited as viewer, is unchanged now: changed by batch 5716a1b2`. */
function differenceWords(row: number, saved: SavedPlan['changes'], now: readonly PlannedChange[]): string {
  const of = <Change extends { readonly row: number }>(changes: readonly Change[]): Change | undefined =>
    changes.findLast((change) => change.row === row);
  const [before, after] = [of(saved) as PlannedChange | undefined, of(now)];
  const who = rowAndWho(after ?? before ?? { row, action: 'unchanged', calls: [] });
  const was = before === undefined ? 'was not in the plan' : `was ${fateWords(before)}`;
  const is = after === undefined ? 'is not in it now' : `is ${fateWords(after)} now`;
  const by = after?.lastBatch === undefined ? '' : `: changed by batch ${after.lastBatch}`;
  return was.slice(3) === is.slice(2, -4)
    ? `${who}: it has changed since${by}`
    : `${who}: ${was}, ${is}${by}`;
}

/** Says what happens to a row, in words that follow "was" or "is". */
function fateWords({ action, from, to }: PlannedChange): string {
  switch (action) {
    case 'invite':
      return `to be invited as ${to}`;
    case 'change_role':
      return `to be changed from ${from ?? 'a role'} to ${to}`;
    case 'remove':
      return 'to be removed';
    case 'create_project':
      return 'to be created';
    case 'call':
      return 'to be sent';
    case 'in_doubt':
      return 'in doubt';
    case 'unchanged':
    case 'invalid':
    case 'refused':
      return action;
    default:
      return unreachable(action);
  }
}
