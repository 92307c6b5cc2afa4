/**
 * Goal: a user who went on working in her file while it was enriched gets the result into it, and loses none of her work.
 * Method: the real command over lists that were run before the sandbox as a vendor, and then edited as people edit them.
 */
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { readSheet } from 'read-excel-file/node';
import { expect, test } from 'vitest';
import { OUR_COLUMNS } from '../../src/core/row.ts';
import { proof } from '../combinations.ts';
import { bookOf, bookParts, partsOf, textRow, zipOf } from '../files/formats/workbook-file.ts';
import { type Desk, openDesk } from './desk.ts';

const HEADER = 'ABN,Name,Note\n';
const ONE = '51824753556,One,';
const TWO = '33051775556,Two,';
const WRONG = '51824753557,Wrong,';

/** A list with a row that needs attention, run to its end. */
async function deskAfterRun(): Promise<Desk> {
  const desk = await openDesk();
  await desk.write('list.csv', `${HEADER}${ONE}\n${TWO}\n${WRONG}\n`);
  expect((await desk.type(desk.run())).code).toBe(3);
  return desk;
}

/** The cells of these columns, row by row. */
async function cellsIn(desk: Desk, file: string, ...columns: readonly string[]): Promise<string[][]> {
  const rows: Record<string, string>[] = parse(await desk.read(file), { columns: true });
  return rows.map((row) => columns.map((name) => row[name] ?? ''));
}

test('rows that were sorted, cut, added and noted on get what was found for them, and what has no row is listed', async () => {
  const desk = await deskAfterRun();
  // She spells an ABN in another way, and has corrected another.
  await desk.write(
    'list.csv',
    `${HEADER}33 051 775 556,Two,call\n53004085616,New,\n51824753558,Wrong,mine\n`,
  );
  const { code, stdout, stderr } = await desk.type(['merge', 'out.csv', 'list.csv']);
  expect([code, stdout]).toEqual([3, `${desk.place.path('list.merged.csv')}\n`]);
  expect(await cellsIn(desk, 'list.merged.csv', 'ABN', 'Note', '_status')).toEqual([
    ['33 051 775 556', 'call', 'matched'],
    ['53004085616', '', ''],
    ['51824753558', 'mine', ''],
  ]);
  expect(stderr).toContain('1 of 3 rows found in the result; 1 of them is at another row now.');
  for (const gone of ['Row 2 of the result ("51824753556")', 'Row 4 of the result ("51824753557")'])
    expect(stderr).toContain(`${gone} was not found: no row of your file says the same`);
});

proof(
  'rows that were mended in the file of those that need attention go back, and what both sides changed is kept',
  async () => {
    const desk = await deskAfterRun();
    const attention = (await desk.read('out.needs-attention.csv')).replace(
      '51824753557,Wrong',
      '53004085616,Right',
    );
    await desk.write('out.needs-attention.csv', attention);
    await desk.write('list.csv', `${HEADER}${TWO}\n${WRONG.replace('Wrong', 'Wring')}\n${ONE}\n`);
    const first = await desk.json(['merge', 'out.needs-attention.csv', 'list.csv', '-o', 'mended.csv']);
    expect(first).toMatchObject({ rows: 3, found: 1, moved: 1, mended: 1, nowhere: [] });
    // Nobody knows what the name was before.
    expect(first.kept).toEqual([{ row: 3, column: 'Name', kept: 'Wring', result: 'Right' }]);
    expect(await desk.read('mended.csv')).toBe(`${HEADER}${TWO}\n53004085616,Wring,\n${ONE}\n`);
    // Both sides have mended the same cell.
    await desk.write('list.csv', `${HEADER}${ONE}\n${TWO}\n51824753559,Wrong,\n`);
    const { code, stderr } = await desk.type([
      'merge',
      'out.needs-attention.csv',
      'list.csv',
      '-o',
      'both.csv',
    ]);
    expect(code).toBe(3);
    expect(stderr).toContain(
      'Row 4 of the result ("53004085616") was not found: no row of your file says the same, so none of it was written.',
    );
  },
);

