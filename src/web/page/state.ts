import { signal } from '@preact/signals';
import type { State } from '../api.ts';
import { ask } from './session.ts';

/** Whether the program was started with jobs that have a schedule. */
export const hasSchedules = signal(false);

export async function learnState(): Promise<void> {
  const state = await ask<State>('/state').catch(() => undefined);
  hasSchedules.value = (state?.schedules ?? 0) > 0;
}
