import { isCheck } from '../../core/given.ts';
import { present } from '../../core/objects.ts';
import type { Call } from '../../core/operation.ts';
import type { RowStep, StepAccount } from '../../core/steps.ts';
import { takingCall } from '../dialect-step.ts';
import { MetCall } from '../met-call.ts';
import type { RowCalls } from './row-calls.ts';

/** Calls with those that take what they find, and with the check of the address in it. */
export function withFollowing(row: RowCalls, calls: readonly MetCall[]): readonly MetCall[] {
  return calls.flatMap((met) => {
    const { check } = row.steps[met.at] ?? {};
    const both = met.leads
      ? [met, new MetCall(takingCall(met.call, met.callText), met.by, met.at, met.wants)]
      : [met];
    if (check === undefined || isCheck(met.call.operation)) return both;
    return [...both, ...check.checkers.map((each) => unknownCall(row, each, met.at, [met]))];
  });
}

/**
 * The calls of later steps that are made where these calls fill their inputs, and those of the steps with
 * inputs that these fill.
 */
export function fedBy(row: RowCalls, calls: readonly MetCall[]): readonly MetCall[] {
  if (row.steps.every(({ fed }) => fed === undefined)) return [];
  const open = new Set(calls.flatMap(({ at }) => row.steps[at]?.wants ?? []).map(({ column }) => column));
  return row.steps.flatMap((step, at) => {
    if (!isFedBy(step, open)) return [];
    for (const { column } of step.wants ?? []) open.add(column);
    return withFollowing(
      row,
      step.accounts.map((each) => unknownCall(row, each, at, calls, step.wants)),
    );
  });
}

/** Whether a step reads a column that is still open. */
export const isFedBy = ({ fed = {} }: RowStep, open: ReadonlySet<string>): boolean =>
  Object.values(fed).some((column) => open.has(column));

/** Stands for a call that is made by what other calls find, which is not known yet. */
function unknownCall(
  row: RowCalls,
  { account, operation }: Pick<StepAccount, 'account' | 'operation'>,
  at: number,
  from: readonly MetCall[],
  wants?: MetCall['wants'],
): MetCall {
  const parameters = { filled_by: from.map(({ callText }) => callText) };
  const { name, creditsMost } = operation;
  const call: Call = { operation: name, parameters, ifLost: 'hold', ...present({ creditsMost }) };
  return new MetCall(call, row.accountAt(account), at, wants);
}
