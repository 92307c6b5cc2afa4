import { signal } from '@preact/signals';
import type { OpenAnswer, Refusal } from '../api.ts';
import { text } from './text.ts';

/**
 * Who this tab is to the server, and how it asks. The token is kept for the tab alone, so another site, another port of
 * this machine and a browser that was closed have nothing.
 */

const KEY = 'rowonce-token';

/** Whether the server lets this tab in. Without a token the page says how to get one. */
export const isIn = signal(false);

let token: string | undefined;

/** Redeems the word in the address, takes the tab's own token, or asks another tab of this page for one. */
export async function enter(): Promise<void> {
  const opening = /^#open=(?<word>[\w-]+)$/.exec(location.hash)?.groups?.word;
  // The word works once, so it must not stay in the address, the history or a bookmark.
  if (opening !== undefined) history.replaceState(null, '', location.pathname + location.search);
  token = (opening && (await redeem(opening))) || sessionStorage.getItem(KEY) || (await tokenOfOtherTab());
  if (token !== undefined) sessionStorage.setItem(KEY, token);
  isIn.value = token !== undefined;
  shareToken();
}

/** A server that is gone lets nobody in; the page says so as it does without a word. */
async function redeem(opening: string): Promise<string | undefined> {
  try {
    const answer = await fetch('/api/session', { method: 'POST', body: JSON.stringify({ opening }) });
    return answer.ok ? ((await answer.json()) as OpenAnswer).token : undefined;
  } catch {
    return undefined;
  }
}

// ------------------------------------------------------------------------------------------------ other tabs

const CHANNEL = 'rowonce-tabs';

/** As long as a tab that was opened by hand waits before it says that it is not in. */
const ANSWER_MS = 300;

/**
 * The channel reaches tabs of this origin only, and none of another program was ever at a name of ours. At the bare address
 * there may be one, so a tab tells nothing there.
 */
const isShared = location.hostname.endsWith('.localhost');

/** A tab that somebody opened by hand. */
function tokenOfOtherTab(): Promise<string | undefined> {
  if (!isShared) return Promise.resolve(undefined);
  const channel = new BroadcastChannel(CHANNEL);
  return new Promise((resolve) => {
    let isLate = false;
    channel.onmessage = ({ data }) => {
      if (typeof data?.token !== 'string') return;
      channel.close();
      if (!isLate) return resolve(data.token);
      // The other tab was busy for longer: this one begins again with what it was given.
      sessionStorage.setItem(KEY, data.token);
      location.reload();
    };
    channel.postMessage({ ask: true });
    setTimeout(() => {
      isLate = true;
      resolve(undefined);
    }, ANSWER_MS);
  });
}

function shareToken(): void {
  if (!isShared) return;
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }) => {
    if (data?.ask === true && token !== undefined) channel.postMessage({ token });
  };
}

// ------------------------------------------------------------------------------------------------ asking

/** What the server refused, in its own words. */
export class Refused extends Error {
  readonly code: string;
  readonly next: string;

  constructor({ code, message, next }: Refusal['error']) {
    super(message);
    this.code = code;
    this.next = next;
  }
}

export function headers(): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

/** Asks the API. @throws Refused */
export async function ask<T>(
  path: string,
  how: { method?: string; body?: unknown; signal?: AbortSignal } = {},
): Promise<T> {
  const { method = how.body === undefined ? 'GET' : 'POST', body, signal } = how;
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  let answer: Response;
  try {
    answer = await fetch(`/api${path}`, {
      method,
      headers: headers(),
      ...sent,
      ...(signal ? { signal } : {}),
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw new Refused({ code: 'offline', message: text.offline, next: text.offlineNext });
  }
  if (answer.status === 401) {
    // Other tabs are not to have it from here.
    token = undefined;
    sessionStorage.removeItem(KEY);
    isIn.value = false;
  }
  const value: unknown = await answer.json();
  if (!answer.ok) throw new Refused((value as Refusal).error);
  return value as T;
}

/** Asks the API for a stream of lines, each an object by itself. @throws Refused */
export async function askLines<T>(
  path: string,
  signal: AbortSignal,
  onLine: (line: T) => void,
): Promise<void> {
  const answer = await fetch(`/api${path}`, { headers: headers(), signal });
  if (!answer.ok || answer.body === null) throw new Refused(((await answer.json()) as Refusal).error);
  let rest = '';
  for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(JSON.parse(line) as T);
  }
}
