/**
 * Goal: what is wrong with a cell is said where it stands, over the whole list, by the rules by which a run reads it.
 * Method: a real `rowonce serve`, asked as a tool asks it.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ListFaults, ListRows } from '../../src/web/api.ts';
import { ask, brought } from './scene.ts';
import { Served } from './served.ts';

/** Of the cells of row 3 one number alone is right with one digit more, of those of row 4 three are. */
const SURE = '8310001676';
const UNSURE = '1310005028';
const LIST = [
  'Company,ABN,E-mail,Remark',
  'One Ltd,51 824 753 556,one@one.example,',
  `Two Ltd,${SURE},,called`,
  `Three Ltd,${UNSURE},nobody,`,
  'Four Ltd,123,mailto:four@four.example,x',
  'Five Ltd,,n/a,',
  'Six Ltd,53 004 085 616,six@six.example,',
].join('\n');

const ASKED = { abn: 'ABN' };

let served: Served;
beforeAll(async () => {
  served = await Served.start();
});
afterAll(() => served[Symbol.asyncDispose]());

const rowsOf = async (id: string, order: object): Promise<ListRows> =>
  (await ask(served, 'POST', `/lists/${id}/rows`, { asked: ASKED, ...order })) as unknown as ListRows;
const faultsOf = async (id: string): Promise<ListFaults> =>
  (await ask(served, 'POST', `/lists/${id}/faults`, { asked: ASKED })) as unknown as ListFaults;
const numbers = ({ rows }: ListRows): readonly number[] => rows.map(({ row }) => row);
const mend = (id: string, row: number, value: string | null) =>
  ask(served, 'PUT', `/lists/${id}/mends`, { mends: [{ row, column: 'ABN', value }] });

test('each wrong cell says what is wrong with it, and what it may have been', async () => {
  const id = await brought(served, 'cells.csv', LIST);
  const { rows } = await rowsOf(id, {});
  const faults = Object.fromEntries(rows.map(({ row, faults: of }) => [row, of]));
  expect(faults).toEqual({
    2: undefined,
    3: { ABN: { says: '10 digits of 11', meant: ['83100031676'] } },
    4: {
      ABN: { says: '10 digits of 11', meant: ['12310005028', '13120005028', '13100095028'] },
      'E-mail': { says: 'is not an e-mail address' },
    },
    5: {
      ABN: { says: '3 digits of 11' },
      'E-mail': { says: 'is not an e-mail address', meant: ['four@four.example'] },
    },
    6: undefined,
    7: undefined,
  });
});

test('each column counts its wrong cells: those that may be mended, and the others', async () => {
  const id = await brought(served, 'columns.csv', LIST);
  expect((await faultsOf(id)).columns).toEqual([
    {
      column: 'ABN',
      meant: { says: '2 lost a digit', count: 2, first_rows: [3, 4] },
      others: { says: '1 is not an ABN', count: 1, first_rows: [5] },
    },
    {
      column: 'E-mail',
      meant: { says: '1 with more than the address', count: 1, first_rows: [5] },
      others: { says: '1 is not an e-mail', count: 1, first_rows: [4] },
    },
  ]);
});

test('rows are filtered by their wrong cells, and a mended cell is judged as it was before', async () => {
  const id = await brought(served, 'filtered.csv', LIST);
  const wrong = { column: 'ABN', which: 'meant' };
  expect(numbers(await rowsOf(id, { wrong }))).toEqual([3, 4]);
  expect(numbers(await rowsOf(id, { wrong: { ...wrong, which: 'others' } }))).toEqual([5]);
  expect(numbers(await rowsOf(id, { wrong, search: 'three' }))).toEqual([4]);
  await mend(id, 5, '456');
  expect((await rowsOf(id, { from: 5, limit: 1 })).rows[0]?.faults?.ABN, 'still wrong').toEqual({
    says: '3 digits of 11',
  });
  await mend(id, 3, '83100031676');
  expect(numbers(await rowsOf(id, { wrong }))).toEqual([4]);
  expect(numbers(await rowsOf(id, { wrong: { ...wrong, with: [3] } })), 'it is shown on').toEqual([3, 4]);
  await mend(id, 3, null);
  expect(numbers(await rowsOf(id, { wrong }))).toEqual([3, 4]);
});

