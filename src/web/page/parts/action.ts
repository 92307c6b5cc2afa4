import { type ReadonlySignal, useSignal } from '@preact/signals';
import { asRefused } from '../loaded.tsx';
import type { Refused } from '../session.ts';

/** What a button does: one at a time, with the refusal shown beside it. */
export interface Action {
  readonly isBusy: ReadonlySignal<boolean>;
  readonly refused: ReadonlySignal<Refused | undefined>;
  run(work: () => Promise<void>): void;
}

export function useAction(): Action {
  const isBusy = useSignal(false);
  const refused = useSignal<Refused | undefined>(undefined);
  const run = async (work: () => Promise<void>): Promise<void> => {
    if (isBusy.value) return;
    isBusy.value = true;
    refused.value = undefined;
    try {
      await work();
    } catch (error) {
      refused.value = asRefused(error);
    } finally {
      isBusy.value = false;
    }
  };
  return { isBusy, refused, run: (work) => void run(work) };
}
