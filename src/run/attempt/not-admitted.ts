import type { Turn } from '../../client/client.ts';
import type { Admission, Admitted } from '../../ledger/ledger.ts';
import { overBudget } from '../budget.ts';
import type { Run } from '../session.ts';
import { type Asking, reserveOf } from './outgoing.ts';
import type { Next } from './replied.ts';

/** What comes next where the ledger admitted nothing. It waits for what may still be released, and for who else asks. */
export async function notAdmitted(
  run: Run,
  { wanted, operation }: Asking,
  turn: Turn,
  admission: Exclude<Admission, Admitted>,
): Promise<Next> {
  switch (admission.kind) {
    case 'known':
    case 'answered':
      return 'known';
    case 'late':
      return 'again';
    case 'in_flight':
      turn.end();
      await untilMoved(run);
      return 'known';
    case 'wait':
    case 'over_budget': {
      const { scope, money } = admission;
      if (scope === 'extra') return 'over_extra';
      if (admission.kind === 'over_budget')
        throw overBudget(run.session, scope, money, reserveOf(wanted, operation));
      turn.end();
      await untilMoved(run, admission.untilMs);
      return 'again';
    }
    default:
      return admission;
  }
}

/** What others hold may come back at any moment, and nobody tells this process of it. */
const LONGEST_WAIT_MS = 5_000;

/** Waits until a call of this account has ended in the ledger, or until it is worth asking that again. */
export async function untilMoved(
  { session: { groups, clock }, waiter }: Run,
  untilMs = Infinity,
): Promise<void> {
  const over = new AbortController();
  const signal = AbortSignal.any([waiter.signal, over.signal]);
  const waitMs = Math.min(LONGEST_WAIT_MS, Math.max(0, untilMs - clock.wallMs()));
  try {
    await Promise.race([groups.ended, clock.sleep(waitMs, signal)]);
  } finally {
    over.abort();
  }
}
