import { systemClock } from '../../core/clock.ts';
import { stop } from '../../core/errors.ts';
import type { MatchDecision } from '../../ledger/ledger.ts';
import { commandLine } from '../../lib/command-line.ts';
import { otherAnswers } from '../../run/matches.ts';
import { closedAfter, type FoundBatch, openLedger } from '../../run/open-ledger.ts';

/**
 * Keeps what a person decides about answers that are about another company or person. Nothing is asked or
 * paid for it.
 * @param row as the user typed it; left out: all such rows that no one has decided about.
 * @returns how many rows it is about.
 * @throws StopError `usage` for a row whose answer is not about another company or person.
 */
export async function decideMatches(
  { batch, location }: FoundBatch,
  row: string | undefined,
  kind: MatchDecision['kind'],
  operator: string | undefined,
): Promise<number> {
  const command = `settle ${batch.id}`;
  return closedAfter(
    openLedger(location, { clock: systemClock, waitForLockMs: 0, operator, command }),
    async (ledger) => {
      const all = await otherAnswers(ledger, batch, row);
      if (row !== undefined && all.length === 0) {
        const fact = `Nothing says that the answer of row ${row} of batch ${batch.id} is about another company or person.`;
        throw stop('usage', fact, 'See which rows are.', commandLine(['settle', batch.id]));
      }
      const meant = row === undefined ? all.filter(({ match }) => match.decision === undefined) : all;
      const decided = meant.map(({ record, match }) => ({ row: record.row, kind, about: match.about }));
      await ledger.decideMatches(batch.id, decided, systemClock.wallMs());
      return decided.length;
    },
  );
}
