import { type ReadonlySignal, type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Tickets, WorkAnswer } from '../../api.ts';
import { asRefused } from '../loaded.tsx';
import { ask, look, Refused } from '../session.ts';

/** What a button does: one at a time, with the refusal shown beside it. */
export interface Action {
  readonly isBusy: ReadonlySignal<boolean>;
  readonly refused: ReadonlySignal<Refused | undefined>;
  run(work: () => Promise<unknown>): void;
}

export function useAction(): Action {
  const isBusy = useSignal(false);
  const refused = useSignal<Refused | undefined>(undefined);
  const run = async (work: () => Promise<unknown>): Promise<void> => {
    if (isBusy.value) return;
    isBusy.value = true;
    refused.value = undefined;
    try {
      await work();
    } catch (error) {
      refused.value = asRefused(error);
    } finally {
      isBusy.value = false;
    }
  };
  return { isBusy, refused, run: (work) => void run(work) };
}

/**
 * What was asked last. The value of the question before stays until the next answer is there, so that nothing
 * jumps.
 */
export interface Asked<T> {
  readonly value: T | undefined;
  readonly refused: Refused | undefined;
  readonly waits: boolean;
}

/**
 * Forgets the answers to earlier questions.
 * @param delayMs how long the keys must rest before another question is sent, because the user is still
 * choosing. The first one is sent at once.
 */
export function useAsked<T>(
  question: (signal: AbortSignal) => Promise<T>,
  keys: readonly unknown[],
  delayMs = 0,
): Signal<Asked<T>> {
  const asked = useSignal<Asked<T>>({ value: undefined, refused: undefined, waits: true });
  useEffect(() => {
    const leaving = new AbortController();
    const restMs = asked.peek().value === undefined ? 0 : delayMs;
    asked.value = { ...asked.peek(), waits: true };
    const timer = setTimeout(() => {
      question(leaving.signal).then(
        (value) => {
          if (!leaving.signal.aborted) asked.value = { value, refused: undefined, waits: false };
        },
        (error) => {
          if (leaving.signal.aborted) return;
          asked.value = { value: undefined, refused: asRefused(error), waits: false };
        },
      );
    }, restMs);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, keys);
  return asked;
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

/** The server writes the files first, then gives tickets that work once. */
export async function take(batch: string, what: keyof Tickets): Promise<void> {
  const { tickets } = await look<{ readonly tickets: Tickets }>('export', { batch });
  const { [what]: ticket } = tickets;
  if (ticket === undefined)
    throw new Refused({ code: 'usage', message: 'There is nothing in it yet.', next: '' });
  const link = document.createElement('a');
  link.href = `/downloads/${ticket.ticket}`;
  link.download = ticket.name;
  link.click();
}
