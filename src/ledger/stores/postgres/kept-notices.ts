import type { Ledger, Notice } from '../../ledger.ts';
import { type Session, wholeMs } from './session.ts';

/** What jobs tell outside, and when it was received. Two who work may send one at the same time: it has an id for that. */

export const notices = ({ database }: Pick<Session, 'database'>) =>
  ({
    notices: {
      async keep({ id, kind, target, body, atMs }) {
        await database.rows(KEEP, [id, kind, target, body, wholeMs(atMs)]);
      },
      waiting: () => database.rows<Notice>(WAITING),
      async noteSent(id, atMs) {
        await database.rows(SENT, [wholeMs(atMs), id]);
      },
    },
  }) satisfies Partial<Ledger>;

const KEEP =
  'INSERT INTO notices (id, kind, target, body, at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING';
const WAITING = `SELECT id, kind, target, body, at AS "atMs" FROM notices WHERE sent_at IS NULL ORDER BY at, id`;
const SENT = 'UPDATE notices SET sent_at = $1 WHERE id = $2 AND sent_at IS NULL';
