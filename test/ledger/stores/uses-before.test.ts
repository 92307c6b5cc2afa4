/**
 * Goal: what a row of an earlier layout rested on, and what it waited for, it rests on and waits for in the copy.
 * Method: what the real programs of these layouts left, with one row that waits, is copied in its place; what the rows said of
 * themselves is compared with the table that says so since.
 */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { copyInPlace, placeWith } from './earlier/places.ts';

/** Ends of its list, behind all rows of it. */
const WAITING = `INSERT INTO rows (batch, row, state, attempt, others)
  SELECT b.id, 99, 'in_doubt', NULL, '[' || min(a.id) || ',' || max(a.id) || ']' FROM attempts a, batches b GROUP BY b.id`;

interface RowBefore {
  readonly batch: string;
  readonly row: number;
  readonly attempt: number | null;
  readonly others: string | null;
  readonly fills: string | null;
}

const listOf = (text: string | null): readonly number[] => JSON.parse(text ?? '[]');

test.each([6, 7, 8])('in a copy of layout %i a row rests on what it rested on', async (layout) => {
  const place = await placeWith('folder', `layout-${layout}/`);
  const left = new Database(join(place.location, 'ledger.db'));
  left.exec(WAITING);
  const before = left
    .prepare<[], RowBefore>(
      'SELECT batch, row, attempt, others, fills FROM rows WHERE others IS NOT NULL OR fills IS NOT NULL ORDER BY batch, row',
    )
    .all();
  left.close();
  await copyInPlace(place);
  const used = before.flatMap(({ batch, row, attempt, others, fills }) =>
    [...listOf(others), ...(attempt === null ? [] : [attempt])].map((id, nth) => ({
      ...{ batch, row, nth, attempt: id },
      is_filling: listOf(fills).includes(id) ? 1 : 0,
      waits: row === 99 && nth === 1 ? 1 : 0,
    })),
  );
  expect(new Set(used.map(({ is_filling, waits }) => is_filling + 2 * waits))).toEqual(new Set([0, 1, 2]));
  expect(await place.query('SELECT * FROM uses ORDER BY batch, row, nth')).toEqual(used);
  const filled = before.filter(({ fills }) => fills !== null).map(({ batch, row }) => ({ batch, row }));
  const has = 'SELECT batch, row FROM rows WHERE has_fills = 1 ORDER BY batch, row';
  expect(await place.query(has)).toEqual(filled);
});
