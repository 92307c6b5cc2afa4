import { useSignal } from '@preact/signals';
import type { PlanObject, WorkAnswer } from '../../../api.ts';
import { RefusedNotice } from '../../loaded.tsx';
import { useAction } from '../../parts/action.ts';
import { Button, ButtonLink } from '../../parts/controls.tsx';
import { counted, grouped } from '../../parts/figures.ts';
import { ask } from '../../session.ts';
import { isAgreed } from './agreements.tsx';
import { type Accounts, isPlay, stepsOf } from './choice.ts';
import { EVERYTHING, isTeam, type Scene } from './scene.ts';
import { isMaking, isSent, whoIs } from './team-words.ts';

/** So many are tried first: enough to see what comes back, and what the rest will bring. */
const TRIED_FIRST = 20;

interface ButtonsProps {
  readonly scene: Scene;
  readonly plan: PlanObject;
  readonly accounts: Accounts;
}

/** The most that it may cost, and the buttons that start it. */
export function Buttons({ scene, plan, accounts }: ButtonsProps) {
  const { list, job, work, tried, only } = scene;
  const { accept, yes } = scene.agreed.value;
  const typed = useSignal<number | undefined>(undefined);
  const action = useAction();
  const spent = spentBefore(scene, plan);
  const isFree = isTeam(scene) || isPlay(stepsOf(job), accounts);
  const budget = isFree ? undefined : (typed.value ?? spent + plan.credits.most);
  const start = (sample: number | undefined): void =>
    action.run(async () => {
      const body = { file: list?.id, job, plan: plan.id, accept, yes, budget, only, sample };
      await ask<WorkAnswer>('/run', { body });
      scene.selected.value = new Set();
      // A team is filtered by what is planned, which is over now.
      if (isTeam(scene)) scene.filter.value = EVERYTHING;
      scene.refresh();
    });
  const waits = work?.state === 'waiting';
  const isOff = scene.planned.waits || action.isBusy.value || waits || !isAgreed(scene, plan);
  return (
    <>
      {isPlay(stepsOf(job), accounts) && <Invented of={isTeam(scene) ? 'people' : 'answers'} />}
      {budget !== undefined && (
        <label class="row">
          Never more than
          <input
            class="n"
            type="number"
            min={0}
            value={budget}
            onInput={({ currentTarget: { value } }) => {
              typed.value = value === '' ? undefined : Math.max(0, Math.trunc(Number(value)));
            }}
          />
          {spent > 0 && ` with the ${grouped(spent)} spent so far`}
        </label>
      )}
      {work?.stopped?.code === 'plan' && work.state === 'ended' && (
        <p class="need">The figures have changed: look at them again.</p>
      )}
      <p class="row go">
        {offersOf(scene, plan).map(({ says, sample, look }) => (
          <Button key={says} says={says} look={look} disabled={isOff} onClick={() => start(sample)} />
        ))}
        {tried && (
          <Button
            says={`Leave it at ${grouped(tried.rows)}`}
            onClick={() => {
              scene.isPlanning.value = false;
            }}
          />
        )}
      </p>
      {waits && <p class="soft">It starts when what runs now has ended.</p>}
      <RefusedNotice refused={action.refused.value} />
      {action.refused.value?.code === 'account' && <ButtonLink to="/accounts" says="Your accounts" />}
    </>
  );
}

const Invented = ({ of }: { readonly of: string }) => (
  <p class="need">
    The {of} are <b>invented</b>: it is play money. <a href="/accounts">Add your account</a>
  </p>
);

/** A limit holds for all that the list has cost. */
const spentBefore = ({ batch }: Scene, { unfinished }: PlanObject): number =>
  batch !== undefined && unfinished === batch.batch ? batch.credits.spent : 0;

interface Offer {
  readonly says: string;
  /** So many are asked; all without it. */
  readonly sample?: number;
  readonly look?: 'go';
}

/** The part that she selected, the rest of a list that was tried, or all; a few first where nothing is known. */
function offersOf({ selected, tried }: Scene, plan: PlanObject): readonly Offer[] {
  const { to_buy: asked, changes, unfinished } = plan;
  const one = (says: string): readonly Offer[] => [{ says, look: 'go' }];
  if (changes !== undefined) return changes.some(isSent) ? one(changeWords(changes)) : [];
  const { size } = selected.value;
  if (size > 0) return one(size === 1 ? 'Ask the selected row' : `Ask the ${grouped(size)} selected`);
  if (tried !== undefined) return asked === 0 ? [] : one(`Start the other ${grouped(asked)}`);
  const isFresh = unfinished === undefined && plan.bought_before === 0;
  if (!isFresh || asked <= TRIED_FIRST) return one('Start');
  return [{ says: `Try ${TRIED_FIRST} first`, sample: TRIED_FIRST, look: 'go' }, { says: 'Start all' }];
}

function changeWords(changes: NonNullable<PlanObject['changes']>): string {
  const people = new Set(changes.filter((each) => isSent(each) && !isMaking(each)).map(whoIs));
  return `Change ${counted(people.size, 'person', 'people')}`;
}
