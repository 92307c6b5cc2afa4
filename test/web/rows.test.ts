/**
 * Goal: the page shows what the list and the ledger have of a batch's rows, and finds rows by status. Cells are those that it worked on.
 * Method: a real run over the sandbox, a real `rowonce serve` beside its store, and raw requests with the token for tools.
 */
import { appendFile, rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Desk, type JsonResult } from '../cli/desk.ts';
import { Workplace } from '../faults/workplace.ts';
import { ask } from './scene.ts';
import { Served } from './served.ts';

let desk: Desk;
let batch: string;
let served: Served;

const rowsOf = (query = ''): Promise<JsonResult> => ask(served, 'GET', `/batches/${batch}/rows${query}`);

/** Five rows below a header, with a blank line among them; the vendor charges the first two without an answer. */
beforeAll(async () => {
  desk = new Desk(await Workplace.open({ faults: 'charged-reset:x2', concurrency: 1 }));
  const names = ['one', 'two', 'three', '', 'not a domain', 'five'];
  await desk.write('list.csv', `domain,City\n${names.map((name) => rowOf(name)).join('\n')}\n`);
  expect((await desk.type(desk.run())).code).toBe(3);
  ({ batch } = await desk.json(['status', 'last']));
  served = await Served.start([], { cwd: desk.place.folder, env: desk.environment() });
});

afterAll(async () => {
  await served?.stop();
  await desk?.place[Symbol.asyncDispose]();
});

function rowOf(name: string): string {
  if (name === '') return '';
  return name.includes(' ') ? `${name},Perth` : `${name}.example,Zürich of ${name}`;
}

const rowsIn = ({ rows }: JsonResult): readonly number[] => rows.map(({ row }: { row: number }) => row);

test('a page has the cells of the list, what was found, and how each row ended; blank lines are none', async () => {
  const whole = await rowsOf();
  expect(whole).toMatchObject({
    header: ['domain', 'City'],
    counts: { in_doubt: 2, matched: 2, invalid: 1 },
    next: null,
  });
  expect(rowsIn(whole)).toEqual([2, 3, 4, 6, 7]);
  const [doubtful, , matched, invalid] = whole.rows;
  expect(doubtful).toMatchObject({ status: 'in_doubt', cells: ['one.example', 'Zürich of one'] });
  expect(matched).toMatchObject({ status: 'matched', credits: 1, source: 'bought' });
  expect(matched.found[whole.added.indexOf('name')]).toMatch(/\(sandbox\)$/);
  expect(invalid).toMatchObject({ status: 'invalid', cells: ['not a domain', 'Perth'] });
  const second = await rowsOf('?from=4&limit=2');
  expect(rowsIn(second)).toEqual([4, 6]);
  expect(second).toMatchObject({ next: 7 });
  expect(rowsIn(await rowsOf('?status=attention'))).toEqual([2, 3, 6]);
  expect(rowsIn(await rowsOf('?status=matched'))).toEqual([4, 7]);
});

test('the rows of a list that was changed, or is gone, are shown as the batch worked on them', async () => {
  const before = await rowsOf();
  expect(before.rows[0].cells).toEqual(['one.example', expect.any(String)]);
  await appendFile(desk.place.path('list.csv'), 'six.example,Wagga\n');
  expect((await rowsOf()).rows).toEqual(before.rows);
  await rm(desk.place.path('list.csv'));
  expect((await rowsOf()).rows).toEqual(before.rows);
});
