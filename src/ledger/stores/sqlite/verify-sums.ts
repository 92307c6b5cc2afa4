import { messageOf } from '../../../core/errors.ts';
import { askThread, inThread } from '../../../lib/threads.ts';
import type { Connection } from './connection.ts';
import { isSmall } from './integrity.ts';
import { missingTables } from './later-tables.ts';
import { checkTables } from './table-sums.ts';
import { REPLIES_TABLE, SHORT_TABLES } from './tables.ts';
import { type Problem, problemOf } from './verify-problem.ts';

const TASK = 'the sums of the ledger';

interface Task {
  readonly path: string;
  readonly folder: string;
  readonly withReplies: boolean;
}

/** Compares every row with its sum. @throws AlteredRow. */
export function checkSums(connection: Connection, withReplies: boolean): void {
  const missing = missingTables(connection);
  for (const table of SHORT_TABLES) if (!missing.includes(table.name)) table.checkAll(connection);
  REPLIES_TABLE.checkAll(connection, withReplies);
  checkTables(connection);
}

/**
 * The same in a thread of its own, because it takes as long as all that is added up: with two cores a killed ledger is checked in
 * two thirds of the time. Undefined where the ledger is small, or the system gives no further thread. It never rejects.
 */
export function checkSumsBeside(task: Task): Promise<Problem | undefined> | undefined {
  if (isSmall(task.path)) return undefined;
  return askThread<Problem | undefined>(import.meta.url, TASK, task)?.catch((error: unknown) => ({
    bug: messageOf(error),
  }));
}

inThread(TASK, (task: Task) => problemOf(task, (connection) => checkSums(connection, task.withReplies)));
