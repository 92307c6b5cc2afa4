import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { ask, Refused } from './session.ts';
import { text } from './text.ts';

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
  const found = useSignal<{ readonly value: T } | { readonly refused: Refused } | undefined>(undefined);
  useEffect(() => {
    const leaving = new AbortController();
    ask<T>(path, { signal: leaving.signal }).then(
      (value) => {
        found.value = { value };
      },
      (error) => {
        if (!leaving.signal.aborted) found.value = { refused: asRefused(error) };
      },
    );
    return () => leaving.abort();
  }, [path, again]);
  if (found.value === undefined) return <p class="loading">{text.loading}</p>;
  return 'refused' in found.value ? <Refusal refused={found.value.refused} /> : children(found.value.value);
}

export function asRefused(error: unknown): Refused {
  if (error instanceof Refused) return error;
  return new Refused({ code: 'bug', message: String(error), next: text.offlineNext });
}

/** The fact, then what to do. */
export function Refusal({ refused }: { readonly refused: Refused }) {
  return (
    <div class="refusal" role="alert">
      <strong>{refused.message}</strong> {refused.next}
    </div>
  );
}
