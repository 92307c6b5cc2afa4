import type { Asker, Sent, Turn } from '../client/client.ts';
import { dialectMark, operationFor } from '../client/dialect.ts';
import { judge, leftBy } from '../client/judge.ts';
import { onlyMissesYet } from '../client/misses.ts';
import type { HttpRequest } from '../client/request.ts';
import { type StopCode, StopError } from '../core/errors.ts';
import type { SubjectFacts } from '../core/membership.ts';
import type { Admitted, Closure, EntryKind, Outcomes, RawReply } from '../ledger/ledger.ts';
import { crashPoint } from '../lib/faults.ts';
import { apply, MOST_MOVES, movedTooOften, stopNow } from './attempt/apply.ts';
import { type Asking, intentOf, notAdmitted, ofCall, outgoingFor, type Wanted } from './attempt/outgoing.ts';
import { isPriced, priced, untilPriced } from './attempt/price.ts';
import type { Bought, Closing, Next, Replied, RunReply } from './attempt/replied.ts';
import type { Writer, Written } from './groups.ts';
import type { Heard } from './project-access.ts';
import type { Run } from './session.ts';

/**
 * ★ This file makes one call: slot → permit → intent → send → record → judge → consequences for the account → close. No other
 * file can spend. The slot is handed over as soon as an answer is there, so that the next intent shares the commit that keeps it,
 * and the row goes on once the attempt is closed.
 *
 * What a crash leaves behind, step by step:
 * - before the intent's commit: nothing, because nothing was sent.
 * - after the intent's commit, before the reply is recorded: an open attempt; the next run treats the call as in doubt. One commit
 *   records the reply of a slot and the next intent of it, so no more calls are in doubt than there are slots.
 * - after the reply is recorded, before the close: an open attempt with a reply; the next run judges that reply.
 * - after the close: an answered call, which no run sends again.
 *
 * The steps after `record` look at one reply and wait for no other. So the replies that one commit has recorded are all judged and
 * applied before a request leaves whose intent stands in the same commit, and where they forbid that, it is closed as not sent.
 */

export { acceptOdd, type OddDoubt, oddDoubts, ruleReads } from './attempt/odd-answers.ts';
export { oddMatches } from './attempt/odd-matches.ts';
export type { Wanted } from './attempt/outgoing.ts';
export { untilMoved } from './attempt/outgoing.ts';
export { keepReading } from './attempt/price.ts';
export type { Bought, Closing, Waits, Withheld } from './attempt/replied.ts';

/**
 * Buys one call: alone while no answer has shown the price, and each attempt in a slot. A call that has to be asked again waits
 * behind the others.
 * @throws StopError when the run has to stop; the row then stays pending.
 */
export async function buy(run: Run, wanted: Wanted): Promise<Bought> {
  const { client, tooFast } = run.session;
  const operation = operationFor(client.dialect, wanted.call, {
    isRepeated: wanted.decision !== undefined,
    underKey: wanted.request !== undefined,
  });
  const asking: Asking = { wanted, operation, asked: tooFast.begin(), moves: [] };
  try {
    for (;;) {
      const release = isPriced(run, wanted.call) ? undefined : await untilPriced(run, wanted.call);
      try {
        const next = await attempted(run, asking);
        if (next instanceof StopError) throw next;
        if (typeof next === 'object' && 'movedTo' in next) followMove(run, asking, next.movedTo);
        else if (next !== 'again') return next;
      } finally {
        release?.();
      }
    }
  } finally {
    asking.asked.end();
  }
}

function followMove(run: Run, { moves }: Asking, movedTo: string): void {
  moves.push(movedTo);
  if (moves.length > MOST_MOVES) throw stopNow(run, movedTooOften(moves));
}

function attempted(run: Run, asking: Asking): Promise<Next> {
  return new Promise((resolve, reject) => new Attempt(run, asking, resolve, reject).begin());
}

/**
 * One attempt to buy a call, step by step in the order of its methods. What it has written goes through the groups of its account,
 * which take it from one step to the next.
 */
class Attempt implements Writer, Asker {
  readonly #run: Run;
  readonly #asking: Asking;
  readonly #resolve: (next: Next) => void;
  readonly #reject: (reason: unknown) => void;
  #isInSlot = false;
  #turn: Turn | undefined;
  #request: HttpRequest | undefined;
  #admitted: Admitted | undefined;
  #replied: RunReply | undefined;
  #verdict: Heard | undefined;
  #next: Next | undefined;
  #isClosed = false;
  /** Another process has closed it for its age, perhaps in another way than this one would have. */
  #isOver = false;

