import { signal } from '@preact/signals';
import type { AwaitedEnds, BatchDetail } from '../api.ts';
import { allRows, grouped } from './parts/figures.ts';
import { go } from './router.ts';
import { ask, Refused } from './session.ts';
import { text } from './text.ts';

/**
 * Notifications at the end of a batch. What somebody wants to hear of is kept by the server, and the one tab of a browser that
 * reads the stream tells it, so it is told once, and also after a reload and another start of the page.
 */

/** Ids of batches whose end is to be told. */
const awaited = signal<readonly string[]>([]);

const channel = new BroadcastChannel('rowonce-end-notes');
channel.onmessage = ({ data }: MessageEvent<readonly string[]>) => {
  awaited.value = data;
};

/** A browser allows notifications to one address, so each start of the page asks for that again. */
const isAllowed = signal(false);

/** Whether the end of the batch will be told here. */
export const isAwaited = (batch: string): boolean => isAllowed.value && awaited.value.includes(batch);

export async function learnAwaited(): Promise<void> {
  const permission = await navigator.permissions.query({ name: 'notifications' }).catch(() => undefined);
  const learn = (): void => {
    isAllowed.value = permission?.state === 'granted';
  };
  permission?.addEventListener('change', learn);
  learn();
  const known = await ask<AwaitedEnds>('/ends').catch(() => undefined);
  awaited.value = known?.batches ?? [];
}

/** Asks the browser, which is done for a click alone. @returns whether the end will be told. */
export async function awaitEnd(batch: string): Promise<boolean> {
  isAllowed.value = (await Notification.requestPermission()) === 'granted';
  if (!isAllowed.value) return false;
  await change('PUT', batch);
  // It may have ended while the browser asked.
  void tellEnds();
  return true;
}

/** Tells those that have ended; asked whenever anything has changed. */
export async function tellEnds(): Promise<void> {
  if (!isAllowed.value) return;
  for (const id of awaited.value) {
    try {
      const batch = await ask<BatchDetail>(`/batches/${id}`);
      // Another tab or browser may have told it meanwhile.
      if (!batch.running && (await change('DELETE', id))) show(batch);
    } catch (error) {
      // A batch that is not there any more never ends; a server that does not answer now may answer later.
      if (error instanceof Refused && error.code === 'usage') await change('DELETE', id).catch(() => {});
    }
  }
}

/** @returns whether it was not so before. */
async function change(method: 'PUT' | 'DELETE', batch: string): Promise<boolean> {
  const { batches, changed } = await ask<AwaitedEnds>(`/ends/${batch}`, { method });
  awaited.value = batches;
  channel.postMessage(batches);
  return changed;
}

function show({ batch, input, state, settled, ...of }: BatchDetail): void {
  const title = state === 'open' ? text.batch.stopped(input) : text.batch.ended(input);
  const body = text.batches.rows(grouped(settled), grouped(allRows(of)));
  const note = new Notification(title, { body, icon: '/icon.svg', tag: `rowonce-${batch}` });
  note.onclick = () => {
    focus();
    go(`/batches/${batch}`);
  };
}
