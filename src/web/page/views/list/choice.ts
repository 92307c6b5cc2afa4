import type { AccountObject, ListDescription, ListJobChoice } from '../../../api.ts';
import { recognisedFor } from './columns.ts';
import { proposedFor, wantedOf } from './fields.tsx';
import { addedIn, besides, isFill, type Step, stepsOf, withAdded, withSteps } from './job.ts';
import type { OfScene, Scene } from './scene.ts';

/** What can be chosen for a list, and with which accounts. */

export type Accounts = readonly AccountObject[];

export interface OfAccounts extends OfScene {
  readonly accounts: Accounts;
}

export const canDo = ({ operations = [], vendor }: AccountObject, operation: string): boolean =>
  operation === 'onboard' ? vendor === 'service' : vendor === 'provider' && operations.includes(operation);

/** What can be found for each row. */
export const FINDS = ['enrich-company', 'enrich-person'];

/** The accounts as the options of a list. */
export const named = (accounts: Accounts): readonly (readonly [string, string])[] =>
  accounts.map(({ name, sandbox }) => {
    return [name, sandbox ? `${name.replace(/^sandbox-/, '')} (play)` : name];
  });

export const isPlay = (steps: readonly Step[], accounts: Accounts): boolean =>
  steps.some((step) => accounts.find(({ name }) => name === step.accounts[0])?.sandbox === true);

/** A step with the account that fits: her own come before play money, and no list is asked with both. */
function stepWith(accounts: Accounts, operation: string, beside: readonly Step[]): Step {
  const able = accounts.filter((account) => canDo(account, operation));
  const first = able.find(({ sandbox }) => sandbox === isPlay(beside, accounts)) ?? able[0];
  return { operation, accounts: first === undefined ? [] : [first.name] };
}

/**
 * Other things to do begin with the list as it is read. What is done beside something of before is asked by
 * the same columns.
 * @param fills whether the blanks of her columns are filled.
 */
export function jobFor(
  scene: Scene,
  accounts: Accounts,
  operations: readonly string[],
  fills = false,
): ListJobChoice {
  const { read, country, repair } = scene.job;
  const before = isFill(scene.job) === fills ? stepsOf(scene.job) : [];
  const steps: Step[] = [];
  for (const name of operations)
    steps.push(before.find(({ operation }) => operation === name) ?? stepWith(accounts, name, steps));
  const bare = withSteps({ read, country, repair }, steps);
  const isBeside = before.some((step) => steps.includes(step));
  const job = isBeside ? besides(scene.job, bare, (name) => recognisedFor(scene, name)) : bare;
  if (!fills) return job;
  const filling = { ...job, on_existing: 'fill' as const };
  const blank = steps.filter(({ add }) => add === undefined).map(({ operation }) => wantedOf(operation));
  const added = proposedFor({ ...scene, job: filling }, blank);
  return withAdded(filling, new Map([...addedIn(filling), ...added]));
}

// ------------------------------------------------------------------------------------ the first choice

/** What fits best: a team, else what can be asked by a column that most rows have filled. */
export function fittingBest({ operations, columns, rows }: ListDescription): readonly string[] {
  const fitting = operations.filter(({ problem }) => problem === null);
  if (fitting.some(({ operation }) => operation === 'onboard')) return ['onboard'];
  const finding = fitting.filter(({ operation }) => FINDS.includes(operation));
  const best = finding.filter((fit) => {
    const used = columns.filter(({ name }) => Object.values(fit.columns).includes(name));
    return used.some(({ filled }) => filled > 0 && filled >= rows / 2);
  });
  return (best.length > 0 ? best : finding.slice(0, 1)).map(({ operation }) => operation);
}