proof(
  'an edited result goes into a copy of the list, and only what she changed in the copy is kept over it',
  async () => {
    const desk = await deskAfterRun();
    const [header, ...rows] = (await desk.read('out.csv')).trimEnd().split('\n');
    const edited = rows.map((row) => row.replace('Two,', 'Two,from the result').replace('One,', 'One,both'));
    await desk.write('out.csv', `${[header, ...edited].join('\n')}\n`);
    await desk.write('copy.csv', `${HEADER}${ONE}mine\n${TWO}\n${WRONG}also mine\n`);
    const { kept, mended } = await desk.json(['merge', 'out.csv', 'copy.csv']);
    expect([mended, kept]).toEqual([1, [{ row: 2, column: 'Note', kept: 'mine', result: 'both' }]]);
    expect(await cellsIn(desk, 'copy.merged.csv', 'Note', '_status')).toEqual([
      ['mine', 'matched'],
      ['from the result', 'matched'],
      ['also mine', 'invalid'],
    ]);
  },
);

proof(
  'into a workbook go our columns alone: all its other parts stay, and a second merge changes nothing',
  async () => {
    const desk = await openDesk();
    const book = readFileSync(new URL('../files/formats/books/filter.xlsx', import.meta.url));
    await writeFile(desk.place.path('leads.xlsx'), book);
    expect((await desk.type(['run', 'enrich-company', 'leads.xlsx', '--budget', '9'])).code).toBe(0);
    const merged = await desk.json(['merge', 'leads.enriched.xlsx', 'leads.xlsx']);
    expect(merged).toMatchObject({ rows: 3, found: 3, moved: 0, mended: 0, nowhere: [], kept: [] });
    const made = readFileSync(merged.output);
    expect(made.equals(readFileSync(desk.place.path('leads.enriched.xlsx')))).toBe(true);
    const changed = partsOf(made).filter(({ packed }, at) => !partsOf(book)[at]?.packed.equals(packed));
    expect(changed.map(({ name }) => name)).toEqual([
      'xl/worksheets/sheet1.xml',
      'xl/workbook.xml',
      'xl/styles.xml',
    ]);
    await desk.json(['merge', 'leads.enriched.xlsx', 'leads.merged.xlsx', '-o', 'again.xlsx']);
    expect(await readSheet(readFileSync(desk.place.path('again.xlsx')))).toEqual(await readSheet(made));
  },
);

proof(
  'a mended row goes into a workbook in its own cell, which keeps its format, and everything else stays',
  async () => {
    const desk = await openDesk();
    const abn = (row: number, number: string): string =>
      `<row r="${row}"><c r="A${row}" s="1"><v>${number}</v></c></row>`;
    const book = bookOf({
      rows: textRow(1, 'ABN') + abn(2, '51824753556') + abn(3, '51824753557'),
      formats: ['00 000 000 000'],
      otherSheets: [{ name: 'Other' }],
    });
    await writeFile(desk.place.path('leads.xlsx'), book);
    expect((await desk.type(['run', 'enrich-company', 'leads.xlsx', '--budget', '9'])).code).toBe(3);
    // Saved as CSV, under a name of her own.
    await desk.write('mended.csv', 'ABN,_row,_reason\n53004085616,3,the checksum fails\n');
    const merged = await desk.json(['merge', 'mended.csv', 'leads.xlsx']);
    expect(merged).toMatchObject({ rows: 2, found: 1, mended: 1, nowhere: [], kept: [] });
    const texts = (bytes: Buffer): readonly string[] =>
      partsOf(bytes).flatMap(({ name, text }) => (name === 'xl/styles.xml' ? [] : [text]));
    const mended = '<c r="A3" s="1" t="inlineStr"><is><t xml:space="preserve">53004085616</t></is></c>';
    expect(texts(readFileSync(merged.output))).toEqual(
      texts(book).map((text) => text.replace('<c r="A3" s="1"><v>51824753557</v></c>', mended)),
    );
  },
);

test('what does not belong together is refused, with what to do', async () => {
  const desk = await deskAfterRun();
  await desk.write('other.csv', 'Company,Town\nA,B\n');
  const link =
    '<Relationship Id="s" Type="http://example.org/digital-signature/origin" Target="s"/></Relationships>';
  const signed = bookParts({ rows: textRow(1, 'ABN') + textRow(2, '51824753556') }).map((part) =>
    part.name === '_rels/.rels'
      ? { ...part, content: `${part.content}`.replace('</Relationships>', link) }
      : part,
  );
  await writeFile(desk.place.path('signed.xlsx'), zipOf(signed));
  for (const [words, fact] of [
    [['merge', 'list.csv', 'out.csv'], /list\.csv is not a result: .*\nName an output or a file of rows/],
    [
      ['merge', 'out.csv', 'other.csv'],
      /no longer has all the columns that .*out\.csv was made from: "ABN"\./,
    ],
    [
      ['merge', 'out.csv', 'signed.xlsx'],
      /written into .*signed\.xlsx: it has a digital signature.*\nRemove the signature/,
    ],
    [['merge', 'out.csv', 'list.csv', '-o', 'list.csv'], /The output .*list\.csv is also an input\./],
    [['merge', 'out.csv', 'list.csv', '-o', 'list.xlsx'], /Give it the ending \.csv\./],
  ] as const) {
    const { code, stderr } = await desk.type(words);
    expect(code).toBe(2);
    expect(stderr).toMatch(fact);
  }
});

