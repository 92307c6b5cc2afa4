import { expect, test } from 'vitest';
import { ROW_MOVES, type RowState } from '../../src/ledger/schema.ts';
import { DATABASES } from './plain.ts';

/**
 * Goal: a row moves as the design says, and a final outcome stays as it is, whatever the code does.
 * Method: the list is written down once more, by hand, in `docs/internals/ledger.md`, which `page.test.ts` holds against it; each move
 * of a row is then tried in SQL.
 */

const STATES = Object.keys(ROW_MOVES) as RowState[];
const BATCH = '0000000b';
const REFUSAL = 'money rule: a row moves as the protocol says, and a final outcome stays as it is';

test.each(DATABASES)(
  'each move that the list has is made, and every other one is refused, as is what else an outcome rests on, on %s',
  async (_, open) => {
    const tables = await open();
    await tables.batch(BATCH);
    let newest = 9;
    const rowThatIs = async (state: RowState): Promise<number> => {
      newest += 1;
      const sql = 'INSERT INTO rows (batch, row, state) VALUES (?, ?, ?)';
      await tables.transaction((inside) => inside.rows(sql, [BATCH, newest, state]));
      return newest;
    };
    const set = (row: number, what: string) =>
      tables.transaction((inside) =>
        inside.rows(`UPDATE rows SET ${what} WHERE batch = ? AND row = ?`, [BATCH, row]),
      );
    for (const from of STATES)
      for (const to of STATES.filter((state) => state !== from)) {
        const moved = set(await rowThatIs(from), `state = '${to}'`);
        const move = `from ${from} to ${to}`;
        if ((ROW_MOVES[from] as readonly RowState[]).includes(to))
          await expect(moved, move).resolves.toEqual([]);
        else await expect(moved, move).rejects.toThrow(REFUSAL);
      }
    const [one, two] = [await tables.bought(BATCH, 'one'), await tables.bought(BATCH, 'two')];
    const row = await rowThatIs('pending');
    await set(row, `state = 'matched', matched_by = 'abn', attempt = ${one}, reason = 'for Kim'`);
    for (const other of [`attempt = ${two}`, `matched_by = 'name'`, 'row = 99'])
      await expect(set(row, other)).rejects.toThrow(REFUSAL);
    await set(row, `reason = 'erased on 2026-11-20'`);
    const deleted = tables.transaction((sql) => sql.rows('DELETE FROM rows WHERE batch = ?', [BATCH]));
    await expect(deleted).rejects.toThrow('money rule: nothing is deleted');
  },
);
