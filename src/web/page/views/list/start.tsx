import { useEffect } from 'preact/hooks';
import { Loaded, RefusedNotice } from '../../loaded.tsx';
import { late } from '../../parts/late.tsx';
import { Agreements } from './agreements.tsx';
import { type Accounts, fittingBest, jobFor } from './choice.ts';
import { Buttons } from './go.tsx';
import { operationsOf } from './job.ts';
import { Changes, Price } from './price.tsx';
import { HowRead } from './reading.tsx';
import { isTeam, type Scene } from './scene.ts';
import { Steps } from './steps.tsx';
import { What } from './what.tsx';

const Tried = late(async () => (await import('./tried.tsx')).Tried);

interface AccountList {
  readonly accounts: Accounts;
}

/** What shall be done with the list, by whom and by what, and what it costs; then the button. */
export const Start = ({ scene }: { readonly scene: Scene }) => (
  <aside class="start" aria-label="What shall be done">
    <Loaded<AccountList> path="/accounts/list" body={{}}>
      {({ accounts }) => <Chosen scene={scene} accounts={accounts} />}
    </Loaded>
  </aside>
);

interface PartProps {
  readonly scene: Scene;
  readonly accounts: Accounts;
}

function Chosen({ scene, accounts }: PartProps) {
  const { tried, planned, described, unkept } = scene;
  useFirstChoice(scene, accounts);
  const choice = (
    <>
      <Steps scene={scene} accounts={accounts} />
      <HowRead scene={scene} />
    </>
  );
  return (
    <>
      {tried === undefined ? (
        <>
          <What scene={scene} accounts={accounts} />
          {choice}
        </>
      ) : (
        <>
          <Tried scene={scene} tried={tried} />
          <details>
            <summary>With whom, and by what</summary>
            {choice}
          </details>
        </>
      )}
      <RefusedNotice refused={unkept ?? planned.refused ?? described.refused} />
      <Planned scene={scene} accounts={accounts} />
    </>
  );
}

function Planned({ scene, accounts }: PartProps) {
  const { value: plan, waits } = scene.planned;
  const isChosen = operationsOf(scene.job).length > 0;
  if (plan === undefined) return <p class="soft">{isChosen && waits ? 'Counting what it costs…' : ''}</p>;
  return (
    <section aria-busy={waits}>
      <hr />
      {isTeam(scene) ? <Changes plan={plan} /> : <Price scene={scene} plan={plan} />}
      <Agreements scene={scene} plan={plan} />
      <Buttons scene={scene} plan={plan} accounts={accounts} />
    </section>
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
