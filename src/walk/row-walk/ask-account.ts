import { invariant } from '../../core/errors.ts';
import type { Findings } from '../../core/findings.ts';
import type { Outcome } from '../../core/row.ts';
import { MOST_CALLS, type StepAccount } from '../../core/steps.ts';
import { stepIn } from '../dialect-step.ts';
import type { MetCall } from '../met-call.ts';
import type { Asking, Assumed, RowCalls } from './row-calls.ts';

/** How one account of a step ends. */
export interface AccountEnd {
  readonly kind: 'end';
  readonly outcome: Outcome;
  /** The call whose answer was found. */
  readonly by: MetCall | undefined;
  /** Whether the step ends with it, and no other account is asked. */
  readonly isFinal: boolean;
}

/** How an account ends if its address does not count, so that another one is asked. */
export const notTaken = (findings: Findings): AccountEnd => ({
  kind: 'end',
  by: undefined,
  isFinal: false,
  outcome: { kind: 'no_match', findings },
});

/** One account of a step. */
export function askAccount(
  row: RowCalls,
  at: number,
  stepAccount: Pick<StepAccount, 'account' | 'operation'>,
  input: unknown,
  assumed: Assumed,
  wants?: MetCall['wants'],
): AccountEnd | Asking {
  const askedAccount = row.accountAt(stepAccount.account);
  let last: MetCall | undefined;
  const step = stepIn(askedAccount.dialect, stepAccount.operation, input, (call) => {
    const met = row.meet(call, askedAccount, at, wants);
    const answer = met.answer ?? assumed.get(met);
    last = answer?.kind === 'found' ? met : undefined;
    return answer;
  });
  if (step.kind === 'end') {
    const by = step.outcome.kind === 'matched' ? last : undefined;
    return { kind: 'end', outcome: step.outcome, by, isFinal: false };
  }
  const met = row.meet(step.call, askedAccount, at, wants);
  if (met.end !== undefined)
    return { kind: 'end', outcome: met.end.outcome, by: undefined, isFinal: !met.end.goesOn };
  invariant(row.takesMore(assumed), `${stepAccount.operation.name} asks for more than ${MOST_CALLS} calls`);
  return row.askFor(met);
}
