import { useEffect } from 'preact/hooks';
import { capital, whatWords } from '../../../../files/output/summary-words.ts';
import { Loaded, RefusedNotice } from '../../loaded.tsx';
import { Button, ButtonLink } from '../../parts/controls.tsx';
import { late } from '../../parts/late.tsx';
import { Stop } from '../../parts/stop.tsx';
import { Agreements } from './agreements.tsx';
import { type Accounts, canDo, FINDS, fittingBest, jobFor, type OfAccounts } from './choice.ts';
import { FILLS } from './fields.tsx';
import { Buttons } from './go.tsx';
import { isFill, operationsOf, stepsOf } from './job.ts';
import { Changes, Price } from './price.tsx';
import { HowRead } from './reading.tsx';
import { isTeam, type OfScene, type Scene } from './scene.ts';
import { Steps } from './steps.tsx';

const Tried = late(async () => (await import('./tried.tsx')).Tried);

/** What shall be done with the list, by whom and by what, and what it costs; then the button. */
export const Start = ({ scene }: OfScene) => (
  <aside class="start" aria-label="What shall be done">
    <Loaded<Pick<OfAccounts, 'accounts'>> path="/accounts/list" body={{}}>
      {({ accounts }) => <Chosen scene={scene} accounts={accounts} />}
    </Loaded>
  </aside>
);

function Chosen({ scene, accounts }: OfAccounts) {
  const { job, tried, planned, described, unkept } = scene;
  const { waits } = planned;
  const there = accounts.map(({ name }) => name);
  // A job that names no account has the only one that there is.
  const unasked = stepsOf(job).find(({ operation, accounts: names }) =>
    names.length === 0
      ? !accounts.some((account) => canDo(account, operation))
      : names.some((name) => !there.includes(name)),
  );
  // Where nothing is chosen any more, the last plan is of a choice that she took away.
  const plan = operationsOf(job).length > 0 ? planned.value : undefined;
  useFirstChoice(scene, accounts);
  return (
    <>
      {tried === undefined ? (
        <What scene={scene} accounts={accounts} />
      ) : (
        <Tried scene={scene} tried={tried} />
      )}
      <details open={tried === undefined}>
        <summary>With whom, and by what</summary>
        <Steps scene={scene} accounts={accounts} />
        <HowRead scene={scene} />
      </details>
      {unasked === undefined ? (
        <RefusedNotice refused={unkept ?? planned.refused ?? described.refused} />
      ) : (
        <Stop says={`No account is here for ${whatWords(unasked.operation)}.`}>
          <ButtonLink to="/accounts" says="Look at the accounts" />
        </Stop>
      )}
      {plan === undefined ? (
        <p class="soft">{operationsOf(job).length > 0 && waits && 'Counting what it costs…'}</p>
      ) : (
        <section aria-busy={waits}>
          {isTeam(scene) ? <Changes plan={plan} /> : <Price scene={scene} plan={plan} />}
          <Agreements scene={scene} plan={plan} />
          <Buttons scene={scene} plan={plan} accounts={accounts} />
        </section>
      )}
    </>
  );
}

/** The question with which every list begins. Several things may be found, or filled, by one list. */
function What({ scene, accounts }: OfAccounts) {
  const { job, choose } = scene;
  const fills = isFill(job);
  const chosen = operationsOf(job);
  const start = (operations: readonly string[], isFilled = false): void =>
    choose(jobFor(scene, accounts, operations, isFilled));
  const pills = (names: readonly string[], isFilled: boolean, saysOf: (name: string) => string) =>
    names.map((name) => {
      const isChosen = (each: string): boolean => fills === isFilled && chosen.includes(each);
      const next = names.filter((each) => isChosen(each) !== (each === name));
      return pill(saysOf(name), isChosen(name), () => start(next, isFilled));
    });
  const pill = (says: string, isChosen: boolean, onClick: () => void) => (
    <Button says={says} aria-pressed={isChosen} onClick={onClick} />
  );
  return (
    <>
      <h2>What shall be done?</h2>
      <p class="row">
        {pills(FINDS, false, (name) => `Find ${whatWords(name)}`)}
        {pill('Fill blanks', fills, () => start(['find-email'], true))}
        {pill('Invite a team', chosen.includes('onboard'), () => start(['onboard']))}
      </p>
      {fills && <p class="row">{pills(FILLS, true, (name) => capital(whatWords(name)))}</p>}
    </>
  );
}

/** The first time, what fits the columns best is chosen already. */
function useFirstChoice(scene: Scene, accounts: Accounts): void {
  const { value } = scene.described;
  useEffect(() => {
    if (value === undefined || operationsOf(scene.job).length > 0) return;
    const best = fittingBest(value);
    if (best.length > 0) scene.choose(jobFor(scene, accounts, best));
  }, [value === undefined]);
}
