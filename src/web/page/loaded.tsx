import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { ask, Refused } from './session.ts';
import { text } from './text.ts';

interface Found<T> {
  readonly path: string;
  readonly value?: T;
  readonly refused?: Refused;
}

/** What a view asks for: shown when it is there, and a refusal in the server's words when it is not. */
export function Loaded<T>({
  path,
  again,
  children,
}: {
  readonly path: string;
  /** Asked for anew when this changes; what is shown stays until the new answer is there. */
  readonly again?: unknown;
  readonly children: (value: T) => VNode | null;
}) {
  const found = useSignal<Found<T> | undefined>(undefined);
  const look = useRef(() => {});
  useEffect(() => {
    const leaving = new AbortController();
    look.current = oneAtATime(async () => {
      try {
        found.value = { path, value: await ask<T>(path, { signal: leaving.signal }) };
      } catch (error) {
        const refused = asRefused(error);
        // Without an answer, what is known of this address stays: the page says above that nobody answers.
        const isKnown = found.value?.path === path && refused.code === 'offline';
        if (!leaving.signal.aborted && !isKnown) found.value = { path, refused };
      }
    });
    return () => leaving.abort();
  }, [path]);
  useEffect(() => look.current(), [path, again]);
  if (found.value === undefined) return <p class="loading">{text.loading}</p>;
  const { refused, value } = found.value;
  return refused === undefined ? children(value as T) : <RefusedNotice refused={refused} />;
}

/**
 * A question that is repeated while it is open is asked once more afterwards, so that the slowest answer is
 * shown, too.
 */
function oneAtATime(work: () => Promise<void>): () => void {
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
  return new Refused({ code: 'bug', message: String(error), next: text.offlineNext });
}

/** The fact, then what to do; nothing where nothing was refused. */
export function RefusedNotice({ refused }: { readonly refused: Refused | undefined }) {
  if (refused === undefined) return null;
  return (
    <div class="refusal" role="alert">
      <strong>{refused.message}</strong> {refused.next}
      {refused.nextCommand !== undefined && <code> {refused.nextCommand}</code>}
    </div>
  );
}
