import { useEffect } from 'preact/hooks';
import type { PlanObject } from '../../../api.ts';
import { RefusedNotice } from '../../loaded.tsx';
import { late } from '../../parts/late.tsx';
import { Agreements } from './agreements.tsx';
import { type Accounts, fittingBest, jobFor, useAccounts } from './choice.ts';
import { Buttons } from './go.tsx';
import { Changes, Price } from './price.tsx';
import { HowRead } from './reading.tsx';
import { isTeam, operationsOf, type Scene } from './scene.ts';
import { Steps } from './steps.tsx';
import { isMaking, isSent } from './team-words.ts';
import { What } from './what.tsx';

const Tried = late(async () => (await import('./tried.tsx')).Tried);

/** What shall be done with the list, by whom and by what, and what it costs; then the button. */
export function Start({ scene }: { readonly scene: Scene }) {
  const { value: accounts = [], refused } = useAccounts();
  const { tried, planned, described } = scene;
  useFirstChoice(scene, accounts);
  const choice = (
    <>
      <Steps scene={scene} accounts={accounts} />
      <HowRead scene={scene} />
    </>
  );
  return (
    <aside class="start" aria-label="What shall be done">
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
      <RefusedNotice refused={scene.unkept ?? planned.refused ?? described.refused ?? refused} />
      <Planned scene={scene} accounts={accounts} />
    </aside>
  );
}

interface PartProps {
  readonly scene: Scene;
  readonly accounts: Accounts;
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
      {isTeam(scene) && <Undoable plan={plan} />}
    </section>
  );
}

/** What of a team's changes cannot be taken back. */
function Undoable({ plan: { changes = [] } }: { readonly plan: PlanObject }) {
  const sent = changes.filter(isSent);
  if (sent.length === 0) return null;
  return (
    <p class="soft">
      Can be undone later, but for the mails
      {sent.some(({ action }) => action === 'remove') && ', and who is removed has to be invited again'}
      {sent.some(isMaking) && ', and the new projects stay'}.
    </p>
  );
}

/** The first time, what fits the columns best is chosen already. */
function useFirstChoice(scene: Scene, accounts: Accounts): void {
  const { described, job } = scene;
  const { value } = described;
  useEffect(() => {
    if (value === undefined || accounts.length === 0 || operationsOf(job).length > 0) return;
    const best = fittingBest(value);
    if (best.length > 0) scene.choose(jobFor(job, accounts, best));
  }, [value === undefined, accounts.length]);
}
