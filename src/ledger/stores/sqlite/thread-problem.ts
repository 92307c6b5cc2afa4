import { messageOf, StopError } from '../../../core/errors.ts';
import { Connection, explained } from './connection.ts';

/** What a thread of its own has found to be wrong, as it crosses to the thread that waits for it. */
export type Problem = Pick<StopError, 'code' | 'message' | 'next'> | { readonly bug: string };

/** Checks a ledger by a connection of its own, which only reads. Undefined where nothing is wrong. */
export async function problemOf(
  { path, folder }: { readonly path: string; readonly folder: string },
  check: (connection: Connection) => void | Promise<void>,
): Promise<Problem | undefined> {
  let connection: Connection | undefined;
  try {
    connection = new Connection(path, 'read');
    await check(connection);
    return undefined;
  } catch (thrown) {
    return problemIn(explained(thrown, folder));
  } finally {
    connection?.close();
  }
}

export function problemIn(error: unknown): Problem {
  if (!(error instanceof StopError)) return { bug: messageOf(error) };
  const { code, message, next } = error;
  return { code, message, next };
}

export const errorOf = (problem: Problem): Error =>
  'bug' in problem ? new Error(problem.bug) : new StopError(problem);

/** @throws StopError, or the bug that it is. */
export function refuse(problem: Problem | undefined): void {
  if (problem !== undefined) throw errorOf(problem);
}
