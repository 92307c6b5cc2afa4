import { useSignal } from '@preact/signals';
import { capital, listed } from '../../../../../core/plain-text.ts';
import { whatWords } from '../../../../../files/output/summary-words.ts';
import type { ListJobChoice, PlanObject } from '../../../../api.ts';
import { Act, Loaded, lazyPart, RefusedNotice } from '../../../parts/asking.tsx';
import { Button, Field, Folded, Foot, Panel, Scroll } from '../../../parts/controls.tsx';
import { counted, grouped } from '../../../parts/figures.ts';
import { acted, returned } from '../../../session.ts';
import { triedWords } from '../fields.ts';
import { HowRead } from '../head/reading.tsx';
import { operationsOf, stepsOf } from '../job.ts';
import { hasConditions, isTeam, MOST_BESIDE, type OfPlan, type OfScene, type Scene } from '../scene.ts';
import { plannedTeam } from '../team.ts';
import { canDo, isPlay, type OfAccounts } from './accounts.ts';
import { asksOfPeople, asksOfRows, whyNot } from './agreed.ts';
import { isKnown, offersOf, withinOf } from './offers.ts';
import { heldBy, start } from './starting.ts';

const Changes = lazyPart(async () => (await import('./team-choice.tsx')).Changes, '');
const Cost = lazyPart(async () => (await import('./price.tsx')).Cost, '');
const Enough = lazyPart(async () => (await import('./enough.tsx')).Enough, '');
const Price = lazyPart(async () => (await import('./price.tsx')).Price, '');
const Steps = lazyPart(async () => (await import('./steps.tsx')).Steps, '');
const What = lazyPart(async () => (await import('./what.tsx')).What);
const WhereTo = lazyPart(async () => (await import('./where-to.tsx')).WhereTo, '');
const Known = lazyPart(async () => (await import('./unseen.tsx')).Known, '');
const Unseen = lazyPart(async () => (await import('./unseen.tsx')).Unseen, '');
const InPlaceOfPlay = lazyPart(async () => (await import('./play.tsx')).InPlaceOfPlay, '');
const OnlyIf = lazyPart(async () => (await import('./only-if.tsx')).OnlyIf, '');
const Tried = lazyPart(async () => (await import('./wanted.tsx')).Tried);
const WhileRead = lazyPart(async () => (await import('./while-read.tsx')).WhileRead, '');
const TeamAgreements = lazyPart(async () => (await import('./agreements.tsx')).TeamAgreements, '');
const Mailed = lazyPart(async () => (await import('./agreements.tsx')).Mailed, '');
const Keeping = lazyPart(async () => (await import('./agreements.tsx')).Keeping, '');
const Held = lazyPart(async () => (await import('./held.tsx')).Held, '');
const Agreements = lazyPart(async () => (await import('./agreements-of-lookups.tsx')).Agreements, '');

/** What shall be done with the list, by whom and by what, and what it costs; then the button. */
export const Start = ({ scene }: OfScene) => (
  <Panel name="What shall be done" brief={<Brief scene={scene} />} opens="Change">
    <Loaded<Pick<OfAccounts, 'accounts'>>
      path="/accounts/list"
      body={{}}
      again={acted.value + returned.value}
    >
      {({ accounts }) => <Chosen scene={scene} accounts={accounts} />}
    </Loaded>
  </Panel>
);

/** `Find companies · ABN, then Website` */
const Brief = ({ scene: { job, planned, tried, batch } }: OfScene) =>
  tried ? (
    triedWords(tried, batch)
  ) : (
    <>
      {capital(listed(operationsOf(job).map(whatWords)) || 'What shall be done?')}
      <span class="soft">
        {planned.value &&
          (planned.value.changes === undefined
            ? ` · ${counted(planned.value.to_buy, 'row')}`
            : ` · ${counted(plannedTeam(planned.value).planned, 'change')}`)}
      </span>
    </>
  );

function Chosen({ scene, accounts }: OfAccounts) {
  const { job, planned, described, unkept } = scene;
  const { waits } = planned;
  const isThere = (name: string): boolean => accounts.some((account) => account.name === name);
  // A job that names no account has the only one that there is.
  const unasked = stepsOf(job).find(({ operation, accounts: names }) =>
    names.length === 0 ? !accounts.some((account) => canDo(account, operation)) : !names.every(isThere),
  );
  // Where nothing is chosen any more, the last plan is of a choice that she took away.
  const isChosen = operationsOf(job).length > 0;
  const refused = described.refused ? undefined : planned.refused;
  const isReady = isChosen && !unasked;
  const plan = isReady ? planned.value : undefined;
  const isPriced = isReady && waits;
  return (
    <>
      <Scroll>
        <WhatToDo scene={scene} accounts={accounts} />
        {isConditional(job) && <OnlyIf scene={scene} />}
        <How scene={scene} accounts={accounts} />
        <RefusedNotice refused={unkept} />
        {plan === undefined ? (
          isPriced && scene.reading === undefined && <p class="soft">Counting what it costs…</p>
        ) : (
          <section class="stack" aria-busy={waits}>
            {isTeam(scene) ? <Changes plan={plan} /> : <Price scene={scene} plan={plan} />}
          </section>
        )}
      </Scroll>
      {isPriced && plan === undefined && scene.reading && (
        <WhileRead scene={scene} accounts={accounts} reading={scene.reading} />
      )}
      {isChosen && (unasked ?? refused) && (
        <Held scene={scene} unasked={unasked?.operation} refused={refused} />
      )}
      {plan &&
        (isKnown(scene, plan) ? (
          <Known scene={scene} />
        ) : (
          <Buttons scene={scene} plan={plan} accounts={accounts} />
        ))}
    </>
  );
}

