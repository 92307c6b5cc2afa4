import type { Limiter, PermitState } from '../../../src/client/limits/limiter.ts';
import type { Waiter } from '../../../src/client/limits/waits.ts';

/** A permit whose request the test sends, answers and ends by hand. */
export interface HeldPermit {
  sent(): void;
  answered(): void;
  done(): void;
}

export async function permitOf(limiter: Limiter, waiter: Waiter): Promise<HeldPermit> {
  await limiter.permit(waiter);
  let state: PermitState = 'in hand';
  return {
    sent() {
      state = 'sent';
      limiter.sent();
    },
    answered() {
      state = 'answered';
      limiter.answered();
    },
    done: () => limiter.done(state),
  };
}
