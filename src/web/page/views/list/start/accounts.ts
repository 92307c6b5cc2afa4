import { describedOperation } from '../../../../../core/described.ts';
import { priceOf } from '../../../../../core/money.ts';
import { accountWords } from '../../../../../files/output/summary-words.ts';
import type { AccountObject } from '../../../../api.ts';
import { money } from '../../../parts/figures.ts';
import { isOfTeam, type Step } from '../job.ts';
import type { OfScene } from '../scene.ts';

/** Which of her accounts can do what is chosen. */

export type Accounts = readonly AccountObject[];

export interface OfAccounts extends OfScene {
  readonly accounts: Accounts;
}

export const canDo = ({ operations = [], vendor }: AccountObject, operation: string): boolean =>
  isOfTeam(operation) ? vendor === 'service' : vendor === 'provider' && operations.includes(operation);

export const isPlay = (steps: readonly Step[], accounts: Accounts): boolean =>
  steps.some((step) => accounts.find(({ name }) => name === step.accounts[0])?.sandbox === true);

/** The accounts that can check what an operation finds. */
export function checkingAccounts(operation: string, accounts: Accounts): Accounts {
  const checker = describedOperation(operation)?.checkedBy;
  return checker === undefined ? [] : accounts.filter((account) => canDo(account, checker));
}

/** Of these, those with play money where it is asked with play money. */
export const checkersLike = (step: Step, accounts: Accounts): Accounts =>
  checkingAccounts(step.operation, accounts).filter(({ sandbox }) => sandbox === isPlay([step], accounts));

export interface StepProps extends OfAccounts {
  readonly step: Step;
  readonly onChosen: (step: Step) => void;
}

/** `Hunter · A$0.05 each`. */
export const named = (accounts: Accounts): readonly (readonly [string, string])[] =>
  accounts.map(({ name, price }) => {
    const each = priceOf(price ?? '');
    return [name, accountWords(name) + (each ? ` · ${money([each])} each` : '')];
  });

/** The accounts, where those that can be added are for what the list needs. */
export const accountsFor = (isOfTeam: boolean): string => (isOfTeam ? '/accounts?for=team' : '/accounts');
