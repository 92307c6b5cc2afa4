/**
 * Goal: no row gets what is another's, where identifiers are blank or alike, and a user loses nothing that she has corrected.
 * Method: the real command over lists that were run before the sandbox as a vendor, and then sorted, cut and corrected.
 */
import { expect, test } from 'vitest';
import { type Desk, openDesk } from './desk.ts';

const ONE = '51824753556,One';
const TWO = '33051775556,Two';
const WRONG = '51824753557';

/** A list that was run to its end, as an output `out.csv`. */
async function deskAfterRun(rows: readonly string[], header = 'ABN,Name'): Promise<Desk> {
  const desk = await openDesk();
  await desk.write('list.csv', lines(header, ...rows));
  await desk.type(desk.run());
  return desk;
}

const lines = (...rows: readonly string[]): string => `${rows.join('\n')}\n`;

/** Corrects the file of the rows that need attention. */
async function correct(desk: Desk, ...corrections: readonly (readonly [string, string])[]): Promise<void> {
  let text = await desk.read('out.needs-attention.csv');
  for (const [from, to] of corrections) text = text.replace(from, to);
  await desk.write('out.needs-attention.csv', text);
}

const MERGE = ['merge', 'out.needs-attention.csv'] as const;

test('an ABN that she filled in goes to its own row, however she has sorted her list, and to no other one without an ABN', async () => {
  const desk = await deskAfterRun([ONE, ',Foo', TWO, ',Bar']);
  await correct(desk, [',Foo', '53004085616,Foo']);
  const sorted = lines('ABN,Name', ONE, ',Bar', TWO, ',Foo');
  const merged = lines('ABN,Name', ONE, ',Bar', TWO, '53004085616,Foo');
  await desk.write('copy.csv', sorted);
  expect(await desk.json([...MERGE, 'copy.csv'])).toMatchObject({ mended: 1, nowhere: [], kept: [] });
  expect(await desk.read('copy.merged.csv')).toBe(merged);
  await desk.write('list.csv', sorted);
  await desk.json([...MERGE, 'list.csv']);
  expect(await desk.read('list.merged.csv')).toBe(merged);
  // The row is gone, and another one without an ABN stands in its place.
  const other = lines('ABN,Name', ONE, ',New', TWO, ',Bar');
  await desk.write('list.csv', other);
  const { nowhere } = await desk.json([...MERGE, 'list.csv', '-o', 'other.csv']);
  expect(nowhere).toEqual([{ row: 3, identifiers: ['53004085616'] }]);
  expect(await desk.read('other.csv')).toBe(other);
});

test('rows without an ABN that were sorted in the output stay apart by their names: none of one gets into another', async () => {
  const list = [ONE, ',Foo', ',Bar', TWO];
  const desk = await deskAfterRun(list);
  const [header = '', one = '', foo = '', bar = '', two = ''] = (await desk.read('out.csv')).split('\n');
  await desk.write('out.csv', lines(header, one, bar, foo, two));
  await desk.write('copy.csv', lines('ABN,Name', ...list));
  expect(await desk.json(['merge', 'out.csv', 'copy.csv'])).toMatchObject({ found: 4, mended: 0, kept: [] });
  expect(await desk.read('copy.merged.csv')).toBe(lines(header, one, foo, bar, two));
});

test('a row whose identifier was deleted in the result is no other one without an identifier: its note goes to none of them', async () => {
  const desk = await deskAfterRun([',', '51824753556,', ','], 'ABN,Note');
  await desk.write('out.csv', (await desk.read('out.csv')).replace('51824753556,,', ',edited,'));
  await desk.write('copy.csv', 'ABN,Note\n,""\n,""\n');
  const { mended, nowhere } = await desk.json(['merge', 'out.csv', 'copy.csv']);
  expect([mended, nowhere]).toEqual([0, [{ row: 3, identifiers: [] }]]);
  expect(await desk.read('copy.merged.csv')).not.toContain('edited');
});

