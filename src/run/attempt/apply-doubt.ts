import { oddAnswerIn, type Reply, ruleForLost, type Verdict } from '../../client/judge.ts';
import type { Run } from '../session.ts';
import { applyOdd } from './odd-answers.ts';
import type { RunReply } from './replied.ts';
import { noteUnwrapped } from './unwrapped-answers.ts';

/**
 * Draws from a doubt what follows for the account. A lost answer may show that the vendor is broken, so it is probed. One that
 * came whole shows that the vendor is at work, whatever it says. A crash here loses only a count.
 */
export async function applyDoubt(
  run: Run,
  { attempt, call, isRepeat, reply, sentAtMs }: RunReply,
  { why, wait }: Extract<Verdict, { readonly kind: 'in_doubt' }>,
): Promise<'in_doubt'> {
  const { limiter, dialect } = run.session.client;
  noteUnwrapped(run, reply);
  const odd = reply.kind === 'answered' ? oddAnswerIn(reply.raw, dialect, call) : undefined;
  if (wait !== undefined) limiter.pause(wait.pauseMs, sentAtMs, why);
  else if (odd === undefined) applyLost(run, why, reply, sentAtMs);
  else {
    limiter.settled();
    // What is answered to a repeat says no more than the answer before it.
    if (!isRepeat) await applyOdd(run, { attempt, call, odd, reply, why });
  }
  return 'in_doubt';
}

/** After so many in a row that came whole, a rule is quoted that would make them answers. */
const LOST_IN_A_ROW = 5;

function applyLost({ session: { client }, emit }: Run, why: string, reply: Reply, sentAtMs: number): void {
  const words = `answers are being lost (${why}), so only one request is sent at a time`;
  if (client.limiter.doubted(sentAtMs, words) !== LOST_IN_A_ROW) return;
  const rule = reply.kind === 'answered' ? ruleForLost(reply.raw, client.dialect) : undefined;
  if (rule === undefined) return;
  emit({
    kind: 'note',
    message: `${LOST_IN_A_ROW} answers in a row could not be used; the last: ${why}. If the vendor said this, and not a proxy, and it means "no match", the dialect's \`answers\` needs the rule \`${rule}\`.`,
  });
}
