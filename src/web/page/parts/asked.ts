import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { asRefused } from '../loaded.tsx';
import type { Refused } from '../session.ts';

/** What was asked last. The value of the question before stays until the next answer is there, so that nothing jumps. */
export interface Asked<T> {
  readonly value: T | undefined;
  readonly refused: Refused | undefined;
  readonly waits: boolean;
}

/**
 * Asks anew whenever a key changes, and forgets the answers to earlier questions.
 * @param delayMs how long the keys must rest first: somebody is still choosing.
 */
export function useAsked<T>(
  question: (signal: AbortSignal) => Promise<T>,
  keys: readonly unknown[],
  delayMs = 0,
): Signal<Asked<T>> {
  const asked = useSignal<Asked<T>>({ value: undefined, refused: undefined, waits: true });
  useEffect(() => {
    const leaving = new AbortController();
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
    }, delayMs);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, keys);
  return asked;
}