test('of rows with the same wrong ABN each gets its own correction, and none where nobody can tell', async () => {
  const desk = await deskAfterRun([ONE, `${WRONG},Foo`, TWO, `${WRONG},Bar`]);
  await correct(desk, [`${WRONG},Foo`, '53004085616,Foo'], [`${WRONG},Bar`, '44676848475,Bar']);
  const sorted = lines('ABN,Name', ONE, `${WRONG},Bar`, TWO, `${WRONG},Foo`);
  for (const name of ['copy', 'list']) {
    await desk.write(`${name}.csv`, sorted);
    expect(await desk.json([...MERGE, `${name}.csv`])).toMatchObject({ mended: 2, nowhere: [], kept: [] });
    expect(await desk.read(`${name}.merged.csv`)).toBe(
      lines('ABN,Name', ONE, '44676848475,Bar', TWO, '53004085616,Foo'),
    );
  }
  const renamed = sorted.replace(`${WRONG},Bar`, `${WRONG},Baz`).replace(',Foo', ',Fob');
  await desk.write('list.csv', renamed);
  const { nowhere } = await desk.json([...MERGE, 'list.csv', '-o', 'renamed.csv']);
  expect(nowhere.map(({ row }: { row: number }) => row)).toEqual([3, 5]);
  expect(await desk.read('renamed.csv')).toBe(renamed);
});

test('a file of corrections without the columns that tell her rows apart corrects none of them by their places', async () => {
  const desk = await deskAfterRun([`${ONE},`, ',Foo,', ',Bar,'], 'ABN,Name,Note');
  await desk.write('mended.csv', 'ABN,Note,_row,_reason\n53004085616,,3,blank\n44676848475,,4,blank\n');
  const sorted = lines('ABN,Name,Note', `${ONE},`, ',Bar,', ',Foo,');
  await desk.write('list.csv', sorted);
  expect(await desk.json(['merge', 'mended.csv', 'list.csv'])).toMatchObject({ found: 0, mended: 0 });
  expect(await desk.read('list.merged.csv')).toBe(sorted);
});

test('rows alike in all that was sent keep their notes: one that was edited in the result goes to no other of them', async () => {
  const desk = await deskAfterRun(['51824753556,', '51824753556,b'], 'ABN,Note');
  await desk.write('out.csv', (await desk.read('out.csv')).replace('6,,', '6,edited,'));
  await desk.write('list.csv', lines('ABN,Note', '51824753556,b', '51824753556,', '51824753556,new'));
  const { kept, mended } = await desk.json(['merge', 'out.csv', 'list.csv']);
  expect(mended).toBe(0);
  expect(kept).toContainEqual({ row: 3, column: 'Note', kept: '', result: 'edited' });
  expect(await desk.read('list.merged.csv')).toMatch(/^ABN,.*\n51824753556,b,.*\n51824753556,,.*\n.*new,/);
});

test('of a row that gets nothing it is said which rows of her file it fits, or why none', async () => {
  const list = [ONE, `${WRONG},Foo`, `${WRONG},Bar`, TWO, ',Nobody', ',Nobody else', ONE];
  const desk = await deskAfterRun(list);
  const corrected = (await desk.read('out.needs-attention.csv'))
    .replace(`${WRONG},Foo`, '53004085616,Foo')
    .replace(`${WRONG},Bar`, '44676848475,Bar')
    .replace(',Nobody,', '10000000000,Nobody,');
  await desk.write('out.needs-attention.csv', corrected);
  await desk.write('copy.csv', lines('ABN,Name', ONE, `${WRONG},Fob`, `${WRONG},Baz`, TWO));
  const { stderr } = await desk.type([...MERGE, 'copy.csv']);
  const none = 'so none of it was written.';
  for (const [what, why] of [
    [
      'Row 3 of the result ("53004085616")',
      'fits row 3 and row 4 of your file, but none of them for certain',
    ],
    ['Row 6 of the result ("10000000000")', 'was not found: no row of your file says the same'],
    ['Row 7 of the result', 'has no identifier, and nothing else tells which row of your file it is'],
  ])
    expect(stderr).toContain(`${what} ${why}, ${none}\n`);
  await desk.write('copy.csv', lines('ABN,Name', ONE, TWO));
  const twice = await desk.type(['merge', 'out.csv', 'copy.csv', '-o', 'twice.csv']);
  expect(twice.stderr).toContain(
    `Row 8 of the result ("51824753556") says the same as row 2 of your file, where another row of the result was written, ${none}`,
  );
});

