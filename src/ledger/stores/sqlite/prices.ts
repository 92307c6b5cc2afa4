import { type Credits, credits, type Intent, type LedgerReader } from '../../ledger.ts';
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
  readonly name: string;
}

let newest: Priced = { account: 0, operation: '', credits_max: NONE, name: '' };

/** Thousands of calls that follow each other have one price, and share what says for what it is kept. */
function pricedOf(account: number, operation: string, credits_max: number): Priced {
  const isNewest =
    newest.account === account && newest.operation === operation && newest.credits_max === credits_max;
  if (!isNewest)
    newest = { account, operation, credits_max, name: `price ${account} ${credits_max} ${operation}` };
  return newest;
}

export const PRICE_READS = {
  price(connection, accountIdentity, { operation, creditsMost = NONE }) {
    const account = knownAccount(connection, accountIdentity);
    if (account === undefined) return undefined;
    return highest(connection, pricedOf(account, operation, creditsMost));
  },
} satisfies Partial<Reads<LedgerReader>>;

function highest(connection: Connection, priced: Priced): Credits | undefined {
  return (
    connection.known<Credits>(priced.name) ?? connection.once(priced.name, () => read(connection, priced))
  );
}

function read(connection: Connection, { account, operation, credits_max }: Priced): Credits | undefined {
  const where = 'account = +? AND operation = +? AND credits_max = +?';
  const [row] = checkedRows(connection, PRICES_TABLE, where, account, operation, credits_max);
  return row && credits(row.highest);
}

export function pricedAs(account: number, { call }: Intent, kept: KeptCall | undefined): Priced {
  const most = kept === undefined ? call.creditsMost : kept.most;
  return pricedOf(account, call.operation, most ?? NONE);
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
  connection.remember(priced.name, charged);
}

export function pricedBy(connection: Connection, attempt: number): Priced {
  const priced = connection.get<Omit<Priced, 'name'>>(
    `SELECT c.account, c.operation, coalesce(c.credits_most, ${NONE}) AS credits_max
       FROM attempts a JOIN calls c ON c.id = a.call WHERE a.id = ?`,
    attempt,
  );
  if (priced === undefined) throw new AlteredRow(`attempt ${attempt} is missing`);
  return pricedOf(priced.account, priced.operation, priced.credits_max);
}
