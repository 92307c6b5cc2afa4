import { dialectMark } from '../../client/dialect.ts';
import type { ReadAgain } from '../../client/kept-answers.ts';
import { addReading } from '../../ledger/ledger.ts';
import type { Session } from '../session.ts';
import { shownPrice } from './price.ts';

/**
 * Adds today's reading of a kept answer to the ledger, before the answer is used. If its price is higher by that, the
 * difference counts as spent from now on; if it is lower, nothing is given back. After a crash before the commit, the next
 * run reads the answer again.
 */
export async function keepReading(
  { ledger, clock, client: { dialect } }: Session,
  { record: { attempt }, judged }: ReadAgain,
): Promise<void> {
  const said = { ...judged, ...shownPrice(judged, dialect) };
  await addReading(ledger, { ...said, attempt, dialect: dialectMark(dialect), atMs: clock.wallMs() });
}
