import { signal } from '@preact/signals';
import type { State } from '../api.ts';
import { ask } from './session.ts';

/** Whether the store is being checked. */
export const isChecking = signal(false);

/** How often the end of a check is asked for, ms. */
const AGAIN_MS = 1_000;

export async function learnState(): Promise<void> {
  const state = await ask<State>('/state').catch(() => undefined);
  isChecking.value = state?.checking === true;
  if (isChecking.value) setTimeout(() => void learnState(), AGAIN_MS);
}
