import { expect, test } from 'vitest';
import { finding } from '../../src/core/finding.ts';
import { keptFindings } from '../../src/core/findings.ts';
import { eachOf } from '../../src/ledger/db.ts';
import type { AttemptId, BatchId } from '../../src/ledger/ledger.ts';
import { filledOf, rowOf } from '../../src/ledger/rows.ts';
import { moveRows, resumeForRetry } from '../../src/ledger/transitions.ts';
import { said } from '../support/told.ts';
import { answer, doubt, reply, sqliteTables, uncharged } from './plain.ts';

/**
 * Goal: a row moves in the commit of what it rests on, whoever decides or answers, and however its batch stands by then.
 * Method: attempts are lost, decided about and answered in the tables of a ledger; after each commit the states of the rows are read.
 */

const [ONE, TWO] = ['0000000a' as BatchId, '0000000b' as BatchId];

async function opened() {
  const tables = await sqliteTables();
  for (const batch of [ONE, TWO]) await tables.batch(batch);
  const keptRow = (batch: string, row: number) =>
    tables.one<{ state: string; findings: string }>(
      'SELECT state, findings FROM rows WHERE batch = ? AND row = ?',
      [batch, row],
    );
  return {
    tables,
    states: () => tables.db.rows('SELECT batch, row, state, attempt FROM rows ORDER BY batch, row'),
    stateOf: async (batch: string, row = 2) => (await keptRow(batch, row))?.state,
    /** A row of another batch that waits for the same attempt. */
    rests: (batch: string, attempt: number) =>
      tables.write({
        rows: [
          {
            batch,
            row: 2,
            state: 'in_doubt',
            matched_by: null,
            findings: keptFindings(said('lost')),
            attempt,
            has_fills: 0,
            uses: [],
          },
        ],
      }),
    retry: async (attempt: number, batch: BatchId) => {
      const decision = await tables.decide(attempt, batch);
      await tables.transaction((sql) => eachOf(sql, resumeForRetry, [{ batch, attempt }]));
      return tables.ask(batch, 'x', { kind: 'retry', prior: attempt, decision });
    },
  };
}

test('rows wait by a retry: those of its batch wait, and those of another one follow it until it is answered', async () => {
  const { tables, states, rests, retry } = await opened();
  const attempt = await tables.lost(ONE, 'x');
  await rests(TWO, attempt);
  const { attempt: again } = await retry(attempt, ONE);
  expect(await states()).toEqual([
    { batch: ONE, row: 2, state: 'pending', attempt },
    { batch: TWO, row: 2, state: 'in_doubt', attempt: again },
  ]);
  await tables.write({ replies: [reply(again)], ends: [answer(again)] });
  expect((await states()).map((each) => (each as { state: string }).state)).toEqual(['pending', 'pending']);
});

test.each(['it did not happen', 'it was never sent'])(
  'a retry about which it is said that %s: the first call is in doubt as before',
  async (what) => {
    const { tables, states, rests, retry } = await opened();
    const attempt = await tables.lost(ONE, 'x');
    await rests(TWO, attempt);
    const { attempt: again } = await retry(attempt, ONE);
    if (what === 'it was never sent') await tables.write({ ends: [uncharged(again)] });
    else {
      await tables.write({ ends: [doubt(again)] });
      await tables.release(again);
    }
    expect((await states()).at(-1)).toEqual({ batch: TWO, row: 2, state: 'in_doubt', attempt });
  },
);

test.each([
  ['answered', 'refused'],
  ['not sent', 'in_doubt'],
  ['not sent, and what was lost was not done', 'pending'],
  ['told by a person', 'refused'],
] as const)(
  'such a row follows the other to what was sent again in its place, and that is %s: it is %s',
  async (end, stands) => {
    const { tables, stateOf } = await opened();
    const change = { project: 'p', subject: 'jo@example.com', after: 0 };
    const { attempt } = await tables.ask(ONE, 'x', change);
    await tables.write({ ends: [doubt(attempt)] });
    const outcome = { kind: 'in_doubt', findings: said('waits') } as const;
    const waits = { batch: TWO, row: 3, outcome, answers: [], waitsFor: attempt as AttemptId };
    await tables.write({ rows: [rowOf(waits)] });
    const decision = await tables.decide(attempt, ONE);
    const { attempt: again } = await tables.ask(ONE, 'x', {
      ...change,
      kind: 'retry',
      prior: attempt,
      decision,
    });
    if (end === 'answered') await tables.write({ replies: [reply(again)], ends: [answer(again)] });
    else if (end === 'told by a person') {
      await tables.write({ ends: [doubt(again)] });
      await tables.tell(again);
    } else await tables.write({ ends: [uncharged(again)] });
    if (stands === 'pending') await tables.release(attempt);
    expect(await stateOf(TWO, 3)).toBe(stands);
  },
);

test('what a run says of a doubt does not undo what a person has decided about it meanwhile', async () => {
  const { tables, stateOf, rests } = await opened();
  const attempt = await tables.lost(ONE, 'x');
  await tables.transaction((sql) =>
    moveRows(
      sql,
      { batch: ONE, attempt },
      ['pending', 'in_doubt'],
      'skipped',
      finding('left_out_by_user', {}),
    ),
  );
  await rests(ONE, attempt);
  expect(await stateOf(ONE)).toBe('skipped');
});

test('an end of a row that is not kept leaves what the row rests on', async () => {
  const { tables } = await opened();
  const [one, two] = [await tables.bought(ONE, 'one'), await tables.bought(ONE, 'two')];
  const attempt = await tables.lost(ONE, 'x');
  const doubt = { batch: ONE, row: 2, outcome: { kind: 'in_doubt', findings: said('lost') } } as const;
  const ids = (...all: readonly number[]) => all as AttemptId[];
  const rests = () => tables.db.rows('SELECT attempt FROM uses ORDER BY nth');
  await tables.write({ rows: [rowOf({ ...doubt, answers: ids(one, attempt) })] });
  const skipped = { batch: ONE, attempt };
  await tables.transaction((sql) =>
    moveRows(sql, skipped, ['in_doubt'], 'skipped', finding('left_out_by_user', {})),
  );
  await tables.write({ rows: [rowOf({ ...doubt, answers: ids(two, attempt) })] });
  const shown = { batch: ONE, row: 2, answers: ids(two), fills: ids(two) };
  await tables.write({ fills: [filledOf(shown)] });
  expect(await rests()).toEqual([{ attempt: one }, { attempt }]);
});
