/**
 * Goal: the table of a list is seen while it runs: its own cells, and beside them what was bought, as the download has them. A page of it is
 * one of the list's order or of a status; search, sort and filter find rows by their cells. What was erased stays erased.
 * Method: the real commands over the store that real runs left, before the sandbox's vendor; pages are put together and held against the file.
 */
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { openHost } from '../faults/database-host.ts';
import { type Desk, deskBefore, type JsonResult, objectIn, openDesk } from './desk.ts';
import { typedAt } from './typed.ts';

const CITIES = ['Perth', 'Zürich', '', '10', '9.5', 'perth'];

/** Six companies below a header, a blank line among them, and a cell that is no domain. */
async function deskWithCities(more: readonly string[] = [], enough = true): Promise<Desk> {
  const desk = await openDesk({ matchRate: 1, concurrency: 1 });
  const rows = CITIES.map((city, at) => `${at === 5 ? 'no domain' : `c${at}.example`},${city}`);
  await desk.write(
    'list.csv',
    `domain,City\n${rows.slice(0, 2).join('\n')}\n\n${rows.slice(2).join('\n')}\n`,
  );
  await desk.type(desk.run(...(enough ? [] : ['--limit', '2']), ...more));
  return desk;
}

const table = (desk: Desk, ...words: readonly string[]): Promise<JsonResult> =>
  desk.json(['status', 'last', ...words]);

const numbers = ({ rows }: JsonResult): readonly number[] => rows.map(({ row }: { row: number }) => row);

const rowsOf = async (desk: Desk, ...words: readonly string[]) => numbers(await table(desk, ...words));

const namesOf = ({ columns }: JsonResult): readonly string[] =>
  columns.map(({ name }: { name: string }) => name);

/** All cells of the table, page by page, as a file has them. */
async function wholeTable(desk: Desk, ...words: readonly string[]): Promise<readonly (readonly string[])[]> {
  const lines: string[][] = [];
  for (let from: number | null = 0; from !== null; ) {
    const page: JsonResult = await table(desk, '--limit', '2', '--from', String(from), ...words);
    if (lines.length === 0) lines.push([...namesOf(page)]);
    for (const { cells } of page.rows) lines.push(cells);
    from = page.next;
  }
  return lines;
}

test.each([
  ['every field of the answers', []],
  ['the columns of a job', ['--add', 'Staff=employee_count']],
])('the table has the cells that the download has: %s', async (_, more) => {
  const desk = await deskWithCities(more);
  const written = parse(await desk.read('out.csv'), { skip_empty_lines: true, bom: true });
  expect(await wholeTable(desk)).toEqual(written.filter((cells) => cells.some((cell) => cell !== '')));
});

test('what was bought for rows far down the list is in the table before any row has ended', async () => {
  const { desk } = await deskBefore(({ path, input }) =>
    path.includes('company') ? { data: { name: `of ${input.domain}` } } : Response.json({}, { status: 402 }),
  );
  const rows = Array.from({ length: 300 }, (_, at) => `c${at}.example,jo@c${at}.example\n`);
  await desk.write('list.csv', `domain,email\n${rows.join('')}`);
  await desk.type(['run', 'enrich-company,enrich-person', 'list.csv', '--budget', '9', '--only', '299']);
  const page = await table(desk, '--from', '299', '--limit', '1');
  expect(page.rows[0].cells[namesOf(page).indexOf('data.name')]).toBe('of c297.example');
});

test('a column of the list that is filled stands among the bought ones, with its source beside it', async () => {
  const desk = await openDesk({ matchRate: 1 });
  await desk.write('list.csv', 'domain,City\na.example,Perth\nb.example,\n');
  const job = 'operation: enrich-company\nadd: { City: location.city }\non_existing: fill\n';
  await desk.write('fill.yaml', job);
  await desk.type(['run', './fill.yaml', 'list.csv', '--budget', '9', '-o', 'out.csv']);
  expect(await wholeTable(desk)).toEqual(parse(await desk.read('out.csv'), { bom: true }));
  const page = await table(desk, '--limit', '2');
  expect(page.columns.slice(0, 3)).toEqual([
    { name: 'domain', from: 'list' },
    { name: 'City', from: 'bought', path: 'location.city' },
    { name: 'City_source', from: 'bought', path: 'location.city' },
  ]);
  expect(page.rows[0].cells.slice(0, 3)).toEqual(['a.example', 'Perth', 'list']);
});

