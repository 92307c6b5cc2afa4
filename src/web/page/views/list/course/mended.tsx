import type { PlanObject } from '../../../../api.ts';
import { Act } from '../../../parts/asking.tsx';
import { Button, Notice } from '../../../parts/controls.tsx';
import { counted, money } from '../../../parts/figures.ts';
import { cellsSince, cellsTaken, changedWords, isAnew, type OfScene, rowsMended } from '../scene.ts';
import { whyNot } from '../start/agreed.ts';
import { startPrice } from '../start/offers.ts';
import { heldBy, start } from '../start/starting.ts';

/** What becomes of her mends, of the list as it was brought last. */
export function Mends({ scene }: OfScene) {
  const isLost = isAnew(scene) && (scene.list?.lost?.length ?? 0) > 0;
  return (
    <>
      {isLost && <LostMends scene={scene} />}
      {rowsMended(scene) > 0 && !scene.isPlanning.value && <Mended scene={scene} />}
    </>
  );
}

/** What her mends since the start that is shown will have asked, at which price, and the button that starts it. */
function Mended({ scene }: OfScene) {
  const { batch, isRunning, planned } = scene;
  const plan = planned.waits ? undefined : planned.value;
  const { length: taken } = cellsTaken(scene);
  const cells = cellsSince(scene).length - taken;
  const away = taken === 1 ? 'A mend was taken away' : `${taken} mends were taken away`;
  const mended = cells === 0 ? away : `${counted(cells, 'cell')} mended`;
  const consequence = plan
    ? askedWords(plan, rowsMended(scene))
    : `${batch?.changes ? 'done' : 'asked again'} with the next start${isRunning ? ', when this one has ended' : ''}`;
  const why = plan && whyNot(scene, plan);
  return (
    <Notice says={`${mended}: ${consequence}.${why ? ` ${why}.` : ''}`}>
      {!isRunning && <StartMended scene={scene} plan={plan} why={why} />}
    </Notice>
  );
}

interface StartMendedProps extends OfScene {
  readonly plan: PlanObject | undefined;
  /** What she has to agree to first, beside the table. */
  readonly why: string | undefined;
}

/** Starts at once: what the button says is the most that it may cost. */
function StartMended({ scene, plan, why }: StartMendedProps) {
  const { batch, planned, isPlanning } = scene;
  // What becomes of people is looked at before a start.
  const isHeld = planned.refused !== undefined || why !== undefined || batch?.changes !== undefined;
  if (isHeld) return <Button says="Look at it" onClick={() => (isPlanning.value = true)} />;
  const says = changedWords(scene, plan?.to_buy ?? rowsMended(scene)) ?? 'Start';
  if (plan === undefined) return <Button says={says} disabled />;
  const { most } = plan.credits;
  const price = startPrice({ credits: most, cost: plan.cost?.most });
  return (
    <Act says={`${says}, ${price}`} does={() => start(scene, plan, { budget: heldBy(batch, plan) + most })} />
  );
}

/** @param mended so many rows were mended. A list that was not asked to its end has others to ask. */
function askedWords({ to_buy: toBuy, credits, cost }: PlanObject, mended: number): string {
  if (toBuy === 0) return 'nothing is asked again, and nothing is paid';
  const most = `${counted(credits.most, 'credit')} at most${cost ? `, ${money(cost.most)}` : ''}`;
  const how = toBuy > mended ? 'asked, with those that were not asked yet' : 'asked again';
  return `${counted(toBuy, 'row is', 'rows are')} ${how}, ${most}; everything else is free`;
}

/** Which of her mends have no place in the list as it was brought last. */
function LostMends({ scene: { list } }: OfScene) {
  const lost = list?.lost ?? [];
  const [first] = lost;
  if (first === undefined) return null;
  const others =
    lost.length > 1
      ? ` (“${first.value}”) and ${counted(lost.length - 1, 'more', 'more')}`
      : `: “${first.value}”`;
  return (
    <Notice
      says={`The cell says something else in this version, so your mend of ${first.column} is not taken over${others}.`}
    />
  );
}
