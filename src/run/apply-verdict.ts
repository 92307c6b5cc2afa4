import { dialectMark } from '../client/dialect.ts';
import { envelopeAdvice, oddAnswerIn, ruleForLost, type Verdict, type WireReply } from '../client/judge.ts';
import { type StopDetail, StopError } from '../core/errors.ts';
import { sayAll } from '../core/finding-words.ts';
import { asPhrase, phrase } from '../core/phrase.ts';
import { dearerStop } from './intent.ts';
import type { AccountRun, HeardVerdict, Next, RunReply } from './session.ts';

type VerdictAs<Kind extends Verdict['kind']> = Extract<Verdict, { readonly kind: Kind }>;

/**
 * Applies a verdict to its account and its run, before another request leaves: to the clocks, the pace and
 * the stop. The end of the attempt already waits in the same group of writes, so whatever is sent because of
 * the verdict is written after it.
 * @returns what comes next for the call. It is a promise only where the ledger has to be asked or told
 *   first.
 */
export function applyVerdict(
  run: AccountRun,
  replied: RunReply,
  verdict: HeardVerdict,
): Next | Promise<Next> {
  const { account, client, clock } = run.session;
  if (clock.apart !== undefined) run.stopAll(clock.apart);
  client.applyHints(replied, verdict.kind === 'paused' || verdict.kind === 'not_served');
  switch (verdict.kind) {
    case 'answered':
      return applyAnswer(run, replied, verdict);
    case 'in_doubt':
      run.emit({ kind: 'in_doubt', credits: replied.reserved, ...replied.about });
      return applyDoubt(run, replied, verdict);
    case 'accepted':
      client.limiter.settled();
      sayOnce(run, 'later', `Account ${account.name} answers later, and is asked until it has answered.`);
      return 'accepted';
    case 'paused':
    case 'not_served':
      return applyPause(run, replied, verdict);
    case 'not_sent':
      return applyNotSent(run, replied, verdict);
    case 'stopped':
      return stopNow(run, new StopError(stopSaid(verdict.stop, run.session.history)));
    case 'after_others':
      return { kind: 'waits' };
  }
}

/** A key that has worked before may still be good: then the account may not do what was asked. */
function stopSaid(stop: StopDetail, { hasAnswered }: AccountRun['session']['history']): StopDetail {
  if (stop.code !== 'key' || !hasAnswered) return stop;
  const message = asPhrase(stop.message).map((text) =>
    text.replace(
      ' refused the key: ',
      ' says that the key was refused, or that the account may not do this: ',
    ),
  );
  const next = phrase`The key has worked before: check at the vendor what the account may do. ${stop.next}`;
  return { ...stop, message, next };
}

/** Stops the run, if the error is a StopError. */
export function stopNow<Reason>(run: AccountRun, error: Reason): Reason {
  if (error instanceof StopError) run.stopAll(error);
  return error;
}

function applyAnswer(
  run: AccountRun,
  replied: RunReply,
  verdict: VerdictAs<'answered'>,
): Next | Promise<Next> {
  const { attempt, about, operation, reply, reserved } = replied;
  const { answer: kind, charged, why } = verdict;
  const { session, batch, emit } = run;
  const { limiter, dialect } = session.client;
  limiter.settled();
  emit({ kind: 'answered', found: kind === 'found', credits: charged, ...about });
  // A repeat under a key reserves nothing itself: the lost request has already reserved at least the
  // dialect's price.
  const most = Math.max(operation.credits.most, reserved);
  if (charged > most) run.stopAll(dearerStop(charged, most));
  const answer = { attempt, batch, kind, why, dialect: dialectMark(dialect) };
  if (reply.kind !== 'answered') return { kind: 'answered', answer };
  const answered: Next = { kind: 'answered', answer: { ...answer, body: reply.raw.body } };
  const series = session.series.count(run, replied, reply.raw, verdict);
  return series?.then((stopped) => stopped ?? answered) ?? answered;
}

/** Makes the account wait, and leaves the slot to others. */
function applyPause(
  { session }: AccountRun,
  { sentAtMs }: RunReply,
  verdict: VerdictAs<'paused' | 'not_served'>,
): 'again' {
  session.client.limiter.pause(verdict, sentAtMs, sayAll(verdict.why, 'terminal'));
  return 'again';
}

/**
 * Asks a call without any effect again after a short wait. A name that does not exist will not exist in a
 * minute either, unless the account has worked before.
 */
function applyNotSent(run: AccountRun, { reply, sentAtMs }: RunReply, { why }: VerdictAs<'not_sent'>): Next {
  const { client, history } = run.session;
  const wrong = !history.hasAnswered ? client.unreachable({ reply, sentAtMs }) : undefined;
  if (wrong !== undefined) return stopNow(run, wrong);
  client.limiter.backOff(sentAtMs, sayAll(why, 'terminal'));
  return 'again';
}

/**
 * Applies a doubt to its account. A lost answer may show that the vendor is broken, so the vendor is probed.
 * An answer that came whole shows that the vendor is at work, whatever it says. A crash here loses only a
 * count.
 */
async function applyDoubt(
  run: AccountRun,
  replied: RunReply,
  verdict: Extract<Verdict, { readonly kind: 'in_doubt' }>,
): Promise<'in_doubt'> {
  const { wait, isNotYet } = verdict;
  const why = sayAll(verdict.why, 'terminal');
  const { limiter, dialect } = run.session.client;
  const { isRepeat, reply, sentAtMs } = replied;
  const raw = reply.kind === 'answered' ? reply.raw : undefined;
  if (raw !== undefined) sayOnce(run, 'envelope', envelopeAdvice(raw, dialect));
  const odd = raw && oddAnswerIn(raw, dialect, replied.call);
  if (wait !== undefined) limiter.pause(wait, sentAtMs, why);
  // The vendor is still at work on the call: this counts neither as an answer nor as a lost one.
  else if (isNotYet === true) {
    limiter.settled();
    const message =
      `This vendor answers later (${why}), and the dialect does not say how to ask for the answer. ` +
      'The row waits in doubt, and is not sent again by itself: ' +
      'check the call at the vendor, and settle it.';
    sayOnce(run, 'later', message);
    // The answer to a repeat says no more than the answer before it.
    if (!isRepeat && raw !== undefined) await run.session.series.countLater(run, replied.call, raw);
  } else if (raw === undefined || odd === undefined) applyLost(run, why, reply, sentAtMs);
  else {
    limiter.settled();
    // The answer to a repeat says no more than the answer before it.
    if (!isRepeat) await run.session.series.countOdd(run, replied.call.operation, odd, why);
  }
  return 'in_doubt';
}

function sayOnce(
  { session: { saidNotes }, emit }: AccountRun,
  what: string,
  message: string | undefined,
): void {
  if (message === undefined || saidNotes.has(what)) return;
  saidNotes.add(what);
  emit({ kind: 'note', message });
}

function applyLost(
  { session: { client } }: AccountRun,
  why: string,
  reply: WireReply,
  sentAtMs: number,
): void {
  const words = `answers are being lost (${why}), so only one request is sent at a time`;
  // A proxy may have said so, and not the vendor.
  const rule =
    reply.kind === 'answered'
      ? '. If the vendor means "no match" by it, ' +
        `its dialect needs the rule \`${ruleForLost(reply.raw, client.dialect)}\``
      : '';
  client.limiter.doubted(sentAtMs, words + rule);
}
