import type { ComponentProps } from 'preact';
import type { PlanObject } from '../../../../api.ts';
import { Act, useAsked } from '../../../parts/asking.tsx';
import { counted, money } from '../../../parts/figures.ts';
import { ask } from '../../../session.ts';
import type { OfScene } from '../scene.ts';

/** Rows of the start that is shown are asked once more: these alone are bought, by the price on the button. */

interface AgainProps extends OfScene {
  /** Row numbers, such as `5,9,12-20`. */
  readonly only: string;
  /** Which of several steps; left out: all. */
  readonly step?: string | undefined;
  /** What is asked: `this row`. */
  readonly what?: string;
  readonly role?: 'menuitem';
  readonly look?: ComponentProps<typeof Act>['look'];
  readonly onStarted?: () => void;
}

/** How long she may go on selecting before it is planned. */
const REST_MS = 300;

/** What these rows would cost, asked once more. */
export function useAgain({ scene, only, step }: Pick<AgainProps, 'scene' | 'only' | 'step'>) {
  const batch = scene.batch?.batch;
  const body = { only, step };
  const question = (signal: AbortSignal) =>
    ask<PlanObject>(`/batches/${batch}/again`, { body, signal, isLook: true, isBeside: true });
  const keys = [batch, only, step, JSON.stringify(scene.batch?.counts)];
  const { value: plan, waits, refused } = useAsked(question, keys, { delayMs: REST_MS }).value;
  const price = refused ? refused.message : waits || plan === undefined ? '…' : priceOf(plan);
  return { batch, body, plan, waits, refused, price };
}

export function AskAgain({ scene, only, step, what, onStarted, ...look }: AgainProps) {
  const { batch, body, plan, waits, refused, price } = useAgain({ scene, only, step });
  const start = async (): Promise<void> => {
    const again = { ...body, plan: plan?.id };
    await ask('/tasks', { body: { batch, again, budget: plan?.credits.most } });
    scene.selected.value = new Set();
    onStarted?.();
  };
  const says = `Ask again${what === undefined ? '' : `: ${what}`}`;
  const isNothing = plan !== undefined && plan.to_buy === 0;
  // An answer that is asked once more was paid for already.
  const known = plan?.too_old ?? 0;
  const asks = `${counted(known, 'row has', 'rows have')} an answer already. Ask again for ${price}?`;
  return (
    <Act
      {...look}
      {...(known > 0 && { asks, yes: `Ask again, ${price}` })}
      says={
        look.role === 'menuitem' ? (
          <>
            {says} <small>{price}</small>
          </>
        ) : (
          `${says}, ${price}`
        )
      }
      disabled={waits || plan === undefined || refused !== undefined || isNothing}
      does={start}
    />
  );
}

function priceOf({ to_buy: toBuy, credits, cost }: PlanObject): string {
  if (toBuy === 0) return 'nothing to ask';
  const most = credits.most === 0 ? 'free' : counted(credits.most, 'credit');
  return cost && credits.most > 0 ? `${most}, ${money(cost.most)}` : most;
}
