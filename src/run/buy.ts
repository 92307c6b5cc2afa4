import type { Permit } from '../client/client.ts';
import { dialectMark, operationFor } from '../client/dialect.ts';
import { isExactCharge, judge, leftBy, type Verdict } from '../client/judge.ts';
import { StopError } from '../core/errors.ts';
import { finding, isSoAlready, ofSentAgain } from '../core/finding.ts';
import { present } from '../core/objects.ts';
import { STOPS } from '../core/stops.ts';
import { type AdmittedAttempt, credits, type End } from '../ledger/ledger.ts';
import { crashPoint } from '../lib/faults.ts';
import { applyVerdict, stopNow } from './apply-verdict.ts';
import { intentOf, isPriced, notAdmitted, outgoingFor, shownPrice, untilPriced } from './intent.ts';
import { hasAnsweredOnly404 } from './series.ts';
import {
  type AccountRun,
  asksTimeFirst,
  type CallEnd,
  type CallToBuy,
  type HeardVerdict,
  type JudgeContext,
  type Next,
  type Purchase,
  type RepliedAttempt,
  type RunReply,
  tellTime,
} from './session.ts';

/**
 * ★ This file makes one call: permit → intent → send → keep → judge → end and apply. No other file can spend.
 * Each `await` of `attempt` is a point at which a crash leaves something behind:
 *
 * | while it waits for | a crash leaves |
 * |---|---|
 * | the permit | nothing: nothing was sent |
 * | the commit of the intent | nothing; after it an open attempt, not sent: in doubt for the next run |
 * | its time, or its end as not sent | the same open attempt, until that end is committed |
 * | the answer | an open attempt: in doubt |
 * | the commit of the answer | the same; after the commit a reply, which the next run judges |
 * | the end, and what follows for the account | the same; after the commit an answered call: not sent again |
 *
 * What is left open the next run settles (`recover.ts`), where many spend any of them: once the process that
 * sent it has ended, or the attempt is over by its age.
 *
 * A lookup leaves its slot as soon as its answer is there, and the next intent goes into the commit that
 * keeps that answer: so no more calls are in doubt than there are slots. The ledger reports such an intent
 * once it is known what the answer means for the account. If the answer forbids the next call, its intent
 * ends as not sent.
 */

/**
 * Buys one call. It is sent alone while no answer has shown the price. A call that has to be asked again
 * waits behind the others.
 * @throws StopError when the run has to stop; the row then stays pending.
 */
export async function buy(run: AccountRun, call: CallToBuy): Promise<CallEnd> {
  const { client } = run.session;
  const repetition = { isRepeated: call.decision !== undefined, underKey: call.request !== undefined };
  const operation = operationFor(client.dialect, call.call, repetition);
  // The lost attempt still reserves what a repeat under its key costs, which is charged once at most.
  const reserve = credits(call.request === undefined ? operation.credits.most : 0);
  const buying: Purchase = { run, call, operation, reserve };
  try {
    if (asksTimeFirst(run)) await tellTime(run);
    for (;;) {
      const release = isPriced(run, call.call) ? undefined : await untilPriced(run, call.call);
      const attempted = attempt(buying);
      const next = await (release === undefined ? attempted : attempted.finally(release));
      if (next instanceof StopError) throw next;
      if (next !== 'again') return next;
    }
  } catch (error) {
    // The run is told at once: if it heard of the error only when the row has failed, the next call would get
    // this slot and still be sent.
    throw stopNow(run, error);
  }
}

async function attempt(buying: Purchase): Promise<Next> {
  const { run, call } = buying;
  const { client, ledger, clock } = run.session;
  const about = { row: call.row, call: call.key };
  const permit = await client.permit(run.waiter);
  try {
    const outgoing = outgoingFor(run.session, call);
    if (outgoing === 'expired') return 'in_doubt';
    crashPoint('before-intent');
    const admission = await ledger.intent(intentOf(buying, outgoing.keyed));
    crashPoint('after-intent');
    if (admission.kind !== 'admitted') return await notAdmitted(buying, permit, admission);
    const due = permit.untilDue();
    if (due !== undefined) await due;
    if (isForbidden(run) || !permit.holds) return await notSent(run, admission);
    const sent = await client.send(permit, admission, outgoing.request, () =>
      run.emit({ kind: 'sent', ...about }),
    );
    crashPoint('before-keep');
    const replied: RunReply = {
      attempt: admission.attempt,
      reserved: admission.reserved,
      operation: buying.operation,
      call: call.call,
      about,
      isRepeat: call.decision !== undefined,
      ...sent,
    };
    // The next call may use the slot although the reply is not on the disk yet: its intent gets into the
    // commit that keeps the reply, or into a later one. A repeat and a change are judged first, because more
    // depends on them than their own money.
    const isJudgedFirst = replied.isRepeat || call.call.change !== undefined;
    if (sent.reply.kind === 'answered' && !isJudgedFirst) permit.handOver();
    if (sent.reply.kind === 'answered') {
      await ledger.keep(admission.attempt, sent.reply.raw); // rule 8
      crashPoint('after-keep');
    }
    const verdict = verdictOn(run, replied);
    const ending = ledger.end(admission.attempt, endOf(run, replied, verdict), clock.wallMs());
    const hearing = applyWithPermit(run, replied, verdict, permit);
    const ended = await ending;
    crashPoint('after-end');
    if (sent.reply.kind !== 'not_sent') run.emit({ kind: 'closed', ...about });
    const next = hearing instanceof Promise ? await hearing : hearing;
    if (verdict.kind === 'accepted') await heardId(run, replied, ended === 'shared');
    // Others have ended the attempt for its age: the kept reply is read when the call is looked at again.
    return ended === 'over' && !(next instanceof StopError) ? 'known' : next;
  } finally {
    permit.giveBack();
  }
}

