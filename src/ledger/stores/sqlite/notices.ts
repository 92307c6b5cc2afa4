import type { Notice } from '../../ledger.ts';
import type { Connection } from './connection.ts';
import { checkedRows } from './lookups.ts';
import { NOTICES_TABLE, wholeMs } from './tables.ts';

/** What jobs tell outside, and when it was received. */

export function insertNotice(connection: Connection, { id, kind, target, body, atMs }: Notice): void {
  if (checkedRows(connection, NOTICES_TABLE, 'id = ?', id).length > 0) return;
  NOTICES_TABLE.insert(connection, { id, kind, target, body, at: wholeMs(atMs) });
}

export function waitingNotices(connection: Connection): readonly Notice[] {
  return checkedRows(connection, NOTICES_TABLE, 'sent_at IS NULL ORDER BY at, id').map(
    ({ id, kind, target, body, at }) => ({ id, kind: kind as Notice['kind'], target, body, atMs: at }),
  );
}

export function noteNoticeSent(connection: Connection, id: string, atMs: number): void {
  connection.run('UPDATE notices SET sent_at = ? WHERE id = ? AND sent_at IS NULL', wholeMs(atMs), id);
}
