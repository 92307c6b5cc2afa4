import { StopError } from '../core/errors.ts';

/**
 * Works under the signal of a program that uses the library. It may abort for any reason, or for none; within, the reason is a
 * stop, so that the work ends with what it has done and not with an error of that program.
 */
export async function stoppable<T>(
  given: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stopping = new AbortController();
  const stop = (): void => stopping.abort(stopFor(given?.reason));
  if (given?.aborted) stop();
  given?.addEventListener('abort', stop, { once: true });
  try {
    return await work(stopping.signal);
  } finally {
    given?.removeEventListener('abort', stop);
  }
}

function stopFor(reason: unknown): StopError {
  if (reason instanceof StopError) return reason;
  const message = 'Stopped by the program that began it; everything that was answered is kept.';
  const next = 'Start the same again to continue.';
  return new StopError({ code: 'interrupted', message, next }, { cause: reason });
}
