/**
 * Goal: our columns are known by their names, so that a file of one build is read by the next one, which may have more of them, and a
 * column of the user's that is called as one of ours stays hers.
 * Method: real lists before a vendor with its own book, by the command of today, and by the library of a build with one column more.
 */
import { parse } from 'csv-parse/sync';
import { expect, onTestFinished, test } from 'vitest';
import { OUR_COLUMNS } from '../src/core/row.ts';
import * as rowonce from '../src/index.ts';
import { type Desk, openDesk } from './cli/desk.ts';

const LIST = 'Domain,Note\na.example,hers\nb.example,\n';
const OURS = [...OUR_COLUMNS];

/** A build whose outputs have one column more, until the test ends. */
function buildWithOneMore(): void {
  const columns = OUR_COLUMNS as unknown as string[];
  columns.splice(3, 0, '_match');
  onTestFinished(() => void columns.splice(3, 1));
}

async function deskWithOutput(): Promise<Desk> {
  const desk = await openDesk({ matchRate: 1 });
  await desk.write('list.csv', LIST);
  expect(await desk.type(desk.run())).toMatchObject({ code: 0 });
  return desk;
}

const headerOf = async (desk: Desk, name: string): Promise<readonly string[]> =>
  (await desk.read(name)).split('\n')[0]?.split(',') ?? [];

const rowsOf = async (desk: Desk, name: string): Promise<Record<string, string>[]> =>
  parse(await desk.read(name), { columns: true });

/** The output with other columns of ours, each cell below its name. */
async function writeAs(desk: Desk, name: string, ours: readonly string[]): Promise<void> {
  const rows = await rowsOf(desk, 'out.csv');
  const theirs = Object.keys(rows[0] ?? {}).filter((column) => !OURS.includes(column as never));
  const header = [...theirs, ...ours];
  const lines = rows.map((row) => header.map((column) => row[column] ?? 'unknown').join(','));
  await desk.write(name, `${[header, ...lines].join('\n')}\n`);
}

test.each([
  ['with fewer', ['_status', '_reason', '_credits', '_as_of']],
  ['with more', OURS.toSpliced(3, 0, '_checked_by' as never, '_checked_at' as never)],
])('plan, run and merge take an output of a build %s columns of ours', async (_, ours) => {
  const desk = await deskWithOutput();
  await writeAs(desk, 'before.csv', ours);
  const asked = await desk.requests();
  expect(await desk.type(['plan', 'enrich-company', 'before.csv'])).toMatchObject({ code: 0 });
  const ended = await desk.type(['run', 'enrich-company', 'before.csv', '--yes', '-o', 'again.csv']);
  expect(ended, ended.stderr).toMatchObject({ code: 0 });
  expect(await desk.requests()).toBe(asked);
  expect(await headerOf(desk, 'again.csv')).toEqual(await headerOf(desk, 'out.csv'));
  const merged = await desk.type(['merge', 'before.csv', 'list.csv']);
  expect(merged, merged.stderr).toMatchObject({ code: 0 });
  expect(await headerOf(desk, 'list.merged.csv')).toEqual(await headerOf(desk, 'before.csv'));
  const into = await desk.type(['merge', 'out.csv', 'before.csv']);
  expect(into, into.stderr).toMatchObject({ code: 0 });
  expect((await rowsOf(desk, 'before.merged.csv')).map((row) => row._status)).toEqual(['matched', 'matched']);
});

test('one of our names alone is hers: it stays, ours step aside, and the output is known for one all the same', async () => {
  const desk = await openDesk({ matchRate: 1 });
  await desk.write('list.csv', 'Domain,_status,_Reason\na.example,to call,\nno domain,called,hers\n');
  expect(await desk.type(['plan', 'list.csv'])).toMatchObject({ code: 0 });
  const ended = await desk.type(desk.run());
  expect(ended, ended.stderr).toMatchObject({ code: 3 });
  const header = await headerOf(desk, 'out.csv');
  expect(header.slice(0, 3)).toEqual(['Domain', '_status', '_Reason']);
  expect(header.slice(-OURS.length)).toEqual(OURS.map((name) => `${name}_2`));
  expect((await rowsOf(desk, 'out.csv')).map((row) => [row._status, row._status_2])).toEqual([
    ['to call', 'matched'],
    ['called', 'invalid'],
  ]);
  const [attention] = await rowsOf(desk, 'out.needs-attention.csv');
  expect(attention).toMatchObject({ _status: 'called', _row: '3', _Reason_2: 'hers' });
  await desk.type(['run', 'enrich-company', 'out.csv', '--yes', '-o', 'again.csv']);
  expect(await desk.read('again.csv')).toBe(
    (await desk.read('out.csv')).replaceAll(',bought,', ',ledger,').replace(/,1,ledger/, ',0,ledger'),
  );
  const merged = await desk.type(['merge', 'out.csv', 'list.csv']);
  expect(merged, merged.stderr).toMatchObject({ code: 0 });
  expect(await headerOf(desk, 'list.merged.csv')).toEqual(header);
});

test('a build with one column more takes the files of today, and gives a program the same rows', async () => {
  const desk = (await deskWithOutput()).here();
  const store = desk.place.path('store');
  const read = async () => {
    const rows: unknown[] = [];
    const given = [{ domain: 'a.example' }, { domain: 'none' }];
    for await (const row of rowonce.enrich(given, { job: 'enrich-company', store, yes: true }))
      rows.push(row);
    return rows;
  };
  const before = await read();
  buildWithOneMore();
  expect(await read()).toEqual(before);
  expect(before[0]).toMatchObject({ status: 'matched', as_of: expect.stringMatching(/^\d{4}-.*Z$/) });
  const file = desk.place.path('out.csv');
  await rowonce.plan({ job: 'enrich-company', file, store });
  const output = desk.place.path('more.csv');
  expect((await rowonce.run({ job: 'enrich-company', file, store, output, yes: true })).stopped).toBe(null);
  const header = await headerOf(desk, 'out.csv');
  expect(await headerOf(desk, 'more.csv')).toEqual(header.toSpliced(header.indexOf('_credits'), 0, '_match'));
  const [row] = await rowsOf(desk, 'more.csv');
  expect(row).toMatchObject({ _status: 'matched', _match: '', _credits: '0', _source: 'ledger' });
  await rowonce.merge({ result: file, into: desk.place.path('list.csv'), store });
});
