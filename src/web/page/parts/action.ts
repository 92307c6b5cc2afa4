import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Download, WorkAnswer } from '../../api.ts';
import { ask, asRefused, fileAt, Refused } from '../session.ts';

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
  return { isBusy, refused, run: (work: () => Promise<unknown>): void => void run(work) };
}

/**
 * What was asked last. The value of the question before stays until the next answer is there, so that nothing
 * jumps.
 */
export interface Asked<T> {
  readonly value: T | undefined;
  readonly refused: Refused | undefined;
  /** Whether this question has no answer yet. */
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

const answerTo = <T>(question: () => Promise<T>): Promise<Asked<T>> =>
  question().then(
    (value) => ({ value, refused: undefined, waits: false }),
    (error: unknown) => ({ value: undefined, refused: asRefused(error), waits: false }),
  );

/**
 * A question that is repeated while it is open is asked once more afterwards, so that the slowest answer is
 * shown, too.
 */
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

/**
 * Waits for what was started. @returns what its command has to say.
 * @throws Refused in the words of its command, where that ended otherwise than well.
 */
export async function untilEnded<T>(id: string): Promise<T> {
  for (;;) {
    const { work, result } = await ask<WorkAnswer>(`/tasks/${id}`);
    if (work.stopped !== null) throw new Refused(work.stopped);
    if (work.state === 'ended' && result === undefined)
      throw new Refused({ code: 'bug', message: work.said ?? '', next: '' });
    if (work.state === 'ended') return result as T;
    await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
  }
}

/** A browser may read a file for so long after it was told to save it. */
const SAVED_MS = 60_000;

export async function take(batch: string, what: Download): Promise<void> {
  const file = await fileAt(`/batches/${batch}/files/${what}`);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = file.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), SAVED_MS);
}
