import type { Account } from '../client/account/account.ts';
import { invariant, type StopDetail, StopError } from '../core/errors.ts';
import { asPhrase, joined, phrase } from '../core/phrase.ts';
import { sentence } from '../core/plain-text.ts';
import { EXIT, STOPS } from '../core/stops.ts';
import type { Batch } from '../ledger/ledger.ts';
import type { RunContext } from '../plan/context.ts';
import { accountsOf } from '../walk/resolved-job.ts';
import { LaterAnswers } from './later.ts';
import { countByVendor } from './reconcile.ts';
import type { AccountRun } from './session.ts';
import type { OpenRun, Purpose, Sessions } from './sessions.ts';

/** A run ends with the first of these exit codes that one of its ended accounts has, and says all of them. */
const FIRST = [EXIT.key, EXIT.budget, EXIT.paused];

/** What ends of an account that takes no more calls: its calls, and the questions for later answers. */
interface Ends {
  readonly calls: AbortController;
  readonly questions: AbortController;
}

/** The error; a stop also says which account it is of. */
function stopOf(account: NonNullable<StopDetail['account']>, error: unknown): unknown {
  return error instanceof StopError ? new StopError({ ...error.detail, account }, { cause: error }) : error;
}

/** The accounts of a job during one run: each has a session, and ends by itself. */
export class RunAccounts {
  readonly runs = new Map<string, OpenRun>();
  readonly ended = new Map<string, StopError>();
  readonly later = new Map<string, LaterAnswers>();
  readonly #context: RunContext;
  readonly #stopAll: (error: unknown) => void;

  constructor(context: RunContext, stopAll: (error: unknown) => void) {
    this.#context = context;
    this.#stopAll = stopAll;
  }

  /**
   * @param signal aborted when the whole run may send nothing more.
   * @throws StopError as `Sessions.open` for one of the accounts. None is open then.
   */
  async open(sessions: Sessions, purpose: Purpose, signal: AbortSignal): Promise<void> {
    try {
      for (const askedAccount of accountsOf(this.#context)) {
        const ends: Ends = { calls: new AbortController(), questions: new AbortController() };
        const stop = (error: unknown): void => this.#stop(askedAccount.account, error, ends);
        const stopBoth = (): void => {
          for (const each of Object.values(ends)) each.abort(signal.reason);
        };
        // A signal of `AbortSignal.any` would keep the run that listens to it in the memory of its host.
        signal.addEventListener('abort', stopBoth, { once: true });
        if (signal.aborted) stopBoth();
        const opening = sessions.open(
          { ...this.#context, ...askedAccount },
          purpose,
          ends.calls.signal,
          stop,
        );
        const { identity, name } = askedAccount.account;
        const run = await opening.catch((error: unknown) => {
          throw stopOf(this.#context.further.length === 0 ? { identity } : { identity, name }, error);
        });
        this.runs.set(identity, run);
        const waiter = { ...run.waiter, signal: ends.questions.signal };
        this.later.set(identity, new LaterAnswers({ ...run, waiter }, stop));
      }
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  #stop({ identity, name }: Account, error: unknown, ends: Ends): void {
    const { further, emit } = this.#context;
    if (further.length === 0 || !(error instanceof StopError) || !STOPS[error.code].names_its_account) {
      this.#stopAll(stopOf({ identity }, error));
      return;
    }
    const message = phrase`Account ${name}: ${error.detail.message}`;
    const next = phrase`Account ${name}: ${error.detail.next}`;
    const named = new StopError({ ...error.detail, account: { identity, name }, message, next });
    const { other_accounts_go_on: isOne, later_answers_are_asked: asksOn } = STOPS[error.code];
    if (!isOne) this.#stopAll(named);
    if (!asksOn) ends.questions.abort(named);
    if (!isOne || this.ended.has(identity)) return;
    this.ended.set(identity, named);
    ends.calls.abort(named);
    const fact = `Account ${name} takes no more calls in this run: ${error.message}`;
    emit({ kind: 'note', message: fact, ended: { account: name, code: error.code } });
    if (this.ended.size === further.length + 1) this.stopForEnded();
  }

  /** Stops the run for the accounts that have ended, if rows still wait for them. */
  stopForEnded(): void {
    const all = [...this.ended.values()];
    const ends = FIRST.flatMap((code) => all.filter(({ exitCode }) => exitCode === code));
    const [first] = ends;
    if (first === undefined) return;
    const message = joined(ends.map(({ detail }) => asPhrase(detail.message).map(sentence)));
    const next = joined(ends.map(({ detail }) => detail.next));
    this.#stopAll(new StopError({ ...first.detail, message, next }));
  }

  /**
   * Settles what earlier processes left open at each account, before anything is bought.
   * @returns a function that keeps the vendor's count of what this run cost.
   */
  async begin(sessions: Sessions, batch: Batch): Promise<() => Promise<void>> {
    for (const run of this.runs.values()) await sessions.recover(run);
    for (const later of this.later.values()) await later.begin();
    // The vendor's count is kept with a batch that has one account.
    const keepCount = this.runs.size === 1 ? await countByVendor(this.first) : async () => {};
    for (const run of this.runs.values()) await run.session.series.begin(run, this.#context, batch);
    return keepCount;
  }

  get first(): AccountRun {
    const [first] = this.runs.values();
    invariant(first !== undefined, 'a run has an account');
    return first;
  }

  get inFlight(): number {
    return [...this.runs.values()].reduce((sum, run) => sum + run.session.client.limiter.inFlight, 0);
  }

  async close(): Promise<void> {
    for (const later of this.later.values()) await later.close();
    for (const run of this.runs.values()) await run.close();
  }
}
