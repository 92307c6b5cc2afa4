import type { Agreement, Ledger } from '../../ledger.ts';
import { json, type Session, wholeMs } from './session.ts';

/** To which requests of others a person agreed. */

export const consents = ({ database }: Session) =>
  ({
    agreement: (sha256) =>
      database.row<Agreement>(
        'SELECT sha256, shown, agreed_at AS "agreedAtMs" FROM agreements WHERE sha256 = $1',
        [sha256],
      ),
    async noteAgreement({ sha256, shown, agreedAtMs }) {
      const sql =
        'INSERT INTO agreements (sha256, shown, agreed_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING';
      await database.rows(sql, [sha256, json(shown), wholeMs(agreedAtMs)]);
    },
  }) satisfies Partial<Ledger>;
