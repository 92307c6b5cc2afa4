import { signal } from '@preact/signals';
import type { OpenAnswer, Refusal } from '../api.ts';

/**
 * The session of this tab with the server, and its requests. The token is kept for the tab alone, so another
 * site, another port of this machine and a browser that was closed have nothing.
 */

const KEY = 'rowonce-entry';

/**
 * Whether the server lets this tab in; undefined until that is known. Without a token the page says how to
 * get one.
 */
export const isIn = signal<boolean | undefined>(undefined);

/** Whether the server did not answer last. Nothing can be typed then. */
export const offline = signal(false);

/**
 * Grows every second while a person sees the page, and with each action of the user: a view that follows a
 * list then asks again, so that a bought cell is seen within a second.
 */
export const beat = signal(0);

/** How many answers, and scripts of parts of the page, are not there yet. */
export const awaited = signal(0);

/** Counts it as awaited until it is there. */
export async function awaiting<T>(coming: Promise<T>): Promise<T> {
  awaited.value = awaited.peek() + 1;
  try {
    return await coming;
  } finally {
    awaited.value = awaited.peek() - 1;
  }
}

const BETWEEN_MS = 900;

export function follow(): void {
  setInterval(() => {
    if (document.hidden) return;
    beat.value += 1;
    // A view that sends no requests by itself learns by this one that the server answers again.
    if (offline.value && isIn.value) void ask('/tasks').catch(() => {});
  }, BETWEEN_MS);
}

let entry: OpenAnswer | undefined;

/** Redeems the word in the address, takes the tab's own token, or asks another tab of this page for one. */
export async function enter(): Promise<void> {
  const opening = /^#open=(?<word>[\w-]+)$/.exec(location.hash)?.groups?.word;
  // The word works once, so it must not stay in the address, the history or a bookmark.
  if (opening !== undefined) history.replaceState(null, '', location.pathname + location.search);
  entry = (opening && (await redeem(opening))) || kept() || (await entryOfOtherTab());
  if (entry !== undefined) keep(entry);
  isIn.value = entry !== undefined;
  shareEntry();
}

/**
 * A server that has ended never comes back under this name, and another program may be at its port by then.
 * Asked without the token, and once more: an answer that was cut off is no end, and a slow one is waited for.
 */
const leaveIfGone = (): Promise<unknown> => fetch('/', { method: 'HEAD', cache: 'no-store' }).catch(leave);

/** The server is gone, or does not know this tab, which has to be opened anew. */
function leave(): void {
  entry = undefined;
  sessionStorage.removeItem(KEY);
  isIn.value = false;
}

const keep = (what: OpenAnswer): void => sessionStorage.setItem(KEY, JSON.stringify(what));

const kept = (): OpenAnswer | undefined => JSON.parse(sessionStorage.getItem(KEY) ?? 'null') ?? undefined;

/** A server that is gone lets nobody in; the page says so as it does without a word. */
async function redeem(opening: string): Promise<OpenAnswer | undefined> {
  try {
    const answer = await fetch('/api/session', { method: 'POST', body: JSON.stringify({ opening }) });
    return answer.ok ? await answer.json() : undefined;
  } catch {
    return undefined;
  }
}

const CHANNEL = 'rowonce-tabs';

/** How long a tab that was opened by hand waits before it says that it is not let in. */
const REPLY_MS = 300;

/**
 * Asks other tabs for their entry, for a tab that a user opened by hand. The channel reaches tabs of this
 * origin only, and no other program was ever at its name.
 */
function entryOfOtherTab(): Promise<OpenAnswer | undefined> {
  const channel = new BroadcastChannel(CHANNEL);
  return new Promise((resolve) => {
    let isLate = false;
    channel.onmessage = ({ data }: MessageEvent<{ readonly entry?: OpenAnswer }>) => {
      if (data.entry === undefined) return;
      channel.close();
      if (!isLate) return resolve(data.entry);
      // The other tab was busy for longer: this one begins again with what it was given.
      keep(data.entry);
      location.reload();
    };
    channel.postMessage({ ask: true });
    const giveUp = (): void => {
      isLate = true;
      resolve(undefined);
    };
    setTimeout(giveUp, REPLY_MS);
  });
}

function shareEntry(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }) => {
    if (data?.ask === true && entry !== undefined && !offline.value) channel.postMessage({ entry });
  };
}

const silence = (): Refused =>
  new Refused({
    code: 'offline',
    message: 'Rowonce does not answer.',
    next: 'Nothing that was found is lost. Open it again from the terminal.',
  });

/** A refusal of the server, or what the page says itself. */
type Told = { readonly code: string } & Pick<Refusal['error'], 'message' | 'next' | 'choices' | 'answers'>;

export class Refused extends Error {
  readonly code: string;
  readonly next: string;
  readonly choices: Refusal['error']['choices'];
  readonly answers: Refusal['error']['answers'];

  constructor({ code, message, next, choices, answers }: Told) {
    super(message);
    this.code = code;
    this.next = next;
    this.choices = choices;
    this.answers = answers;
  }
}

interface How {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** Whether the question changes nothing, so that no view has to look again. */
  readonly isLook?: boolean;
}

/** Gives the answer of a command that only looks, such as a page of a table. @throws Refused */
export const look = <T>(command: string, body: object, signal?: AbortSignal): Promise<T> =>
  ask<T>(`/${command}`, { body, isLook: true, ...(signal ? { signal } : {}) });

/** Sends a file. @param tell hears which part of it has arrived, from 0 to 1. @throws Refused */
export function send<T>(path: string, file: Blob, tell: (part: number) => void): Promise<T> {
  // Only this way of asking says how much of a file has arrived.
  const asking = new XMLHttpRequest();
  asking.open('PUT', `/api${path}`);
  if (entry !== undefined) asking.setRequestHeader('authorization', `Bearer ${entry.token}`);
  asking.responseType = 'json';
  asking.upload.onprogress = ({ loaded, total }) => tell(loaded / total);
  return new Promise((resolve, reject) => {
    asking.onload = () => {
      if (asking.status === 401) leave();
      if (asking.status >= 400) return reject(new Refused((asking.response as Refusal).error));
      beat.value += 1;
      resolve(asking.response as T);
    };
    asking.onerror = () => reject(silence());
    asking.send(file);
  });
}

/** Asks the API. @throws Refused */
export const ask = <T>(path: string, how: How = {}): Promise<T> => awaiting(answerTo<T>(path, how));

async function answerTo<T>(path: string, how: How): Promise<T> {
  const { method = how.body === undefined ? 'GET' : 'POST', body, signal } = how;
  const sent = body === undefined ? {} : { body: body instanceof Blob ? body : JSON.stringify(body) };
  let answer: Response;
  try {
    answer = await fetch(`/api${path}`, {
      method,
      headers: entry === undefined ? {} : { authorization: `Bearer ${entry.token}` },
      ...sent,
      ...(signal ? { signal } : {}),
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    offline.value = true;
    void leaveIfGone();
    throw silence();
  }
  offline.value = false;
  if (answer.status === 401) leave();
  const value: unknown = await answer.json();
  if (!answer.ok) throw new Refused((value as Refusal).error);
  if (method !== 'GET' && how.isLook !== true) beat.value += 1;
  return value as T;
}
