import { listed } from '../../../../../core/plain-text.ts';
import { accountWords } from '../../../../../files/output/summary-words.ts';
import type { ListJobChoice } from '../../../../api.ts';
import { Loaded } from '../../../parts/asking.tsx';
import { Button, ButtonLink, type Look, Notice } from '../../../parts/controls.tsx';
import { acted, returned } from '../../../session.ts';
import { stepsOf, withSteps } from '../job.ts';
import { isTeam, type OfScene } from '../scene.ts';
import { type Accounts, accountsFor, canDo, checkingAccounts, isPlay, type OfAccounts } from './accounts.ts';

/** What is invented says so, and one click has it asked of accounts of hers, if there are some by now. */

/** The same job, and the accounts that it has in place of play money. */
interface Replaced {
  readonly job: ListJobChoice;
  readonly names: readonly string[];
}

/** @returns undefined where a step has no account but those with play money. */
function replacedIn(job: ListJobChoice, accounts: Accounts): Replaced | undefined {
  const usableAccounts = accounts.filter(({ sandbox, problem }) => !sandbox && problem === null);
  const steps = stepsOf(job).map((step) => {
    const able = usableAccounts.filter((account) => canDo(account, step.operation));
    const checker = checkingAccounts(step.operation, usableAccounts)[0]?.name;
    const check = step.check && checker ? { ...step.check, account: checker } : undefined;
    // As many are asked one after the other as she had chosen.
    const names = able.slice(0, Math.max(1, step.accounts.length)).map(({ name }) => name);
    return { ...step, accounts: names, check };
  });
  if (steps.length === 0 || steps.some((step) => step.accounts.length === 0)) return undefined;
  return { job: withSteps(job, steps), names: [...new Set(steps.flatMap((step) => step.accounts))] };
}

/** Her accounts in place of play money, else where one is added. */
export function InPlaceOfPlay({ scene, accounts, look }: OfAccounts & { readonly look?: Look }) {
  const { job, choose, isPlanning } = scene;
  const replaced = isPlay(stepsOf(job), accounts) ? replacedIn(job, accounts) : undefined;
  if (replaced === undefined)
    return <ButtonLink to={accountsFor(isTeam(scene))} says="Add your account" look={look} />;
  const names = listed(replaced.names.map(accountWords));
  return (
    <Button
      look={look}
      says={`Use ${names} in place of play money`}
      onClick={() => {
        choose(replaced.job);
        isPlanning.value = true;
      }}
    />
  );
}

/** The same about answers that are there already. What is chosen while a start goes on would end with the start. */
export const PlayMoney = ({ scene }: OfScene) => (
  <Notice says="These answers are invented: it is play money.">
    {scene.isRunning ? undefined : scene.list === undefined ? (
      <ButtonLink to="/accounts" says="Add your account" />
    ) : (
      <Loaded<Pick<OfAccounts, 'accounts'>>
        path="/accounts/list"
        body={{}}
        again={acted.value + returned.value}
      >
        {({ accounts }) => <InPlaceOfPlay scene={scene} accounts={accounts} />}
      </Loaded>
    )}
  </Notice>
);
