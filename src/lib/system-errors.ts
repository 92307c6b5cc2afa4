import { messageOf, type StopError, stop } from '../core/errors.ts';
import { AGAIN, asCommand, phrase, typing, type Words } from '../core/phrase.ts';

/** Refusals of the system, to the whole process or about a file, in words. Neither is a bug of ours. */

/** A refusal that is not about the requested file, so another file would meet it as well. */
interface Shortage {
  readonly why: string;
  readonly next: Words;
}

const THEN = phrase`then ${AGAIN}; nothing that was bought is lost.`;

const SHORTAGES: Readonly<Record<string, Shortage>> = {
  EMFILE: {
    why: 'this process may open no more files',
    next: phrase`Raise its limit${typing`, such as with "${asCommand('ulimit -n 4096')}"`}, ${THEN}`,
  },
  ENFILE: { why: 'this machine has too many files open', next: phrase`End other programs, ${THEN}` },
  ENOMEM: { why: 'this machine has no memory left', next: phrase`End other programs, ${THEN}` },
  SQLITE_NOMEM: { why: 'this machine has no memory left', next: phrase`End other programs, ${THEN}` },
  EAGAIN: { why: 'this user may start no more processes', next: phrase`End other programs, ${THEN}` },
};

/** @param code of the error, such as `EMFILE` or `SQLITE_NOMEM`. */
export function shortageOf(code: string | undefined): Shortage | undefined {
  return code === undefined || !Object.hasOwn(SHORTAGES, code) ? undefined : SHORTAGES[code];
}

/**
 * An unexpected refusal of the system, as a stop; undefined for everything else. A broken connection names no
 * file, so it is not such a refusal.
 */
export function systemStop(error: unknown): StopError | undefined {
  const code = codeOf(error);
  if (code === undefined || !(error instanceof Error) || !('syscall' in error)) return undefined;
  const path = 'path' in error ? String(error.path) : undefined;
  const short = shortageOf(code);
  if (short !== undefined)
    return stop('system', `${path ?? String(error.syscall)}: ${short.why}.`, short.next);
  if (path === undefined) return undefined;
  const fact = `The system refused an operation: ${messageOf(error)}.`;
  return stop('system', fact, phrase`Put that right, ${THEN}`);
}

export function codeOf(error: unknown): string | undefined {
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? code : undefined;
}
