import type { VNode } from 'preact';
import { useAsked } from './parts/action.ts';
import { ask, type Refused } from './session.ts';

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
  const { value, refused } = useAsked(question, [path, JSON.stringify(body)], { again }).value;
  if (refused !== undefined) return <RefusedNotice refused={refused} />;
  return value === undefined ? <p class="soft">One moment…</p> : children(value);
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
    <div class="stop" role="alert">
      <p>
        <strong>{forPage(refused.message) || 'That cannot be done as it is.'}</strong> {forPage(refused.next)}
      </p>
    </div>
  );
}
