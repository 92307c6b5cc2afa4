import { dialectMark, type ReadAgain } from '../../vendor/readings.ts';
import type { Session } from '../session.ts';
import { priced } from './price.ts';

/**
 * Adds what a kept answer means today to the ledger, before it is used. What it costs more by that is spent from then on;
 * what it costs less is not given back. A crash before the commit leaves an answer that the next run reads again.
 */
export async function keepReading(
  { ledger, clock, client: { dialect } }: Session,
  { record: { attempt }, judged }: ReadAgain,
): Promise<void> {
  const closure = priced(judged, dialect);
  if (closure.kind !== 'settled') return;
  const { kind: _, ...said } = closure;
  await ledger.addReading({ ...said, attempt, dialect: dialectMark(dialect), atMs: clock.wallMs() });
}
