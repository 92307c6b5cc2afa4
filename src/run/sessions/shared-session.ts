import type { Account } from '../../client/account/account.ts';
import type { Pause } from '../../client/client.ts';
import type { StopCode, StopError } from '../../core/errors.ts';
import type { Listener, RunEvent } from '../../core/events.ts';
import type { BeatingAccount, BeatingRun, Told } from '../beats.ts';
import type { Session } from '../session.ts';

/** The stops that concern the account, so that they end all its runs. Any other stop ends only its own run. */
const ENDS_THE_ACCOUNT: ReadonlySet<StopCode> = new Set([
  'key',
  'vendor_credits',
  'address',
  'clock',
  'doubts',
]);

/** Those of them that the vendor has said of the account, or that a person answers, so that they hold for every process that asks. */
function endsForAll({ code, answers }: StopError): boolean {
  return code === 'key' || code === 'vendor_credits' || (code === 'address' && answers !== undefined);
}

export interface Member extends BeatingRun {
  readonly emit: Listener;
  toldPause?: Pause;
}

export class SharedSession<Opened> {
  readonly members = new Set<Member>();
  readonly before: Promise<void>;
  /** Whether one of the runs buys answers anew when they are older than a certain time. */
  goesByAge = false;
  opening: Promise<Opened> | undefined;
  ended: Promise<void> | undefined;
  #stopped: StopError | undefined;
  #pause: Pause | undefined;
  /** What the vendor told this process, and no other one knows of yet. */
  #told: Told = {};
  /** Whether what is said of the account now comes from another process. */
  #isHearing = false;

  constructor(before: Promise<void> = Promise.resolve()) {
    this.before = before;
  }

  emit(event: RunEvent): void {
    for (const { emit } of this.members) emit(event);
  }

  /** @returns whether this process is the first that knows of it. */
  paused(pause: Pause): boolean {
    this.#pause = pause;
    for (const member of this.members) this.#tellPause(member, pause);
    if (pause.asked && !this.#isHearing) this.#told = { ...this.#told, pause };
    return !this.#isHearing;
  }

  tell(member: Member, nowMs: number): void {
    if (this.#stopped !== undefined) member.stopAll(this.#stopped);
    else if (this.#pause !== undefined && this.#pause.untilMs > nowMs) this.#tellPause(member, this.#pause);
  }

  #tellPause(member: Member, pause: Pause): void {
    if (member.toldPause === pause) return;
    member.toldPause = pause;
    const { untilMs, why, asked } = pause;
    member.emit({ kind: 'paused', untilMs, why, asked });
  }

  stop(member: Member, error: StopError): void {
    member.stopAll(error);
    if (!ENDS_THE_ACCOUNT.has(error.code)) return;
    if (this.#stopped === undefined && endsForAll(error)) this.#told = { ...this.#told, end: error };
    this.#stopped ??= error;
    for (const { stopAll } of this.members) stopAll(error);
  }

  beating(
    { identity }: Pick<Account, 'identity'>,
    { client, history }: Pick<Session, 'client' | 'history'>,
    closeLeftOpen: () => Promise<unknown>,
  ): BeatingAccount {
    const { limiter } = client;
    return {
      ...{ identity, limiter, history, closeLeftOpen, runs: this.members },
      told: () => this.#told,
      wasSaid: (told) => {
        if (this.#told === told) this.#told = {};
      },
      pause: ({ leftMs, why, asked }) => {
        this.#isHearing = true;
        limiter.waitFor(leftMs, why, asked);
        this.#isHearing = false;
      },
    };
  }
}