test('a column of hers that is called as one of ours is never replaced: her file is refused by its name, like a list by a run', async () => {
  const desk = await deskAfterRun();
  const said = async (name: string, header: string, cells: string): Promise<string> => {
    await desk.write(name, `ABN,Name,${header}\n${ONE}${cells}\n`);
    const { code, stderr } = await desk.type(['merge', 'out.csv', name]);
    return `${code} ${stderr}`;
  };
  for (const column of ['_status', '_reason', '_as_of', '_Status', '" _status "'])
    expect(await said('own.csv', `${column},Note`, 'to call,hers')).toMatch(
      /^2 .*own\.csv has a column "_(Status|status|reason|as_of)", but every output gets a column _.*\nRename that column\.\n$/,
    );
  expect(await said('five.csv', OUR_COLUMNS.slice(0, -1).join(','), 'a,b,c,d,e')).toContain('five.csv has');
  expect(existsSync(desk.place.path('own.merged.csv'))).toBe(false);
  // Rows that she has mended bring none of our columns, so that hers of that name are in nobody's way.
  await desk.write('own.csv', `ABN,Name,_status\n${WRONG}to call\n`);
  const mended = (await desk.read('out.needs-attention.csv')).replace('Wrong', 'Right');
  await desk.write('out.needs-attention.csv', mended);
  await desk.type(['merge', 'out.needs-attention.csv', 'own.csv']);
  expect(await cellsIn(desk, 'own.merged.csv', 'ABN', '_status')).toEqual([['51824753557', 'to call']]);
});

proof('the same holds for a workbook of hers, and a result is one only with all of our columns', async () => {
  const desk = await deskAfterRun();
  const rows = textRow(1, 'ABN', ' _status ') + textRow(2, '51824753556', 'to call');
  await writeFile(desk.place.path('own.xlsx'), bookOf({ rows }));
  expect(await desk.type(['merge', 'out.csv', 'own.xlsx'])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/own\.xlsx has a column "_status", but/),
  });
  await desk.write('fake.csv', `ABN,Name,Note,_status\n${ONE},to call\n`);
  expect(await desk.type(['merge', 'fake.csv', 'list.csv'])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /fake\.csv is not a result: .*_status, _reason, .* _as_of.*_row and _reason/,
    ),
  });
});

proof('ours on a sheet of their own are found behind a sheet of hers that has a column _row', async () => {
  const desk = await openDesk();
  const rows = textRow(1, 'ABN', '_row') + textRow(2, '51824753556', 'C7') + textRow(3, '33051775556', 'C9');
  const book = bookOf({ rows, behind: '<autoFilter ref="A2:B3"/>' });
  await writeFile(desk.place.path('leads.xlsx'), book);
  await desk.json(['run', 'enrich-company', 'leads.xlsx', '--budget', '9']);
  await desk.write('own.csv', 'ABN,Note\n33051775556,mine\n51824753556,\n');
  const merged = await desk.json(['merge', 'leads.enriched.xlsx', 'own.csv']);
  expect(merged).toMatchObject({ rows: 2, found: 2, moved: 2 });
});

test('in a column of hers that is called like one of the job, a blank cell gets the answer, and any other stays and is shown', async () => {
  const desk = await openDesk();
  await desk.write('job.yaml', 'operation: enrich-company\nadd: { size: employee_count }\n');
  await desk.write('list.csv', `${HEADER}${ONE}\n${TWO}\n`);
  await desk.json(['run', 'job.yaml', 'list.csv', '--budget', '9', '-o', 'out.csv']);
  const found = await cellsIn(desk, 'out.csv', 'size');
  await desk.write('list.csv', `ABN,Name,size\n${ONE}mine\n${TWO}\n`);
  const { stderr } = await desk.type(['merge', 'out.csv', 'list.csv']);
  expect(stderr).toContain('1 cell of yours, in a column that the job adds, has what was found now.');
  const { kept, mended, filled } = await desk.json(['merge', 'out.csv', 'list.csv', '-o', 'again.csv']);
  expect([mended, filled]).toEqual([0, 1]);
  expect(kept).toEqual([{ row: 2, column: 'size', kept: 'mine', result: found[0]?.[0] }]);
  expect(await cellsIn(desk, 'list.merged.csv', 'size')).toEqual([['mine'], found[1]]);
  // A table of Excel cannot have two names that differ in case alone.
  await desk.write('cased.csv', `ABN,Name,Size\n${ONE}mine\n`);
  expect(await desk.type(['merge', 'out.csv', 'cased.csv'])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /cased\.csv has a column "Size", and .*out\.csv would bring "size"\.\nCall /,
    ),
  });
});

