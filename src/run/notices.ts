import { spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { type Accounts, loadAccounts, type Receiver } from '../client/account/account.ts';
import { type Clock, isoTime } from '../core/clock.ts';
import { rowsIn } from '../core/counts.ts';
import { messageOf, StopError } from '../core/errors.ts';
import { present } from '../core/objects.ts';
import { counted, foreignName } from '../core/plain-text.ts';
import {
  forgetNoticeHere,
  isNoticeOfHere,
  type Ledger,
  NOTICE_KINDS,
  type Notice,
  type NoticeKind,
  noteNoticeHere,
} from '../ledger/ledger.ts';
import { codeOf } from '../lib/system-errors.ts';
import type { RunObject } from '../objects/run-object.ts';
import type { ResolvedJob } from '../walk/resolved-job.ts';
import type { BeforeEnd } from './pipeline.ts';

/**
 * What a job reports to a receiver outside, by its `notify`. A notice is kept in the ledger before it is
 * sent, under an id by which the receiver knows it. It is sent until the receiver has taken it: once by this
 * process, and once by each later one. A crash before the receipt is noted sends it again. A notice decides
 * nothing: when it fails, the run does not fail.
 *
 * The ledger knows only the name of the receiver. Others may write into a database. So the address or program
 * is read from this user's accounts file when the notice is sent, and a host sends only what it has noted as
 * its own.
 */

/**
 * The content of a notice: a summary, unless the run could not begin, and the credits that the vendor says
 * are left, where the run asked for them.
 */
interface RunNews {
  readonly summary?: RunObject;
  readonly stopped?: Pick<StopError, 'code'> | RunObject['stopped'];
  readonly balance: number | undefined;
}

/** Does a run, and keeps the notices of its job about it, also where the run could not begin. */
export async function toldBy(
  ledger: Ledger,
  chosen: ResolvedJob,
  clock: Clock,
  run: (hearBalance: (credits: number) => void, beforeEnd: BeforeEnd) => Promise<RunObject>,
): Promise<RunObject> {
  let balance: number | undefined;
  const keep = (runNews: Omit<RunNews, 'balance'>): Promise<void> =>
    keepNotices(ledger, chosen, { ...runNews, balance }, clock.wallMs());
  try {
    const summary = await run(
      (credits) => (balance = credits),
      (ending) => keep({ summary: ending }),
    );
    await keep({ summary, stopped: summary.stopped });
    return summary;
  } catch (error) {
    if (error instanceof StopError) await keep({ stopped: error }).catch(() => {});
    throw error;
  }
}

/**
 * Keeps the notices of a job about a run. The id of a notice contains what makes it news: a batch ends once,
 * the same doubts are the same news, and a stop is news each time.
 */
async function keepNotices(
  ledger: Ledger,
  { job, account }: ResolvedJob,
  runNews: RunNews,
  atMs: number,
): Promise<void> {
  if (job.notify === undefined) return;
  const { on = NOTICE_KINDS, to: target } = job.notify;
  const { summary, stopped = null, balance } = runNews;
  const { batch = null, counts = {}, rows = null, credits } = summary ?? {};
  const ended = rowsIn(counts);
  const news: Readonly<Record<NoticeKind, readonly unknown[] | false>> = {
    end: stopped === null && rows !== null && ended >= rows && [batch],
    // A person who ends a run by hand need not be told.
    stop: stopped !== null && stopped.code !== 'interrupted' && [batch ?? '', stopped.code, atMs],
    doubt: (counts.in_doubt ?? 0) > 0 && [batch, counts.in_doubt],
    low_balance: balance !== undefined &&
      balance < (job.budget?.credits ?? account.budget.perDay ?? 0) && [
        account.identity,
        isoTime(atMs).slice(0, 10),
      ],
  };
  for (const kind of NOTICE_KINDS.filter((each) => on.includes(each) && news[each] !== false)) {
    const hashed = hash('sha256', JSON.stringify([kind, job.path ?? job.name, ...(news[kind] || [])]), 'hex');
    const id = hashed.slice(0, 32);
    // The body has numbers, ids and codes: no cell, no name of a file, and no word of a vendor, because each
    // of these may name a person.
    const body = JSON.stringify({
      id,
      kind,
      at: isoTime(atMs),
      job: job.name,
      operation: job.operation.name,
      sandbox: account.sandbox,
      batch,
      rows,
      counts,
      credits: { spent: credits?.spent ?? 0, in_doubt: credits?.in_doubt ?? 0 },
      stopped: stopped?.code ?? null,
      ...present({ balance }),
    });
    noteNoticeHere({ id, target, body });
    await ledger.notices.keep({ id, kind, target, body, atMs });
  }
}

// ------------------------------------------------------------------------------------------------ sending

const RECEIVE_MS = 10_000;

/**
 * Sends once each notice that has not been received yet. It never throws: a notice that cannot be sent waits
 * for a later run.
 */
export async function sendNotices(
  ledger: Ledger,
  clock: Clock,
  tell: (sentence: string) => void = () => {},
): Promise<void> {
  try {
    const unsent = await sendOnce(ledger, clock);
    const [first] = unsent;
    if (first !== undefined)
      tell(`${counted(unsent.length, 'notice')} could not be sent (${first.why}): the next run tries again.`);
  } catch (error) {
    tell(`Notices could not be sent, and the next run tries again: ${messageOf(error)}`);
  }
}

interface UnsentNotice extends Notice {
  readonly why: string;
}

/**
 * Sends each notice of this host that waits, once. Those of other hosts are left to them, and notices that
 * were written into the store by hand reach no one.
 */
export async function sendOnce(ledger: Ledger, clock: Clock): Promise<readonly UnsentNotice[]> {
  const accounts = await loadAccounts();
  const unsentNotices: UnsentNotice[] = [];
  for (const notice of (await ledger.notices.waiting()).filter(isNoticeOfHere)) {
    const to = accounts.notify?.get(notice.target);
    // A receiver that does not answer is asked once for all notices that wait for it.
    const away = unsentNotices.find(({ target }) => target === notice.target)?.why;
    const why =
      to === undefined
        ? `${accounts.path} has no ${foreignName(notice.target)} under notify`
        : (away ?? (await whyNotSent(to, accounts, notice)));
    if (why === undefined) {
      await ledger.notices.noteSent(notice.id, clock.wallMs());
      forgetNoticeHere(notice);
    } else unsentNotices.push({ ...notice, why });
  }
  return unsentNotices;
}

async function whyNotSent(
  { webhook, command = [] }: Receiver,
  accounts: Accounts,
  { id, body }: Notice,
): Promise<string | undefined> {
  try {
    return webhook === undefined ? await start(command, accounts, id, body) : await post(webhook, id, body);
  } catch (error) {
    // The cause of the error says what went wrong on the way.
    const { cause } = error instanceof Error ? error : {};
    return codeOf(cause) ?? messageOf(error);
  }
}

async function post(webhook: string, id: string, body: string): Promise<string | undefined> {
  const answer = await fetch(webhook, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': id },
    body,
    // The user has named this address and no other, so a redirect is not followed.
    redirect: 'manual',
    signal: AbortSignal.timeout(RECEIVE_MS),
  });
  await answer.body?.cancel();
  return answer.ok ? undefined : `the webhook answers with status ${answer.status}`;
}

async function start(
  [program = '', ...words]: readonly string[],
  { path }: Accounts,
  id: string,
  body: string,
): Promise<string | undefined> {
  const child = spawn(program, words, {
    cwd: dirname(path),
    env: { ...process.env, ROWONCE_NOTICE: id },
    stdio: ['pipe', 'ignore', 'ignore'],
    timeout: RECEIVE_MS,
  });
  // A program that does not read its input ends its pipe. That is its own affair.
  child.stdin.on('error', () => {}).end(body);
  const [code, killedBy] = await once(child, 'close');
  return code === 0 ? undefined : `the command ended with ${killedBy ?? code}`;
}
