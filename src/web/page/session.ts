import { computed, effect, signal } from '@preact/signals';
import { registerOperations } from '../../core/described.ts';
import { nameVendors } from '../../core/vendor-titles.ts';
import type { Challenge, OpenAnswer, OperationList, Proof, Refusal } from '../api.ts';

/** Every view has an address of its own: reload, "back", bookmarks and a second tab do as expected. */
const address = signal(new URL(location.href));
export const path = computed(() => address.value.pathname);
export const query = computed(() => address.value.searchParams);

/** Follows what leads to a view without loading the page again. A browser that cannot do so loads it. */
window.navigation?.addEventListener('navigate', (event) => {
  const { canIntercept, destination, downloadRequest, hashChange, navigationType } = event;
  if (!canIntercept || hashChange || downloadRequest !== null || navigationType === 'reload') return;
  event.intercept({
    async handler() {
      address.value = new URL(destination.url);
    },
  });
});

/**
 * The session of this tab with the server, and its requests. The token is kept for the tab alone, so another
 * site, another port of this machine and a browser that was closed have nothing. The server may have ended,
 * and another program may be at its port. So before each request the server proves that it has the token too.
 * Only then the request leaves, with the token and what was typed.
 */

const KEY = 'rowonce-entry';

/** Whether the server lets this tab in; undefined until that is known, false for one that proves nothing. */
export const isIn = signal<boolean | undefined>(undefined);

/** The command that opens this page again, which only a tab that was let in is told: it names the store. */
export const serveCommand = signal<string | undefined>(undefined);

/** Whether the server did not answer last, or another program did. Nothing can be typed then. */
export const offline = signal(false);

/** When it did not answer for the first time. */
export const offlineSince = signal<Date | undefined>(undefined);
effect(() => {
  offlineSince.value = offline.value ? (offlineSince.peek() ?? new Date()) : undefined;
});

/** Whether a tab that nobody sees asks all the same. */
export const looksHidden = signal(false);

/** Grows every second that a person sees the page, and with each action: who follows a list asks again. */
export const beat = signal(0);

/** Grows with each action of the user. */
export const acted = signal(0);

/** Grows when a person comes back to the tab, who may have added an account elsewhere. */
export const returned = signal(0);
window.addEventListener('focus', () => (returned.value += 1));

/** How many answers, and scripts of parts of the page, are not there yet. */
export const awaited = signal(0);

export function countAwaited<T>(coming: Promise<T>): Promise<T> {
  awaited.value = awaited.peek() + 1;
  return coming.finally(() => {
    awaited.value = awaited.peek() - 1;
  });
}

/** What the user has done is shown at once. */
export function showActed(): void {
  acted.value += 1;
  beat.value += 1;
}

const BETWEEN_MS = 900;

function follow(): void {
  if ((document.hidden && !looksHidden.value) || token === undefined) return;
  // The question for a proof tells nobody anything, so a tab goes on whenever its server is there again.
  if (offline.value)
    void requireServer('/')
      .then(isIn.value ? showActed : learn)
      .catch(() => {});
  else beat.value += 1;
}

let token: string | undefined;
export const bearer = (): string => `Bearer ${token}`;

/** Reaches tabs of this origin only, and no other program was ever at its name. */
const tabs = new BroadcastChannel('rowonce-tabs');

/** How long a tab that was opened by hand waits for another tab before it says that it is not let in. */
const REPLY_MS = 300;

/** Redeems the word in the address, takes the tab's own token, or asks another tab of this page for one. */
export async function enter(): Promise<void> {
  const opening = /^#open=(?<word>[\w-]+)$/.exec(location.hash)?.groups?.word;
  // The word works once, so it must not stay in the address, the history or a bookmark.
  if (opening !== undefined) history.replaceState(null, '', location.pathname + location.search);
  const tabToken = (opening && (await redeem(opening))) || sessionStorage.getItem(KEY);
  tabs.onmessage = ({ data }: MessageEvent<Partial<OpenAnswer>>) => {
    if (data.token !== undefined) letIn(token ?? data.token);
    else if (token !== undefined && !offline.value) tabs.postMessage({ token });
  };
  setInterval(follow, BETWEEN_MS);
  if (tabToken !== null) return letIn(tabToken);
  tabs.postMessage({});
  // An answer that comes later lets this tab in, too.
  setTimeout(() => (isIn.value ??= false), REPLY_MS);
}

function letIn(by: string): void {
  token = by;
  sessionStorage.setItem(KEY, by);
  void learn();
}