test('what was found begins no formula in her table, neither in a column of hers nor in one that is added, whatever the result is', async () => {
  const desk = await openDesk();
  await desk.write(
    'job.yaml',
    'operation: enrich-company\nadd: { size: employee_count, city: location.city }\n',
  );
  await desk.write('list.csv', `${HEADER}${ONE}\n`);
  await desk.json(['run', 'job.yaml', 'list.csv', '--budget', '9', '-o', 'out.jsonl']);
  const found = (await desk.read('out.jsonl')).replace(/"(size|city)":[^,]*/g, '"$1":"=1+1"');
  await desk.write('out.jsonl', found);
  await desk.write('mine.csv', `ABN,Name,size\n${ONE}\n`);
  await desk.json(['merge', 'out.jsonl', 'mine.csv']);
  expect(await cellsIn(desk, 'mine.merged.csv', 'size', 'city')).toEqual([["'=1+1", "'=1+1"]]);
  const again = await desk.json(['merge', 'out.jsonl', 'mine.merged.csv', '-o', 'again.csv']);
  expect([again.kept, again.mended, again.filled]).toEqual([[], 0, 0]);
});

test('a cell of hers that a job was to keep or to fill around stays as she has it now, also where the answer is newer', async () => {
  const desk = await openDesk();
  await desk.write('list.csv', `ABN,Name,size\n${ONE}12\n${TWO}\n`);
  for (const existing of ['fill', 'keep']) {
    const job = `operation: enrich-company\nadd: { size: employee_count }\non_existing: ${existing}\n`;
    await desk.write('job.yaml', job);
    const run = ['run', 'job.yaml', 'list.csv', '--budget', '9', '-o', 'out.csv'];
    await desk.json(run);
    await desk.write('mine.csv', (await desk.read('out.csv')).replace('One,12', 'One,15'));
    await desk.json([...run, '--refresh']);
    await desk.json(['merge', 'out.csv', 'mine.csv', '-o', `${existing}.csv`]);
    expect((await cellsIn(desk, `${existing}.csv`, 'size'))[0]).toEqual(['15']);
  }
});

proof(
  'a column _row that a list has from a search is hers in its output, and what she mends there goes back',
  async () => {
    const desk = await openDesk();
    const list = 'ABN,_row\n51824753556,7\n33051775556,8\n';
    await desk.write('list.csv', list);
    await desk.json(desk.run());
    await desk.write('out.csv', (await desk.read('out.csv')).replace('51824753556,7', '51824753556,9'));
    await desk.write('copy.csv', list);
    expect(await desk.json(['merge', 'out.csv', 'copy.csv'])).toMatchObject({ mended: 1, kept: [] });
    expect(await cellsIn(desk, 'copy.merged.csv', '_row')).toEqual([['9'], ['8']]);
  },
);

const PEOPLE = 'ABN,Email,Note\n';
/** Two companies share an address, and two have none. */
const SHARED = [
  '51824753556,jo@x.example,a',
  '33051775556,jo@x.example,b',
  '53004085616,,c',
  '44676848475,,d',
] as const;

/** The companies' names in a file by ABN. */
async function namesIn(desk: Desk, file: string): Promise<Record<string, string | undefined>> {
  return Object.fromEntries(await cellsIn(desk, file, 'ABN', 'name'));
}

test('what several operations have found for a row stays with it: the identifiers of all of them tell rows apart', async () => {
  const desk = await openDesk();
  const write = (rows: readonly string[]) => desk.write('list.csv', `${PEOPLE}${rows.join('\n')}\n`);
  await write(SHARED);
  await desk.type(['run', 'enrich-company,enrich-person', 'list.csv', '--budget', '90', '-o', 'out.csv']);
  const before = await namesIn(desk, 'out.csv');
  expect(new Set(Object.values(before)).size).toBeGreaterThan(2);
  await write([...SHARED].reverse().map((row) => row.replace(',c', ',mine')));
  // Also a result that she has edited, under a name of her own, is of both.
  await desk.write('edited.csv', (await desk.read('out.csv')).replace('x.example,a', 'x.example,her own'));
  for (const result of ['out.csv', 'edited.csv']) {
    const merged = await desk.json(['merge', result, 'list.csv', '-o', `merged.${result}`]);
    expect(merged).toMatchObject({ rows: 4, found: 4, nowhere: [] });
    expect(await namesIn(desk, `merged.${result}`)).toEqual(before);
  }
});

