/**
 * Goal: a list is read as the person meant who made it, whatever a program has done to its text; each row that is none of it is counted
 * and said, none of them is bought, and none of the others is lost.
 * Method: the real command before a vendor with a book of its own, on bytes as programs leave them.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { bookOf, textRow } from '../files/formats/workbook-file.ts';
import { type Desk, openDesk } from './desk.ts';

const RUN = ['run', 'enrich-company', 'list.csv', '--budget', '99', '-o', 'out.csv'];

async function deskWith(list: string | Buffer, name = 'list.csv'): Promise<Desk> {
  const desk = await openDesk({ matchRate: 1 });
  await writeFile(desk.place.path(name), list);
  return desk;
}

// ------------------------------------------------------------------------------------------------ marks and separators

test.each([
  ['a mark that was read as letters', 'ï»¿Domain,Name\na.example,A\n'],
  ['the same behind a mark', '\uFEFFï»¿Domain,Name\na.example,A\n'],
  ['two marks', '\uFEFF\uFEFFDomain,Name\na.example,A\n'],
  ['the same before a quote', 'ï»¿"Domain","Name"\n"a.example","A"\n'],
  ['the same within it', '"ï»¿Domain","Name"\n"a.example","A"\n'],
])('%s is no part of the first name, and comes back', async (_what, list) => {
  const desk = await deskWith(list);
  const { columns } = await desk.json(['plan', 'list.csv']);
  expect(columns.map(({ name }: { name: string }) => name)).toEqual(['Domain', 'Name']);
  expect(await desk.json([...RUN, '--column', 'domain=Domain'])).toMatchObject({ counts: { matched: 1 } });
  const [header = ''] = list.split('\n');
  expect((await readFile(desk.place.path('out.csv'))).toString().startsWith(header)).toBe(true);
  expect(
    await desk.json(['run', 'enrich-company', 'out.csv', '--budget', '9', '-o', 'again.csv']),
  ).toMatchObject({
    requests: 0,
    counts: { matched: 1 },
  });
});

test.each([
  ['~', 'tilde'],
  ['^', 'caret'],
  ['\u0001', 'ctrl-a'],
])('%j between the cells is recognised, said and written', async (between, name) => {
  const rows = [
    ['Domain', 'Name', 'Address'],
    ['a.example', 'A', '1 Main St, Perth'],
    ['b.example', 'B; C', '2 Main St, Perth'],
  ];
  const desk = await deskWith(rows.map((cells) => `${cells.join(between)}\n`).join(''));
  expect(await desk.json(['plan', 'list.csv'])).toMatchObject({ rows: 2, delimiter: name });
  expect(await desk.json([...RUN, '--delimiter', between])).toMatchObject({ counts: { matched: 2 } });
  const [, first] = parse(await desk.read('out.csv'), { delimiter: between, quote: '"' });
  expect(first?.slice(0, 3)).toEqual(rows[1]);
  expect(
    await desk.json(['run', 'enrich-company', 'out.csv', '--budget', '9', '-o', 'again.csv']),
  ).toMatchObject({
    requests: 0,
    counts: { matched: 2 },
  });
});

test('a list of commas stays one, whatever signs stand in its cells as often', async () => {
  const desk = await deskWith('Domain,N~\na.example,1~\nb.example,2~\n');
  expect(await desk.json(['plan', 'list.csv'])).toMatchObject({
    delimiter: 'comma',
    columns: [{}, { name: 'N~' }],
  });
});

test('a quote in the middle of a cell is a character, as Excel reads it', async () => {
  const desk = await deskWith(
    'Domain,Size,Note\na.example,5" pipe,\nb.example,the "Reef" Trust,x\nc.example,a"b, "q"\n',
  );
  expect(await desk.json(RUN)).toMatchObject({ counts: { matched: 3 } });
  const output = await desk.read('out.csv');
  expect(output).toMatch(
    /\na\.example,5" pipe,,.*,matched,.*\nb\.example,the "Reef" Trust,x,.*\nc\.example,a"b, "q",/,
  );
});

// ------------------------------------------------------------------------------------------------ what is no row

test.each([
  ['the end mark of DOS', '\x1a'],
  ['a blank of no width', '\u200b'],
  ['a blank that does not break', '\u00a0'],
  ['a form feed', '\f'],
  ['several of them', ' \u00a0\u200b\x1a\r\n'],
])('a last line of %s is no row, and comes back', async (_what, line) => {
  for (const list of [`Domain,Name\r\na.example,A\r\n${line}`, `Domain\r\na.example\r\n${line}`]) {
    const desk = await deskWith(list);
    expect(await desk.json(['plan', 'enrich-company', 'list.csv'])).toMatchObject({
      rows: 1,
      invalid: 0,
      to_buy: 1,
    });
    const { code, stderr } = await desk.type(RUN);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('Row 3 (only invisible characters) is no contact and is left out');
    expect((await desk.read('out.csv')).split('\r\n')[2]?.startsWith(line.trimEnd())).toBe(true);
  }
});

test('check boxes down the sheet are no rows, and are counted', async () => {
  const filled = Array.from(
    { length: 3 },
    (_, at) => `Company ${at},c${at}.example,${at === 1 ? 'TRUE' : 'FALSE'}\n`,
  );
  const boxes = Array.from({ length: 197 }, () => ',,FALSE\n');
  const desk = await deskWith(`Name,Domain,Done\n${[...filled, ...boxes].join('')}`);
  const { stderr } = await desk.type(['plan', 'list.csv']);
  expect(stderr).toContain(
    '197 rows (5-201: FALSE) are no contacts and are left out; use --rows to change that.',
  );
  expect(await desk.json(['plan', 'enrich-company', 'list.csv'])).toMatchObject({
    rows: 3,
    invalid: 0,
    to_buy: 3,
  });
  const all = await desk.json(['plan', 'enrich-company', 'list.csv', '--rows', '2-201']);
  expect(all).toMatchObject({ rows: 200 });
});

test('check boxes at the end of a large list are none either', async () => {
  const filled = Array.from({ length: 6_000 }, (_, at) => `c${at}.example,${'x'.repeat(200)},"TRUE"\n`);
  const boxes = Array.from({ length: 30 }, () => ',,"FALSE"\n');
  const desk = await deskWith(`Domain,Note,Done\n${[...filled, ...boxes].join('')}`);
  expect(await desk.json(['plan', 'enrich-company', 'list.csv'])).toMatchObject({ rows: 6_000, invalid: 0 });
});

test('a list of answers by check boxes alone keeps its rows', async () => {
  const desk = await deskWith('Agrees\nTRUE\nFALSE\nTRUE\n');
  expect(await desk.json(['plan', 'list.csv', '--header-row', '1'])).toMatchObject({ rows: 3 });
});

test('the header that stands in the list again is no row, also far below and behind a mark', async () => {
  const row = (at: number): string => `c${at}.example,"Company, ${at}",${'x'.repeat(200)}\n`;
  const rows = (from: number, count: number) =>
    Array.from({ length: count }, (_, at) => row(from + at)).join('');
  const header = '"Domain","Name","Note"\n';
  const desk = await deskWith(
    `${header}${rows(0, 2)}\uFEFF${header}${rows(2, 1)}${header}${rows(3, 6_000)}${header}${rows(9_000, 1)}`,
  );
  const { stderr } = await desk.type(['plan', 'list.csv']);
  expect(stderr).toContain(
    '3 rows (4, 6, 6007: the names of the columns again) are no contacts and are left out',
  );
  expect(await desk.json(['plan', 'enrich-company', 'list.csv'])).toMatchObject({
    rows: 6_004,
    invalid: 0,
    to_buy: 6_004,
  });
});

test('a header that stands once more far below is found where nothing above shows it', async () => {
  const rows = Array.from({ length: 6_000 }, (_, at) => `c${at}.example,${'x'.repeat(200)}\n`).join('');
  const desk = await deskWith(`Domain,Note\n${rows}Domain,Note\nlast.example,\n`);
  const { stderr } = await desk.type(['plan', 'enrich-company', 'list.csv']);
  expect(stderr).toContain('Row 6002 (the names of the columns again) is no contact and is left out');
});

test('a survey of three header rows: the first names the columns, the others are no rows', async () => {
  const id = (name: string): string => `"{""ImportId"":""${name}""}"`;
  const desk = await deskWith(
    [
      'StartDate,RecipientEmail,Q1,Website',
      'Start Date,Recipient Email,"How did you hear of us?\n(one answer)",Your website',
      [id('startDate'), id('recipientEmail'), id('QID1'), id('QID2')].join(','),
      '2026-11-01 10:00:00,jo@a.example,Friend,https://a.example',
      '2026-11-02 11:00:00,al@b.example,Fair,https://b.example',
      '',
    ].join('\n'),
  );
  const { stderr } = await desk.type(['plan', 'list.csv']);
  expect(stderr).toContain('Row 2 (Start Date, Recipient Email, How did you hear of us? (one answer),');
  expect(stderr).toMatch(/Row 3 \(.*ImportId.*\) is no contact and is left out/);
  const plan = await desk.json(['plan', 'list.csv']);
  expect(plan.columns.map(({ name }: { name: string }) => name)).toEqual([
    'StartDate',
    'RecipientEmail',
    'Q1',
    'Website',
  ]);
  expect(await desk.json(RUN)).toMatchObject({ counts: { matched: 2 }, requests: 2 });
});

// ------------------------------------------------------------------------------------------------ how programs call columns

const name = (header: string): string => `"${header}"`;

test.each<[operation: string, header: readonly string[], columns: Readonly<Record<string, string>>]>([
  [
    'enrich-company',
    ['Account: Account Name', 'Account: Website', 'Contact: Email'],
    { website: 'Account: Website' },
  ],
  [
    'enrich-company',
    ['Organization - Name', 'Organization - Website'],
    { website: 'Organization - Website' },
  ],
  ['enrich-company', ['Account | Website', 'Owner: Email'], { website: 'Account | Website' }],
  [
    'enrich-company',
    ['Company: Domain', 'Company > LinkedIn URL'],
    { domain: 'Company: Domain', profile_url: 'Company > LinkedIn URL' },
  ],
  [
    'enrich-person',
    ['Person - Name', 'Person - Email - Work', 'Person - Email - Home'],
    { email: 'Person - Email - Work' },
  ],
  ['enrich-person', ['Account: Email', 'Contact: Email'], { email: 'Contact: Email' }],
  ['enrich-person', ['Account: LinkedIn', 'Contact: LinkedIn'], { profile_url: 'Contact: LinkedIn' }],
  ['enrich-person', ['Email', 'Lead: Email'], { email: 'Email' }],
  [
    'invite-user',
    [
      'Email address to invite [inviteeEmail] Required',
      'Redirection url [inviteRedirectURL] Required',
      'Send invitation message (true or false) [sendEmail]',
    ],
    { email: 'Email address to invite [inviteeEmail] Required' },
  ],
  [
    'invite-user',
    ['First Name [Required]', 'Email Address [Required]'],
    { email: 'Email Address [Required]' },
  ],
])('%s of a list with %j takes %j by their names', async (operation, header, columns) => {
  const cells = header.map((each) => (/email/i.test(each) ? 'jo@a.example' : 'https://a.example'));
  const desk = await deskWith(`${header.map(name).join()}\n${cells.join()}\n`);
  const { operations } = await desk.json(['plan', 'list.csv']);
  const fit = operations.find((each: { operation: string }) => each.operation === operation);
  expect(fit).toMatchObject({ columns });
  expect(Object.keys(fit.columns).sort()).toEqual(Object.keys(columns).sort());
});

test('the template of a directory, whose version stands above its names, is read', async () => {
  const desk = await deskWith(
    'version:v1.0\nEmail address to invite [inviteeEmail] Required,Redirection url [inviteRedirectURL] Required\n' +
      'jo@a.example,https://a.example/in\nal@b.example,https://a.example/in\n',
  );
  expect(await desk.json(['plan', 'list.csv'])).toMatchObject({ rows: 2, layout: { header_row: '2' } });
});

// ------------------------------------------------------------------------------------------------ each line one cell

const LINES = [
  'Name,Domain,Note',
  'A,a.example,"1 Main St, Perth"',
  '"B ""the"" C",b.example,"two\nlines"',
  'D,d.example,',
];
const quoted = (line: string): string => `"${line.replaceAll('"', '""')}"`;

test.each([
  ['\n', ''],
  ['\r\n', ',,'],
  ['\n', ';'],
])(
  'lines that are one quoted cell each are read as what stands within, and come back without: %j, %j',
  async (end, behind) => {
    const desk = await deskWith(`\uFEFF${LINES.map((line) => quoted(line) + behind + end).join('')}`);
    const { stderr } = await desk.type(['plan', 'list.csv']);
    expect(stderr).toContain('Each line is one cell in quotes, so the cells within the quotes are read');
    expect(await desk.json(RUN)).toMatchObject({ counts: { matched: 3 }, requests: 3 });
    const output = await desk.read('out.csv');
    const rows = parse(output, { bom: true, columns: true }) as Record<string, string>[];
    expect(rows.map(({ Name, Domain, Note, _status }) => [Name, Domain, Note, _status])).toEqual([
      ['A', 'a.example', '1 Main St, Perth', 'matched'],
      ['B "the" C', 'b.example', 'two\nlines', 'matched'],
      ['D', 'd.example', '', 'matched'],
    ]);
    expect(await desk.json(RUN), 'the same again').toMatchObject({ requests: 0, counts: { matched: 3 } });
    const again = await desk.json(['run', 'enrich-company', 'out.csv', '--budget', '9', '-o', 'again.csv']);
    expect(again).toMatchObject({ requests: 0, counts: { matched: 3 } });
  },
);

test('a list of one column in quotes, with a comma in each name, stays one', async () => {
  const desk = await deskWith('"Last, First"\n"Smith, John"\n"Doe, Jane"\n');
  expect(await desk.json(['plan', 'list.csv', '--header-row', '1'])).toMatchObject({
    columns: [{ name: 'Last, First' }],
  });
});

test('a workbook with all of it in column A is read as its lines, and comes back as a table', async () => {
  const rows = ['Name;Domain', 'A;a.example', '"B; C";b.example'].map((line, at) =>
    textRow(at + 1, escaped(line)),
  );
  const desk = await deskWith(bookOf({ rows: rows.join('') }), 'list.xlsx');
  const run = ['run', 'enrich-company', 'list.xlsx', '--budget', '9', '-o', 'out.xlsx'];
  const { code, stderr } = await desk.type(run);
  expect(code, stderr).toBe(0);
  expect(stderr).toContain(
    'All of it stands in column A, so each line is parted into its cells; so is it in the output.',
  );
  expect(await desk.requests()).toBe(2);
  const { columns, rows: count } = await desk.json(['plan', 'out.xlsx']);
  expect(count).toBe(2);
  expect(columns.slice(0, 2)).toMatchObject([
    { name: 'Name', examples: ['A', 'B; C'] },
    { name: 'Domain', examples: ['a.example', 'b.example'] },
  ]);
  expect(await desk.json(run), 'the same again').toMatchObject({ requests: 0, counts: { matched: 2 } });
});

const escaped = (text: string): string => text.replaceAll('"', '&quot;');

test('in a workbook the same rows are none: what a survey says of its columns, the header again, check boxes, what is not shown', async () => {
  const rows = [
    ['Q1', 'Website', 'Done'],
    ['Who are you?', 'Your website', 'Done?'],
    [
      '{&quot;ImportId&quot;:&quot;QID1&quot;}',
      '{&quot;ImportId&quot;:&quot;QID2&quot;}',
      '{&quot;ImportId&quot;:&quot;QID3&quot;}',
    ],
    ['A', 'https://a.example', 'TRUE'],
    ['Q1', 'Website', 'Done'],
    ['B', 'https://b.example', 'FALSE'],
    ['\u200b', '', ''],
    ...Array.from({ length: 30 }, () => ['', '', 'FALSE']),
  ];
  const sheet = rows.map((cells, at) => textRow(at + 1, ...cells)).join('');
  const desk = await deskWith(bookOf({ rows: sheet }), 'list.xlsx');
  const { stderr } = await desk.type(['plan', 'list.xlsx']);
  expect(stderr).toContain('Row 2 (Who are you?, Your website, Done?) is no contact and is left out');
  expect(stderr).toMatch(/Row 3 \(.*ImportId.*\) is no contact and is left out/);
  expect(stderr).toContain('Row 5 (the names of the columns again) is no contact and is left out');
  expect(stderr).toContain('Row 7 (only invisible characters) is no contact and is left out');
  expect(stderr).toContain('30 rows (8-37: FALSE) are no contacts and are left out');
  expect(
    await desk.json(['run', 'enrich-company', 'list.xlsx', '--budget', '9', '-o', 'out.xlsx']),
  ).toMatchObject({
    counts: { matched: 2 },
    requests: 2,
  });
});
