import { invariant } from '../../core/errors.ts';
import { about, together } from '../../core/finding.ts';
import { isCheck } from '../../core/given.ts';
import type { RowInput } from '../../core/operation.ts';
import type { RowStep, StepAccount, StepEnd } from '../../core/steps.ts';
import type { MetCall } from '../met-call.ts';
import { withAddressCheck } from './address-check.ts';
import { type AccountEnd, askAccount } from './ask-account.ts';
import type { Asking, Assumed, RowCalls } from './row-calls.ts';

/** How a step of a row stands. */
export type StepState =
  /** The step has ended. */
  | (StepEnd & { readonly kind: 'end'; readonly by?: MetCall | undefined })
  /** The step has a call to send. */
  | Asking
  /** The step waits for a call that is under way or left to a later run. */
  | { readonly kind: 'waits' };

type Ended = AccountEnd & { readonly account: string };

/**
 * Asks the accounts of one step in their order, each with the check of the address that it finds.
 * @returns undefined where the row has nothing by which the step can be asked.
 */
export function askStep(
  row: RowCalls,
  at: number,
  step: RowStep,
  filled: RowInput,
  assumed: Assumed,
): StepState | undefined {
  const { name, accounts, ended } = step;
  if (ended !== undefined) return { kind: 'end', name, outcome: ended };
  const ends: Ended[] = [];
  const asking: MetCall[] = [];
  for (const stepAccount of accounts) {
    const input = inputOf(step, stepAccount, filled);
    if (input === undefined) continue;
    const found = askAccount(row, at, stepAccount, input, assumed, step.wants);
    const state = 'met' in found ? found : withAddressCheck(row, at, step, found, assumed);
    if (state.kind === 'look') return state;
    if ('met' in state) asking.push(state.met);
    else if ((isFilled(state) && !isUndecided(state)) || accounts.length === 1) return { ...state, name };
    else ends.push({ ...state, account: row.accountAt(stepAccount.account).account.name });
  }
  return stateOfAccounts(step, ends, asking);
}

/** The input of one account, with the cells that earlier steps have filled. */
function inputOf({ fed = {} }: RowStep, { input, prepare }: StepAccount, filled: RowInput): unknown {
  const found = Object.entries(fed).flatMap(([name, column]) => {
    const cell = filled[column];
    return cell === undefined ? [] : [[name, cell] as const];
  });
  if (prepare === undefined || found.length === 0) return input;
  const prepared = prepare(Object.fromEntries(found));
  return prepared.kind === 'ready' ? prepared.input : undefined;
}

const isFilled = ({ outcome, by }: AccountEnd): boolean =>
  outcome.kind === 'matched' && (by?.filled === undefined || Object.keys(by.filled).length > 0);

/** A check that has not found out, so that another account is asked. */
const isUndecided = ({ by }: AccountEnd): boolean =>
  by !== undefined && isCheck(by.call.operation) && by.verdict === 'unknown';

/** How a step stands that no account has filled, after all of its accounts were asked. */
function stateOfAccounts(
  { name, check }: RowStep,
  ends: readonly Ended[],
  asking: readonly MetCall[],
): StepState | undefined {
  const final = ends.find(({ isFinal }) => isFinal);
  if (final !== undefined) return { ...final, name };
  const firstOf = (calls: readonly MetCall[]): MetCall | undefined =>
    calls.find(({ stands }) => stands === 'held') ?? calls[0]; // rule fill-order
  const checking = firstOf(asking.filter(({ call }) => check !== undefined && isCheck(call.operation)));
  if (checking !== undefined)
    return checking.stands === 'left' ? { kind: 'waits' } : { kind: 'call', met: checking };
  const met = firstOf(asking.filter(({ stands }) => stands !== 'left'));
  if (met !== undefined) return { kind: 'call', met };
  if (asking.length > 0) return { kind: 'waits' };
  return ends.length === 0 ? undefined : { kind: 'end', name, ...endOfAccounts(ends) };
}

/** What is said of a step that no account fills comes first here. */
const FIRST_OF_ENDS = ['matched', 'skipped', 'no_match', 'refused'] as const;

function endOfAccounts(ends: readonly Ended[]): Pick<AccountEnd, 'outcome' | 'by'> {
  const kind = FIRST_OF_ENDS.find((each) => ends.some(({ outcome }) => outcome.kind === each));
  const first = ends.find(({ outcome }) => outcome.kind === kind);
  invariant(first !== undefined, 'an account ends so that its step can');
  const all = ends.map(({ account, outcome }) => about({ account }, outcome.findings));
  return { outcome: { ...first.outcome, findings: together(...all) }, by: first.by };
}
