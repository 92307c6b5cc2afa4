/**
 * Goal: a user who went on working in her file while it was enriched gets the result into it: each answer and each correction goes to
 * its own row or is told of, and none of her work is lost.
 * Method: the real command over lists that were run before the sandbox as a vendor, and then edited as people edit them.
 */
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { type Desk, openDesk } from './desk.ts';

const HEADER = 'ABN,Name,Note';
const ONE = '51824753556,One,';
const TWO = '33051775556,Two,';
const WRONG = '51824753557,Wrong,';

const lines = (...rows: readonly string[]): string => `${rows.join('\n')}\n`;

/** Runs `list.csv` with these lines to its end, into an output `out.csv` that takes the place of the one before. */
async function run(desk: Desk, ...list: readonly string[]): Promise<Desk> {
  await desk.write('list.csv', lines(...list));
  await desk.type(desk.run());
  return desk;
}

const deskAfterRun = async (...list: readonly string[]): Promise<Desk> =>
  run(await openDesk(), ...(list.length === 0 ? [HEADER, ONE, TWO, WRONG] : list));

/** A file in which one text has become another, under its own name or a new one. */
async function edit(desk: Desk, file: string, [from, to]: readonly [string, string], as = file) {
  await desk.write(as, (await desk.read(file)).replace(from, to));
}

const ATTENTION = 'out.needs-attention.csv';

/** The cells of these columns, row by row. */
async function cellsIn(desk: Desk, file: string, ...columns: readonly string[]): Promise<string[][]> {
  const rows: Record<string, string>[] = parse(await desk.read(file), { columns: true });
  return rows.map((row) => columns.map((name) => row[name] ?? ''));
}

/** The cells of one column of a file, by those of another. */
async function cellsBy(
  desk: Desk,
  file: string,
  key: string,
  column: string,
): Promise<Record<string, string | undefined>> {
  return Object.fromEntries(await cellsIn(desk, file, key, column));
}

test('rows that were sorted, cut, added and noted on get what was found for them, and what has no row is listed', async () => {
  const desk = await deskAfterRun();
  // She spells an ABN in another way, and has corrected another.
  await desk.write(
    'list.csv',
    lines(HEADER, '33 051 775 556,Two,call', '53004085616,New,', '51824753558,Wrong,mine'),
  );
  const { code, stdout, stderr } = await desk.type(['merge', 'out.csv', 'list.csv']);
  expect([code, stdout]).toEqual([3, `${desk.place.path('list.merged.csv')}\n`]);
  expect(await cellsIn(desk, 'list.merged.csv', 'ABN', 'Note', '_status')).toEqual([
    ['33 051 775 556', 'call', 'matched'],
    ['53004085616', '', ''],
    ['51824753558', 'mine', ''],
  ]);
  expect(stderr).toContain('1 of 3 rows found in the result.');
  for (const gone of ['Row 2 of the result ("51824753556")', 'Row 4 of the result ("51824753557")'])
    expect(stderr).toContain(`${gone} fits no row of your file for certain, so none of it was written.`);
});

test('what does not belong together is refused, with what to do', async () => {
  const desk = await deskAfterRun();
  await desk.write('other.csv', 'Company,Town\nA,B\n');
  for (const [words, fact] of [
    [['merge', 'list.csv', 'out.csv'], /list\.csv is not a result: .*\nName an output or a file of rows/],
    [
      ['merge', 'out.csv', 'other.csv'],
      /no longer has all the columns that .*out\.csv was made from: "ABN"\./,
    ],
    [['merge', 'out.csv', 'list.csv', '-o', 'list.csv'], /The output .*list\.csv is also an input\./],
    [['merge', 'out.csv', 'list.csv', '-o', 'list.xlsx'], /Give it the ending \.csv\./],
  ] as const) {
    const { code, stderr } = await desk.type(words);
    expect(code).toBe(2);
    expect(stderr).toMatch(fact);
  }
});

test('a column of hers that is called as one of ours is never replaced: ours step aside, with a number', async () => {
  const desk = await deskAfterRun();
  for (const column of ['_status', '_reason', '_as_of', '_Status', ' _status ']) {
    const name = column.trim();
    await desk.write('own.csv', `ABN,Name,"${column}",Note\n${ONE}to call,hers\n`);
    expect(await desk.type(['merge', 'out.csv', 'own.csv', '-o', `${name}.merged.csv`])).toMatchObject({
      code: 3,
    });
    expect(await cellsIn(desk, `${name}.merged.csv`, name, 'Note', '_status_2')).toEqual([
      ['to call', 'hers', 'matched'],
    ]);
  }
  // Rows that she has mended bring none of our columns, so that hers of that name are in no one's way.
  await desk.write('own.csv', `ABN,Name,_status\n${WRONG}to call\n`);
  await edit(desk, ATTENTION, ['Wrong', 'Right']);
  await desk.type(['merge', ATTENTION, 'own.csv']);
  expect(await cellsIn(desk, 'own.merged.csv', 'ABN', '_status')).toEqual([['51824753557', 'to call']]);
});

