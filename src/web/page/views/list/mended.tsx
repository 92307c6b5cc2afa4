import type { PlanObject } from '../../../api.ts';
import { Act } from '../../parts/act.tsx';
import { Button } from '../../parts/controls.tsx';
import { counted, money } from '../../parts/figures.ts';
import { Stop } from '../../parts/stop.tsx';
import { isAgreed } from './agreements.tsx';
import { start } from './go.tsx';
import { newMends } from './mends.tsx';
import type { Scene } from './scene.ts';

/** What her mends since the last start will have asked, what that costs, and the button that starts it. */
export function Mended({ scene }: { readonly scene: Scene }) {
  const { isRunning, isPlanning, planned } = scene;
  const plan = planned.waits ? undefined : planned.value;
  const asked = plan
    ? askedWords(plan)
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
      {plan && isAgreed(scene, plan) ? (
        <Act look="go" says="Start" does={() => start(scene, plan, { budget: plan.credits.most })} />
      ) : (
        !isRunning && <Button says="Start again…" onClick={() => (isPlanning.value = true)} />
      )}
    </Stop>
  );
}

function askedWords({ to_buy: asked, credits, cost }: PlanObject): string {
  if (asked === 0) return 'nothing is asked again, and nothing is paid';
  const most = `${counted(credits.most, 'credit')} at most${cost ? `, ${money(cost.most)}` : ''}`;
  return `${counted(asked, 'row is', 'rows are')} asked again, ${most}; everything else is free`;
}
