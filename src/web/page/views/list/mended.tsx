import type { PlanObject } from '../../../api.ts';
import { Button } from '../../parts/controls.tsx';
import { counted, money } from '../../parts/figures.ts';
import { Stop } from '../../parts/stop.tsx';
import { newMends } from './mends.tsx';
import type { Scene } from './scene.ts';

/** What her mends since the last start will have asked, and what that costs. It is started where its limit is set. */
export function Mended({ scene }: { readonly scene: Scene }) {
  const { isRunning, isPlanning, planned } = scene;
  const plan = planned.waits ? undefined : planned.value;
  const mended = new Set(newMends(scene).map(({ row }) => row)).size;
  const asked = plan
    ? askedWords(plan, mended)
    : `asked again with the next start${isRunning ? ', when this one has ended' : ''}`;
  return (
    <Stop
      says={
        <>
          <b>{counted(newMends(scene).length, 'cell')} mended:</b> {asked}. ↶ takes a mend away, not what was
          bought.
        </>
      }
    >
      {!isRunning && <Button says="Start again…" onClick={() => (isPlanning.value = true)} />}
    </Stop>
  );
}

/** @param mended so many rows were mended. A list that was not asked to its end has others to ask. */
function askedWords({ to_buy: asked, credits, cost }: PlanObject, mended: number): string {
  if (asked === 0) return 'nothing is asked again, and nothing is paid';
  const most = `${counted(credits.most, 'credit')} at most${cost ? `, ${money(cost.most)}` : ''}`;
  const how = asked > mended ? 'asked, with those that were not asked yet' : 'asked again';
  return `${counted(asked, 'row is', 'rows are')} ${how}, ${most}; everything else is free`;
}