/** The vendor answers later: by an id of the call alone, or by one that leads to no one's answer. */
async function heardId(run: AccountRun, { call, reply, reserved, about }: RunReply, isShared: boolean) {
  const { series } = run.session;
  if (!isShared) series.accepted(call);
  else if (reply.kind === 'answered') {
    run.emit({ kind: 'in_doubt', credits: reserved, ...about });
    await series.countLater(run, call, reply.raw, 'shared');
  }
}

// -------------------------------------------------------------------------------------------------- the send

/** Whether the run was stopped for a reason that also concerns calls that are admitted already. */
function isForbidden({ waiter: { signal } }: AccountRun): boolean {
  const { aborted, reason } = signal;
  return aborted && !(reason instanceof StopError && STOPS[reason.code].admitted_calls_are_sent);
}

/** Ends the attempt of a request that was forbidden after its permit was given. */
async function notSent(
  { session: { ledger, clock }, waiter }: AccountRun,
  { attempt }: AdmittedAttempt,
): Promise<'again'> {
  const why = finding('not_sent_in_time', {});
  await ledger.end(attempt, { kind: 'not_sent', why }, clock.wallMs());
  waiter.signal.throwIfAborted();
  return 'again';
}

// ------------------------------------------------------------------------------------------------- the reply

/**
 * What a reply means for its attempt. This writes nothing: after a crash here the next run judges the
 * recorded reply in the same way.
 */
export function verdictOn(
  { session: { client }, projects }: JudgeContext,
  { call, operation, reply, isRepeat }: RepliedAttempt,
): HeardVerdict {
  const ownVerdict = ofRepeat(judge(reply, client.dialect, operation, call), isRepeat);
  const verdict = call.project === undefined ? ownVerdict : projects.verdictOf(call, ownVerdict);
  crashPoint('after-judge');
  return verdict;
}

/** Where a request was sent again, its first one may have brought what the service says is there already. */
function ofRepeat(verdict: Verdict, isRepeat: boolean): Verdict {
  if (!isRepeat || verdict.kind !== 'answered' || !isSoAlready(verdict.why)) return verdict;
  return { ...verdict, why: ofSentAgain(verdict.why) };
}

export function endOf(
  { session: { client, history } }: JudgeContext,
  { call, operation, reply }: RepliedAttempt,
  verdict: HeardVerdict,
): End {
  const { dialect } = client;
  if (verdict.kind === 'after_others') return { ...verdict, kind: 'stopped' };
  if (reply.kind !== 'answered' || verdict.kind !== 'answered') return verdict;
  const saysNothing = verdict.answer === 'no_match' && hasAnsweredOnly404(history);
  const leftFacts = saysNothing ? undefined : leftBy(call, verdict.answer, reply.raw, dialect, verdict.why);
  const isExact = isExactCharge(verdict.charged, reply.raw, dialect, operation);
  return {
    ...verdict,
    dialect: dialectMark(dialect),
    ...shownPrice(verdict, dialect),
    ...present({ leftFacts, isAtMost: isExact ? undefined : true }),
  };
}

/**
 * The permit is given back without waiting for the close, unless the ledger has to be asked what follows. The
 * row waits for the close. The reply already shows what was bought.
 */
function applyWithPermit(
  run: AccountRun,
  replied: RunReply,
  verdict: HeardVerdict,
  permit: Permit,
): Next | Promise<Next> {
  const next = applyVerdict(run, replied, verdict);
  if (next instanceof Promise) run.session.ledger.concluding(next);
  else permit.giveBack();
  return next;
}
