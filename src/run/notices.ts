import { spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { dirname } from 'node:path';
import {
  type Accounts,
  environmentForOthers,
  loadAccounts,
  type Receiver,
} from '../client/account/account.ts';
import { type Clock, isoTime } from '../core/clock.ts';
import { messageOf, StopError } from '../core/errors.ts';
import { counted, foreignName } from '../core/plain-text.ts';
import { type Ledger, NOTICE_KINDS, type Notice, type NoticeKind } from '../ledger/ledger.ts';
import { codeOf } from '../lib/system-errors.ts';
import type { ResolvedJob } from '../plan/row-walk.ts';
import type { BeforeEnd } from './pipeline.ts';
import type { RunSummary } from './summary.ts';

/**
 * What a job tells outside, by its `notify`. It is kept in the ledger before it is sent, under an id by which a receiver knows it, and
 * sent until somebody has received it: for a minute by this process, and once by each later one. A crash before it was noted as
 * received sends it again. It decides nothing: no failure of it is a failure of a run.
 *
 * The ledger knows the receiver's name only. Others may write into a database, so what is called or started is read from this user's
 * accounts file as it is when the notice is sent.
 */

export interface Told {
  readonly summary: RunSummary | undefined;
  readonly stopped: StopError | undefined;
  /** The credits that the vendor says are left; undefined where nobody asked. */
  readonly balance: number | undefined;
}

/** Does a run, and keeps what its job has to tell of it, also where it could not begin. */
export async function toldBy(
  ledger: Ledger,
  chosen: ResolvedJob,
  clock: Clock,
  run: (hearBalance: (credits: number) => void, beforeEnd: BeforeEnd) => Promise<RunSummary>,
): Promise<RunSummary> {
  let balance: number | undefined;
  const keep = (summary: RunSummary | undefined, stopped: StopError | undefined): Promise<void> =>
    keepNotices(ledger, chosen, { summary, stopped, balance }, clock.wallMs());
  try {
    const summary = await run(
      (credits) => (balance = credits),
      (ending) => keep(ending, undefined),
    );
    await keep(summary, summary.stopped);
    return summary;
  } catch (error) {
    if (error instanceof StopError) await keep(undefined, error).catch(() => {});
    throw error;
  }
}

/** Keeps what a job has to tell of a run; nothing for a job without `notify`. */
async function keepNotices(ledger: Ledger, chosen: ResolvedJob, told: Told, atMs: number): Promise<void> {
  const { notify } = chosen.job;
  if (notify === undefined) return;
  const { on = NOTICE_KINDS, to: target } = notify;
  for (const kind of kindsOf(chosen, told).filter((each) => on.includes(each))) {
    const id = idOf(kind, chosen, told, atMs);
    await ledger.notices.keep({ id, kind, target, body: bodyOf(id, kind, chosen, told, atMs), atMs });
  }
}

function kindsOf(chosen: ResolvedJob, { summary, stopped, balance }: Told): readonly NoticeKind[] {
  const { in_doubt: inDoubt = 0, ...final } = summary?.counts ?? {};
  const ended = Object.values(final).reduce((sum, count) => sum + count, inDoubt);
  const isEnd = stopped === undefined && summary !== undefined && ended >= summary.rows;
  // Who ends a run by hand need not be told.
  const isStop = stopped !== undefined && stopped.code !== 'interrupted';
  return [
    ...(isEnd ? (['end'] as const) : []),
    ...(isStop ? (['stop'] as const) : []),
    ...(inDoubt > 0 ? (['doubt'] as const) : []),
    ...(balance !== undefined && balance < wantedBalance(chosen) ? (['low_balance'] as const) : []),
  ];
}

const wantedBalance = ({ job, account }: ResolvedJob): number => job.budget ?? account.budget.perDay ?? 0;

/** The same for what was told before: a batch ends once, and the same doubts are the same news. A stop is news each time. */
function idOf(
  kind: NoticeKind,
  { job, account }: ResolvedJob,
  { summary, stopped }: Told,
  atMs: number,
): string {
  const batch = summary?.batch ?? '';
  const news: Readonly<Record<NoticeKind, readonly unknown[]>> = {
    end: [batch],
    stop: [batch, stopped?.code, atMs],
    doubt: [batch, summary?.counts.in_doubt],
    low_balance: [account.identity, isoTime(atMs).slice(0, 10)],
  };
  return hash('sha256', JSON.stringify([kind, job.path ?? job.name, ...news[kind]]), 'hex').slice(0, 32);
}

/** Numbers, ids and codes: no cell, no name of a file, and no word of a vendor, each of which may name a person. */
function bodyOf(
  id: string,
  kind: NoticeKind,
  { job, account }: ResolvedJob,
  told: Told,
  atMs: number,
): string {
  const { summary, stopped, balance } = told;
  return JSON.stringify({
    id,
    kind,
    at: isoTime(atMs),
    job: job.name,
    operation: job.operation.name,
    sandbox: account.sandbox,
    batch: summary?.batch ?? null,
    rows: summary?.rows ?? null,
    counts: summary?.counts ?? {},
    credits: { spent: summary?.money.spent ?? 0, in_doubt: summary?.money.inDoubt ?? 0 },
    stopped: stopped?.code ?? null,
    ...(balance === undefined ? {} : { balance }),
  });
}

// ------------------------------------------------------------------------------------------------ sending

/** How long is waited before each try after the first: a minute in all. */
const RETRY_AFTER_MS = [2_000, 5_000, 10_000, 15_000, 28_000] as const;

const RECEIVE_MS = 10_000;

interface Sending {
  readonly clock: Clock;
  /** When this process began: what it has kept itself is tried for a minute, and what an earlier one left once. */
  readonly beganMs?: number;
  /** Once it is aborted, nothing is tried again. */
  readonly signal?: AbortSignal | undefined;
  readonly tell?: ((sentence: string) => void) | undefined;
}

/** Sends what nobody has received yet. It never throws: what cannot be sent waits for a later run. */
export async function sendNotices(
  ledger: Ledger,
  { clock, beganMs = 0, signal, tell }: Sending,
): Promise<void> {
  try {
    const unsent = await sendOnce(ledger, clock);
    const isOwn = ({ notice }: Unsent): boolean => notice.atMs >= beganMs;
    let own: readonly Unsent[] = unsent.filter(isOwn);
    const [late] = own;
    if (late !== undefined && signal?.aborted !== true)
      tell?.(`${counted(own.length, 'notice')} cannot be sent now (${late.why}): trying for a minute.`);
    for (const delayMs of RETRY_AFTER_MS) {
      if (own.length === 0 || signal?.aborted === true) break;
      await clock.sleep(delayMs, signal);
      own = await sendEach(
        ledger,
        own.map(({ notice }) => notice),
        clock,
      );
    }
    const left = [...unsent.filter((each) => !isOwn(each)), ...own];
    const [first] = left;
    if (first !== undefined)
      tell?.(
        `${counted(left.length, 'notice')} could not be sent, and the next run tries again: ${first.why}.`,
      );
  } catch (error) {
    tell?.(`Notices could not be sent, and the next run tries again: ${messageOf(error)}`);
  }
}

interface Unsent {
  readonly notice: Notice;
  readonly why: string;
}

/** Sends each that waits, once. Where many spend, a name that this host does not know is left to the others. */
export async function sendOnce(ledger: Ledger, clock: Clock): Promise<readonly Unsent[]> {
  const { notify } = await loadAccounts();
  const waiting = await ledger.notices.waiting();
  const isOurs = ({ target }: Notice): boolean =>
    ledger.spenders === undefined || notify?.has(target) === true;
  return sendEach(ledger, waiting.filter(isOurs), clock);
}

async function sendEach(
  ledger: Ledger,
  notices: readonly Notice[],
  clock: Clock,
): Promise<readonly Unsent[]> {
  const accounts = await loadAccounts();
  const { notify, path } = accounts;
  const left: Unsent[] = [];
  /** A receiver that is away is asked once for all that waits for it. */
  const away = new Map<string, string>();
  for (const notice of notices) {
    const to = notify?.get(notice.target);
    const why =
      to === undefined
        ? `${path} has no ${foreignName(notice.target)} under notify`
        : (away.get(notice.target) ?? (await whyNotSent(to, accounts, notice)));
    if (why === undefined) {
      await ledger.notices.noteSent(notice.id, clock.wallMs());
    } else {
      away.set(notice.target, why);
      left.push({ notice, why });
    }
  }
  return left;
}

async function whyNotSent(
  { webhook, command = [] }: Receiver,
  accounts: Accounts,
  { id, body }: Notice,
): Promise<string | undefined> {
  try {
    return webhook === undefined ? await start(command, accounts, id, body) : await post(webhook, id, body);
  } catch (error) {
    // What went wrong on the way stands in the cause of the error.
    const { cause } = error instanceof Error ? error : {};
    return codeOf(cause) ?? messageOf(error);
  }
}

async function post(webhook: string, id: string, body: string): Promise<string | undefined> {
  const answer = await fetch(webhook, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': id },
    body,
    // The user has named this address, and no other one.
    redirect: 'manual',
    signal: AbortSignal.timeout(RECEIVE_MS),
  });
  await answer.body?.cancel();
  return answer.ok ? undefined : `the webhook answers with status ${answer.status}`;
}

async function start(
  [program = '', ...words]: readonly string[],
  { path, configured }: Accounts,
  id: string,
  body: string,
): Promise<string | undefined> {
  const env = { ...environmentForOthers(configured), ROWONCE_NOTICE: id };
  const child = spawn(program, words, {
    cwd: dirname(path),
    env,
    stdio: ['pipe', 'ignore', 'ignore'],
    timeout: RECEIVE_MS,
  });
  // A program that does not read ends its pipe, which is its own affair.
  child.stdin.on('error', () => {}).end(body);
  const [code, killedBy] = await once(child, 'close');
  return code === 0 ? undefined : `the command ended with ${killedBy ?? code}`;
}
