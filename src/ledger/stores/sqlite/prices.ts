import { type AttemptId, type Credits, credits, type Intent, type LedgerReader } from '../../ledger.ts';
import { AlteredRow, type Connection, type Reads } from './connection.ts';
import { type KeptCall, knownAccount } from './entries.ts';
import { checkedRows } from './lookups.ts';
import { sendingAgain } from './money.ts';
import { PRICES_TABLE } from './tables.ts';

/** The highest price that answers have shown, by account and operation, for each `credits_max` of jobs separately. */

/** The value of `credits_max` for a job that gave none. */
const NONE = -1;

/** For what a price is kept. `credits_max` is that of the job, as it stood when the call was first made. */
export interface Priced {
  readonly account: number;
  readonly operation: string;
  readonly credits_max: number;
}

export const PRICE_READS = {
  price(connection, accountIdentity, { operation, creditsMost = NONE }) {
    const account = knownAccount(connection, accountIdentity);
    if (account === undefined) return undefined;
    return highest(connection, { account, operation, credits_max: creditsMost });
  },
} satisfies Partial<Reads<LedgerReader>>;

function highest(connection: Connection, priced: Priced): Credits | undefined {
  return connection.once(nameOf(priced), () => {
    const { account, operation, credits_max } = priced;
    const where = 'account = +? AND operation = +? AND credits_max = +?';
    const [row] = checkedRows(connection, PRICES_TABLE, where, account, operation, credits_max);
    return row && credits(row.highest);
  });
}

const nameOf = ({ account, operation, credits_max }: Priced): string =>
  `price ${account} ${credits_max} ${operation}`;

/** What the price of a call is kept for. @param kept the call in the tables, when it is there. */
export function pricedAs(account: number, { call }: Intent, kept: KeptCall | undefined): Priced {
  const most = kept === undefined ? call.creditsMost : kept.most;
  return { account, operation: call.operation, credits_max: most ?? NONE };
}

/**
 * What an attempt has to reserve: the requested amount, and at least the highest price known. A lost request that is
 * sent again byte for byte is charged once at most, and the lost attempt holds the money for that.
 */
export function reserveFor(connection: Connection, intent: Intent, priced: Priced): Credits {
  const { decision } = intent;
  const isRepeat = decision !== undefined && sendingAgain(connection, decision) === 'repeat';
  if (intent.request !== undefined && isRepeat) return intent.reserve;
  return credits(Math.max(intent.reserve, highest(connection, priced) ?? 0));
}

/** Keeps the price. This follows the closure of an attempt whose answer showed what it cost. */
export function keepPrice(connection: Connection, priced: Priced, charged: Credits): void {
  if (charged <= (highest(connection, priced) ?? -1)) return;
  PRICES_TABLE.insert(connection, { ...priced, highest: charged });
  connection.remember(nameOf(priced), charged);
}

export function pricedBy(connection: Connection, attempt: AttemptId): Priced {
  const priced = connection.get<Priced>(
    `SELECT c.account, c.operation, coalesce(c.credits_most, ${NONE}) AS credits_max
       FROM attempts a JOIN calls c ON c.id = a.call WHERE a.id = ?`,
    attempt,
  );
  if (priced === undefined) throw new AlteredRow(`attempt ${attempt} is missing`);
  return priced;
}
