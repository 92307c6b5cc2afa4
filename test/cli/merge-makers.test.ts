/**
 * Goal: the rows of a result are those of the run that made it, under whatever name it is by now and whatever was run since.
 * Method: the real command over lists that were run before the sandbox as a vendor, changed, and run again.
 */
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { type Desk, openDesk } from './desk.ts';

const ONE = '51824753556,One';
const TWO = '33051775556,Two';
const FOUR = '53004085616,Four';
const WRONG = '51824753557,Wrong';

const lines = (...rows: readonly string[]): string => `${rows.join('\n')}\n`;

/** Runs `list.csv` with these rows, into an output that takes the place of the one before. */
async function run(desk: Desk, ...rows: readonly string[]): Promise<void> {
  await desk.write('list.csv', lines(...rows));
  await desk.type(desk.run());
}

async function saveAs(
  desk: Desk,
  name: string,
  of: string,
  ...change: [string | RegExp, string]
): Promise<void> {
  await desk.write(name, (await desk.read(of)).replace(...change));
}

test('corrections that were saved under another name go to the rows of the run that asked for them, not of the newest', async () => {
  const desk = await openDesk();
  await run(desk, 'ABN,Name', ONE, TWO, WRONG, FOUR);
  await saveAs(desk, 'corrected.csv', 'out.needs-attention.csv', '51824753557', '44676848475');
  await run(desk, 'ABN,Name', FOUR, TWO, ONE, WRONG);
  expect(await desk.json(['merge', 'corrected.csv', 'list.csv'])).toMatchObject({ mended: 1, kept: [] });
  expect(await desk.read('list.merged.csv')).toBe(lines('ABN,Name', FOUR, TWO, ONE, '44676848475,Wrong'));
});

test('where two runs asked for other rows with the same number, nobody can tell which was corrected, so none is', async () => {
  const desk = await openDesk();
  await run(desk, 'ABN,Name', ONE, WRONG, TWO);
  await saveAs(desk, 'corrected.csv', 'out.needs-attention.csv', '51824753557', '44676848475');
  const now = ['ABN,Name', ONE, '51824753558,Other', TWO, WRONG];
  await run(desk, ...now);
  const { found, nowhere } = await desk.json(['merge', 'corrected.csv', 'list.csv']);
  expect([found, nowhere]).toEqual([0, [{ row: 3, identifiers: ['44676848475'] }]]);
  expect(await desk.read('list.merged.csv')).toBe(lines(...now));
});

test('an edited output under another name keeps its answers beside their rows, though its list was run again', async () => {
  const desk = await openDesk();
  const list = ['a1.example,a', 'b2.example,b', 'c3.example,c', 'd4.example,d'];
  await run(desk, 'Domain,Note', ...list);
  const answersIn = async (file: string): Promise<Record<string, string>> => {
    const rows: Record<string, string>[] = parse(await desk.read(file), { columns: true });
    return Object.fromEntries(rows.map(({ Domain = '', _as_of = '' }) => [Domain, _as_of]));
  };
  const before = await answersIn('out.csv');
  await saveAs(desk, 'renamed.csv', 'out.csv', ',a,', ',a edited,');
  await run(desk, 'Domain,Note', 'new.example,n', ...list);
  expect(await desk.json(['merge', 'renamed.csv', 'list.csv', '-o', 'x.csv'])).toMatchObject({ mended: 0 });
  expect(await answersIn('x.csv')).toEqual({ 'new.example': '', ...before });
  // No run over the list had these rows at these places.
  const [header = '', , ...cut] = (await desk.read('renamed.csv')).trimEnd().split('\n');
  await desk.write('cut.csv', lines(header, ...cut.toReversed()));
  expect(await desk.json(['merge', 'cut.csv', 'list.csv', '-o', 'y.csv'])).toMatchObject({ mended: 0 });
  expect(await answersIn('y.csv')).toEqual({ 'new.example': '', ...before, 'a1.example': '' });
});

test('an edited output of JSON lines is known by its rows, which have other numbers than those of a table with blank lines', async () => {
  const desk = await openDesk();
  const rows = [ONE, '', TWO, WRONG, FOUR];
  await desk.write('list.csv', lines('ABN,Name', ...rows));
  await desk.type(desk.run('-o', 'out.jsonl'));
  await saveAs(desk, 'mine.jsonl', 'out.jsonl', '51824753557', '53004085616');
  await saveAs(desk, 'mine.jsonl', 'mine.jsonl', 'Two', 'Second');
  const merged = await desk.json(['merge', 'mine.jsonl', 'list.csv']);
  expect(merged).toMatchObject({ found: 4, moved: 0, mended: 2, nowhere: [], kept: [] });
  const names = (await desk.read('list.merged.csv'))
    .split('\n')
    .map((line) => line.split(',').slice(0, 2).join());
  expect(names.slice(1, 6)).toEqual([ONE, '', '33051775556,Second', '53004085616,Wrong', FOUR]);
});

test('corrections for several operations go by the identifiers of all of them, also in a copy of the list', async () => {
  const desk = await openDesk();
  const list = lines('ABN,Email,Name', '51824753557,jo@x.example,One', '33051775556,nobody,Two');
  await desk.write('list.csv', list);
  await desk.type(['run', 'enrich-company,enrich-person', 'list.csv', '--budget', '90', '-o', 'out.csv']);
  await saveAs(desk, 'corrected.csv', 'out.needs-attention.csv', '51824753557', '44676848475');
  await saveAs(desk, 'corrected.csv', 'corrected.csv', 'nobody', 'al@x.example');
  const sorted = lines('ABN,Email,Name', '33051775556,nobody,Two', '51824753557,jo@x.example,One');
  for (const name of ['copy', 'list']) {
    await desk.write(`${name}.csv`, sorted);
    expect(await desk.json(['merge', 'corrected.csv', `${name}.csv`])).toMatchObject({ mended: 2, kept: [] });
    expect(await desk.read(`${name}.merged.csv`)).toBe(
      lines('ABN,Email,Name', '33051775556,al@x.example,Two', '44676848475,jo@x.example,One'),
    );
  }
});
