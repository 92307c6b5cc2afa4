import { isDeepStrictEqual } from 'node:util';
import { stop } from '../../../core/errors.ts';
import { accountsPath } from '../../../core/paths.ts';
import { commandLine } from '../../../lib/command-line.ts';
import { type AccountTerms, credits, SHARE_HOLDS_MS, type Spenders, termsWords } from '../../ledger.ts';
import type { Sql } from './connection.ts';
import { present, type Session } from './session.ts';
import type { AtWork } from './spenders.ts';

/** The limits and budgets of accounts, which are the ledger's: what the accounts file of one host says does not hold for the others. */

export const terms = ({ database }: Session) =>
  ({
    async agreeOn({ identity, name }, said) {
      const held = (await heldIn(database, identity)) ?? (await begin(database, identity, said));
      if (isDeepStrictEqual(held, said)) return;
      throw stop(
        'account',
        `Account ${name} has ${termsWords(held)} in the ledger at ${database.shown}, but ${termsWords(said)} in ${accountsPath()}.`,
        `Correct the file, or make it hold for all hosts: ${commandLine(['store', 'caps', database.shown])}`,
      );
    },
    async holdTo({ identity, name }, said) {
      const held = await heldIn(database, identity);
      if (held === undefined || isDeepStrictEqual(held, said)) return held;
      const worker = await database.row<AtWork>(ASKING, [identity]);
      if (worker !== undefined && !isDeepStrictEqual(held.windows, said.windows))
        throw stop(
          'busy',
          `Process ${worker.pid} on ${worker.host}, "${worker.command}", uses the earlier limits of account ${name}.`,
          'Let it end, then run the same command again.',
        );
      await database.rows(HOLD, valuesOf(identity, said));
      return held;
    },
  }) satisfies Partial<Spenders>;

interface Row {
  readonly windows: AccountTerms['windows'];
  readonly perDay: number | null;
  readonly perMonth: number | null;
}

const HELD = `SELECT limits AS windows, per_day AS "perDay", per_month AS "perMonth" FROM accounts WHERE identity = $1 AND limits IS NOT NULL`;

/** Undefined for an account that nobody has used here. */
async function heldIn(sql: Sql, identity: string): Promise<AccountTerms | undefined> {
  const found = await sql.row<Row>(HELD, [identity]);
  if (found === undefined) return undefined;
  const { windows, perDay, perMonth } = found;
  const caps = present({ perDay: perDay && credits(perDay), perMonth: perMonth && credits(perMonth) });
  return { windows, caps: caps as AccountTerms['caps'] };
}

/** Of two who are the first at once, one is. */
async function begin(sql: Sql, identity: string, said: AccountTerms): Promise<AccountTerms> {
  await sql.rows(BEGIN, valuesOf(identity, said));
  return (await heldIn(sql, identity)) ?? said;
}

const valuesOf = (identity: string, { windows, caps }: AccountTerms): readonly unknown[] => [
  identity,
  JSON.stringify(windows),
  caps.perDay,
  caps.perMonth,
];

const BEGIN = `
INSERT INTO accounts AS a (identity, limits, per_day, per_month) VALUES ($1, $2, $3, $4)
ON CONFLICT (identity) DO UPDATE SET (limits, per_day, per_month) = ($2, $3, $4) WHERE a.limits IS NULL`;

const HOLD = 'UPDATE accounts SET (limits, per_day, per_month) = ($2, $3, $4) WHERE identity = $1';

/** Who sends by a share of the account, or did a moment ago. */
const ASKING = `
SELECT w.host, w.pid, w.command FROM shares s JOIN workers w ON w.id = s.worker
 WHERE s.account = $1 AND s.seen > clock() - ms(${SHARE_HOLDS_MS}) LIMIT 1`;
