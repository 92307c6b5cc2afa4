/**
 * Goal: under `on_existing: fill` each column of `add` has one beside it that says where every cell is from, in any
 * format and however the output is written. That column is ours, and is never mistaken for one of the user's.
 * Method: the real command before a vendor that knows one of three companies; lists of the user's, and outputs as lists.
 */
import { rmSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { OUR_COLUMNS } from '../../src/core/row.ts';
import { openFile } from '../../src/files/input.ts';
import { type DeskBefore, deskBefore } from './desk.ts';

const LIST = 'Size,Domain,Note\n,a.example,x\n7,b.example,y\nn/a,c.example,z\n';
const ADD = { Size: 'employee_count', City: 'city' };
const RUN = ['run', 'job.yaml', 'list.csv', '--budget', '99', '-o', 'out.csv'];

async function deskWith(list = LIST, add: object = ADD): Promise<DeskBefore> {
  const at = await deskBefore(({ input }) =>
    input.domain === 'a.example' ? { employee_count: 5, city: 'Perth' } : Response.json({}, { status: 404 }),
  );
  await at.desk.write('list.csv', list);
  const job = { operation: 'enrich-company', on_existing: 'fill', add };
  await at.desk.write('job.yaml', JSON.stringify(job));
  return at;
}

test('a cell of the list is from the list, a found one from the account, and a blank one from nowhere', async () => {
  const { desk } = await deskWith();
  expect((await desk.type(RUN)).code).toBe(0);
  const rows: Record<string, string>[] = parse(await desk.read('out.csv'), { columns: true });
  expect(rows.map((row) => [row.Size, row.Size_source, row.City, row.City_source])).toEqual([
    ['5', 'data', 'Perth', 'data'],
    ['7', 'list', '', ''],
    ['n/a', '', '', ''],
  ]);
  expect(await desk.json(['status', 'last', '2'])).toMatchObject({ attempts: [{ account: 'data' }] });
});

test.each(['csv', 'xlsx', 'jsonl'])(
  '%s: an export without the job is the same to the byte, and the output is a list again, without new columns or requests',
  async (kind) => {
    const { desk, asked } = await deskWith();
    const run = (list: string, output: string) =>
      desk.json(['run', 'job.yaml', list, '--budget', '99', '-o', output]);
    const headerOf = async (name: string) => (await openFile(desk.place.path(name))).sheet.header();
    await run('list.csv', `out.${kind}`);
    const added = ['Size_source', 'City', 'City_source', ...OUR_COLUMNS];
    expect((await headerOf(`out.${kind}`)).slice(-added.length)).toEqual(added);

    await run(`out.${kind}`, `again.${kind}`);
    expect(asked.length).toBe(3);
    expect(await headerOf(`again.${kind}`)).toEqual(await headerOf(`out.${kind}`));

    const job = { operation: 'enrich-company', on_existing: 'fill', add: { Size: 'employee_count' } };
    await desk.write('less.yaml', JSON.stringify(job));
    expect((await desk.type(['plan', 'less.yaml', `out.${kind}`])).code, 'a job that adds less').toBe(0);

    const written = await desk.read(`again.${kind}`);
    rmSync(desk.place.path('job.yaml'));
    expect((await desk.type(['export', 'last'])).code).toBe(0);
    expect(await desk.read(`again.${kind}`)).toBe(written);
  },
);

test.each<readonly [where: string, list: string, add: object]>([
  ['The input', LIST.replace('Note', 'size_SOURCE'), ADD],
  ["The job's `add`", LIST, { ...ADD, size_SOURCE: 'name' }],
])('%s: another column of that name is refused before anything is bought', async (where, list, add) => {
  const { desk, asked } = await deskWith(list, add);
  const said =
    `${where} has a column "size_SOURCE", but the output gets a column "Size_source", ` +
    'which says what filled each cell.\nRename that column.\n';
  expect(await desk.type(['plan', 'job.yaml', 'list.csv'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(said),
  });
  expect((await desk.type(RUN)).code).toBe(2);
  expect(asked).toEqual([]);
});

test('a merge says of no cell of the user’s that an account filled it', async () => {
  const { desk } = await deskWith();
  await desk.type(RUN);
  await desk.write('list.csv', LIST.replace(',a.', '9,a.'));
  expect((await desk.type(['merge', 'out.csv', 'list.csv', '-o', 'merged.csv'])).code).toBe(3);
  const rows: Record<string, string>[] = parse(await desk.read('merged.csv'), { columns: true });
  expect(rows.map((row) => [row.Size, row.Size_source, row.City_source])).toEqual([
    ['9', '', 'data'],
    ['7', 'list', ''],
    ['n/a', '', ''],
  ]);
});
