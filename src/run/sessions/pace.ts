import type { ClientOptions, Limits, Pause } from '../../client/client.ts';
import type { RunEvent } from '../../core/events.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { RunContext } from '../../plan/context.ts';
import type { BelievedTime } from '../../time/believed-time.ts';

/** How fast an account is asked: what the ledger knows of it from earlier, and what it is told. */

/** The session of an account, as its pace needs it. */
interface PacedSession {
  /** Whether one of the runs buys answers anew when they are older than a certain time. */
  readonly goesByAge: boolean;
  emit(event: RunEvent): void;
  /** @returns whether this process is the first that knows of it. */
  paused(pause: Pause): boolean;
}

/** How long a learned speed is used. An older one says nothing about the vendor's present speed. */
const LEARNED_HOLDS_MS = 24 * 60 * 60_000;

/** What its client goes by at first, and where that is kept. */
export async function paceOf(
  { account, ledger }: RunContext,
  shared: PacedSession,
  clock: BelievedTime,
): Promise<Omit<ClientOptions, 'account' | 'dialect' | 'baseUrl' | 'clock'>> {
  const { perDay, perMonth } = account.budget;
  const hasPeriods = perDay !== undefined || perMonth !== undefined;
  const { pausedUntilMs, learned } = await ledger.account(account.identity);
  const holds = learned !== undefined && clock.wallMs() - learned.atMs < LEARNED_HOLDS_MS;
  return {
    earlierSendsMs: await earlierSends(ledger, account.identity, account.limits, clock.wallMs()),
    pausedUntilMs,
    learnedPerSecond: holds ? learned.perSecond : undefined,
    // The sandbox has no rate limit that a run could exceed, and nobody wants to wait for a trial.
    unhurried: account.sandbox,
    // A computer's own calendar, unconfirmed by any answer, must not decide about a new day or the age of answers. No answer of
    // a sandbox would ever confirm it.
    goesAlone: () =>
      clock.heeds(account) && !clock.isTold && (shared.goesByAge || (hasPeriods && clock.isUnsureDay)),
    // This write is not awaited, because a lost note costs one more "too fast" answer and never a credit.
    onPause(pause) {
      if (shared.paused(pause)) void ledger.notePause(account.identity, pause).catch(() => {});
    },
    onLearned(perSecond) {
      shared.emit({ kind: 'learned', requestsPerSecond: perSecond });
      void ledger.setLearnedRate(account.identity, { perSecond, atMs: clock.wallMs() }).catch(() => {});
    },
  };
}

/** The longest time between an intent, whose time the ledger knows, and its request. It is usually a few milliseconds. */
const INTENT_TO_SEND_MS = 100;

/** The times of earlier requests that still count against a rate limit, so that a restart does not send a burst. */
async function earlierSends(
  ledger: Ledger,
  accountIdentity: string,
  { windows }: Limits,
  nowMs: number,
): Promise<readonly number[]> {
  // Where many spend, the share that a process is given leaves out what others may have sent.
  if (windows.length === 0 || ledger.spenders !== undefined) return [];
  const longestMs = Math.max(...windows.map(({ windowMs }) => windowMs));
  const most = Math.max(...windows.map(({ requests }) => requests));
  const sends = await ledger.sends(accountIdentity, nowMs - longestMs - INTENT_TO_SEND_MS, most);
  // A time in the future comes from a changed clock and stays as it is.
  return sends.map(({ atMs }) => (atMs > nowMs ? atMs : Math.min(atMs + INTENT_TO_SEND_MS, nowMs)));
}