test('a page says which columns it has and from where, the last row, and where the next page begins', async () => {
  const desk = await deskWithCities(['--add', 'Staff=employee_count']);
  const page = await table(desk, '--from', '3', '--limit', '2');
  expect(page).toMatchObject({ last: 8, next: 6, more_columns: 0, operation: 'enrich-company' });
  expect(numbers(page)).toEqual([3, 5]);
  expect(page.columns).toEqual([
    { name: 'domain', from: 'list' },
    { name: 'City', from: 'list' },
    { name: 'Staff', from: 'bought', path: 'employee_count' },
    ...['_status', '_reason', '_matched_by', '_match', '_credits', '_source', '_as_of'].map((name) => ({
      name,
      from: 'ours',
    })),
  ]);
  const { stdout, stderr } = await desk.type(['status', 'last', '--from', '3', '--limit', '2']);
  expect(stdout).toMatch(
    /^row {2}domain +City +Staff +_status .*\n3 {4}c1\.example {2}Zürich +\d+ +matched /,
  );
  expect(stderr).toContain('There is more: --from 6.');
});

test('a row that has ended shows what was bought at once; one that is pending shows the cells of its list', async () => {
  const desk = await deskWithCities(['--add', 'Staff=employee_count'], false);
  const { rows } = await table(desk, '--limit', '4');
  const found = ['c1.example', 'Zürich', expect.stringMatching(/^\d+$/), 'matched', '', 'domain', '', '1'];
  expect(rows[1]).toEqual({ row: 3, cells: [...found, 'bought', expect.stringMatching(/Z$/)] });
  expect(rows[2]).toEqual({ row: 5, cells: ['c2.example', '', '', 'pending', '', '', '', '0', '', ''] });
  expect(await table(desk, '--where', '_status=pending')).toMatchObject({ rows: { length: 4 }, next: null });
});

test('rows are those of a status or of several, found by a text or by a value, and sorted as a person would', async () => {
  const desk = await deskWithCities(['--add', 'Staff=employee_count']);
  expect(await table(desk, '--where', '_status=invalid')).toMatchObject({ rows: [{ row: 8 }], next: null });
  expect(await table(desk, '--where', '_status=invalid,matched', '--limit', '3')).toMatchObject({
    next: 6,
    rows: [{ row: 2 }, { row: 3 }, { row: 5 }],
  });
  expect(await rowsOf(desk, '--search', 'ZÜR')).toEqual([3]);
  expect(await rowsOf(desk, '--search', 'example')).toHaveLength(5);
  expect(await rowsOf(desk, '--where', 'City=Perth')).toEqual([2]);
  expect(await rowsOf(desk, '--where', 'City=')).toEqual([5]);
  expect(await rowsOf(desk, '--search', 'perth', '--where', '_status=matched')).toEqual([2]);
  expect(await rowsOf(desk, '--where', '_matched_by=domain', '--from', '6')).toEqual([6, 7]);
  // Numbers come before words, case does not count, and blank cells come last.
  expect(await rowsOf(desk, '--sort', 'City')).toEqual([7, 6, 2, 8, 3, 5]);
  expect(await rowsOf(desk, '--sort', '-City')).toEqual([6, 7, 3, 2, 8, 5]);
  expect(await rowsOf(desk, '--sort', '-_credits', '--limit', '1')).toEqual([2]);
  const sorted = (await wholeTable(desk, '--sort', '-City')).slice(1);
  expect(sorted.map(([, city]) => city)).toEqual(['10', '9.5', 'Zürich', 'Perth', 'perth', '']);
});

