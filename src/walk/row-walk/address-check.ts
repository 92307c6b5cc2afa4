import { invariant } from '../../core/errors.ts';
import { finding, together } from '../../core/finding.ts';
import { isCheck } from '../../core/given.ts';
import type { RowCheck, RowChecker, RowStep } from '../../core/steps.ts';
import { VERDICT } from '../met-call.ts';
import { type AccountEnd, askAccount, notTaken } from './ask-account.ts';
import type { Asking, Assumed, RowCalls } from './row-calls.ts';

/** What one account has found, after the check of the address in it; or the check, which comes next. */
export function withAddressCheck(
  row: RowCalls,
  at: number,
  step: RowStep,
  found: AccountEnd,
  assumed: Assumed,
): AccountEnd | Asking {
  const { check, accepts, wants = [] } = step;
  const column = wants.find(({ path }) => path === 'email')?.column ?? '';
  const email = found.by?.filled?.[column];
  if (email === undefined || found.outcome.kind !== 'matched') return found;
  const { verdict: ownVerdict = 'unknown', by } = found.by ?? {};
  if (accepts !== undefined && !accepts.some((each) => each === ownVerdict))
    return notTaken(finding('address_not_taken', { verdict: ownVerdict, by: by?.account.name ?? '' }));
  return check === undefined ? found : checkedBy(row, at, check, email, found, assumed);
}

/** What a check has found out, and who says so. */
interface Said {
  readonly kind: 'verdict';
  readonly verdict: string;
  readonly by: string;
}

function checkedBy(
  row: RowCalls,
  at: number,
  check: RowCheck,
  email: string,
  found: AccountEnd,
  assumed: Assumed,
): AccountEnd | Asking {
  const checkVerdict = verdictOn(row, at, check, email, assumed);
  if (checkVerdict.kind !== 'verdict') return checkVerdict;
  const { verdict, by } = checkVerdict;
  if (!isCheckAssumed(at, assumed) && check.accept.some((each) => each === verdict)) return found;
  return notTaken(finding('address_not_taken', { verdict, by }));
}

/** An assumed check has no verdict that counts, or nothing would be asked after it. */
const isCheckAssumed = (at: number, assumed: Assumed): boolean =>
  [...assumed.keys()].some((met) => met.at === at && isCheck(met.call.operation));

/** What the checkers say of an address: the next one is asked where one does not know. */
function verdictOn(
  row: RowCalls,
  at: number,
  { checkers }: RowCheck,
  email: string,
  assumed: Assumed,
): Said | AccountEnd | Asking {
  const ends: (Said | AccountEnd)[] = [];
  for (const checker of checkers) {
    const checkVerdict = verdictBy(row, at, checker, email, assumed);
    const goesOn =
      (checkVerdict.kind === 'verdict' && checkVerdict.verdict === 'unknown') ||
      (checkVerdict.kind === 'end' && checkVerdict.outcome.kind === 'refused');
    if (!goesOn) return checkVerdict;
    ends.push(checkVerdict);
  }
  const unknown = ends.flatMap((each) => (each.kind === 'verdict' ? each.by : []));
  const [first] = ends;
  invariant(first !== undefined, 'a check has a checker');
  return unknown.length === 0 ? first : { kind: 'verdict', verdict: 'unknown', by: unknown.join(' and ') };
}

function verdictBy(
  row: RowCalls,
  at: number,
  { prepare, ...checker }: RowChecker,
  email: string,
  assumed: Assumed,
): Said | AccountEnd | Asking {
  const prepared = prepare({ email });
  if (prepared.kind === 'invalid') return notTaken(prepared.findings);
  const state = askAccount(row, at, checker, prepared.input, assumed, VERDICT);
  // No other account is asked while the address has no verdict.
  if ('met' in state) return state;
  const { name } = row.accountAt(checker.account).account;
  const { kind, findings } = state.outcome;
  if (kind === 'in_doubt' || kind === 'skipped') return { ...state, isFinal: true };
  if (kind !== 'refused')
    return { kind: 'verdict', verdict: state.by?.filled?.verdict ?? 'unknown', by: name };
  const why = together(finding('check_refused', { account: name }), findings);
  return { ...state, isFinal: true, outcome: { kind, findings: why } };
}
