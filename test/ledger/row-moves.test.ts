import { describe, expect, test } from 'vitest';
import { ROW_MOVES, type RowState } from '../../src/ledger/schema.ts';
import { DATABASES, type Tables } from './plain.ts';

/**
 * Goal: a row moves as the design says, and a final outcome stays as it is, whatever the code does.
 * Method: the list is written down once more, by hand; each move of a row is then tried in SQL.
 */

const STATES = 'pending in_doubt matched no_match applied unchanged invalid refused skipped'.split(
  ' ',
) as RowState[];

/** From which to which: `x`. In the order of the states above. */
const LIST: Readonly<Record<RowState, string>> = {
  //           p d m n a u i r s
  pending: '   . x x x x x x x x',
  in_doubt: '  x . x x x . . x x',
  matched: '   x x . . . . . . .',
  no_match: '  x x . . . . . . .',
  applied: '   . x . . . . . . .',
  unchanged: ' . . . . . . . . .',
  invalid: '   . . . . . . . . .',
  refused: '   x x . . . . . . .',
  skipped: '   . x . . . . . . .',
};

const mayMove = (from: RowState, to: RowState): boolean =>
  LIST[from].trim().split(' ')[STATES.indexOf(to)] === 'x';

const BATCH = '0000000b';

/** Rows of one batch, each of which is moved once. */
async function rowsIn(open: () => Promise<Tables>) {
  const tables = await open();
  await tables.batch(BATCH);
  let newest = 9;
  return {
    tables,
    async rowThatIs(state: RowState): Promise<number> {
      newest += 1;
      const sql = 'INSERT INTO rows (batch, row, state) VALUES (?, ?, ?)';
      await tables.transaction((inside) => inside.rows(sql, [BATCH, newest, state]));
      return newest;
    },
    set: (row: number, what: string) =>
      tables.transaction((inside) =>
        inside.rows(`UPDATE rows SET ${what} WHERE batch = ? AND row = ?`, [BATCH, row]),
      ),
  };
}

const REFUSAL = 'money rule: a row moves as the protocol says, and a final outcome stays as it is';

test('the program goes by the same list as the database', () => {
  for (const from of STATES)
    expect([...ROW_MOVES[from]].sort(), from).toEqual(STATES.filter((to) => mayMove(from, to)).sort());
});

describe.each(DATABASES)('on %s', (_, open) => {
  const openRows = () => rowsIn(open);

  test('each move that the list has is made, and every other one is refused', async () => {
    const { set, rowThatIs } = await openRows();
    for (const from of STATES)
      for (const to of STATES.filter((state) => state !== from)) {
        const moved = set(await rowThatIs(from), `state = '${to}'`);
        const move = `from ${from} to ${to}`;
        if (mayMove(from, to)) await expect(moved, move).resolves.toEqual([]);
        else await expect(moved, move).rejects.toThrow(REFUSAL);
      }
  });

  test('what a final outcome rests on stays, and is erased from where it was said', async () => {
    const { set, rowThatIs, tables } = await openRows();
    const [one, two] = [await tables.bought(BATCH, 'one'), await tables.bought(BATCH, 'two')];
    const row = await rowThatIs('pending');
    await set(row, `state = 'matched', matched_by = 'abn', attempt = ${one}, reason = 'for Kim'`);
    await expect(set(row, `attempt = ${two}`)).rejects.toThrow(REFUSAL);
    await expect(set(row, `matched_by = 'name'`)).rejects.toThrow(REFUSAL);
    await expect(set(row, 'row = 99')).rejects.toThrow(REFUSAL);
    await set(row, `reason = 'erased on 2026-11-20'`);
    const deleted = tables.transaction((sql) => sql.rows('DELETE FROM rows WHERE batch = ?', [BATCH]));
    await expect(deleted).rejects.toThrow('money rule: nothing is deleted');
  });
});
