/**
 * Goal: a bad row in a list costs nothing but itself. All other rows are bought once, and the bad one comes back as it was with
 * the reason.
 * Method: the real command before the sandbox as a vendor, which counts what reached it; lists with rows of too many cells
 * and with stray quotes.
 */

import { describe, expect, test } from 'vitest';
import { openDesk } from './desk.ts';

const RUN = ['run', 'enrich-company', 'list.csv', '--budget', '99', '-o', 'out.csv'] as const;

const GOOD = ['a.example', 'b.example', 'c.example'];

/** Rows 2, 4 and 6 are good; row 3 has an unquoted comma, row 5 goes on behind a quote that closes a cell. */
const LIST =
  'Domain,Name,Note\na.example,A,\nx.example,Smith, John,x\nb.example,"B\nB",n\ny.example,"5" pipe,\nc.example,C,\n';

const TOO_MANY = 'line 3 cannot be read: 4 cells, but the header has 3 columns';
const STRAY = 'line 6 cannot be read: a cell in quotes begins here and continues after its closing quote';

describe('a list with bad rows', () => {
  test('a list with bad rows is bought but for them, and each comes back as it was with what is wrong', async () => {
    const desk = await openDesk();
    await desk.write('list.csv', LIST);
    const plan = await desk.json(['plan', 'enrich-company', 'list.csv']);
    expect(plan).toMatchObject({ rows: 5, invalid: 2, to_buy: 3 });
    expect(plan.reasons).toMatchObject([
      { reason: TOO_MANY, count: 1, first_rows: [3] },
      { reason: STRAY, count: 1, first_rows: [5] },
    ]);
    expect(await desk.type(RUN)).toMatchObject({ code: 3 });
    expect(await desk.requests()).toBe(GOOD.length);
    const output = await desk.read('out.csv');
    const width = (output.split('\n')[0]?.split(',').length ?? 0) - 3 - 7;
    const blanks = ','.repeat(width);
    expect(output).toContain(`\nx.example,Smith, John${blanks},invalid,"${TOO_MANY}",,,0,,,x\n`);
    expect(output).toContain(`\ny.example,"5" pipe,${blanks},invalid,${STRAY},,,0,,\n`);
    expect(output).toMatch(/\nb\.example,"B\nB",n,.*,matched,/);
    expect(await desk.read('out.needs-attention.csv')).toBe(
      `Domain,Name,Note,_row,_reason\nx.example,Smith, John,3,"${TOO_MANY}",x\ny.example,"5" pipe,,5,${STRAY}\n`,
    );
  });

  test('a list with bad rows is refused with --strict, by plan and by run, also after it was bought', async () => {
    const desk = await openDesk();
    await desk.write('list.csv', LIST);
    const fact = 'list.csv, row 3, line 3: 4 cells, but the header has 3 columns.';
    for (const words of [['plan', 'list.csv'], ['plan', 'enrich-company', 'list.csv'], RUN]) {
      const { code, stderr } = await desk.type([...words, '--strict']);
      expect(code).toBe(2);
      expect(stderr).toContain(fact);
    }
    expect(await desk.requests()).toBe(0);
    expect(await desk.type(RUN)).toMatchObject({ code: 3 });
    expect((await desk.type([...RUN, '--strict'])).stderr).toContain(fact);
  });
});
