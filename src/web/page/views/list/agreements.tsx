import { Button, Field, Notice, Popover, Sentences } from '../../parts/controls.tsx';
import { grouped } from '../../parts/figures.ts';
import { aboutGuard, isAllowed, typedFor } from './agreed.ts';
import type { OfPlan } from './scene.ts';
import { losingIn } from './team.ts';

/** What a start does to people that she has to know first, and agrees to on purpose. */
export function TeamAgreements({ scene, plan }: OfPlan) {
  const { value: agreed } = scene.agreed;
  const losing = losingIn(plan);
  return (
    <>
      <Guards scene={scene} plan={plan} />
      {losing && (
        <Notice says={<Who {...losing} />}>
          <Field
            says={`Type ${losing.phrase} to agree`}
            // An address is longer than the room beside its label.
            inline={losing.isCount}
            class={losing.isCount ? 'n' : undefined}
            value={typedFor(losing, agreed)}
            onInput={({ currentTarget: { value: words } }) =>
              (scene.agreed.value = { ...agreed, typed: { about: losing.about, words } })
            }
          />
        </Notice>
      )}
    </>
  );
}

interface WhoProps {
  readonly says: string;
  readonly who: readonly string[];
}

const MOST_NAMED = 5;

/** Whom a change is about: the first of them, and all of them after a click. */
function Who({ says, who }: WhoProps) {
  const more = who.length - MOST_NAMED;
  return (
    <>
      <b>{says}:</b> {who.slice(0, MOST_NAMED).join(', ')}
      {more > 0 && ' '}
      {more > 0 && (
        <Popover name={says} says={`and ${grouped(more)} more`} look="link">
          {() => <Sentences of={who} />}
        </Popover>
      )}
    </>
  );
}

/** What goes too far. What she allows stays in sight, and holds for these people and this start alone. */
function Guards({ scene, plan: { guards = [] } }: OfPlan) {
  const { value: agreed } = scene.agreed;
  const turn = (about: string): void => {
    const { allowed = [] } = agreed;
    const others = allowed.filter((each) => each !== about);
    scene.agreed.value = { ...agreed, allowed: others.length < allowed.length ? others : [...others, about] };
  };
  return guards.map((guard) => {
    const { fact, says, who, allow, allows } = guard;
    const isOn = isAllowed(scene, guard);
    return (
      <Notice key={fact} calm={isOn} says={<Who says={says} who={who} />}>
        {allows === undefined ? (
          <p>Nothing allows that: {allow}.</p>
        ) : (
          <Button
            says={isOn ? 'Allowed ✓' : 'Allow'}
            aria-pressed={isOn}
            onClick={() => turn(aboutGuard(scene, guard))}
          />
        )}
      </Notice>
    );
  });
}
