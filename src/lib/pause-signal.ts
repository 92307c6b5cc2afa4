/**
 * How a run of the command line learns that a person pauses its batch: by a signal of its own, so that it can
 * say so.
 */

/** A process that does not listen to this signal would die of it at once. Windows has no such signal. */
export const PAUSE_SIGNAL = 'SIGUSR2';

const goOn = (): void => {};

/** False also for a program that uses us as its library, because it may use the signal for its own ends. */
export const hearsPauses = (): boolean => process.listeners(PAUSE_SIGNAL).includes(goOn);

/**
 * @returns a function that ends it. A person may pause a run that has just ended, so the process goes on to
 *   survive the signal.
 */
export function onPause(listener: () => void): () => void {
  if (process.platform === 'win32') return () => {};
  if (!hearsPauses()) process.on(PAUSE_SIGNAL, goOn);
  process.on(PAUSE_SIGNAL, listener);
  return () => process.off(PAUSE_SIGNAL, listener);
}
