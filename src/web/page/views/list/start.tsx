import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { capital } from '../../../../core/plain-text.ts';
import { whatWords } from '../../../../files/output/summary-words.ts';
import type { ListDescription, ListJobChoice, PlanObject, WorkAnswer } from '../../../api.ts';
import { Act, Loaded, RefusedNotice } from '../../parts/asking.tsx';
import { Button, ButtonLink, Field, Stop } from '../../parts/controls.tsx';
import { counted, grouped, heldIn } from '../../parts/figures.ts';
import { ask } from '../../session.ts';
import { recognisedFor } from './columns.ts';
import { firstOf, proposedFor, Tried } from './fields.tsx';
import {
  addedIn,
  besides,
  fillings,
  findings,
  isFill,
  isOfTeam,
  operationsOf,
  type Step,
  stepsOf,
  teaming,
  withAdded,
  withSteps,
} from './job.ts';
import { focusTable } from './mends.tsx';
import { Agreements, Changes, Cost, isAgreed, Price } from './price.tsx';
import { HowRead } from './reading.tsx';
import { acceptedIn, EVERYTHING, isTeam, type OfPlan, type OfScene, type Scene } from './scene.ts';
import { type Accounts, canDo, isPlay, type OfAccounts, Steps } from './steps.tsx';
import { isMaking, isSent, whoIs } from './team.ts';

/** What shall be done with the list, by whom and by what, and what it costs; then the button. */
export const Start = ({ scene }: OfScene) => (
  <aside class="start" style={{ '--above': '7.5rem' }} aria-label="What shall be done">
    <Loaded<Pick<OfAccounts, 'accounts'>> path="/accounts/list" body={{}}>
      {({ accounts }) => <Chosen scene={scene} accounts={accounts} />}
    </Loaded>
  </aside>
);

function Chosen({ scene, accounts }: OfAccounts) {
  const { job, tried, planned, described, unkept } = scene;
  const { waits } = planned;
  const isThere = (name: string): boolean => accounts.some((account) => account.name === name);
  // A job that names no account has the only one that there is.
  const unasked = stepsOf(job).find(({ operation, accounts: names }) =>
    names.length === 0 ? !accounts.some((account) => canDo(account, operation)) : !names.every(isThere),
  );
  // Where nothing is chosen any more, the last plan is of a choice that she took away.
  const plan = operationsOf(job).length > 0 ? planned.value : undefined;
  useEffect(() => {
    // As long as she has chosen nothing, what fits her columns and accounts best is proposed.
    const best = described.value && operationsOf(job).length === 0 ? fittingBest(described.value) : [];
    if (best.length > 0) scene.choose(jobFor(scene, accounts, best), true);
  }, [described.value === undefined]);
  return (
    <>
      {tried ? <Tried scene={scene} tried={tried} /> : <What scene={scene} accounts={accounts} />}
      <details open={tried === undefined}>
        <summary>With whom, and by what</summary>
        <Steps scene={scene} accounts={accounts} />
        <HowRead scene={scene} />
      </details>
      {unasked === undefined ? (
        <RefusedNotice refused={unkept ?? (described.refused ? undefined : planned.refused)} />
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
        </section>
      )}
      {plan && <Buttons scene={scene} plan={plan} accounts={accounts} />}
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
        {pills(findings(), false, (name) => `Find ${whatWords(name)}`)}
        {pill('Fill blanks', fills, () => start(fillings().slice(0, 1), true))}
        {pill('Invite a team', chosen.some(isOfTeam), () => start(teaming()))}
      </p>
      {fills && <p class="row">{pills(fillings(), true, (name) => capital(whatWords(name)))}</p>}
    </>
  );
}

/** So many are tried first: enough to see what comes back, and what the rest will bring. */
const TRIED_FIRST = 20;

/** The most that it may cost, and the buttons that start it. */
function Buttons({ scene, plan, accounts }: OfPlan & OfAccounts) {
  const { batch, job, work, tried } = scene;
  const typed = useSignal<number | undefined>(undefined);
  const held = batch !== undefined && plan.unfinished === batch.batch ? heldIn(batch.credits) : 0;
  const isInvented = isPlay(stepsOf(job), accounts);
  const budget = isTeam(scene) || isInvented ? undefined : (typed.value ?? held + plan.credits.most);
  const waits = work?.state === 'waiting';
  return (
    <div class="decide">
      {!isTeam(scene) && <Cost scene={scene} plan={plan} />}
      {isInvented && (
        <p class="need">
          The {isTeam(scene) ? 'people' : 'answers'} are <b>invented</b>: it is play money.{' '}
          <a href="/accounts">Add your account</a>
        </p>
      )}
      {budget !== undefined && (
        <Field
          says="Never more than"
          type="number"
          min={0}
          value={budget}
          onInput={({ currentTarget: { value } }) => {
            typed.value = value === '' ? undefined : Math.max(0, Math.trunc(Number(value)));
          }}
        />
      )}
      {budget !== undefined && held > 0 && <p class="soft">With {grouped(held)} spent or in doubt so far.</p>}
      <p class="row">
        {offersOf(scene, plan).map(({ says, sample }, at) => (
          <Act
            key={says}
            says={says}
            look={at === 0 ? 'go' : undefined}
            disabled={scene.planned.waits || waits || !isAgreed(scene, plan)}
            does={() => start(scene, plan, { budget, sample })}
          />
        ))}
        {tried && (
          <Button
            says={`Leave it at ${grouped(tried.rows)}`}
            onClick={() => (scene.isPlanning.value = false)}
          />
        )}
      </p>
    </div>
  );
}