test('of an output nothing but our columns is taken: each cell of hers stays, whatever she wrote into the output', async () => {
  const desk = await deskAfterRun(HEADER, ONE, TWO);
  await edit(desk, 'out.csv', ['Two,', 'Dos,in the output'], 'edited.csv');
  await desk.write('mine.csv', lines(HEADER, '33051775556,Two,mine', ONE));
  expect(await desk.json(['merge', 'edited.csv', 'mine.csv'])).toMatchObject({ found: 2, kept: [] });
  expect(await cellsIn(desk, 'mine.merged.csv', 'Name', 'Note', '_status')).toEqual([
    ['Two', 'mine', 'matched'],
    ['One', '', 'matched'],
  ]);
});

test('a column that she has deleted or renamed since does not come back, and her rows are found without it', async () => {
  const desk = await deskAfterRun(HEADER, `${ONE}a`, `${WRONG}b`);
  await desk.write('mine.csv', lines('ABN,Company', '51824753557,Wrong', '51824753556,One'));
  expect(await desk.json(['merge', 'out.csv', 'mine.csv'])).toMatchObject({ found: 2, nowhere: [] });
  const [header = ''] = (await desk.read('mine.merged.csv')).split('\n');
  expect(header.split(',').filter((name) => ['ABN', 'Company', 'Name', 'Note'].includes(name))).toEqual([
    'ABN',
    'Company',
  ]);
  await edit(desk, ATTENTION, ['51824753557', '53004085616']);
  await desk.write('mine.csv', lines('ABN,Name', '51824753556,One', '51824753557,Wrong'));
  expect(await desk.json(['merge', ATTENTION, 'mine.csv'])).toMatchObject({
    found: 1,
    mended: 1,
    nowhere: [],
  });
});

const PEOPLE = 'ABN,Email,Note';
/** Two companies share an address, and two have none. */
const SHARED = [
  '51824753556,jo@x.example,a',
  '33051775556,jo@x.example,b',
  '53004085616,,c',
  '44676848475,,d',
] as const;

/** The companies' names in a file by ABN. */
const namesIn = (desk: Desk, file: string) => cellsBy(desk, file, 'ABN', 'name');

test('what several operations have found for a row stays with it: the identifiers of all of them tell rows apart', async () => {
  const desk = await openDesk();
  const write = (rows: readonly string[]) => desk.write('list.csv', lines(PEOPLE, ...rows));
  await write(SHARED);
  await desk.type(['run', 'enrich-company,enrich-person', 'list.csv', '--budget', '90', '-o', 'out.csv']);
  const before = await namesIn(desk, 'out.csv');
  expect(new Set(Object.values(before)).size).toBeGreaterThan(2);
  await write([...SHARED].reverse().map((row) => row.replace(',c', ',mine')));
  // Also a result that she has edited, under a name of her own, is of both.
  await edit(desk, 'out.csv', ['x.example,a', 'x.example,her own'], 'edited.csv');
  for (const result of ['out.csv', 'edited.csv']) {
    const merged = await desk.json(['merge', result, 'list.csv', '-o', `merged.${result}`]);
    expect(merged).toMatchObject({ rows: 4, found: 4, nowhere: [] });
    expect(await namesIn(desk, `merged.${result}`)).toEqual(before);
  }
});

test('a blank in a newer result empties no cell that she has filled or that was bought: it is kept and shown', async () => {
  const desk = await deskAfterRun(HEADER, ONE, TWO);
  const [header = '', first = '', second = ''] = (await desk.read('out.csv')).split('\n');
  const mine = `${header}\n${first}\n${second}\n`;
  await desk.write('mine.csv', mine);
  // A refresh that was stopped has answers for some rows, and none for the others.
  await desk.type(desk.run('--refresh', '--limit', '1', '-o', 'part.csv'));
  expect(await cellsIn(desk, 'part.csv', '_status')).toEqual([['matched'], ['pending']]);
  const part = await desk.json(['merge', 'part.csv', 'mine.csv', '-o', 'merged.csv']);
  expect((await desk.read('merged.csv')).split('\n')[2]).toBe(second);
  expect(part.kept).toContainEqual({ row: 3, column: '_status', kept: 'matched', result: 'pending' });
  // An answer that is newer and has nothing in a column.
  const emptied = (await desk.read('part.csv')).replace(/,(Lyrebird[^,]*),/, ',,');
  await desk.write('part.csv', emptied);
  const { kept } = await desk.json(['merge', 'part.csv', 'mine.csv', '-o', 'again.csv']);
  const name = (await cellsIn(desk, 'mine.csv', 'found_name'))[0]?.[0];
  expect(kept).toContainEqual({ row: 2, column: 'found_name', kept: name, result: '' });
  expect((await cellsIn(desk, 'again.csv', 'found_name'))[0]).toEqual([name]);
});

