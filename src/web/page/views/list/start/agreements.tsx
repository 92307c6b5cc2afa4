import type { Signal } from '@preact/signals';
import { accessIn } from '../../../../../core/people.ts';
import { accountWords, keepWords } from '../../../../../files/output/summary-words.ts';
import type { PlanObject } from '../../../../api.ts';
import { Button, Field, Notice, Popover, Sentences } from '../../../parts/controls.tsx';
import { grouped } from '../../../parts/figures.ts';
import type { Agreed, OfPlan, Scene } from '../scene.ts';
import { losingIn, mailWords } from '../team.ts';
import { aboutGuard, isAllowed, typedFor } from './agreed.ts';

/** What a start does to people that she has to know first, and agrees to on purpose. */
export function TeamAgreements({ scene, plan }: OfPlan) {
  return (
    <>
      <Guards plan={plan} {...scene} />
      <Losing plan={plan} agreed={scene.agreed} />
    </>
  );
}

interface LosingProps {
  readonly plan: Pick<PlanObject, 'changes'>;
  readonly agreed: Signal<Agreed>;
}

/** Who loses access, by a start or by an undo, and the words by which she agrees to that. */
export function Losing({ plan, agreed }: LosingProps) {
  const losing = losingIn(plan);
  if (losing === undefined) return null;
  return (
    <Notice says={<Who {...losing} />}>
      <Field
        says={`Type ${losing.phrase} to agree`}
        // An address is longer than the room beside its label.
        inline={losing.isCount}
        class={losing.isCount ? 'n' : undefined}
        value={typedFor(losing, agreed.value)}
        onInput={({ currentTarget: { value: words } }) =>
          (agreed.value = { ...agreed.value, typed: { about: losing.about, words } })
        }
      />
    </Notice>
  );
}

/** What leaves the service for people, and cannot be taken back. */
export function Mailed({ plan, account }: Pick<LosingProps, 'plan'> & { readonly account: string }) {
  const words = mailWords(plan, accountWords(account));
  return words === '' ? null : <p class="why">{words}.</p>;
}

/** Whom she leaves out although they have access, and how they would lose it. */
export function Keeping({ plan: { changes = [], left_out = 0, keep_access = 0 } }: Pick<OfPlan, 'plan'>) {
  const who = changes.flatMap(({ findings = [] }) => {
    const { email, user_id: userId, places = [] } = accessIn(findings) ?? {};
    return places.map(({ project }) => `${email ?? userId} in ${project}`);
  });
  if (keep_access === 0) return null;
  return (
    <p class="why">
      <Who says={keepWords({ left_out, keep_access })} who={who} />.{' '}
      <span class="wide">
        To remove them, take their rows off the list and tick “Remove who is no longer on the list”.
      </span>
    </p>
  );
}

interface WhoProps {
  readonly says: string;
  readonly who: readonly string[];
}

const MOST_NAMED = 5;

/** Whom a change is about: the first of them, and all of them after a click. */
export function Who({ says, who }: WhoProps) {
  const more = who.length - MOST_NAMED;
  return (
    <>
      <b>{who.length > 0 ? `${says}:` : says}</b> {who.slice(0, MOST_NAMED).join(', ')}
      {more > 0 && ' '}
      {more > 0 && (
        <Popover name={says} says={`and ${grouped(more)} more`} look="link">
          {() => <Sentences of={who} />}
        </Popover>
      )}
    </>
  );
}

interface GuardsProps extends Pick<Scene, 'agreed' | 'list'> {
  readonly plan: Pick<PlanObject, 'changes' | 'guards'>;
}

/**
 * What goes too far, of a start or of an undo. What she allows stays in sight, and holds for these people and
 * this start alone.
 */
export function Guards({ plan, ...of }: GuardsProps) {
  const { guards = [] } = plan;
  // Below, all who lose access are named.
  const isNamed = new Set(losingIn(plan)?.people);
  const { value: agreed } = of.agreed;
  const turn = (about: string): void => {
    const { allowed = [] } = agreed;
    const others = allowed.filter((each) => each !== about);
    of.agreed.value = { ...agreed, allowed: others.length < allowed.length ? others : [...others, about] };
  };
  return guards.map((guard) => {
    const { fact, says, who, allow, allows } = guard;
    const isOn = isAllowed(of, guard);
    return (
      <Notice
        key={fact}
        calm={isOn}
        says={<Who says={says} who={who.every((each) => isNamed.has(each)) ? [] : who} />}
      >
        {allows === undefined ? (
          <p>Nothing allows that: {allow}.</p>
        ) : (
          <Button
            says={isOn ? 'Allowed ✓' : 'Allow'}
            aria-pressed={isOn}
            onClick={() => turn(aboutGuard(of, guard))}
          />
        )}
      </Notice>
    );
  });
}
