import { type Signal, signal, useSignal } from '@preact/signals';
import type { ComponentChildren, ComponentProps, ComponentType, VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { WorkAnswer } from '../../api.ts';
import { ask, asRefused, awaiting, Refused } from '../session.ts';
import { Button } from './controls.tsx';

/** What a button does: one at a time, with the refusal shown beside it. */
export function useAction() {
  const isBusy = useSignal(false);
  const refused = useSignal<Refused | undefined>(undefined);
  const run = async (work: () => Promise<unknown>): Promise<void> => {
    if (isBusy.value) return;
    isBusy.value = true;
    refused.value = undefined;
    refused.value = (await answerTo(work)).refused;
    isBusy.value = false;
  };
  return { isBusy, refused, run };
}

/** The value of the question before stays until the next answer is there, so that nothing jumps. */
export interface Asked<T> {
  readonly value: T | undefined;
  readonly refused: Refused | undefined;
  readonly waits: boolean;
}

interface Pace {
  /** The same question is asked once more when this changes. */
  readonly again?: unknown;
  /** How long the keys must rest, because the user is still choosing. The first question is sent at once. */
  readonly delayMs?: number;
}

/** Asks when the keys change, and forgets the answers to earlier questions. */
export function useAsked<T>(
  question: (signal: AbortSignal) => Promise<T>,
  keys: readonly unknown[],
  { again, delayMs = 0 }: Pace = {},
): Signal<Asked<T>> {
  const asked = useSignal<Asked<T>>({ value: undefined, refused: undefined, waits: true });
  const begin = useRef(() => {});
  useEffect(() => {
    const leaving = new AbortController();
    asked.value = { ...asked.peek(), waits: true };
    begin.current = oneAtATime(async () => {
      const answer = await answerTo(() => question(leaving.signal));
      // Without an answer, what is known stays: the page says above that nobody answers.
      const isKnown = answer.refused?.code === 'offline' && !asked.peek().waits;
      if (!leaving.signal.aborted && !isKnown) asked.value = answer;
    });
    return () => leaving.abort();
  }, keys);
  useEffect(() => {
    const isFirst = asked.peek().value === undefined;
    const timer = setTimeout(begin.current, isFirst ? 0 : delayMs);
    return () => clearTimeout(timer);
  }, [...keys, again]);
  return asked;
}

function answerTo<T>(question: () => Promise<T>): Promise<Asked<T>> {
  return question().then(
    (value) => ({ value, refused: undefined, waits: false }),
    (error: unknown) => ({ value: undefined, refused: asRefused(error), waits: false }),
  );
}

/** What is repeated while it is open is asked once more afterwards: the slowest answer is shown, too. */
export function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let isAtWork = false;
  let isStale = false;
  return async () => {
    isStale = true;
    if (isAtWork) return;
    isAtWork = true;
    while (isStale) {
      isStale = false;
      await work();
    }
    isAtWork = false;
  };
}

const ASK_AGAIN_MS = 400;

/** Waits for what was started. @returns what its command has to say. @throws Refused in its words. */
export async function untilEnded<T>(id: string): Promise<T> {
  for (;;) {
    const { work, result } = await ask<WorkAnswer>(`/tasks/${id}`);
    if (work.stopped !== null) throw new Refused(work.stopped);
    if (work.state === 'ended' && result !== undefined) return result as T;
    if (work.state === 'ended') throw new Refused({ code: 'bug', message: work.said ?? '', next: '' });
    await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
  }
}

interface LoadedProps<T> {
  readonly path: string;
  readonly body?: object;
  /** Asked in the place of the path, where a view needs several answers. */
  readonly question?: (signal: AbortSignal) => Promise<T>;
  readonly again?: unknown;
  readonly children: (value: T) => VNode | null;
}

/** What a view asks for: shown when it is there, and a refusal in the server's words when it is not. */
export function Loaded<T>({ path, body, question, again, children }: LoadedProps<T>) {
  const asks = question ?? ((signal) => ask<T>(path, { signal, isLook: true, body }));
  const { value, refused } = useAsked(asks, [path, JSON.stringify(body)], { again }).value;
  if (refused !== undefined) return <RefusedNotice refused={refused} />;
  return value === undefined ? <p class="soft">One moment…</p> : children(value);
}

/** The fact, then what to do; nothing where nothing was refused. */
export function RefusedNotice({ refused }: { readonly refused: Refused | undefined }) {
  if (refused === undefined) return null;
  return (
    <div class="stop" role="alert">
      <p>
        <strong>{refused.message}</strong> {refused.next}
      </p>
    </div>
  );
}

type ActProps = ComponentProps<typeof Button> & {
  /** What she has to say yes to first, where something is taken away. */
  readonly asks?: string;
  does(): Promise<unknown>;
};

/** A button that asks the server, once at a time, with the refusal beside it. */
export function Act({ asks, does, disabled = false, ...rest }: ActProps) {
  const { isBusy, refused, run } = useAction();
  const act = (): void => {
    if (asks === undefined || confirm(asks)) run(does);
  };
  return (
    <>
      <Button {...rest} disabled={disabled || isBusy.value} onClick={act} />
      <RefusedNotice refused={refused.value} />
    </>
  );
}

interface FormProps {
  readonly says: string;
  readonly look?: 'row';
  /** Gets what stands in the fields by their names, without those that are blank. */
  sends(typed: Record<string, FormDataEntryValue>): Promise<unknown>;
  readonly children: ComponentChildren;
}

/** Fields that are sent as a whole, with the refusal below them. */
export function Form({ says, look, sends, children }: FormProps) {
  const { isBusy, refused, run } = useAction();
  const send = (event: SubmitEvent): void => {
    event.preventDefault();
    const typed = [...new FormData(event.currentTarget as HTMLFormElement)];
    run(() => sends(Object.fromEntries(typed.filter(([, value]) => value !== ''))));
  };
  return (
    <form class={look} onSubmit={send} autocomplete="off">
      {children}
      <Button type="submit" look="go" disabled={isBusy.value} says={says} />
      <RefusedNotice refused={refused.value} />
    </form>
  );
}

/** A part of the page whose script is fetched when it is first shown, so that any first view comes sooner. */
export function late<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const loaded = signal<ComponentType<Props> | undefined>(undefined);
  return function Late(props: Props) {
    const { value: Loaded } = loaded;
    useEffect(() => {
      if (Loaded === undefined) void awaiting(load()).then((part) => (loaded.value = part));
    }, []);
    return Loaded === undefined ? <p class="soft">One moment…</p> : <Loaded {...props} />;
  };
}
