import type { Account } from '../client/account/account.ts';
import type { Client, Exchange, Waiter } from '../client/client.ts';
import type { DialectOperation } from '../client/dialect.ts';
import type { Verdict, WireReply } from '../client/judge.ts';
import type { AccountTime } from '../client/time.ts';
import { askedText } from '../core/call-key.ts';
import { DAY_MS } from '../core/clock.ts';
import { type StopDetail, StopError } from '../core/errors.ts';
import type { CallEventPart, Listener } from '../core/events.ts';
import { answerFacts, finding } from '../core/finding.ts';
import { sayAll } from '../core/finding-words.ts';
import type { Findings } from '../core/findings.ts';
import { present } from '../core/objects.ts';
import type { Call } from '../core/operation.ts';
import { AGAIN, phrase } from '../core/phrase.ts';
import type {
  Admission,
  AnswerAtHand,
  AttemptId,
  BatchId,
  Credits,
  Intent,
  KeyedRequest,
  Ledger,
} from '../ledger/ledger.ts';
import type { RunChoices } from '../plan/context.ts';
import type { AccountHistory, AllSeries } from './series.ts';

/** What all runs of one account share in this process. `sessions.ts` opens it. */
export interface Session {
  readonly account: Pick<Account, 'identity' | 'name' | 'exclusiveKey' | 'sandbox' | 'budget'>;
  readonly ledger: Ledger;
  readonly clock: AccountTime;
  readonly client: Client;
  readonly history: AccountHistory;
  readonly priced: Set<string>;
  readonly series: AllSeries;
  /** The notes about the account that its runs were told once. */
  readonly saidNotes: Set<string>;
}

export interface AccountRun {
  readonly session: Session;
  readonly batch: BatchId;
  /** When the run began, in ms since 1970. */
  readonly beganAtMs: number;
  /** The start of the batch, if it buys answers anew when they are older than a certain time. */
  readonly begunMs?: number | undefined;
  readonly waiter: Waiter;
  readonly emit: Listener;
  readonly accept?: RunChoices['accept'];
  readonly projects: ProjectAccess;
  /** The doubts that the run has asked the vendor about, because it asks about each only once. */
  readonly looked: Set<AttemptId>;
  /** The doubts whose later answer the run has asked for, once each. */
  readonly polled: Set<AttemptId>;
  /** Since when a call waits for credits that others hold, and none of them has ended. */
  readonly waitsForMoney: { sinceMs: number | undefined };
  /** Stops the admission of all further calls. Answers to requests in flight are still recorded. */
  stopAll(error: StopError): void;
}

/**
 * Asks the vendor for the time before an age decides something, by a request without a key: a run that has
 * nothing but refreshes or repeats would not hear the time otherwise. A sandbox has the clock of this
 * machine.
 * @throws StopError `clock` when the clock of this machine is too far from the vendor's.
 */
export async function tellTime({ session, waiter }: AccountRun): Promise<void> {
  const { account, client, clock } = session;
  if (!account.sandbox) await clock.askedBy(() => client.askTime(waiter));
  if (clock.apart !== undefined) throw clock.apart;
}

/**
 * Whether to ask for the time before something is bought: this machine's clock alone would make answers old,
 * give the budget of another day, or date the first use of an idempotency key.
 */
export function asksTimeFirst({ session: { account, clock, client }, begunMs }: AccountRun): boolean {
  const isDated = begunMs !== undefined || client.dialect.idempotency !== undefined;
  return isDated || clock.apart !== undefined || (clock.isOtherDay && hasPeriods(account));
}

export const hasPeriods = ({ budget: { perDay, perMonth } }: Pick<Account, 'budget'>): boolean =>
  perDay !== undefined || perMonth !== undefined;

/**
 * `ifUnknown`: the ledger was last asked about the call some time ago. If it knows the call by now, nothing
 * is bought.
 */
export interface CallToBuy
  extends Pick<Intent, 'key' | 'call' | 'row' | 'decision' | 'replaces' | 'ifUnknown'> {
  /** The lost request, where exactly its bytes are sent again under its idempotency key. */
  readonly request?: KeyedRequest;
  /**
   * A repeat without a key, which does no harm by itself. Under a key, the database accepts only the bytes of
   * the lost request.
   */
  readonly withoutKey?: true;
}

/** How a call ended: the ledger holds an answer or a doubt, or nothing was bought. */
export type CallEnd =
  | AnsweredCall
  | 'in_doubt'
  /** The vendor answers later. */
  | 'accepted'
  /** A retry that the extra credits do not cover. */
  | 'over_extra'
  /** The ledger knows more of the call than the caller did. */
  | 'known'
  /** Other processes were asking for the call, and have been waited for. */
  | 'in_flight'
  | WithheldIntent
  | Waits;

export interface AnsweredCall {
  readonly kind: 'answered';
  readonly answer: AnswerAtHand;
}

/** Why a change was not sent: its subject is no longer as planned. */
type WithheldIntent = Extract<Admission, { readonly kind: 'moved' | 'subject_in_doubt' }>;

