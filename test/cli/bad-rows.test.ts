/**
 * Goal: a bad row in a list costs nothing but itself. All other rows are bought once, the bad one comes back as it was with
 * the reason, also after a crash, and a list in which it was mended buys that row alone.
 * Method: the real command before the sandbox as a vendor, which counts what reached it; lists with rows of too many cells
 * and with stray quotes.
 */

import { writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { proof } from '../combinations.ts';
import { openDesk } from './desk.ts';

const RUN = ['run', 'enrich-company', 'list.csv', '--budget', '99', '-o', 'out.csv'] as const;

const GOOD = ['a.example', 'b.example', 'c.example'];

/** Rows 2, 4 and 6 are good; row 3 has an unquoted comma, row 5 a quote in its middle. */
const LIST =
  'Domain,Name,Note\na.example,A,\nx.example,Smith, John,x\nb.example,"B\nB",n\ny.example,5" pipe,\nc.example,C,\n';

const TOO_MANY = 'line 3 cannot be read: 4 cells, but the header has 3 columns';
const STRAY = 'line 6 cannot be read: a quote is inside a cell that does not begin with one';

describe('a list with bad rows', () => {
  test('is bought but for them, and each comes back as it was with what is wrong', async () => {
    const desk = await openDesk();
    await desk.write('list.csv', LIST);
    const plan = await desk.json(['plan', 'enrich-company', 'list.csv']);
    expect(plan).toMatchObject({ rows: 5, invalid: 2, to_buy: 3 });
    expect(plan.reasons).toEqual([
      { reason: TOO_MANY, count: 1, first_rows: [3] },
      { reason: STRAY, count: 1, first_rows: [5] },
    ]);
    expect(await desk.type(RUN)).toMatchObject({ code: 3 });
    expect(await desk.requests()).toBe(GOOD.length);
    const output = await desk.read('out.csv');
    const width = (output.split('\n')[0]?.split(',').length ?? 0) - 3 - 6;
    const blanks = ','.repeat(width);
    expect(output).toContain(`\nx.example,Smith, John${blanks},invalid,"${TOO_MANY}",,0,,,x\n`);
    expect(output).toContain(`\ny.example,5" pipe,${blanks},invalid,${STRAY},,0,,\n`);
    expect(output).toMatch(/\nb\.example,"B\nB",n,.*,matched,/);
    expect(await desk.read('out.needs-attention.csv')).toBe(
      `Domain,Name,Note,_row,_reason\nx.example,Smith, John,3,"${TOO_MANY}",x\ny.example,5" pipe,,5,${STRAY}\n`,
    );
  });

  test('is refused with --strict, by plan and by run, also after it was bought', async () => {
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

  proof('is one batch with --strict and without, where there is nothing to refuse', async () => {
    const desk = await openDesk();
    await desk.write('list.csv', 'Domain\na.example\n');
    const first = await desk.json([...RUN, '--strict']);
    expect(await desk.json(RUN)).toMatchObject({ batch: first.batch });
    expect(await desk.requests()).toBe(1);
  });

  test('goes on after a crash where it was, and its export is the output to the byte', async () => {
    const desk = await openDesk();
    await desk.write('list.csv', LIST);
    const crashed = await desk.type(RUN, { env: { ROWONCE_CRASH_AT: 'after-row:3' } });
    expect(crashed.code).toBe(null);
    const { batch } = await desk.json(RUN);
    expect(await desk.requests()).toBe(GOOD.length);
    const output = await desk.read('out.csv');
    expect(await desk.type(['export', batch, '-o', 'again.csv'])).toMatchObject({ code: 0 });
    expect(await desk.read('again.csv')).toBe(output);
  });

  proof('buys the difference when it was mended', async () => {
    const desk = await openDesk();
    await desk.write('list.csv', LIST);
    expect(await desk.type(RUN)).toMatchObject({ code: 3 });
    await desk.write(
      'list.csv',
      LIST.replace('Smith, John', '"Smith, John"').replace('5" pipe', '"5"" pipe"'),
    );
    expect(await desk.type(RUN)).toMatchObject({ code: 0 });
    expect(await desk.requests()).toBe(GOOD.length + 2);
    expect(await desk.read('out.csv')).toMatch(/\nx\.example,"Smith, John",x,.*,matched,/);
  });

  proof('becomes a workbook when that is asked for, and those of tabs stay as they are', async () => {
    const desk = await openDesk();
    await writeFile(desk.place.path('list.tsv'), LIST.replaceAll(/,(?! )/g, '\t'));
    const words = ['run', 'enrich-company', 'list.tsv', '--budget', '99'];
    const { code } = await desk.type([...words, '-o', 'out.tsv']);
    expect(code).toBe(3);
    expect(await desk.read('out.tsv')).toContain('\ny.example\t5" pipe\t');
    await desk.write('list.csv', LIST);
    expect(await desk.type([...RUN.slice(0, -1), 'out.xlsx'])).toMatchObject({ code: 3 });
    const sheet = await desk.json(['plan', 'out.xlsx']);
    expect(sheet).toMatchObject({ rows: 5, unreadable: { count: 1, first: [{ row: 3 }] } });
    expect(sheet.sheets).toEqual([{ name: 'Sheet1', hidden: false, read: true }]);
    const before = await desk.requests();
    // What a quote in the middle of a cell has made doubtful in a text is sure in a workbook.
    const again = ['run', 'enrich-company', 'out.xlsx', '--budget', '99', '-o', 'second.xlsx'];
    expect(await desk.type(again)).toMatchObject({ code: 3 });
    expect(await desk.requests()).toBe(before + 1);
    const { unreadable } = await desk.json(['plan', 'second.xlsx']);
    expect(unreadable).toEqual(sheet.unreadable);
  });
});

proof('a file of which nothing is said yet is described without its bad rows, which are named', async () => {
  const desk = await openDesk();
  await desk.write('list.csv', LIST);
  const { stdout } = await desk.type(['plan', 'list.csv']);
  expect(stdout).toContain('unreadable 2 rows, which a run sets aside as invalid and --strict refuses:');
  expect(stdout).toContain(`  row 3: ${TOO_MANY}\n`);
  const { unreadable } = await desk.json(['plan', 'list.csv']);
  expect(unreadable).toEqual({
    count: 2,
    first: [
      { row: 3, reason: TOO_MANY },
      { row: 5, reason: STRAY },
    ],
  });
});

test('a quote that swallows rows still refuses the list, and nothing is bought', async () => {
  const desk = await openDesk();
  await desk.write('list.csv', 'Domain,Name\na.example,A\nb.example,"5 inch\nc.example,C\nd.example,"D" x\n');
  const { code, stderr } = await desk.type(RUN);
  expect(code).toBe(2);
  expect(stderr).toContain('row 3, line 3: a quote opens here and is not closed where its cell ends');
  expect(await desk.requests()).toBe(0);
});
