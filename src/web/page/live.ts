import { signal } from '@preact/signals';
import type { ChangeMessage, Spender } from '../api.ts';
import { headers, isIn, leave, offline } from './session.ts';

/**
 * What changes while the page is open. One tab of a browser reads the stream, because a browser has few connections to a
 * server; it hands on to the others what it hears. When that tab is closed, the lock goes to another one.
 */

/** How often each batch has changed since this tab was opened, with a count for any of them and one for everything. */
export const changes = signal<Readonly<Record<string, number>>>({});
/** How often something that the page started has begun or ended. */
export const work = signal(0);
/** Processes that spend and were not started by the page. */
export const spenders = signal<readonly Spender[]>([]);

/** The count of a batch, or of all of them: a view asks again when it has grown. */
export function changesOf(batch: string): number {
  return (changes.value[batch] ?? 0) + (changes.value[EVERYTHING] ?? 0);
}

export function anyChanges(): number {
  return (changes.value[ANY] ?? 0) + (changes.value[EVERYTHING] ?? 0) + work.value;
}

const ANY = 'any';
/** Events were missed, so everything may have changed. */
const EVERYTHING = 'everything';

type News = { readonly message: ChangeMessage } | { readonly isOffline: boolean } | { readonly ask: true };

let channel: BroadcastChannel | undefined;
let isReader = false;

export function listen(): void {
  channel = new BroadcastChannel('rowonce-live');
  channel.onmessage = ({ data }: MessageEvent<News>) => {
    if ('ask' in data) {
      if (isReader) tellState();
    } else hear(data);
  };
  channel.postMessage({ ask: true } satisfies News);
  void navigator.locks.request('rowonce-stream', readForEver);
}

/** A tab that was just opened learns what the reading one knows. */
function tellState(): void {
  channel?.postMessage({ isOffline: offline.value } satisfies News);
  channel?.postMessage({
    message: { batches: [], work: false, spenders: [...spenders.value] },
  } satisfies News);
}

function tell(news: News): void {
  hear(news);
  channel?.postMessage(news);
}

function hear(news: News): void {
  if ('isOffline' in news) {
    // Whatever happened meanwhile was not heard.
    if (offline.value && !news.isOffline) bump([EVERYTHING]);
    offline.value = news.isOffline;
  } else if ('message' in news) {
    const { message } = news;
    if (message.batches.length > 0) bump([...message.batches, ANY]);
    if (message.work) work.value += 1;
    if (JSON.stringify(message.spenders) !== JSON.stringify(spenders.value)) {
      spenders.value = message.spenders;
      bump([EVERYTHING]);
    }
  }
}

function bump(names: readonly string[]): void {
  const counts = { ...changes.value };
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  changes.value = counts;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

async function readForEver(): Promise<void> {
  isReader = true;
  // The tab that read before may have missed something in the end.
  bump([EVERYTHING]);
  for (let waitMs = FIRST_WAIT_MS; isIn.value; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    const heard = await readOnce().catch(() => false);
    if (heard) waitMs = FIRST_WAIT_MS;
    tell({ isOffline: true });
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

/** Longer than the server is ever silent. */
const SILENCE_MS = 40_000;

/** Reads until the stream ends. @returns whether it answered at all. */
async function readOnce(): Promise<boolean> {
  const leaving = new AbortController();
  let silence = setTimeout(() => leaving.abort(), SILENCE_MS);
  const answer = await fetch('/api/events', { headers: headers(), signal: leaving.signal });
  if (answer.status === 401) leave();
  if (!answer.ok || answer.body === null) return false;
  tell({ isOffline: false });
  let rest = '';
  try {
    for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
      clearTimeout(silence);
      silence = setTimeout(() => leaving.abort(), SILENCE_MS);
      const parts = (rest + chunk).split('\n\n');
      rest = parts.pop() ?? '';
      for (const part of parts) {
        if (!part.startsWith('data: ')) continue;
        tell({ message: JSON.parse(part.slice(6)) as ChangeMessage });
      }
    }
  } finally {
    clearTimeout(silence);
  }
  return true;
}