test('a search finds rows by what was bought for them, too', async () => {
  const { desk } = await deskBefore(({ input }) => ({
    data: { full_name: input.email === 'jane@acme.example' ? 'Jane "JJ" Roe' : 'Zoë', langs: ['de', 'Fr'] },
  }));
  await desk.write('people.csv', 'email,City\njane@acme.example,Perth\nmary@acme.example,Roe\n,Roe\n');
  await desk.type(['run', 'enrich-person', 'people.csv', '--budget', '9']);
  expect(await rowsOf(desk, '--search', 'roe')).toEqual([2, 3, 4]);
  expect(await rowsOf(desk, '--search', 'roe', '--where', '_status=matched')).toEqual([2, 3]);
  expect(await rowsOf(desk, '--search', '"jj" r')).toEqual([2]);
  expect(await rowsOf(desk, '--search', 'ZOË')).toEqual([3]);
  expect(await rowsOf(desk, '--search', 'de; fr', '--sort', '-email')).toEqual([3, 2]);
  // Neither the names of an answer's fields nor what the ledger knows of a row are cells that are hers.
  for (const none of ['full_name', 'matched']) expect(await rowsOf(desk, '--search', none)).toEqual([]);
});

test('what a table does not have is refused with what it has', async () => {
  const desk = await deskWithCities(['--add', 'Staff=employee_count']);
  const has = 'it has domain, City, Staff, _status, _reason, _matched_by, _match, _credits, _source, _as_of.';
  const refused = async (...words: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await desk.type(['status', ...words]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    return stderr;
  };
  expect(await refused('last', '--sort', '-Town')).toContain(`no column "Town"; ${has}`);
  expect(await refused('last', '--where', 'Town=Perth')).toContain(`no column "Town"; ${has}`);
  expect(await refused('last', '--where', '_status=found')).toContain(
    'There is no status "found"; there are ',
  );
  expect(await refused('last', '--where', 'Perth')).toContain('is not a pair');
  expect(await refused('last', '--limit', '501')).toContain('500');
  expect(await refused('last', '2', '--limit', '5')).toContain('row 2');
  expect(await refused('--limit', '5')).toContain('No batch is named');
});

test('a forgotten person is not in the table, and is not found in it', async () => {
  const { desk } = await deskBefore(({ input }) => ({ data: { full_name: 'Somebody', email: input.email } }));
  await desk.write('people.csv', 'email,City\njane@acme.example,Perth\nmary@acme.example,Perth\n');
  await desk.type(['run', 'enrich-person', 'people.csv', '--budget', '9']);
  expect(await rowsOf(desk, '--search', 'jane@')).toEqual([2]);
  await desk.type(['forget', 'jane@acme.example', '--yes']);
  expect(await rowsOf(desk, '--search', 'jane@')).toEqual([]);
  const page = await table(desk, '--sort', 'City');
  expect(numbers(page)).toEqual([3, 2]);
  expect(JSON.stringify(page)).not.toContain('jane');
});

test('the table of a batch of workers is seen beside them', async () => {
  const host = await openHost({ matchRate: 1 });
  host.place.writeList(Array.from({ length: 6 }, (_, at) => `c${at}.example`));
  const batch = await host.detach();
  const show = async (...words: readonly string[]): Promise<JsonResult> =>
    objectIn((await typedAt(['status', batch, '--store', host.store, '--json', ...words])).stdout);
  const before = await show('--limit', '2');
  expect(before).toMatchObject({ rows: [{ row: 2 }, { row: 3 }], next: 4 });
  const at = namesOf(before).indexOf('_status');
  expect(before.rows[0].cells[at]).toBe('pending');
  host.startWorker();
  await host.ended(6);
  const found = await show(
    '--where',
    '_status=matched',
    '--sort',
    '-Domain',
    '--search',
    'C',
    '--limit',
    '2',
  );
  expect(numbers(found)).toEqual([7, 6]);
  expect(found.rows[0].cells[namesOf(found).indexOf('_source')]).toBe('bought');
  expect(await show('--where', '_status=matched')).toMatchObject({ rows: { length: 6 }, next: null });
});