/** The rows that she selected, the rest after a try, or all; a few first where nothing is known. */
function offersOf({ selected, tried }: Scene, plan: PlanObject): { says: string; sample?: number }[] {
  const { to_buy: asked, changes, unfinished } = plan;
  if (changes !== undefined) {
    const people = new Set(changes.filter((each) => isSent(each) && !isMaking(each)).map(whoIs));
    return changes.some(isSent) ? [{ says: `Change ${counted(people.size, 'person', 'people')}` }] : [];
  }
  const { size } = selected.value;
  const some = asked > 0 && asked < size ? `Ask ${grouped(asked)} of the` : 'Ask the';
  if (size > 0) return [{ says: size === 1 ? 'Ask the selected row' : `${some} ${grouped(size)} selected` }];
  if (tried !== undefined) return asked === 0 ? [] : [{ says: `Start the other ${grouped(asked)}` }];
  const isFresh = unfinished === undefined && plan.bought_before === 0;
  if (!isFresh || asked <= TRIED_FIRST) return [{ says: 'Start' }];
  return [{ says: `Try ${TRIED_FIRST} first`, sample: TRIED_FIRST }, { says: 'Start all' }];
}

/** @param how the most that it may cost, and how many rows are tried alone. */
async function start(scene: Scene, { id: plan }: PlanObject, how: object): Promise<void> {
  const { list, job, only } = scene;
  const accept = acceptedIn(scene.agreed.value);
  const { yes: looksAgain } = scene.agreed.value;
  // The button says how many people are changed: whoever presses it agrees to that plan, and to no other.
  const yes = isTeam(scene) || looksAgain;
  scene.choose(job);
  await ask<WorkAnswer>('/run', { body: { file: list?.id, job, plan, accept, yes, only, ...how } });
  scene.selected.value = new Set();
  // The button goes away, and the keys go on in the table.
  focusTable();
  // A team is filtered by what is planned, which is over now.
  if (isTeam(scene)) scene.filter.value = EVERYTHING;
}

/** A step with the account that fits: her own come before play money, and no list is asked with both. */
function stepWith(accounts: Accounts, operation: string, beside: readonly Step[]): Step {
  const able = accounts.filter((account) => canDo(account, operation));
  const first = able.find(({ sandbox }) => sandbox === isPlay(beside, accounts)) ?? able[0];
  return { operation, accounts: first === undefined ? [] : [first.name] };
}

/**
 * Begins with the list as it is read. What is done beside something of before is asked by the same columns.
 * @param fills whether the blanks of her columns are filled.
 */
function jobFor(scene: Scene, accounts: Accounts, names: readonly string[], fills = false): ListJobChoice {
  const { read, country, repair } = scene.job;
  const before = isFill(scene.job) === fills ? stepsOf(scene.job) : [];
  const steps: Step[] = [];
  for (const name of names)
    steps.push(before.find(({ operation }) => operation === name) ?? stepWith(accounts, name, steps));
  const bare = withSteps({ read, country, repair }, steps);
  const isBeside = before.some((step) => steps.includes(step));
  const job = isBeside ? besides(scene.job, bare, (name) => recognisedFor(scene, name)) : bare;
  if (!fills) return job;
  const filling = { ...job, on_existing: 'fill' as const };
  const blank = steps.filter(({ add }) => add === undefined).flatMap(({ operation }) => firstOf(operation));
  const added = proposedFor({ ...scene, job: filling }, blank);
  return withAdded(filling, new Map([...addedIn(filling), ...added]));
}

/** What fits best: a team, else what can be asked by a column that most rows have filled. */
function fittingBest({ operations, columns, rows }: ListDescription): readonly string[] {
  const fitting = operations.filter(({ problem }) => problem === null);
  const ofTeam = teaming().filter((name) => fitting.some(({ operation }) => operation === name));
  if (ofTeam.length > 0) return ofTeam;
  const finding = fitting.filter(({ operation }) => findings().includes(operation));
  const best = finding.filter((fit) => {
    const used = columns.filter(({ name }) => Object.values(fit.columns).includes(name));
    return used.some(({ filled }) => filled > 0 && filled >= rows / 2);
  });
  return (best.length > 0 ? best : finding.slice(0, 1)).map(({ operation }) => operation);
}
