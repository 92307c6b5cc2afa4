import { signal } from '@preact/signals';
import type { BatchDetail } from '../api.ts';
import { grouped } from './parts/figures.ts';
import { go } from './router.ts';
import { ask, Refused } from './session.ts';
import { text } from './text.ts';

/**
 * Notifications at the end of a batch. What somebody wants to hear of is known to all tabs of the browser, and the one that
 * reads the stream tells it, so it is told once, and also after a reload.
 */

const KEY = 'rowonce-end-notes';

/** Ids of batches whose end is to be told. */
export const awaited = signal(kept());

addEventListener('storage', ({ key }) => {
  if (key === KEY) awaited.value = kept();
});

function kept(): readonly string[] {
  return JSON.parse(localStorage.getItem(KEY) ?? '[]');
}

function keep(ids: readonly string[]): void {
  localStorage.setItem(KEY, JSON.stringify(ids));
  awaited.value = ids;
}

/** Asks the browser, which is done for a click alone. @returns whether the end will be told. */
export async function awaitEnd(batch: string): Promise<boolean> {
  if ((await Notification.requestPermission()) !== 'granted') return false;
  keep([...new Set([...kept(), batch])]);
  // It may have ended while the browser asked.
  void tellEnds();
  return true;
}

/** Tells those that have ended; asked whenever anything has changed. */
export async function tellEnds(): Promise<void> {
  for (const id of kept()) {
    try {
      const batch = await ask<BatchDetail>(`/batches/${id}`);
      if (!batch.running && forget(id)) show(batch);
    } catch (error) {
      // A batch that is not there any more never ends; a server that does not answer now may answer later.
      if (error instanceof Refused && error.code === 'usage') forget(id);
    }
  }
}

/** @returns whether it was still to be told: another question may have been answered meanwhile. */
function forget(batch: string): boolean {
  const ids = kept();
  keep(ids.filter((id) => id !== batch));
  return ids.includes(batch);
}

function show({ batch, input, state, settled, rows }: BatchDetail): void {
  const title = state === 'open' ? text.batch.stopped(input) : text.batch.ended(input);
  const body = text.batches.rows(grouped(settled), grouped(rows));
  const note = new Notification(title, { body, icon: '/icon.svg', tag: `rowonce-${batch}` });
  note.onclick = () => {
    focus();
    go(`/batches/${batch}`);
  };
}