/** The row stays pending: for the answers to other rows, for a later time, or for more extra credits. */
export type Waits = { readonly kind: 'waits' };

/** What comes after an attempt: nothing, the same request again, or the end of the run. */
export type Next = CallEnd | 'again' | StopError;

/** The call that is being bought, through all its attempts. */
export interface Purchase {
  readonly run: AccountRun;
  readonly call: CallToBuy;
  readonly operation: DialectOperation;
  /** The credits that its attempts reserve. */
  readonly reserve: Credits;
}

/** What came back for an attempt, of this run or of an earlier one. */
export interface RepliedAttempt {
  readonly attempt: AttemptId;
  readonly call: Call;
  readonly operation: DialectOperation;
  readonly reply: WireReply;
  /** Whether the call was sent before, and its answer was lost. */
  readonly isRepeat: boolean;
}

/** The same for a request of this run. Only this run can act on its reply. */
export interface RunReply extends RepliedAttempt, Exchange {
  readonly about: CallEventPart;
  readonly reserved: Credits;
}

/** The parts of a run that judging a reply needs. */
export interface JudgeContext extends Pick<AccountRun, 'projects'> {
  readonly session: Pick<Session, 'account' | 'history' | 'ledger' | 'clock'> & {
    readonly client: Pick<Client, 'dialect' | 'basePath'>;
  };
}

/**
 * `after_others`: only the answers to other rows tell whom a refusal was about, so the row waits and is asked
 * again behind them.
 */
export type HeardVerdict = Verdict | { readonly kind: 'after_others'; readonly why: Findings };

/**
 * Decides what a 403 of the service is about. In a project that the account has changed in this run or within
 * a day, it is about the person. Elsewhere only the answers to other rows tell, so the row waits behind them,
 * and ends without being sent again: it is refused if the account ever changed one of the batch's projects.
 * An account that never changed one has the wrong key, and the run stops: at its end, or once each project
 * has refused two calls.
 */
export class ProjectAccess {
  readonly #projects: readonly string[];
  readonly #changed: Set<string>;
  #hasChanged: boolean;
  /** The reason of the refusal for each call that waits, by project and by what is asked. */
  readonly #waiting = new Map<string, Map<string, Findings>>();

  /**
   * @param projects all existing projects that the batch acts on. Projects that it still has to create are
   * not included.
   * @param changedAtMs when the account last changed each project.
   */
  constructor(projects: Iterable<string>, changedAtMs: ReadonlyMap<string, number> = new Map(), nowMs = 0) {
    this.#projects = [...projects];
    const known = this.#projects.filter((project) => changedAtMs.has(project));
    this.#hasChanged = known.length > 0;
    this.#changed = new Set(known.filter((project) => nowMs - (changedAtMs.get(project) ?? 0) <= DAY_MS));
  }

  /**
   * The number of refusals that are kept for waiting calls. A row with several projects gets one refusal in
   * each pass, so each new one lets the next pass get further.
   */
  get refusals(): number {
    return [...this.#waiting.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /**
   * Returns the verdict, or that the row waits, or a stop when the key may act on no project at all. The row
   * then stays pending.
   */
  verdictOf(call: Call, verdict: Verdict): HeardVerdict {
    const { project = '' } = call;
    if (verdict.kind !== 'answered') return verdict;
    const { why, projectRefused } = verdict;
    if (projectRefused !== true) {
      this.#changed.add(project);
      this.#hasChanged = true;
    }
    if (this.#changed.has(project)) return verdict;
    const waiting = this.#waiting.get(project) ?? new Map<string, Findings>();
    const waited = waiting.has(askedText(call));
    this.#waiting.set(project, waiting.set(askedText(call), why));
    const isEverywhere = this.#projects.every((each) => (this.#waiting.get(each)?.size ?? 0) > 1);
    if (!waited && (this.#hasChanged || !isEverywhere)) return { kind: 'after_others', why };
    // A call that was lost before is sent again, whatever its repeat was told.
    if (this.#hasChanged) return { ...verdict, why: refusedHere(why, project) };
    return { kind: 'stopped', why, stop: refusedKey(why) };
  }

  /**
   * The reason for which a call is refused that has waited for the answers to others; undefined for any other
   * call.
   * @throws StopError `key` when the account never changed a project of the batch.
   */
  refusalOf(call: Call): Findings | undefined {
    const { project = '' } = call;
    const why = this.#waiting.get(project)?.get(askedText(call));
    if (why === undefined) return undefined;
    if (!this.#hasChanged) throw new StopError(refusedKey(why));
    return this.#changed.has(project) ? refusedHere(why) : refusedHere(why, project);
  }
}

/** @param project in which the key may change nothing; left out: the refusal is about the person. */
function refusedHere(why: Findings, project?: string): Findings {
  return finding('refused_by_service', { ...answerFacts(why), ...present({ project }) });
}

const refusedKey = (why: Findings): StopDetail => ({
  code: 'key',
  message: `The service does not let this key change any project of the list: ${sayAll(why, 'terminal')}.`,
  next: phrase`Use the key of an admin of these projects, then ${AGAIN}.`,
});
