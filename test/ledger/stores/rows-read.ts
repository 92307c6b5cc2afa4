import { onTestFinished, vi } from 'vitest';
import { Connection } from '../../../src/ledger/stores/sqlite/connection.ts';

/** Counts the rows of batches that this process itself reads with their answers, until the test ends. */
export function rowsRead(): () => number {
  const { lists } = Connection.prototype;
  let read = 0;
  const spy = vi.spyOn(Connection.prototype, 'lists').mockImplementation(function <Row>(
    this: Connection,
    ...[sql, ...values]: Parameters<Connection['lists']>
  ) {
    const found = lists.call(this, sql, ...values) as Row[];
    if (sql.includes('FROM rows w')) read += found.length;
    return found;
  });
  onTestFinished(() => spy.mockRestore());
  return () => read;
}
