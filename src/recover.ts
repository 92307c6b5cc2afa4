import { close, onlyMisses, type Spending } from './attempt.ts';
import { isoTime } from './clock.ts';
import { unreachable } from './errors.ts';
import { crashPoint } from './faults.ts';
import type {
  CallState,
  Decision,
  DecisionId,
  DecisionKind,
  DecisionSpec,
  Doubt,
  Ledger,
  OpenAttempt,
} from './ledger.ts';
import { counted } from './plain-text.ts';
import { dialectOperationOf } from './request.ts';

/**
 * ★ Settles what a crash, or a lost answer, left open.
 *
 * `recover` runs before any new spending: attempts that an earlier run left open are judged when their reply was
 * recorded, and taken for in doubt when it was not. `resolveDoubt` says, for one call in doubt, whether it may be sent
 * again. Both may be interrupted and repeated at any point: an attempt is closed once, a decision used once.
 */

/** What to do about a call in doubt when nobody has decided: the kind of the job's `in_doubt`. */
export type DoubtPolicy = 'hold' | 'skip' | 'retry';

/** How a call in doubt goes on for this batch. */
export type Resolution =
  | { readonly kind: 'send_again'; readonly decision: DecisionId }
  | { readonly kind: 'hold'; readonly reason: string }
  | { readonly kind: 'skip'; readonly reason: string };

/** A harmless call is repeated this often; a vendor that loses four answers to it is not going to keep the fifth. */
const MOST_REPEATS = 3;

/**
 * Begins a run that was stopped by nothing but 404s: their rows are pending again, so this comes before anybody counts
 * the rows that are settled.
 */
export async function takeBackMisses(ledger: Ledger, accountIdentity: string): Promise<void> {
  if (onlyMisses(await ledger.account(accountIdentity))) await ledger.retractMisses(accountIdentity);
}

/** @returns how many attempts of earlier runs were open. */
export async function recover(spending: Spending): Promise<number> {
  const open = await spending.ledger.openAttempts();
  for (const attempt of open) await settleOpen(spending, attempt);
  return open.length;
}

/** An open attempt belongs to a run that has ended, because only one process spends from a store. */
async function settleOpen(spending: Spending, open: OpenAttempt): Promise<void> {
  crashPoint('recovering');
  const { ledger, clock, dialect } = spending;
  const ours = open.accountIdentity === spending.accountIdentity;
  if (open.reply !== undefined && ours) {
    const operation = dialectOperationOf(dialect, open.call);
    await close(spending, open.attempt, { kind: 'answered', raw: open.reply }, operation);
    return;
  }
  // Without a reply nobody knows whether it left. A reply of another account is left to its own dialect.
  if (open.reply !== undefined) return;
  const why = 'the program ended between sending the request and keeping the answer';
  await ledger.closeAttempt(open.attempt, { kind: 'in_doubt', why }, clock.wallMs());
}

/** Rule by rule: harmless calls are repeated, then what a person decided counts, then the job's policy. */
export async function resolveDoubt(
  spending: Spending,
  state: CallState & { readonly kind: 'in_doubt' },
  policy: DoubtPolicy,
): Promise<Resolution> {
  const { doubt, decision } = state;
  const { ifLost } = doubt.call;
  if (typeof ifLost === 'object' && doubt.repeats < MOST_REPEATS) {
    return decide(spending, doubt, 'repeat', 'rule', ifLost.repeat);
  }
  if (decision !== undefined) return follow(decision, doubt);
  switch (policy) {
    case 'hold':
      return { kind: 'hold', reason: doubtReason(doubt) };
    case 'skip':
      return decide(spending, doubt, 'skip', 'job', 'the job says in_doubt: skip');
    case 'retry':
      return decide(spending, doubt, 'retry', 'job', 'the job says in_doubt: retry');
    default:
      return unreachable(policy);
  }
}

async function decide(
  spending: Spending,
  doubt: Doubt,
  kind: DecisionKind,
  by: DecisionSpec['by'],
  why: string,
): Promise<Resolution> {
  const { ledger, batch, clock } = spending;
  const spec: DecisionSpec = { key: doubt.key, batch, kind, by, why, atMs: clock.wallMs() };
  return follow({ ...spec, id: await ledger.decide(spec) }, doubt);
}

function follow(decision: Decision, doubt: Doubt): Resolution {
  switch (decision.kind) {
    case 'repeat':
    case 'retry':
      return { kind: 'send_again', decision: decision.id };
    case 'skip':
      return { kind: 'skip', reason: `skipped, ${decision.why}: ${doubt.why}` };
    case 'hold':
    case 'told':
      return { kind: 'hold', reason: doubtReason(doubt) };
    default:
      return unreachable(decision.kind);
  }
}

/** `call in doubt since 2026-11-20T02:13:00.000Z, 1 credit at risk: no answer came (…)`. */
export function doubtReason(doubt: Doubt): string {
  return `in doubt since ${isoTime(doubt.sentAtMs)}, ${counted(doubt.atRisk, 'credit')} at risk: ${doubt.why}`;
}
