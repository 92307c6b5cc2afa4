import { effect, signal } from '@preact/signals';
import type { OpenAnswer, Proof, Refusal } from '../api.ts';
import { newNonce, proofOf } from './proof.ts';
import { text } from './text.ts';

/**
 * Who this tab is to the server, and how it asks. The token is kept for the tab alone, so another site, another port of
 * this machine and a browser that was closed have nothing.
 */

const KEY = 'rowonce-entry';

/** Whether the server lets this tab in. Without a token the page says how to get one. */
export const isIn = signal(false);

/** Whether nobody answers who has proved to be the server. Nothing is sent then, and nothing can be typed. */
export const offline = signal(false);

let entry: OpenAnswer | undefined;

/** Redeems the word in the address, takes the tab's own token, or asks another tab of this page for one. */
export async function enter(): Promise<void> {
  const opening = /^#open=(?<word>[\w-]+)$/.exec(location.hash)?.groups?.word;
  // The word works once, so it must not stay in the address, the history or a bookmark.
  if (opening !== undefined) history.replaceState(null, '', location.pathname + location.search);
  entry = (opening && (await redeem(opening))) || kept() || (await entryOfOtherTab());
  isIn.value = entry !== undefined;
  effect(keepWhileAnswered);
  shareEntry();
}

/**
 * While nobody answers, a tab that is loaded anew, or opened, may get the page of another program at this address. It finds
 * nothing then by which it could prove to the other tabs to be the server. What this tab holds itself stays.
 */
function keepWhileAnswered(): void {
  if (offline.value) sessionStorage.removeItem(KEY);
  else if (entry !== undefined) keep(entry);
}

/** Whoever is at this address is not the server that let this tab in, and other tabs are not to have its token from here. */
export function leave(): void {
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
function entryOfOtherTab(): Promise<OpenAnswer | undefined> {
  if (!isShared) return Promise.resolve(undefined);
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
    setTimeout(giveUp, ANSWER_MS);
  });
}

function shareEntry(): void {
  if (!isShared) return;
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }) => {
    if (data?.ask === true && entry !== undefined && !offline.value) channel.postMessage({ entry });
  };
}

// ------------------------------------------------------------------------------------------------ who answers

/** A server of this machine answers at once. */
const PROOF_MS = 10_000;

/**
 * Asks whoever is at this address for a proof that it is the server which let this tab in. When that has ended, another
 * program may listen there. One that cannot prove it ends the tab, which would go on showing what it knows.
 * @returns whether it is proved; not so either when nobody answers now.
 */
export async function isProved(): Promise<boolean> {
  if (entry === undefined) return false;
  const nonce = newNonce();
  let answer: Response;
  try {
    const signal = AbortSignal.timeout(PROOF_MS);
    answer = await fetch('/api/proof', { method: 'POST', body: JSON.stringify({ nonce }), signal });
    // What is between here and a server that does not answer may say so.
    if (answer.status >= 500) return false;
  } catch {
    return false;
  }
  const said: Partial<Proof> | undefined = await answer.json().catch(() => undefined);
  if (answer.ok && said?.proof === (await proofOf(nonce, entry.proof_key))) return true;
  leave();
  return false;
}

/** What is typed, a key or a list, is sent to nobody who has not proved just before to be the server. @throws Refused */
export async function requireProof(): Promise<void> {
  if (offline.value || !(await isProved())) throw silence();
}

const silence = (): Refused =>
  new Refused({ code: 'offline', message: text.offline, next: text.offlineNext });

// ------------------------------------------------------------------------------------------------ asking

/** What the server refused, in its own words. */
export class Refused extends Error {
  readonly code: string;
  readonly next: string;
  /** What somebody may agree to, after which the same is not refused. */
  readonly toAgree: Refusal['error']['to_agree'];

  constructor({ code, message, next, to_agree }: Refusal['error']) {
    super(message);
    this.code = code;
    this.next = next;
    this.toAgree = to_agree;
  }
}

export function headers(): Record<string, string> {
  return entry === undefined ? {} : { authorization: `Bearer ${entry.token}` };
}

/** Asks the API. @throws Refused */
export async function ask<T>(
  path: string,
  how: { method?: string; body?: unknown; signal?: AbortSignal } = {},
): Promise<T> {
  const { method = how.body === undefined ? 'GET' : 'POST', body, signal } = how;
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  if (method !== 'GET' || isTyped(path)) await requireProof();
  if (offline.value) throw silence();
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
    throw silence();
  }
  if (answer.status === 401) leave();
  const value: unknown = await answer.json();
  if (!answer.ok) throw new Refused((value as Refusal).error);
  return value as T;
}

/** Whether a question is by words that somebody has typed. */
const isTyped = (path: string): boolean => /[?&]text=[^&]/.test(path);

/** Asks the API for a stream of lines, each an object by itself. @throws Refused */
export async function askLines<T>(
  path: string,
  signal: AbortSignal,
  onLine: (line: T) => void,
): Promise<void> {
  if (isTyped(path)) await requireProof();
  const answer = await fetch(`/api${path}`, { headers: headers(), signal });
  if (!answer.ok || answer.body === null) throw new Refused(((await answer.json()) as Refusal).error);
  let rest = '';
  for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(JSON.parse(line) as T);
  }
}