/** What the try has found; where nothing was chosen on the page, the question proposes what fits. */
const WhatToDo = ({ scene, accounts }: OfAccounts) =>
  scene.tried && operationsOf(scene.job).length > 0 ? (
    <Tried scene={scene} tried={scene.tried} />
  ) : (
    <What scene={scene} accounts={accounts} />
  );

/** With whom, and by which columns; before anything is chosen, only how the list is read. */
const How = ({ scene, accounts }: OfAccounts) =>
  operationsOf(scene.job).length === 0 ? (
    <HowRead scene={scene} />
  ) : (
    <Folded says={`Account, and ${isTeam(scene) ? 'projects' : 'look up by'}`} open={!scene.tried}>
      {() => (
        <div class="stack">
          <Steps scene={scene} accounts={accounts} />
          <HowRead scene={scene} />
        </div>
      )}
    </Folded>
  );

const isConditional = ({ only_if, unless }: ListJobChoice): boolean =>
  Object.keys({ ...only_if, ...unless }).length > 0;

const ToAgree = ({ scene, plan }: OfPlan) => (
  <div class="stack agreed">
    {plan.default_project && <WhereTo scene={scene} plan={plan} />}
    {asksOfPeople(plan) && <TeamAgreements scene={scene} plan={plan} />}
    {asksOfRows(scene, plan) && <Agreements scene={scene} plan={plan} />}
  </div>
);

/** The most that it may cost, and the buttons that start it. */
function Buttons({ scene, plan, accounts }: OfPlan & OfAccounts) {
  const { batch, job, work, tried } = scene;
  const typed = useSignal<number | undefined>(undefined);
  const held = heldBy(batch, plan);
  const isInvented = isPlay(stepsOf(job), accounts);
  const isLimited = !isTeam(scene) && !isInvented;
  // What was spent before stands above: the limit is that of the button.
  const budget = isLimited ? held + (typed.value ?? plan.credits.most) : undefined;
  const within = withinOf(plan, budget, held);
  const waits = work?.state === 'waiting';
  const isNothing = within.rows === 0;
  const why = whyNot(scene, plan);
  return (
    <Foot>
      <ToAgree scene={scene} plan={plan} />
      {isTeam(scene) ? (
        <>
          <Keeping plan={plan} />
          <Mailed plan={plan} account={stepsOf(job)[0]?.accounts[0] ?? 'the service'} />
        </>
      ) : (
        <Cost scene={scene} plan={plan} within={within} />
      )}
      {isNarrowed(scene, plan) && <Unseen scene={scene} plan={plan} />}
      {isInvented && (
        <p class="why">
          The {isTeam(scene) ? 'people' : 'answers'} are <b>invented</b>: it is play money.{' '}
          <InPlaceOfPlay scene={scene} accounts={accounts} look="link" />
        </p>
      )}
      {budget !== undefined && (
        <Field
          says="Never more than"
          inline
          type="number"
          min={0}
          value={budget - held}
          onInput={({ currentTarget: { value } }) => {
            typed.value = value ? Math.max(0, Math.trunc(Number(value))) : undefined;
          }}
        />
      )}
      {(plan.short_budgets || within.rows !== undefined) && <Enough plan={plan} within={within} />}
      <div class="bar">
        {offersOf(scene, plan, within).map(({ says, sample }, at) => (
          <Act
            key={sample ?? 'all'}
            says={says}
            look={at === 0 ? 'go' : undefined}
            disabled={scene.planned.waits || waits || isNothing || Boolean(why)}
            does={() => start(scene, plan, { budget, sample })}
          />
        ))}
        {tried && (
          <Button
            look="quiet"
            says={`Leave it at ${grouped(tried.rows)}`}
            onClick={() => (scene.isPlanning.value = false)}
          />
        )}
      </div>
      {why && (
        <p class="why" id="why">
          {why}
        </p>
      )}
    </Foot>
  );
}

/** Whether she sees some rows alone. */
const isNarrowed = (scene: Scene, { rows }: PlanObject): boolean => {
  const { value: filter } = scene.filter;
  return !isTeam(scene) && rows <= MOST_BESIDE && (filter.search !== '' || hasConditions(filter));
};
