import type { PlanObject } from '../../../api.ts';
import { Button, Notice } from '../../parts/controls.tsx';
import { counted, money } from '../../parts/figures.ts';
import { cellsSince, cellsTaken, changedWords, type OfScene, rowsMended } from './scene.ts';

/** What her mends since the start that is shown will have asked, at which price. The limit stands beside the start. */
export function Mended({ scene }: OfScene) {
  const { isRunning, isPlanning, planned } = scene;
  const plan = planned.waits ? undefined : planned.value;
  const { length: taken } = cellsTaken(scene);
  const cells = cellsSince(scene).length - taken;
  const away = taken === 1 ? 'A mend was taken away' : `${taken} mends were taken away`;
  const mended = cells === 0 ? away : `${counted(cells, 'cell')} mended`;
  const consequence = plan
    ? askedWords(plan, rowsMended(scene))
    : `asked again with the next start${isRunning ? ', when this one has ended' : ''}`;
  const says = changedWords(scene, plan?.to_buy ?? rowsMended(scene)) ?? 'Start';
  return (
    <Notice says={`${mended}: ${consequence}.`}>
      {!isRunning && <Button says={says} onClick={() => (isPlanning.value = true)} />}
    </Notice>
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
export function LostMends({ scene: { list } }: OfScene) {
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