test('a row that is mended to an identifier which another row has goes into its own row, and never into the other', async () => {
  const desk = await deskAfterRun(HEADER, ONE, `${WRONG}x`);
  await edit(desk, ATTENTION, ['51824753557', '51824753556']);
  const merge = ['merge', ATTENTION, 'list.csv', '-o'];
  expect(await desk.json([...merge, 'mended.csv'])).toMatchObject({ found: 1, mended: 1, kept: [] });
  expect(await desk.read('mended.csv')).toBe(lines(HEADER, ONE, '51824753556,Wrong,x'));
  // Her list has another number there by now, so that it is not known which row is meant.
  await desk.write('list.csv', lines(HEADER, ONE, '51824753559,Wrong,x'));
  expect(await desk.json([...merge, 'other.csv'])).toMatchObject({ found: 0, nowhere: [{ row: 3 }] });
});

test('no merge replaces the file of one before: it is kept, which is said, and the new one stands beside it', async () => {
  const desk = await deskAfterRun();
  const first = (await desk.type(['merge', 'out.csv', 'list.csv'])).stdout.trim();
  const merged = await desk.read('list.merged.csv');
  await edit(desk, ATTENTION, ['51824753557', '53004085616']);
  const { stdout, stderr } = await desk.type(['merge', ATTENTION, 'list.csv']);
  expect(stdout).toBe(`${desk.place.path('list.merged (2).csv')}\n`);
  expect(stderr).toContain(`${first} is there already, so it is kept.`);
  expect(await desk.read('list.merged.csv')).toBe(merged);
  // As the guide has it, both are in one file.
  await desk.json(['merge', ATTENTION, 'list.merged.csv', '-o', 'both.csv']);
  expect(await cellsIn(desk, 'both.csv', 'ABN', '_status')).toEqual([
    ['51824753556', 'matched'],
    ['33051775556', 'matched'],
    ['53004085616', 'invalid'],
  ]);
});

test('everything that a newer run found takes the place of the older, wherever she has moved our columns, and a note of hers stays', async () => {
  const desk = await run(await openDesk(), 'Domain,Note', 'a1.example,a', 'b2.example,b');
  const old = (await desk.read('out.csv'))
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '2001-01-01T00:00:00.000Z')
    .replaceAll('(sandbox)', '(old)');
  const moved = (parse(old) as string[][]).map(([domain, note, name, ...rest], at) =>
    [name, domain, at === 1 ? 'mine' : note, ...rest].map((cell) => `"${cell}"`).join(),
  );
  await desk.write('mine.csv', lines(...moved));
  await desk.type(desk.run('--refresh'));
  const { kept } = await desk.json(['merge', 'out.csv', 'mine.csv']);
  const columns = ['Domain', 'name', '_as_of'];
  expect(await cellsIn(desk, 'mine.merged.csv', ...columns)).toEqual(
    await cellsIn(desk, 'out.csv', ...columns),
  );
  expect([kept, await cellsIn(desk, 'mine.merged.csv', 'Note')]).toEqual([[], [['mine'], ['b']]]);
});

test('an ABN that she filled in goes to its own row, however she has sorted her list, and to no other one without an ABN', async () => {
  const desk = await deskAfterRun(HEADER, ONE, ',Foo,', TWO, ',Bar,');
  await edit(desk, ATTENTION, [',Foo', '53004085616,Foo']);
  const sorted = lines(HEADER, ONE, ',Bar,', TWO, ',Foo,');
  const merged = lines(HEADER, ONE, ',Bar,', TWO, '53004085616,Foo,');
  await desk.write('copy.csv', sorted);
  expect(await desk.json(['merge', ATTENTION, 'copy.csv'])).toMatchObject({
    mended: 1,
    nowhere: [],
    kept: [],
  });
  expect(await desk.read('copy.merged.csv')).toBe(merged);
  await desk.write('list.csv', sorted);
  await desk.json(['merge', ATTENTION, 'list.csv']);
  expect(await desk.read('list.merged.csv')).toBe(merged);
  // The row is gone, and another one without an ABN stands in its place.
  const other = lines(HEADER, ONE, ',New,', TWO, ',Bar,');
  await desk.write('list.csv', other);
  const { nowhere } = await desk.json(['merge', ATTENTION, 'list.csv', '-o', 'other.csv']);
  expect(nowhere).toEqual([{ row: 3, identifiers: ['53004085616'] }]);
  expect(await desk.read('other.csv')).toBe(other);
});

test('a result that no batch of the store has made is refused: nobody knows what was sent for its rows', async () => {
  const desk = await deskAfterRun();
  const merged = await desk.type(['merge', 'out.csv', 'list.csv'], {
    env: { ROWONCE_STORE: 'none', XDG_STATE_HOME: 'none' },
  });
  expect(merged).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/No batch of the store has made .*out\.csv, .*\nName the store .* --store/),
  });
});
