import { useSignal } from '@preact/signals';
import type { PlanObject, WorkAnswer } from '../../../api.ts';
import { Act } from '../../parts/act.tsx';
import { Button, Field } from '../../parts/controls.tsx';
import { counted, grouped } from '../../parts/figures.ts';
import { ask } from '../../session.ts';
import { isAgreed } from './agreements.tsx';
import { type Accounts, isPlay } from './choice.ts';
import { stepsOf } from './job.ts';
import { EVERYTHING, isTeam, type OfPlan, type Scene } from './scene.ts';
import { isMaking, isSent, whoIs } from './team-words.ts';

/** So many are tried first: enough to see what comes back, and what the rest will bring. */
const TRIED_FIRST = 20;

interface ButtonsProps extends OfPlan {
  readonly accounts: Accounts;
}

/** The most that it may cost, and the buttons that start it. */
export function Buttons({ scene, plan, accounts }: ButtonsProps) {
  const { batch, job, work, tried } = scene;
  const typed = useSignal<number | undefined>(undefined);
  // A limit holds for all that the list has cost.
  const spent = batch !== undefined && plan.unfinished === batch.batch ? batch.credits.spent : 0;
  const isInvented = isPlay(stepsOf(job), accounts);
  const budget = isTeam(scene) || isInvented ? undefined : (typed.value ?? spent + plan.credits.most);
  const waits = work?.state === 'waiting';
  return (
    <>
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
      {budget !== undefined && spent > 0 && <p class="soft">With the {grouped(spent)} spent so far.</p>}
      {work?.stopped?.code === 'plan' && work.state === 'ended' && (
        <p class="need">The figures have changed: look at them again.</p>
      )}
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
      {waits && <p class="soft">It starts when what runs now has ended.</p>}
    </>
  );
}

interface Offer {
  readonly says: string;
  /** So many are asked; all without it. */
  readonly sample?: number;
}

/** The part that she selected, the rest of a list that was tried, or all; a few first where nothing is known. */
function offersOf({ selected, tried }: Scene, plan: PlanObject): readonly Offer[] {
  const { to_buy: asked, changes, unfinished } = plan;
  if (changes !== undefined) {
    const people = new Set(changes.filter((each) => isSent(each) && !isMaking(each)).map(whoIs));
    return changes.some(isSent) ? [{ says: `Change ${counted(people.size, 'person', 'people')}` }] : [];
  }
  const { size } = selected.value;
  if (size > 0) return [{ says: size === 1 ? 'Ask the selected row' : `Ask the ${grouped(size)} selected` }];
  if (tried !== undefined) return asked === 0 ? [] : [{ says: `Start the other ${grouped(asked)}` }];
  const isFresh = unfinished === undefined && plan.bought_before === 0;
  if (!isFresh || asked <= TRIED_FIRST) return [{ says: 'Start' }];
  return [{ says: `Try ${TRIED_FIRST} first`, sample: TRIED_FIRST }, { says: 'Start all' }];
}

/**
 * Starts what a plan has shown.
 * @param how the most that it may cost, and how many rows are tried alone.
 */
async function start(
  scene: Scene,
  plan: PlanObject,
  how: { readonly budget: number | undefined; readonly sample?: number | undefined },
): Promise<void> {
  const { list, job, only } = scene;
  const { accept, yes } = scene.agreed.value;
  await ask<WorkAnswer>('/run', { body: { file: list?.id, job, plan: plan.id, accept, yes, only, ...how } });
  scene.selected.value = new Set();
  // A team is filtered by what is planned, which is over now.
  if (isTeam(scene)) scene.filter.value = EVERYTHING;
  scene.refresh();
}