/** Every view speaks of operations, so none is shown before the server has said what there is. */
async function learn(): Promise<void> {
  const { operations, vendors, serve } = await ask<OperationList>('/operations');
  serveCommand.value = serve;
  registerOperations(operations);
  nameVendors(vendors);
  isIn.value = true;
}

/**
 * Has the server prove itself before it is asked for a path.
 * @throws Refused `offline` where nothing answers, or an answer that only another program would give. No
 *   request may leave then.
 */
export async function requireServer(path: string, signal?: AbortSignal): Promise<void> {
  const number = crypto.randomUUID();
  const body = JSON.stringify({ number, path } satisfies Challenge);
  const proven = fetch('/api/proof', { method: 'POST', body, signal: signal ?? null }).then(
    async (answer) =>
      ((await answer.json()) as Partial<Proof>).proof === (await proofOf(`${number} ${path}`)),
  );
  const isServer = await proven.catch(() => false);
  signal?.throwIfAborted();
  offline.value = !isServer;
  if (isServer) return;
  throw noAnswer();
}

export const noAnswer = (): Refused =>
  new Refused({
    code: 'offline',
    message: 'Rowonce does not answer.',
    next: 'Nothing that was found is lost. Open it again from the terminal.',
  });

async function proofOf(text: string): Promise<string> {
  const bytes = new TextEncoder();
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytes.encode(token), algorithm, false, ['sign']);
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes.encode(text)));
  return Array.from(signature, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

const redeem = (opening: string): Promise<string | undefined> =>
  fetch('/api/session', { method: 'POST', body: JSON.stringify({ opening }) }).then(
    async (answer) => (answer.ok ? ((await answer.json()) as OpenAnswer).token : undefined),
    () => undefined,
  );

type Told = Pick<Refusal['error'], 'message' | 'next' | 'on_page' | 'choices' | 'does'> & {
  readonly code: string;
};

/** A fact and what to do, as the page says them. */
export const onPage = <Said extends Pick<Told, 'message' | 'next' | 'on_page'>>(words: Said) =>
  words.on_page ?? words;

export class Refused extends Error {
  readonly code: string;
  readonly next: string;
  readonly choices: Told['choices'];
  readonly does: Told['does'];

  constructor({ code, choices, does, ...words }: Told) {
    const { message, next } = onPage(words);
    super(message);
    this.code = code;
    this.next = next;
    this.choices = choices;
    this.does = does;
  }
}

export function asRefused(error: unknown): Refused {
  if (error instanceof Refused) return error;
  return new Refused({ code: 'bug', message: String(error), next: 'Load the page again.' });
}

interface How {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  /** Whether the question changes nothing, so that no view has to look again. */
  readonly isLook?: boolean;
  readonly isBeside?: boolean;
}

/** Gives the answer of a command that only looks, such as a page of a table. @throws Refused */
export const look = <T>(command: string, body: object, signal?: AbortSignal): Promise<T> =>
  ask<T>(`/${command}`, { body, signal, isLook: true });

export function ask<T>(path: string, how: How = {}): Promise<T> {
  const answer = answerTo(path, how).then((given): Promise<T> => given.json());
  return how.isBeside ? answer : countAwaited(answer);
}

/** A browser may read a file for so long after it was told to save it. */
const SAVED_MS = 60_000;

/**
 * Saves a file. A link could not, because a browser sends no token with a download, and a ticket for one
 * download would need timers and an exception in the guard (2026-11-28). @throws Refused
 */
export async function downloadFile(path: string, body?: object): Promise<void> {
  const answer = await answerTo(path, { ...(body === undefined ? {} : { body }), isLook: true });
  const name = /filename\*=UTF-8''(?<name>.+)$/.exec(answer.headers.get('content-disposition') ?? '');
  save(decodeURIComponent(name?.groups?.name ?? ''), await answer.blob());
}

/** Gives her a file of this name. */
export function save(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), SAVED_MS);
}

async function answerTo(path: string, { body, signal, isLook = false, ...how }: How): Promise<Response> {
  const { method = body === undefined ? 'GET' : 'POST' } = how;
  await requireServer(path, signal);
  const answer = await fetch(`/api${path}`, {
    method,
    headers: { authorization: bearer() },
    body: body === undefined || body instanceof Blob ? (body ?? null) : JSON.stringify(body),
    signal: signal ?? null,
  }).catch((error: unknown) => {
    if (signal?.aborted === true) throw error;
    offline.value = true;
    throw noAnswer();
  });
  if (!answer.ok) throw new Refused(((await answer.json()) as Refusal).error);
  if (method !== 'GET' && !isLook) showActed();
  return answer;
}
