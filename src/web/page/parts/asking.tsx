import { type Signal, signal, useSignal } from '@preact/signals';
import type { ComponentProps, ComponentType, VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { ask, asRefused, countAwaited, type Refused } from '../session.ts';
import { Button, focusFirst, Notice, Popover, Title } from './controls.tsx';

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
export interface Answer<T> {
  readonly value: T | undefined;
  readonly refused: Refused | undefined;
  readonly waits: boolean;
}

interface Pace<T> {
  /** What is known before anything is asked. */
  readonly first?: T | undefined;
  /** The same question is asked once more when this changes. */
  readonly again?: unknown;
  /** How long the keys must rest, because the user is still choosing. The first question is sent at once. */
  readonly delayMs?: number;
}

/** Asks when the keys change, and forgets the answers to earlier questions. */
export function useAsked<T>(
  question: (signal: AbortSignal) => Promise<T>,
  keys: readonly unknown[],
  { again, delayMs = 0, first }: Pace<T> = {},
): Signal<Answer<T>> {
  const answerSignal = useSignal<Answer<T>>({ value: first, refused: undefined, waits: true });
  const begin = useRef(() => {});
  useEffect(() => {
    const leaving = new AbortController();
    answerSignal.value = { ...answerSignal.peek(), waits: true };
    begin.current = oneAtATime(async () => {
      const answer = await answerTo(() => question(leaving.signal));
      // Without an answer, what is known stays: the page says above that nobody answers.
      const isKnown = answer.refused?.code === 'offline' && !answerSignal.peek().waits;
      if (!leaving.signal.aborted && !isKnown) answerSignal.value = answer;
    });
    return () => leaving.abort();
  }, keys);
  useEffect(() => {
    const isFirst = answerSignal.peek().value === undefined;
    const timer = setTimeout(begin.current, isFirst ? 0 : delayMs);
    return () => clearTimeout(timer);
  }, [...keys, again]);
  return answerSignal;
}

/** The answer to a question of the server. @param request false as long as nothing is to be asked. */
export function useAnswer<T>(
  request: { readonly path: string; readonly body?: object } | false,
  again: unknown,
  { delayMs = 0, isBeside = false } = {},
): Answer<T> {
  const question = (signal: AbortSignal): Promise<T> =>
    request ? ask(request.path, { ...request, signal, isLook: true, isBeside }) : new Promise(() => {});
  return useAsked(question, [JSON.stringify([request, again])], { delayMs }).value;
}

function answerTo<T>(question: () => Promise<T>): Promise<Answer<T>> {
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

interface LoadedProps<T> {
  readonly path: string;
  readonly body?: object;
  /** Asked in the place of the path, where a view needs several answers. */
  readonly question?: (signal: AbortSignal) => Promise<T>;
  readonly again?: unknown;
  /** The name of a whole view, which stands above while it loads, and where it cannot be shown. */
  readonly view?: string;
  /** What is said where the thing of the view is not there, in the place of words for a terminal. */
  readonly missing?: string;
  readonly first?: T | undefined;
  /** Stands there until the answer comes, in the place of one moment's words. */
  readonly meanwhile?: VNode | undefined;
  readonly children: (value: T) => VNode | null;
}

/** What a view asks for: shown when it is there, and a refusal in the server's words when it is not. */
export function Loaded<T>({ path, body, question, again, children, ...more }: LoadedProps<T>) {
  const { first, meanwhile, view, missing } = more;
  const asks = question ?? ((signal) => ask<T>(path, { signal, isLook: true, body }));
  const { value, refused } = useAsked(asks, [path, JSON.stringify(body)], { again, first }).value;
  if (refused === undefined && value !== undefined) return children(value);
  if (refused === undefined && meanwhile !== undefined) return meanwhile;
  const isMissing = missing !== undefined && ['usage', 'store'].includes(refused?.code ?? '');
  const state = isMissing ? <Notice says={missing} role="alert" /> : <RefusedNotice refused={refused} />;
  const placeholder = refused === undefined ? <p class="soft">One moment…</p> : state;
  if (view === undefined) return placeholder;
  return (
    <>
      <Title name={view} />
      <div class="view stack">
        {placeholder}
        {refused && (
          <p>
            <a href="/">See your lists</a>
          </p>
        )}
      </div>
    </>
  );
}

/** The fact, then what to do; nothing where nothing was refused. */
export function RefusedNotice({ refused }: { readonly refused: Refused | undefined }) {
  if (refused === undefined) return null;
  const says = (
    <>
      <b>{refused.message}</b> {refused.next}
    </>
  );
  return <Notice role="alert" says={says} />;
}

type ActProps = ComponentProps<typeof Button> & {
  /** What she has to say yes to first, where something is taken away. */
  readonly asks?: string;
  /** The word for yes. Left out: what the button says. */
  readonly yes?: string;
  does(): Promise<unknown>;
};

/** A button that asks the server, once at a time, with the refusal beside it. */
export function Act({ asks, yes, does, disabled = false, ...rest }: ActProps) {
  const { isBusy, refused, run } = useAction();
  const { says, look, role, 'aria-label': label } = rest;
  return (
    <>
      {asks === undefined ? (
        <Button {...rest} disabled={disabled || isBusy.value} onClick={() => run(does)} />
      ) : (
        <Popover
          name={asks}
          says={says}
          look={look}
          role={role}
          disabled={disabled === true || isBusy.value}
          {...(typeof label === 'string' && { label })}
        >
          {(close) => (
            <div class="stack">
              <p>{asks}</p>
              <div class="bar">
                <Button
                  says={yes ?? says}
                  onClick={() => {
                    close();
                    run(does);
                  }}
                />
                <Button look="quiet" says="Cancel" onClick={close} />
              </div>
            </div>
          )}
        </Popover>
      )}
      <RefusedNotice refused={refused.value} />
    </>
  );
}

/**
 * A part of the page whose script is fetched when it is first shown, so that any first view comes sooner.
 * @param view the name of a whole view, which is read meanwhile; blank for a line among others, which says nothing.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  view?: string,
): ComponentType<Props> {
  const loaded = signal<ComponentType<Props> | undefined>(undefined);
  return function Late(props: Props) {
    const { value: Loaded } = loaded;
    const opened = useRef<Element | null>(null);
    // Before anything is painted: what was fetched already leaves no gap.
    useLayoutEffect(() => {
      if (Loaded === undefined) void countAwaited(load()).then((part) => (loaded.value = part));
    }, []);
    useLayoutEffect(() => {
      // The box that was opened was still without a control.
      if (Loaded && opened.current?.contains(document.activeElement) === false) focusFirst(opened.current);
    }, [Loaded]);
    if (Loaded !== undefined) return <Loaded {...props} />;
    const find = (waits: Element | null): void => {
      if (waits) opened.current = waits.closest('[popover]');
    };
    if (view !== undefined) return view === '' ? null : <Title name={view} />;
    return (
      <p class="soft" ref={find}>
        One moment…
      </p>
    );
  };
}