test('a result is matched by the operation that made it, whatever was run over the list since', async () => {
  const desk = await openDesk();
  await desk.write('list.csv', `${PEOPLE}${SHARED.join('\n')}\n`);
  await desk.type(desk.run());
  const before = await namesIn(desk, 'out.csv');
  await desk.write('edited.csv', (await desk.read('out.csv')).replace('x.example,a', 'x.example,her own'));
  await desk.type(['run', 'enrich-person', 'list.csv', '--budget', '90', '-o', 'people.csv']);
  await desk.write('list.csv', `${PEOPLE}${[...SHARED].reverse().join('\n')}\n`);
  // An address that she has mended since is no part of what the company was found by.
  await desk.write('list.csv', (await desk.read('list.csv')).replace('jo@x.example,b', 'al@x.example,b'));
  await desk.json(['merge', 'edited.csv', 'list.csv', '-o', 'merged.csv']);
  expect(await namesIn(desk, 'merged.csv')).toEqual(before);
});

test('a blank in a newer result empties no cell that she has filled or that was bought: it is kept and shown', async () => {
  const desk = await openDesk();
  await desk.write('list.csv', `${HEADER}${ONE}\n${TWO}\n`);
  await desk.type(desk.run());
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

test('what she has written into our own columns is kept and shown as well, until an answer comes', async () => {
  const desk = await deskAfterRun();
  const mine = (await desk.read('out.csv'))
    .replace('One,,', 'One,note,')
    .replace(',matched,', ',called,')
    .replace(/,invalid,"?[^",]*"?,/, ',invalid,I asked them,');
  await desk.write('mine.csv', mine);
  const { kept } = await desk.json(['merge', 'out.csv', 'mine.csv']);
  expect(await desk.read('mine.merged.csv')).toBe(mine);
  expect(kept.map(({ row, column, kept: own }: Record<string, unknown>) => [row, column, own])).toEqual([
    [2, '_status', 'called'],
    [4, '_reason', 'I asked them'],
  ]);
});

test('a row that is mended to an identifier which another row has goes into its own row, and never into the other', async () => {
  const desk = await openDesk();
  await desk.write('list.csv', `${HEADER}${ONE}\n${WRONG}x\n`);
  await desk.type(desk.run());
  const attention = (await desk.read('out.needs-attention.csv')).replace('51824753557', '51824753556');
  await desk.write('out.needs-attention.csv', attention);
  const merge = ['merge', 'out.needs-attention.csv', 'list.csv', '-o'];
  expect(await desk.json([...merge, 'mended.csv'])).toMatchObject({ found: 1, mended: 1, kept: [] });
  expect(await desk.read('mended.csv')).toBe(`${HEADER}${ONE}\n51824753556,Wrong,x\n`);
  // Her list has another number there by now, so that nobody knows which row is meant.
  await desk.write('list.csv', `${HEADER}${ONE}\n51824753559,Wrong,x\n`);
  expect(await desk.json([...merge, 'other.csv'])).toMatchObject({ found: 0, nowhere: [{ row: 3 }] });
});

test('no merge replaces the file of one before: it is kept, which is said, and the new one stands beside it', async () => {
  const desk = await deskAfterRun();
  const first = (await desk.type(['merge', 'out.csv', 'list.csv'])).stdout.trim();
  const merged = await desk.read('list.merged.csv');
  await desk.write(
    'out.needs-attention.csv',
    (await desk.read('out.needs-attention.csv')).replace('51824753557', '53004085616'),
  );
  const { stdout, stderr } = await desk.type(['merge', 'out.needs-attention.csv', 'list.csv']);
  expect(stdout).toBe(`${desk.place.path('list.merged (2).csv')}\n`);
  expect(stderr).toContain(`${first} is there already, so it is kept.`);
  expect(await desk.read('list.merged.csv')).toBe(merged);
  // As the guide has it, both are in one file.
  await desk.json(['merge', 'out.needs-attention.csv', 'list.merged.csv', '-o', 'both.csv']);
  expect(await cellsIn(desk, 'both.csv', 'ABN', '_status')).toEqual([
    ['51824753556', 'matched'],
    ['33051775556', 'matched'],
    ['53004085616', 'invalid'],
  ]);
});
