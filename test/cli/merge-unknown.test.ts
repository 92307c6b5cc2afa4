/**
 * Goal: a result goes to its own rows also on the desk of somebody who has no store that knows it, or it is listed or refused.
 * Method: the real command without the store that made the result, over a list that was run before the sandbox as a vendor.
 */
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { type Desk, openDesk } from './desk.ts';

const lines = (...rows: readonly string[]): string => `${rows.join('\n')}\n`;

/** A colleague, who was given the result and not the store. */
const COLLEAGUE = { env: { ROWONCE_STORE: 'none', XDG_STATE_HOME: 'none' } };

/** A list that was run by a job, as an output `out.csv`. */
async function deskAfterRun(job: string, ...list: readonly string[]): Promise<Desk> {
  const desk = await openDesk();
  await desk.write('job.yaml', job);
  await desk.write('list.csv', lines(...list));
  await desk.type(['run', 'job.yaml', 'list.csv', '--budget', '90', '-o', 'out.csv']);
  return desk;
}

/** The cells of one column of a file, by those of another. */
async function cellsBy(
  desk: Desk,
  file: string,
  key: string,
  column: string,
): Promise<Record<string, string>> {
  const rows: Record<string, string>[] = parse(await desk.read(file), { columns: true });
  return Object.fromEntries(rows.map((row) => [row[key] ?? '', row[column] ?? '']));
}

// Two companies of a group share its website. They were found by their numbers, and the column is not called so.
const BY_NUMBER = 'operation: enrich-company\ncolumns: { abn: Registration }\nadd: { nm: name }\n';
const GROUP = [
  '51824753556,group.example,',
  '33051775556,group.example,',
  '44676848475,else.example,',
] as const;

test('a company gets what was found for its own number, whatever the column is called, and none of what another of its website has', async () => {
  const [one, two, three] = GROUP;
  const desk = await deskAfterRun(BY_NUMBER, 'Registration,Website,Note', one, two, three);
  const { 44676848475: _, ...found } = await cellsBy(desk, 'out.csv', 'Registration', 'nm');
  expect(new Set(Object.values(found)).size).toBe(2);
  const mine = [`${two}call`, '53004085616,else.example,new', `${one}me`];
  await desk.write('mine.csv', lines('Registration,Website,Note', ...mine));
  const { nowhere } = await desk.json(['merge', 'out.csv', 'mine.csv'], COLLEAGUE);
  expect(await cellsBy(desk, 'mine.merged.csv', 'Registration', 'nm')).toEqual({ ...found, 53004085616: '' });
  expect(nowhere).toEqual([{ row: 4, identifiers: ['44676848475'] }]);
});

test('a file without what the rows were matched by is refused: nobody can tell who is who by a website that they share', async () => {
  const desk = await deskAfterRun(BY_NUMBER, 'Registration,Website,Note', ...GROUP);
  await desk.write('sites.csv', lines('Website,Note', 'group.example,b', 'group.example,a'));
  expect(await desk.type(['merge', 'out.csv', 'sites.csv'], COLLEAGUE)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /were matched by "abn", and they share no column .*\nCall your columns .* --store/,
    ),
  });
});

test('a company is found by its ABN alone where all were matched by it, whatever she has made of its website and its phone', async () => {
  const list = ['Acme,acme.example,51824753556,02 9999 1111', 'Bolt,bolt.example,33051775556,'];
  const desk = await deskAfterRun(
    'operation: enrich-company\nadd: { nm: name }\n',
    'Company,Website,ABN,Phone',
    ...list,
  );
  const mine = ['Bolt,https://www.bolt.example/au,33 051 775 556,02 9999 2222', 'Acme Ltd,,51824753556,'];
  await desk.write('mine.csv', lines('Company,Website,ABN,Phone', ...mine));
  const merged = await desk.json(['merge', 'out.csv', 'mine.csv'], COLLEAGUE);
  expect(merged).toMatchObject({ found: 2, nowhere: [] });
  const found = await cellsBy(desk, 'out.csv', 'ABN', 'nm');
  expect(await cellsBy(desk, 'mine.merged.csv', 'ABN', 'nm')).toEqual({
    51824753556: found[51824753556],
    '33 051 775 556': found[33051775556],
  });
});

test('rows with the same identifiers and other answers are told apart by their other cells, and listed where these say nothing', async () => {
  const desk = await deskAfterRun(
    'operation: enrich-company\nadd: { nm: name }\n',
    'ABN,Note',
    '51824753556,a',
    '51824753556,b',
  );
  const [header = '', first = '', second = ''] = (await desk.read('out.csv')).trimEnd().split('\n');
  const other = second.replace(/^51824753556,b,[^,]*/, '51824753556,b,Other');
  await desk.write('out.csv', lines(header, first, other));
  await desk.write('mine.csv', lines('ABN,Note', '51824753556,b', '51824753556,x'));
  const { nowhere } = await desk.json(['merge', 'out.csv', 'mine.csv'], COLLEAGUE);
  expect(nowhere).toEqual([{ row: 2, identifiers: ['51824753556'] }]);
  expect(await cellsBy(desk, 'mine.merged.csv', 'Note', 'nm')).toEqual({ b: 'Other', x: '' });
});

test('what her own store knows of another run over her list is not taken for what a colleague was matched by', async () => {
  const [one, two] = GROUP;
  const desk = await deskAfterRun(BY_NUMBER, 'Registration,Website,Note', one, two);
  const { 51824753556: _, ...found } = await cellsBy(desk, 'out.csv', 'Registration', 'nm');
  const mine = [`${two}call`, '53004085616,group.example,new'];
  await desk.write('mine.csv', lines('Registration,Website,Note', ...mine));
  const hers = { env: { ROWONCE_STORE: desk.place.path('hers') } };
  await desk.write('hers.yaml', 'operation: enrich-company\ncolumns: { website: Website }\n');
  await desk.type(['run', 'hers.yaml', 'mine.csv', '--budget', '90', '-o', 'hers.csv'], hers);
  expect(await desk.json(['merge', 'out.csv', 'mine.csv', '-o', 'x.csv'], hers)).toMatchObject({ found: 1 });
  expect(await cellsBy(desk, 'x.csv', 'Registration', 'nm')).toEqual({ ...found, 53004085616: '' });
});

test('of corrections from two lists in one file, whose rows have the same numbers, none goes to another company of the same website', async () => {
  const desk = await openDesk();
  const corrected = [
    'group.example,Bar,0300,3,bad',
    'group.example,Foo,0299,3,bad',
    'else.example,Baz,,x,bad',
  ];
  await desk.write('corrected.csv', lines('Website,Name,Phone,_row,_reason', ...corrected));
  const mine = lines('Website,Name,Phone', 'group.example,Foo,');
  await desk.write('mine.csv', mine);
  const { nowhere, kept } = await desk.json(['merge', 'corrected.csv', 'mine.csv'], COLLEAGUE);
  expect(await desk.read('mine.merged.csv')).toBe(mine);
  expect(kept).toContainEqual({ row: 2, column: 'Phone', kept: '', result: '0300' });
  // A row whose number cannot be read is told of by its own in the file.
  expect(nowhere.map(({ row }: { row: number }) => row)).toEqual([3, 4]);
});
