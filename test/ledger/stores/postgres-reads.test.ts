import { expect } from 'vitest';
import type { BatchId, CallEntry, Ledger } from '../../../src/ledger/ledger.ts';
import { credits } from '../../../src/ledger/ledger.ts';
import type { Database } from '../../../src/ledger/stores/postgres/connection.ts';
import { proof } from '../../combinations.ts';
import { ACCOUNT, batchNamed, intentOf, keyNamed, MATCHED, NOON_MS, replyWith } from './book.ts';
import { type Workplace, workplace } from './postgres-workers.ts';

// Goal: what a row reads does not grow with the ledger, also by statements that were planned when it was young. Method: the server's own
// counts of what it read, for a young ledger and for one that grows to several times its size.

const ROWS_AT_ONCE = 20;
const YOUNG_ROWS = 200;
const MORE_ROWS = 1_600;

/** One in each group was not found, which a worker hears of by its beats. */
const FOUND = { kind: 'answered', answer: 'found', charged: credits(1), why: 'x' } as const;
const MISSED = { kind: 'answered', answer: 'no_match', charged: credits(0), why: 'x' } as const;

/** Buys rows as workers do, and looks at them as another row does that asks the same. */
async function buyRows(ledger: Ledger, batch: BatchId, fromRow: number): Promise<void> {
  const rows = Array.from({ length: ROWS_AT_ONCE }, (_, at) => fromRow + at);
  const words = rows.map((row) => `word-${row}`);
  const cells = { domain: 'acme.example' };
  await ledger.listed?.keepListed(
    batch,
    rows.map((row) => ({ row, input: 1, cells })),
  );
  const admissions = await ledger.append(
    rows.map((row, at): CallEntry => ({ kind: 'intent', intent: intentOf(batch, words[at] ?? '', { row }) })),
  );
  const attempts = admissions.map((each) => {
    if (each.kind !== 'admitted') throw new Error(`it was not admitted: ${each.kind}`);
    return each.attempt;
  });
  const isMiss = (at: number): boolean => at === 0;
  await ledger.append(
    attempts.map((attempt, at): CallEntry => {
      return { kind: 'reply', attempt, reply: replyWith('x', isMiss(at) ? 404 : 200) };
    }),
  );
  await ledger.append(
    attempts.map((attempt, at): CallEntry => {
      return { kind: 'end', attempt, closure: isMiss(at) ? MISSED : FOUND, atMs: NOON_MS };
    }),
  );
  await Promise.all(words.map((word) => ledger.find([keyNamed(word)], { batch })));
  await ledger.attempts(attempts);
  await ledger.finishRows(
    rows.map((row, at) => ({ batch, row, outcome: MATCHED, answers: attempts.slice(at, at + 1) })),
  );
  await ledger.openAttempts();
  const said = { account: ACCOUNT, quotas: [], wants: true, inFlight: 0, sends: 0, batches: [batch] };
  await ledger.spenders?.beat({ accounts: [said] });
}

const READ = `
SELECT (SELECT sum(seq_tup_read) FROM pg_stat_user_tables) + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes) AS entries`;

/** What a worker reads for each of these rows. Its server has counted all of it when its connections are closed. */
async function readFor(place: Workplace, from: number, rows: number): Promise<number> {
  const before = await entriesRead(place.database);
  const ledger = await place.worker();
  const batch = await batchNamed(ledger, 'a');
  for (let row = from; row < from + rows; row += ROWS_AT_ONCE) await buyRows(ledger, batch, row);
  await ledger.close();
  await expect.poll(() => connectionsTo(place)).toBe(1);
  return ((await entriesRead(place.database)) - before) / rows;
}

const entriesRead = async (database: Database): Promise<number> =>
  (await database.row<{ entries: number }>(READ))?.entries ?? 0;

const connectionsTo = async ({ database }: Workplace): Promise<number | undefined> =>
  (
    await database.row<{ count: number }>(
      "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'rowonce' AND datname = current_database()",
    )
  )?.count;

proof('what a row reads does not grow with the ledger', async () => {
  const place = await workplace();
  const young = await readFor(place, 2, YOUNG_ROWS);
  const grown = await readFor(place, 2 + YOUNG_ROWS, MORE_ROWS);
  expect(grown).toBeLessThan(1.5 * young);
});
