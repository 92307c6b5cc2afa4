import type { BelievedTime } from '../../ledger/believed-time.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Dialect } from '../../vendor/dialect.ts';
import { dialectMark, type ReadAgain } from '../../vendor/readings.ts';
import { priced } from './price.ts';

/** What of the spending of a run a reading is kept with. */
interface Keeping {
  readonly ledger: Ledger;
  readonly dialect: Dialect;
  readonly clock: Pick<BelievedTime, 'wallMs'>;
}

/**
 * Adds what a kept answer means today to the ledger, before it is used. What it costs more by that is spent from then on;
 * what it costs less is not given back. A crash before the commit leaves an answer that the next run reads again.
 */
export async function keepReading(
  { ledger, dialect, clock }: Keeping,
  { record: { attempt }, judged }: ReadAgain,
): Promise<void> {
  const closure = priced(judged, dialect);
  if (closure.kind !== 'settled') return;
  const { kind: _, ...said } = closure;
  await ledger.addReading({ ...said, attempt, dialect: dialectMark(dialect), atMs: clock.wallMs() });
}