  constructor(run: Run, asking: Asking, resolve: (next: Next) => void, reject: (reason: unknown) => void) {
    this.#run = run;
    this.#asking = asking;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  begin(): void {
    const { client } = this.#run.session;
    const entering = client.limiter.enter(this.#run.waiter);
    if (entering === undefined) this.#entered();
    else entering.then(() => this.#entered(), this.#reject);
  }

  #entered(): void {
    this.#isInSlot = true;
    try {
      const turn = this.#run.session.client.turn(this.#run.waiter);
      if (turn instanceof Promise)
        turn.then((given) => this.#permitted(given)).catch((error: unknown) => this.fail(error));
      else this.#permitted(turn);
    } catch (error) {
      this.fail(error);
    }
  }

  #permitted(turn: Turn): void {
    this.#turn = turn;
    const { session } = this.#run;
    const outgoing = outgoingFor(session, this.#asking.wanted, this.#asking.moves.at(-1));
    if (outgoing === 'expired') {
      this.#end('in_doubt');
      return;
    }
    this.#request = outgoing.request;
    crashPoint('before-intent');
    const intent = intentOf(this.#run, this.#asking, outgoing.keyed, turn);
    session.groups.add(this, { kind: 'intent', intent }, turn.dueMs);
  }

  admit(outcome: Written): boolean {
    crashPoint('after-intent');
    const admission = unlessRefused<'intent'>(outcome);
    if (admission.kind === 'admitted') {
      this.#admitted = admission;
      return true;
    }
    notAdmitted(this.#run, this.#asking, this.#turn as Turn, admission).then(
      (next) => this.#end(next),
      (error: unknown) => this.fail(error),
    );
    return false;
  }

  /** A permit may be given a little before its time, so that the intent is on the disk by then. */
  leave(): void {
    const due = this.#turn?.untilDue();
    if (due === undefined) this.#send();
    else void due.then(() => this.#send());
  }

  /** Intent → send. What forbids that since the permit was given closes the attempt as not sent. */
  #send(): void {
    const [turn, admitted] = [this.#turn as Turn, this.#admitted as Admitted];
    try {
      if (!isForbidden(this.#run) && turn.holds) turn.send(admitted, this.#request as HttpRequest, this);
      else {
        const why = 'the run was stopped or the account had to wait before it was sent';
        this.#next = 'again';
        this.#close({ kind: 'not_sent', why });
      }
    } catch (error) {
      this.fail(error);
    }
  }

  sent(): void {
    this.#run.emit({ kind: 'sent', ...ofCall(this.#asking) });
  }

  replied({ reply, sentAtMs }: Sent): void {
    const { session } = this.#run;
    const { wanted, operation, asked } = this.#asking;
    const { attempt, reserved } = this.#admitted as Admitted;
    const isRepeat = wanted.decision !== undefined;
    const { path } = this.#request as HttpRequest;
    const replied = {
      attempt,
      call: wanted.call,
      about: ofCall(this.#asking),
      operation,
      path,
      reply,
      sentAtMs,
      asked,
      reserved,
      isRepeat,
    };
    this.#replied = replied;
    crashPoint('before-record');
    const isHandedOver = session.client.limiter.handsOver && handsOver(replied);
    if (reply.kind === 'answered')
      session.groups.add(
        this,
        { kind: 'reply', attempt, reply: reply.raw },
        isHandedOver && isUsual(reply.raw) ? Infinity : undefined,
      );
    else session.groups.addUnanswered(this);
    if (isHandedOver) this.#leaveSlot();
  }

  /** Record → judge → close. */
  judge(outcome?: Written): void {
    crashPoint('after-record');
    // Who took the attempt for lost has told its call so. The reply is read when the call is looked at again.
    if (outcome !== undefined && unlessRefused<'reply'>(outcome).kind === 'late') {
      this.#end('known');
      return;
    }
    const replied = this.#replied as RunReply;
    const verdict = judged(this.#run, replied);
    this.#verdict = verdict;
    const [closure, left] = closureOf(this.#run, replied, verdict);
    this.#close(closure, left);
  }

  apply(): Promise<void> | undefined {
    if (this.#verdict === undefined) return undefined;
    try {
      const next = apply(this.#run, this.#replied as RunReply, this.#verdict);
      if (next instanceof Promise)
        return next.then(
          (known) => this.#applied(known),
          (error: unknown) => this.fail(error),
        );
      this.#applied(next);
    } catch (error) {
      this.fail(error);
    }
    return undefined;
  }

  /** The slot and the permit do not wait for the closure, and the row does: what was bought is known by the reply. */
  #applied(next: Next): void {
    this.#next = next;
    this.#giveBack();
    if (this.#isClosed) this.#end(next);
  }

  #close(closure: Closure, left?: SubjectFacts): void {
    const { attempt } = this.#admitted as Admitted;
    const { groups, clock } = this.#run.session;
    groups.add(
      this,
      { kind: 'end', attempt, closure, atMs: clock.wallMs(), left },
      closure.kind === 'answered' ? Infinity : undefined,
    );
  }

  closed(outcome: Written): void {
    crashPoint('after-close');
    this.#isOver = unlessRefused<'end'>(outcome).kind === 'over';
    this.#isClosed = true;
    const { reply } = this.#replied ?? {};
    if (reply !== undefined && reply.kind !== 'not_sent')
      this.#run.emit({ kind: 'closed', ...ofCall(this.#asking) });
    if (this.#replied === undefined) this.#run.waiter.signal.throwIfAborted();
    if (this.#next !== undefined) this.#end(this.#next);
  }

  fail(error: unknown): void {
    this.#giveBack();
    this.#reject(stopNow(this.#run, error));
  }

  #end(next: Next): void {
    this.#giveBack();
    this.#letGo();
    this.#resolve(this.#isOver && !(next instanceof StopError) ? 'known' : next);
  }

  /** Its admission stays, so that a reply which came twice would reach the ledger, which refuses it. */
  #letGo(): void {
    this.#turn = undefined;
    this.#replied = undefined;
    this.#verdict = undefined;
    this.#next = undefined;
  }

  #giveBack(): void {
    this.#turn?.end();
    this.#leaveSlot();
  }

  #leaveSlot(): void {
    if (this.#isInSlot) this.#run.session.client.limiter.leave();
    this.#isInSlot = false;
  }
}

function unlessRefused<Kind extends EntryKind>(outcome: Written): Outcomes[Kind] {
  if (outcome.kind === 'refused') throw outcome.error;
  return outcome as Outcomes[Kind];
}

/**
 * Whether the next call may use the slot although the reply is not on the disk yet: its intent gets into the commit that keeps the
 * reply, or into a later one. A repeat and a change are judged first, because more hangs on them than their own money. Calls that wait
 * for a first price, and those after which one request at a time is asked, wait for that and not for a slot.
 */
function handsOver({ reply, call, isRepeat }: RunReply): boolean {
  return reply.kind === 'answered' && call.change === undefined && !isRepeat;
}

/** Whether no request that leaves meanwhile hangs on it, as one would on a pause or on a dead key. */
const isUsual = ({ status }: RawReply): boolean => status < 400 || status === 404;

/** The stops for what ran out: they say nothing about a request that has its permit and its credits. */
const RAN_OUT: ReadonlySet<StopCode> = new Set(['paused', 'budget', 'account_budget']);

/** Whether the run was stopped for a reason that concerns what is admitted already. */
function isForbidden({ waiter: { signal } }: Run): boolean {
  return signal.aborted && !(signal.reason instanceof StopError && RAN_OUT.has(signal.reason.code));
}

/** What a reply means for its attempt. It writes nothing: after a crash here the next run judges the recorded reply alike. */
export function judged(
  { session: { client }, projects }: Closing,
  { call, operation, path, reply }: Replied,
): Heard {
  const { dialect, origin } = client;
  const verdict = projects.hear(call, judge(reply, dialect, operation, { origin, path, call }));
  crashPoint('after-judge');
  return verdict;
}

export function closureOf(
  { session: { client, history } }: Closing,
  { call, operation, reply }: Replied,
  verdict: Heard,
): readonly [closure: Closure, left: SubjectFacts | undefined] {
  const { dialect } = client;
  const isAnswered = reply.kind === 'answered' && verdict.kind === 'answered';
  const saysNothing = isAnswered && verdict.answer === 'no_match' && onlyMissesYet(history);
  const left = isAnswered && !saysNothing ? leftBy(call, verdict.answer, reply.raw, dialect) : undefined;
  if (verdict.kind === 'waits') return [{ ...verdict, kind: 'stopped' }, undefined];
  const closure = isAnswered ? { ...verdict, dialect: dialectMark(dialect) } : verdict;
  return [priced(closure, reply, dialect, operation), left];
}