test('names that differ in case alone are two searches with two answers, and each row keeps its own', async () => {
  const desk = await openDesk();
  await desk.write('job.yaml', 'operation: search-people\ncolumns: { company: Account }\n');
  const run = async (...rows: readonly string[]): Promise<readonly string[]> => {
    await desk.write('list.csv', lines('Account,Note', ...rows));
    await desk.type(['run', 'job.yaml', 'list.csv', '--budget', '90', '-o', 'out.csv']);
    return (await desk.read('out.csv')).trimEnd().split('\n');
  };
  const [header = '', first = '', second = ''] = await run('ACME inc,a', 'acme Inc,b');
  expect(first.split(',').slice(2)).not.toEqual(second.split(',').slice(2));
  await desk.write('list.csv', lines('Account,Note', 'acme Inc,b', 'ACME inc,a'));
  await desk.json(['merge', 'out.csv', 'list.csv']);
  expect(await desk.read('list.merged.csv')).toBe(lines(header, second, first));
  // She writes both in one way: what else stands in a row says which it is, and where nothing does, none gets an answer.
  await desk.write('list.csv', lines('Account,Note', 'Acme Inc,b', 'Acme Inc,mine'));
  const { nowhere } = await desk.json(['merge', 'out.csv', 'list.csv', '-o', 'spelled.csv']);
  expect(nowhere).toEqual([{ row: 2, identifiers: ['ACME inc'] }]);
  const [, given, none] = (await desk.read('spelled.csv')).split('\n');
  expect(given).toBe(second.replace('acme', 'Acme'));
  expect(none).toBe('Acme Inc,mine,,,,,,,');
});

test('an output of which she has cut a row brings each of the others to its own row, however the list has changed', async () => {
  const list = ['a1.example,a', 'b2.example,b', 'c3.example,c', 'd4.example,d', 'e5.example,e'];
  const desk = await deskAfterRun(list, 'Domain,Note');
  const [header = '', first = '', ...others] = (await desk.read('out.csv')).trimEnd().split('\n');
  const [b = '', c = '', , e = ''] = others;
  await desk.write('out.csv', lines(header, first.replace(',a,', ',edited,'), b, c, e));
  await desk.write('list.csv', lines('Domain,Note', ...list, 'new.example,'));
  expect(await desk.json(['merge', 'out.csv', 'list.csv'])).toMatchObject({
    found: 4,
    mended: 0,
    nowhere: [],
  });
  const none = ','.repeat(header.split(',').length - 2);
  expect(await desk.read('list.merged.csv')).toBe(
    lines(header, first, b, c, `d4.example,d${none}`, e, `new.example,${none}`),
  );
});

test('a mended number turns no company into a line of totals: what was found for it is written', async () => {
  const desk = await openDesk();
  await desk.write('job.yaml', 'operation: search-people\ncolumns: { company: Company }\n');
  await desk.write('list.csv', lines('Company,Staff', 'Acme,100', 'Bolt,150', 'Total,300'));
  await desk.type(['run', 'job.yaml', 'list.csv', '--budget', '90', '-o', 'out.csv']);
  const out = (await desk.read('out.csv')).replace('Bolt,150', 'Bolt,200');
  await desk.write('out.csv', out);
  expect(await desk.json(['merge', 'out.csv', 'list.csv'])).toMatchObject({ found: 3, mended: 1 });
  expect(await desk.read('list.merged.csv')).toBe(out);
});
