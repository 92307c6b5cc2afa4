import { EXIT, StopError } from '../../core/errors.ts';
import { counted } from '../../core/plain-text.ts';
import type { Console } from './command.ts';

/** The signals of Ctrl-C, of a service manager and of a window that is closed. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface Stopping {
  /** Fires, with a StopError as its reason, when nothing new may be sent. */
  readonly signal: AbortSignal;
  /** Gives the signals back. */
  release(): void;
}

/**
 * The first signal stops admission and lets what is in flight finish; the second leaves at once.
 * @param inFlight counts the requests whose answers are not in the ledger yet.
 * @param command gives the command line that resumes the run.
 */
export function stopOnSignals(console: Console, inFlight: () => number, command: () => string): Stopping {
  const stopping = new AbortController();
  const onSignal = (signal: NodeJS.Signals): void => {
    const code = signal === 'SIGINT' ? 'interrupted' : 'terminated';
    if (stopping.signal.aborted) {
      console.warn(`Left at once: ${counted(inFlight(), 'call')} may be in doubt, the next run says which.`);
      console.warn(command());
      process.exit(EXIT[code]);
    }
    const how = signal === 'SIGINT' ? 'Ctrl-C' : signal;
    const message = `Stopped by ${how}; everything that was answered is kept.`;
    stopping.abort(new StopError({ code, message, next: 'Run the same command again to go on:' }));
  };
  for (const name of STOP_SIGNALS) process.on(name, onSignal);
  return {
    signal: stopping.signal,
    release() {
      for (const name of STOP_SIGNALS) process.off(name, onSignal);
    },
  };
}
