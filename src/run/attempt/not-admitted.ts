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
    case 'in_flight':
      turn.giveBack();
      await untilMoved(run);
      return 'known';
    case 'wait':
    case 'over_budget': {
      const { scope, money } = admission;
      if (scope === 'extra') return 'over_extra';
      if (admission.kind === 'over_budget')
        throw overBudget(run.session, scope, money, reserveOf(wanted, operation));
      turn.giveBack();
      await untilMoved(run, admission.untilMs);
      return 'again';
    }
    default:
      return admission;
  }
}

/** What others hold may come back at any moment, and nobody tells this process of it. */
const LONGEST_WAIT_MS = 5_000;

/** Waits until a request of this account is over, or until it is worth asking the ledger again. */
export async function untilMoved(
  { session: { client, clock }, waiter }: Run,
  untilMs = Infinity,
): Promise<void> {
  const over = new AbortController();
  const signal = AbortSignal.any([waiter.signal, over.signal]);
  const waitMs = Math.min(LONGEST_WAIT_MS, Math.max(0, untilMs - clock.wallMs()));
  const waits = [clock.sleep(waitMs, signal)];
  if (client.limiter.outstanding > 0) waits.push(client.limiter.oneDone({ ...waiter, signal }));
  try {
    await Promise.race(waits);
  } finally {
    over.abort();
  }
}