test('an address with two dots in a row is none, also where nothing is asked by it, and a comma behind one is mended', async () => {
  const cells = ['jo@acme.example', 'm..obrien@acme.example,', '.al@acme.example', 'al@acme.example,'];
  const id = await brought(
    served,
    'dots.csv',
    ['E-mail,Tier', ...cells.map((cell) => `"${cell}",`)].join('\n'),
  );
  expect((await faultsOf(id)).columns).toMatchObject([
    {
      column: 'E-mail',
      meant: { says: '1 with punctuation around', first_rows: [5] },
      others: { says: '2 are not e-mails', first_rows: [3, 4] },
    },
  ]);
});

test('a column by which nothing is asked has a wrong cell only where that is something else altogether', async () => {
  const id = await brought(
    served,
    'others.csv',
    'Company,Website\nA,facebook.com/a\nB,b.example\nC,no site yet\n',
  );
  const others = async (asked: object) => {
    const { columns } = (await ask(served, 'POST', `/lists/${id}/faults`, {
      asked,
    })) as unknown as ListFaults;
    return columns.map(({ others: of }) => of?.first_rows);
  };
  expect(await others({})).toEqual([[4]]);
  expect(await others({ website: 'Website' })).toEqual([[2, 4]]);
});

test('the rows of a part of a plan are shown before anything is started, each with why it is there', async () => {
  const id = await brought(served, 'planned.csv', `${LIST}\nSeven Ltd,51824753556,,\n`);
  const job = { operation: 'enrich-company', account: 'sandbox-provider', columns: ASKED };
  const { id: plan, ...figures } = await ask(served, 'POST', '/plan', { file: id, job, each: true });
  expect(figures).toMatchObject({ rows: 7, to_buy: 2, invalid: 4, duplicates: 1 });
  const found = async (order: object) => numbers(await rowsOf(id, { plan, ...order }));
  expect(await found({ is: 'to_buy' })).toEqual([2, 7]);
  expect(await found({ is: 'duplicates,bought_before' })).toEqual([8]);
  expect(await found({ is: 'invalid,in_doubt' })).toEqual([3, 4, 5, 6]);
  expect(await found({ is: 'invalid', wrong: { column: 'ABN', which: 'meant' } })).toEqual([3, 4]);
  expect(await found({ is: 'invalid', search: 'four' })).toEqual([5]);
  expect((await rowsOf(id, { plan, from: 6, limit: 2 })).rows).toMatchObject([
    { row: 6, becomes: { is: 'invalid', says: 'ABN: blank' } },
    { row: 7, becomes: { is: 'to_buy' } },
  ]);
  const refused = await ask(served, 'POST', `/lists/${id}/rows`, { plan: 'x', is: 'invalid' });
  expect(refused).toMatchObject({ status: 400, error: { code: 'usage' } });
});

test('the wrong rows of 40,000 are found wherever they stand', async () => {
  const rows = Array.from({ length: 40_000 }, (_, at) => {
    return `Company ${at},${at % 10_000 === 9_999 ? '123' : '51824753556'}`;
  });
  const id = await brought(served, 'long.csv', `Company,ABN\n${rows.join('\n')}\n`);
  const wrong = { column: 'ABN', which: 'others' };
  const first = await rowsOf(id, { wrong, limit: 3 });
  expect(numbers(first)).toEqual([10_001, 20_001, 30_001]);
  expect(numbers(await rowsOf(id, { wrong, from: first.next }))).toEqual([40_001]);
  expect((await faultsOf(id)).columns).toMatchObject([{ others: { says: '4 are not ABNs', count: 4 } }]);
});
