import type { AccountObject, ListDescription, ListJobChoice } from '../../../api.ts';
import { type Asked, useAsked } from '../../parts/action.ts';
import { look } from '../../session.ts';
import { operationsOf } from './scene.ts';

/** What shall be done with a list, as steps that are asked one after the other, each with its accounts. */

export interface Step {
  readonly operation: string;
  /** In the order in which they are asked. */
  readonly accounts: readonly string[];
  /** The inputs by which it is asked, in this order; left out: in the usual one. */
  readonly waterfall?: ListJobChoice['waterfall'];
  /** Her column: what of the answer it gets. */
  readonly add?: Readonly<Record<string, string>> | undefined;
  readonly check?: { readonly account: string; readonly accept?: Verdict[] | undefined } | undefined;
}

export type Verdict = 'valid' | 'accept_all' | 'invalid' | 'unknown';

export function stepsOf(job: ListJobChoice): readonly Step[] {
  const { operations, account = [], waterfall } = job;
  if (operations === undefined || Array.isArray(operations))
    return operationsOf(job).map((operation) => ({ operation, accounts: [account].flat(), waterfall }));
  return Object.entries(operations).map(([operation, step]) => {
    return { ...step, operation, accounts: [step.account ?? account].flat() };
  });
}

export function withSteps(job: ListJobChoice, steps: readonly Step[]): ListJobChoice {
  const { operation: _, operations: __, account: ___, waterfall: ____, ...kept } = job;
  const entries = steps.map(({ operation, accounts, add, ...step }) => {
    const account = accounts.length > 0 ? { account: [...accounts] } : {};
    return [operation, { ...step, ...account, ...(add && { add: { ...add } }) }];
  });
  return { ...kept, operations: Object.fromEntries(entries) };
}

export const isFill = ({ on_existing: existing }: ListJobChoice): boolean => existing === 'fill';

/** An order of the columns before is none of others. */
export const withColumns = (job: ListJobChoice, columns: ListJobChoice['columns']): ListJobChoice => ({
  ...withSteps(
    job,
    stepsOf(job).map(({ waterfall: _, ...step }) => step),
  ),
  columns,
});

/** Other things to do begin with the list as it is read, and with none of the columns of before. */
export function jobFor(job: ListJobChoice, accounts: Accounts, operations: readonly string[]): ListJobChoice {
  const { read, country, repair } = job;
  const before = isFill(job) ? [] : stepsOf(job);
  const steps: Step[] = [];
  for (const name of operations)
    steps.push(before.find(({ operation }) => operation === name) ?? stepWith(accounts, name, steps));
  return withSteps({ read, country, repair }, steps);
}

// ---------------------------------------------------------------------------------------------- accounts

export type Accounts = readonly AccountObject[];

export function useAccounts(): Asked<Accounts> {
  const asked = useAsked(async (signal) => {
    const { accounts } = await look<{ readonly accounts: Accounts }>('accounts/list', {}, signal);
    return accounts;
  }, []);
  return asked.value;
}

export const canDo = ({ operations = [], vendor }: AccountObject, operation: string): boolean =>
  operation === 'onboard' ? vendor === 'service' : vendor === 'provider' && operations.includes(operation);

export const accountWords = ({ name, sandbox }: AccountObject): string =>
  sandbox ? `play money (${name.replace(/^sandbox-/, '')})` : name;

/** The accounts as the options of a list. */
export const named = (accounts: Accounts): readonly (readonly [string, string])[] =>
  accounts.map((account) => [account.name, accountWords(account)]);

export const isPlay = (steps: readonly Step[], accounts: Accounts): boolean =>
  steps.some((step) => accounts.find(({ name }) => name === step.accounts[0])?.sandbox === true);

/** A step with the account that fits: her own come before play money, and no list is asked with both. */
export function stepWith(accounts: Accounts, operation: string, beside: readonly Step[] = []): Step {
  const able = accounts.filter((account) => canDo(account, operation));
  const isBeside = isPlay(beside, accounts);
  const alike = beside.length === 0 ? [] : able.filter(({ sandbox }) => sandbox === isBeside);
  const [first] = [...alike, ...able.filter(({ sandbox }) => !sandbox), ...able];
  return { operation, accounts: first === undefined ? [] : [first.name] };
}

// ------------------------------------------------------------------------------------ the first choice

/** The operations that fit best: a team, else what can be asked by columns that most rows have filled. */
export function fittingBest({ operations, columns, rows }: ListDescription): readonly string[] {
  const fitOf = (operation: string) =>
    operations.find((each) => each.operation === operation && each.problem === null);
  if (fitOf('onboard') !== undefined) return ['onboard'];
  const filledOf = (operation: string): number => {
    const used = Object.values(fitOf(operation)?.columns ?? {});
    return Math.max(0, ...columns.flatMap(({ name, filled }) => (used.includes(name) ? filled : [])));
  };
  const found = ['enrich-company', 'enrich-person'].filter((operation) => filledOf(operation) > 0);
  const best = found.filter((operation) => filledOf(operation) >= rows / 2);
  return best.length > 0 ? best : found.slice(0, 1);
}

/** A name for the column of a field, such as `Employee count` for `employee_count`, that no other has. */
export function columnName(field: string, taken: readonly string[]): string {
  const spaced = (text: string): string => {
    const words = text.replaceAll(/[._]/g, ' ');
    return words.charAt(0).toUpperCase() + words.slice(1);
  };
  // The word of a step tells two cities apart.
  const whole = spaced(field.replace(/^enrich-/, ''));
  const tries = [spaced(field.split('.').at(-1) ?? field), whole, `${whole} found`];
  const isFree = (name: string): boolean => !taken.some((each) => each.toLowerCase() === name.toLowerCase());
  return tries.find(isFree) ?? field;
}
