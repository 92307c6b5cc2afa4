import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { ask, Refused } from './session.ts';

interface Found<T> {
  readonly path: string;
  readonly value?: T;
  readonly refused?: Refused;
}

/** What a view asks for: shown when it is there, and a refusal in the server's words when it is not. */
export function Loaded<T>({
  path,
  body,
  question = (signal) => ask<T>(path, { signal, isLook: true, ...(body ? { body } : {}) }),
  again,
  children,
}: {
  readonly path: string;
  /** Sent with the question, where a command is asked that only looks. */
  readonly body?: object;
  /** Asked in the place of the path, where a view needs several answers. */
  readonly question?: (signal: AbortSignal) => Promise<T>;
  /** Asked for anew when this changes; what is shown stays until the new answer is there. */
  readonly again?: unknown;
  readonly children: (value: T) => VNode | null;
}) {
  const found = useSignal<Found<T> | undefined>(undefined);
  const look = useRef(() => {});
  const sent = JSON.stringify(body);
  useEffect(() => {
    const leaving = new AbortController();
    look.current = oneAtATime(async () => {
      try {
        found.value = { path, value: await question(leaving.signal) };
      } catch (error) {
        const refused = asRefused(error);
        // Without an answer, what is known of this address stays: the page says above that nobody answers.
        const isKnown = found.value?.path === path && refused.code === 'offline';
        if (!leaving.signal.aborted && !isKnown) found.value = { path, refused };
      }
    });
    return () => leaving.abort();
  }, [path, sent]);
  useEffect(() => look.current(), [path, again]);
  if (found.value === undefined) return <p class="soft">One moment…</p>;
  const { refused, value } = found.value;
  return refused === undefined ? children(value as T) : <RefusedNotice refused={refused} />;
}

/**
 * A question that is repeated while it is open is asked once more afterwards, so that the slowest answer is
 * shown, too.
 */
export function oneAtATime(work: () => Promise<void>): () => void {
  let isAtWork = false;
  let isStale = false;
  const begin = async (): Promise<void> => {
    isAtWork = true;
    do {
      isStale = false;
      await work();
    } while (isStale);
    isAtWork = false;
  };
  return () => {
    isStale = true;
    if (!isAtWork) void begin();
  };
}

export function asRefused(error: unknown): Refused {
  if (error instanceof Refused) return error;
  return new Refused({ code: 'bug', message: String(error), next: 'Load the page again.' });
}

/** Words for a terminal are not shown: the page has a button or a field for what they say. */
const OF_TERMINAL = /(?:^|\s)--?[a-z]|`|\.ya?ml\b|\bcommand\b|\bbase_url\b|\/[\w.-]+\/|\browonce /i;

/** What the server says, as the page says it: without the sentences that speak of a terminal. */
export const forPage = (said: string): string =>
  said
    .split(/(?<=[.!?]) /)
    .filter((sentence) => !OF_TERMINAL.test(sentence))
    .join(' ');

/** The fact, then what to do; nothing where nothing was refused. */
export function RefusedNotice({ refused }: { readonly refused: Refused | undefined }) {
  if (refused === undefined) return null;
  return (
    <p class="refusal" role="alert">
      <strong>{forPage(refused.message) || 'That cannot be done as it is.'}</strong> {forPage(refused.next)}
    </p>
  );
}
