/**
 * Goal: lists as R, psql, LinkedIn, CRMs, programs, spreadsheets of any country and people leave them are read as they are meant, with no
 * flag: the right cells are looked up, what is no contact is left out by name and not called invalid, and every line comes back in its
 * place. Plan and run say the same. What is wrong with a cell is said as what it is, with the repair beside it where that is certain.
 * Method: the real command over small lists of these kinds, before the sandbox as a vendor.
 */

import { readFile, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { bookOf, bookParts, partsOf, textRow, zipOf } from '../files/formats/workbook-file.ts';
import { type Desk, type JsonResult, openDesk } from './desk.ts';

const PEOPLE = ['ann@acme.example', 'bob@beta.example', 'cy@gamma.example'];
const [ANN = '', BOB = ''] = PEOPLE;
const lines = (...all: readonly string[]): string => `${all.join('\n')}\n`;
const LINKEDIN = lines(
  'Notes:',
  '"When exporting your connection data, you may notice that some of the email addresses are missing."',
  '',
  'First Name,Last Name,URL,Email Address,Company,Position,Connected On',
  'Ann,Lee,https://www.linkedin.com/in/ann-lee-1,,Acme,"Chair, Board",01 Nov 2026',
  `Bob,Roe,https://www.linkedin.com/in/bob-roe-2,${BOB},Beta,Director,02 Nov 2026`,
  'Cy,Doe,https://www.linkedin.com/in/cy-doe-3,,Gamma,Director,03 Nov 2026',
);
const LINKEDIN_ASKED = ['ann-lee-1', BOB, 'cy-doe-3'];
const FOOTNOTES = ['Total,,', 'Source: our CRM,,', 'Exported on 3 Nov 2026,,', '* estimates,,'];

interface Kind {
  readonly list: string;
  /** What both plan and run say. */
  readonly says: readonly string[];
  /** Parts of what the vendor was asked, in order; left out: all of `PEOPLE`. */
  readonly asked?: readonly string[];
  readonly name?: string;
}

const ROW_NAMES = 'Every row has one cell more than the header, so the first column has no name';
const left = (rows: string, text: string): string =>
  /^\d+$/.test(rows)
    ? `Row ${rows} (${text}) is no contact and is left out;`
    : `(${rows}: ${text}) are no contacts and are left out;`;

const KINDS: Readonly<Record<string, Kind>> = {
  'a table of R, whose rows have names in quotes': {
    list: lines('"name","email"', ...PEOPLE.map((email, at) => `"${at + 1}","N${at}","${email}"`)),
    says: [ROW_NAMES],
  },
  'a table of R as it is by default, with blanks between the cells': {
    list: lines('"name" "email"', ...PEOPLE.map((email, at) => `"${at + 1}" "N" "${email}"`)),
    says: [ROW_NAMES],
    name: 'list.txt',
  },
  'the index that a program writes, which has no name': {
    list: lines(',name,email', ...PEOPLE.map((email, at) => `${at},N,${email}`)),
    says: [],
  },
  'blank lines of delimiters, which are no rows': {
    list: lines('email,name', ...PEOPLE.flatMap((email) => [`${email},N`, ',', ' , '])),
    says: [],
  },
  'a delimiter behind every row but the header': {
    list: lines('name,email', ...PEOPLE.map((email) => `N,${email},`)),
    says: [],
  },
  'a table of psql': {
    list: lines(
      ' name |  email ',
      '------+--------',
      ...PEOPLE.map((email) => ` N    | ${email}`),
      '(3 rows)',
      '',
    ),
    says: [left('2', '------+--------'), left('6', '(3 rows)')],
    name: 'list.txt',
  },
  'a table of Markdown': {
    list: lines('| name | email |', '|:-|-:|', ...PEOPLE.map((email) => `| N | ${email} |`)),
    says: [left('2', ':-, -:')],
    name: 'list.txt',
  },
  'a row below a blank one that names somebody in a column that was blank above': {
    list: lines(
      'name,linkedin,email',
      ...[1, 2, 3].map((at) => `N,https://www.linkedin.com/in/ann-lee-${at},`),
      '',
      `Late Ltd,,${BOB}`,
    ),
    says: [],
    asked: ['ann-lee-1', 'ann-lee-2', 'ann-lee-3', BOB],
  },
  'a form that was numbered in advance': {
    list: lines(
      'S.No.,Name,Email',
      ...PEOPLE.map((email, at) => `${at + 1},N,${email}`),
      '4,,',
      '5,,',
      '6.0,,',
    ),
    says: [`3 rows ${left('5-7', 'only a running number')}`],
  },
  'totals and footnotes right below': {
    list: lines(
      'Name,Email,Sales',
      ...PEOPLE.map((email) => `N,${email},4`),
      'Total Pty Ltd,t@total.example,1',
      ...FOOTNOTES,
    ),
    says: [left('6-9', 'Total, Source: our CRM, Exported on 3 Nov 2026, * estimates')],
    asked: [...PEOPLE, 't@total.example'],
  },
  "LinkedIn's connections": {
    list: LINKEDIN,
    says: ['profile_url ← URL (by its content, 3 of 3 cells)'],
    asked: LINKEDIN_ASKED,
  },
};

const RUN = ['run', 'enrich-person', '--budget', '9'] as const;

async function asked(desk: Desk): Promise<readonly string[]> {
  const bodies = desk.place.vendor.requests().map(({ body }) => JSON.stringify(body));
  return bodies.toSorted();
}

test.each(Object.entries(KINDS))(
  '%s',
  async (_kind, { list, says, asked: wanted = PEOPLE, name = 'list.csv' }) => {
    const desk = await openDesk();
    await desk.write(name, list);
    const planned = await desk.type(['plan', 'enrich-person', name]);
    const { code, stderr } = await desk.type([...RUN, name]);
    expect([code, stderr], 'nothing needs attention').toEqual([0, expect.not.stringContaining('invalid')]);
    for (const words of says) {
      expect(stderr).toContain(words);
      expect(planned.stderr + planned.stdout).toContain(words);
    }
    const bodies = await asked(desk);
    expect(bodies.length).toBe(wanted.length);
    for (const each of wanted) expect(bodies.some((body) => body.includes(each))).toBe(true);
    const before = list.split('\n');
    const after = (await desk.read(name.replace('list', 'list.enriched'))).split('\n');
    expect(after.length, 'every line is there').toBe(before.length);
    const bare = (line: string): string => line.replace(/,$/, '');
    // A header without a name in front gets a blank one.
    const isThere = (at: number, line: string): boolean | undefined =>
      says.includes(ROW_NAMES) && at === 0
        ? after[at]?.includes(bare(line.replace('\uFEFF', '')))
        : after[at]?.startsWith(bare(line));
    for (const [at, line] of before.entries()) expect(isThere(at, line)).toBe(true);
    const delimiter = /[,;\t| ](?=_status)/.exec(after.join('\n').replaceAll('"', ''))?.[0] ?? '';
    const names =
      after
        .find((line) => line.includes('_status'))
        ?.replaceAll('"', '')
        .split(delimiter) ?? [];
    const row = after.find((line) => line.includes(ANN) || line.includes('ann-lee-1'));
    const cells = (row ?? '')
      .replaceAll(/"([^"]*)"/g, (_, cell: string) => cell.replaceAll(/\W/g, '_'))
      .split(delimiter);
    expect(names[cells.indexOf('matched')], 'our names stand above our cells').toBe('_status');
  },
);

test('a company that is called Total, and a cell that was parted by mistake, are no reason to guess', async () => {
  const desk = await openDesk();
  await desk.write('list.csv', lines('Company,City', 'Acme,Perth', 'Beta,Hobart', 'Total,'));
  expect(await desk.json(['plan', 'search-people', 'list.csv'])).toMatchObject({ rows: 3 });
  await desk.write('other.csv', lines('Email,Name', `${ANN},Lee, Ann`, `${BOB},Roe, Bob`));
  const { code, stderr } = await desk.type([...RUN, 'other.csv']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('3 cells, but the header has 2 columns')]);
});

// ------------------------------------------------------------------------------------------------ workbooks

const rowsOf = (...rows: readonly (readonly string[])[]): string =>
  rows.map((cells, at) => textRow(at + 1, ...cells)).join('');
const CONTACTS = rowsOf(['Name', 'Email'], ...PEOPLE.map((email) => ['N', email]));
const README = rowsOf(['How to use this workbook'], ['1. Fill in the sheet Contacts'], ['2. Send it to us']);
const STEPS = rowsOf(['Step', 'What to do'], ['1', 'Fill in the mail address'], ['2', 'Save']);
const PIVOT = rowsOf(['Row Labels', 'Count of Email'], ['Acme', '2'], ['Grand Total', '2']);
const CODES = rowsOf(['Stage', 'Code'], ['New', '1'], ['Won', '2']);

describe('of a workbook that opens with another sheet, the only list is read', () => {
  test.each([
    ['instructions', README, []],
    ['instructions in two columns, and a sheet of codes', STEPS, [{ name: 'Codes', rows: CODES }]],
    ['a pivot, and a hidden list of before', PIVOT, [{ name: 'Old', rows: CONTACTS, state: 'hidden' }]],
  ])('%s', async (_first, rows, others) => {
    const desk = await openDesk();
    const book = bookOf({ rows, otherSheets: [{ name: 'Contacts', rows: CONTACTS }, ...others] });
    await writeFile(desk.place.path('list.xlsx'), book);
    const says = 'Read from the sheet "Contacts", because "Leads" is no such list; to use another';
    expect((await desk.type(['plan', 'list.xlsx'])).stderr).toContain(says);
    const { code, stderr } = await desk.type([...RUN, 'list.xlsx']);
    expect([code, stderr]).toEqual([0, expect.stringContaining(says)]);
    expect(await desk.requests()).toBe(3);
    // By its store, a batch that goes on has the same sheet.
    expect((await desk.type([...RUN, 'list.xlsx'])).stderr).toContain('Read from the sheet "Contacts"');
    const output = await readFile(desk.place.path('list.enriched.xlsx'));
    const sheet = partsOf(output).find((part) => part.name.endsWith('other0.xml'));
    expect(sheet?.text).toContain('_status');
  });

  test('several lists in a workbook are named, in plan and in run', async () => {
    const desk = await openDesk();
    const otherSheets = ['Leads AU', 'Leads NZ'].map((name) => ({ name, rows: CONTACTS }));
    await writeFile(desk.place.path('list.xlsx'), bookOf({ rows: README, otherSheets }));
    for (const words of [
      ['plan', 'list.xlsx'],
      ['plan', 'enrich-person', 'list.xlsx'],
      [...RUN, 'list.xlsx'],
    ]) {
      const { code, stderr } = await desk.type(words);
      expect(code).toBe(2);
      expect(stderr).toContain(`with --sheet 'Leads AU' or --sheet 'Leads NZ'.`);
    }
    expect((await desk.type([...RUN, 'list.xlsx', '--sheet', 'Leads NZ'])).code).toBe(0);
  });
});

// ------------------------------------------------------------------------------------------------ names that say otherwise

const BOOK = bookOf({ rows: CONTACTS });
const TEXT = lines('Name,Email', ...PEOPLE.map((email) => `N,${email}`));
const OLD = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)]);

test.each([
  ['leads.csv', BOOK, 'leads.enriched.xlsx'],
  ['leads.xls', BOOK, 'leads.enriched.xlsx'],
  ['leads.xlsx', Buffer.from(TEXT), 'leads.enriched.csv'],
  ['leads.xls', Buffer.from(TEXT.replaceAll(',', '\t')), 'leads.enriched.tsv'],
  ['leads', Buffer.from(TEXT), 'leads.enriched.csv'],
])('%s is read as what it holds, and its output is called so: %#', async (name, content, output) => {
  const desk = await openDesk();
  await writeFile(desk.place.path(name), content);
  const { code, stderr } = await desk.type([...RUN, name]);
  expect([code, await desk.requests()]).toEqual([0, 3]);
  expect(stderr).toContain(`${name} is read as what it holds`);
  const written = await readFile(desk.place.path(output));
  expect(written.toString('latin1').startsWith('PK')).toBe(output.endsWith('.xlsx'));
  // What the store keeps of a list that is gone is written under the same name.
  await writeFile(desk.place.path(name), 'gone');
  expect((await desk.type(['export', 'last', '-o', output])).code).toBe(0);
  const again = await readFile(desk.place.path(output));
  expect(again.toString('latin1').startsWith('PK')).toBe(output.endsWith('.xlsx'));
});

const ZIP = zipOf([
  { name: 'readme.txt', content: 'x' },
  { name: '__MACOSX/._leads.csv', content: 'x' },
  { name: 'our export/leads.csv', content: TEXT },
]);

test.each([
  [
    'leads.zip',
    ZIP,
    /it holds "readme\.txt" and "our export\/leads\.csv"\.\n.*unzip -p \S*leads\.zip 'our export\/leads\.csv' \| rowonce run JOB - -o OUT/,
  ],
  [
    'leads.xls',
    OLD,
    /ends in "\.xls", which cannot be read as a list\.\nOpen it in Excel and save it as \.xlsx/,
  ],
  ['leads.csv', OLD, /from before Excel 2007 \(\.xls\)\.\nOpen it in Excel/],
  [
    'leads.xls',
    Buffer.from('<html xmlns:x="urn:x">\n<body>\n<table><tr><td>Email</td></tr></table>'),
    /a table as a web page or XML, not text\.\nOpen it in Excel and save it as \.xlsx/,
  ],
])('%s is refused with the way out: %#', async (name, content, says) => {
  const desk = await openDesk();
  await writeFile(desk.place.path(name), content);
  for (const words of [
    ['plan', name],
    [...RUN, name],
  ]) {
    const { code, stderr } = await desk.type(words);
    expect([code, stderr]).toEqual([2, expect.stringMatching(says)]);
  }
});

// ------------------------------------------------------------------------------------------------ cells of every day

const COMPANIES = ['run', 'enrich-company', '--budget', '9'] as const;

/** What a run says of each row of a list: its status and the reason. */
async function ran(list: string, ...flags: readonly string[]) {
  const desk = await openDesk();
  await desk.write('list.csv', list);
  const { code, stderr } = await desk.type([...COMPANIES, 'list.csv', ...flags]);
  const output = await desk.read('list.enriched.csv').catch(() => '');
  return { code, stderr, output: output.split('\n'), requests: await desk.requests() };
}

test.each([
  ['a login page', '<!DOCTYPE html>\n<html><head><title>Sign in</title></head></html>\n'],
  ['a page of an old program', '\uFEFF  <html xmlns="x">\n<body>Export</body>\n</html>\n'],
])('%s that was saved as a list is refused', async (_what, page) => {
  const { code, stderr, requests } = await ran(page);
  expect([code, requests]).toEqual([2, 0]);
  expect(stderr).toMatch(/list\.csv is a web page and no list: .*\nLog in there, export the list again/);
});

test('the link behind a cell of a workbook is what is looked up, and the cell stays as it is', async () => {
  const desk = await openDesk();
  const formula = '<f>HYPERLINK("https://beta.com.au/?a=1&amp;b=2","Visit")</f><v>Visit</v>';
  const rows = [
    textRow(1, 'Company', 'Website'),
    textRow(2, 'Acme', 'Visit'),
    `<row r="3"><c r="A3" t="inlineStr"><is><t>Beta</t></is></c><c r="B3" t="str">${formula}</c></row>`,
    textRow(4, 'Gamma', 'gamma.com.au'),
    textRow(5, 'Delta', 'Visit'),
  ];
  const targets = { A2: 'https://record.com.au', B2: 'https://www.acme.com.au', B4: 'https://x.com.au' };
  const cells = Object.keys(targets).map((cell) => `<hyperlink ref="${cell}" r:id="r${cell}"/>`);
  const links = Object.entries(targets).map(
    ([cell, to]) => `<Relationship Id="r${cell}" Type="x/hyperlink" Target="${to}" TargetMode="External"/>`,
  );
  const parts = bookParts({ rows: rows.join(''), behind: `<hyperlinks>${cells.join('')}</hyperlinks>` });
  const name = 'xl/worksheets/_rels/sheet1.xml.rels';
  const book = zipOf([...parts, { name, content: `<Relationships>${links.join('')}</Relationships>` }]);
  await writeFile(desk.place.path('list.xlsx'), book);

  const { code } = await desk.type([...COMPANIES, 'list.xlsx', '--attention-ok']);
  expect(code).toBe(0);
  const asked = desk.place.vendor.requests().map(({ body }) => body.domain ?? body.website);
  expect(asked.toSorted()).toEqual(['acme.com.au', 'beta.com.au', 'gamma.com.au']);
  const sheet = partsOf(await readFile(desk.place.path('list.enriched.xlsx'))).find((part) =>
    part.name.endsWith('sheet1.xml'),
  );
  expect(sheet?.text).toContain('<t>Visit</t>');
  expect(sheet?.text).toContain(formula);
});

test('a slug that most rows share names nobody: its column is not read, and one that was named stops', async () => {
  const desk = await openDesk();
  const rows = [1, 2, 3, 4, 5, 6].map((at) => `jo${at}@example.org,${at < 5 ? 'Acme-Team' : `jo-${at}`}`);
  await writeFile(desk.place.path('people.csv'), ['Email,Profile Slug', ...rows, ''].join('\n'));
  const planned = await desk.json(['plan', 'enrich-person', 'people.csv']);
  expect(planned.columns).toEqual({ email: 'Email' });
  const plan = ['plan', 'enrich-person', 'people.csv'];
  const named = await desk.type([...plan, '--column', 'profile_slug=Profile Slug']);
  expect(named.code).toBe(2);
  expect(named.stderr).toContain('Most rows say "acme-team" in the column "Profile Slug"');
});

test('what is wrong with a cell is said as what it is', async () => {
  const cells = ['#N/A', '51824800000', '5.18248E+10', '51824753557', '"51,824,753,556"'];
  const { code, output, requests } = await ran(['ABN', ...cells, ''].join('\n'));
  expect([code, requests]).toEqual([3, 0]);
  const [error, rounded, scientific, mistyped, number] = output.slice(1);
  expect(error).toContain('is an error of a formula in the spreadsheet');
  expect(rounded).toContain(
    'ends in zeros and fails the checksum, like a number that a spreadsheet has rounded',
  );
  expect(scientific).toContain('looks like a rounded number from a spreadsheet');
  expect(mistyped).toContain('the checksum fails');
  expect(number).toContain('repaired, it would be sent with ABN read as 51824753556');
  const others = [error, rounded, scientific, mistyped].join('\n');
  expect(others, 'no repair is offered that is not certain').not.toContain('repaired');
});

// ------------------------------------------------------------------------------------------------ encodings, flags and pipes

test('a table of semicolons in Windows-1252 comes back as one, and what was guessed is said', async () => {
  const desk = await openDesk();
  const list = Buffer.from('Firma;Domain\r\nM\xfcller;x.example\r\n\xdcber;not a domain\r\n', 'latin1');
  await writeFile(desk.place.path('list.csv'), list);
  const guess = 'read as Windows-1252, because its byte 0xFC is not UTF-8; use --encoding to change that.';
  for (const plan of [['plan'], ['plan', 'enrich-company']]) {
    expect((await desk.type([...plan, 'list.csv'])).stderr).toContain(guess);
  }
  const { code, stderr } = await desk.type([...COMPANIES, 'list.csv', '--formulas', 'raw']);
  expect(code).toBe(3);
  expect(stderr).toContain(guess);
  const output = await readFile(desk.place.path('list.enriched.csv'), 'latin1');
  expect(output).toMatch(
    /^Firma;Domain;[^\r]*_status;[^\r]*\r\nM\xfcller;x\.example;[^\r]*matched;[^\r]*\r\n\xdcber;/,
  );
  expect(await readFile(desk.place.path('list.enriched.needs-attention.csv'), 'latin1')).toMatch(
    /^Firma;Domain;_row;_reason\r\n\xdcber;not a domain;3;/,
  );
});

test('title lines, short rows and a pipe are read as the flags say, and the same command goes on with the batch', async () => {
  const desk = await openDesk();
  await desk.write('list.txt', 'Report\n\nDomain|Name\nx.example\ny.example|Y\n');
  const flags = ['--header-row', '3', '--ragged', 'pad', '-o', 'out.txt'];
  expect(await desk.type([...COMPANIES, 'list.txt', ...flags])).toMatchObject({ code: 0 });
  const [title, blank, header, first] = (await desk.read('out.txt')).split('\n');
  expect([title, blank]).toEqual(['Report', '']);
  expect(header).toMatch(/^Domain\|Name\|.*\|_status\|/);
  expect(first).toMatch(/^x\.example\|\|.*\|matched\|/);
  const before = await desk.requests();
  expect(await desk.type([...COMPANIES, 'list.txt', ...flags])).toMatchObject({ code: 0 });
  expect(await desk.requests()).toBe(before);
});

test('a list that is packed with gzip is refused with the two ways to go on, however it comes', async () => {
  const desk = await openDesk();
  const packed = gzipSync('Domain\nx.example\n');
  const ways = 'Unpack it first, or `gunzip -c FILE | rowonce run JOB - -o OUT`.';
  await writeFile(desk.place.path('list.csv.gz'), packed);
  await writeFile(desk.place.path('named.csv'), packed);
  for (const file of ['list.csv.gz', 'named.csv'])
    expect(await desk.type([...COMPANIES, file])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(ways),
    });
  const piped = await desk.type([...COMPANIES, '-', '-o', 'out.csv'], { stdin: packed });
  expect(piped).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^Standard input is packed with gzip/),
  });
  await desk.write('list.csv', 'Domain\nx.example\n');
  const named = await desk.type([...COMPANIES, 'list.csv', '-o', 'out.csv.gz']);
  expect(named).toMatchObject({ code: 2, stderr: expect.stringContaining('out.csv.gz says otherwise') });
  expect(await desk.requests()).toBe(0);
});

test('what is wrong with standard input is told of it, in words, and not of the file that keeps it', async () => {
  const desk = await openDesk();
  const piped = async (stdin: string): Promise<string> =>
    (await desk.type([...COMPANIES, '-', '-o', 'out.csv'], { stdin })).stderr;
  expect(await piped('')).toMatch(/^Standard input is empty: it has neither a header nor rows\./);
  expect(await piped('Domain,Name\nx.example\n')).toMatch(/^Standard input, row 2, line 2: 1 cell, but/);
  expect(await desk.requests()).toBe(0);
});

test('a list without a header is read from its first company on, and comes back below one line of names', async () => {
  const desk = await openDesk();
  await desk.write('list.csv', 'Acme,x.example\nBeta,y.example\n');
  const { code, stderr } = await desk.type([...COMPANIES, 'list.csv']);
  expect({ code, stderr }).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('called A, B and so on'),
  });
  const [header, ...rows] = (await desk.read('list.enriched.csv')).trim().split('\n');
  expect(header).toMatch(/^A,B,.*_status/);
  expect(rows.map((row) => /^[^,]*,[^,]*/.exec(row)?.[0])).toEqual(['Acme,x.example', 'Beta,y.example']);
  expect(await desk.requests()).toBe(2);
  const job = 'operation: enrich-company\ncolumns:\n  domain: B\nread:\n  header_row: 0\n';
  await desk.write('job.yaml', job);
  expect(await desk.type(['run', 'job.yaml', 'list.csv', '--budget', '9'])).toMatchObject({ code: 0 });
  expect(await desk.requests(), 'its columns have these names in a job, too').toBe(2);
});

test('where only a person knows whether a row names the columns, nothing is sent before she has said it', async () => {
  const desk = await openDesk();
  await desk.write('list.csv', 'Our leads,\nAcme,x.example\nBeta,y.example\n');
  for (const words of [COMPANIES, ['plan']]) {
    const asked = await desk.type([...words, 'list.csv', '--json']);
    expect(asked.code).toBe(2);
    expect(asked.stderr).toContain('list.csv: it is not clear where the list begins.');
    expect(JSON.parse(asked.stdout).stopped.choices).toEqual([
      { flag: '--header-row', value: '0', says: expect.stringMatching(/^no row names the columns/) },
      { flag: '--header-row', value: '2', says: 'row 2 (Acme, x.example) names the columns' },
    ]);
  }
  expect(await desk.requests()).toBe(0);
});

// ------------------------------------------------------------------------------------------------ JSON lines

const OBJECTS =
  '{"id":1.50,"domain":"x.example","tags":["a"]}\nno json\n\n{"id":2,"domain":"not a domain"}\n';

const objectsOf = (text: string): readonly JsonResult[] =>
  text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));

test('objects come back in order with values behind their own, and bad lines are rows by the number of their line', async () => {
  const desk = await openDesk();
  await desk.write('list.jsonl', OBJECTS);
  const { stdout: seen } = await desk.type(['plan', 'list.jsonl']);
  expect(seen.split('\n')[0]).toMatch(/list\.jsonl: 3 rows, 3 columns, UTF-8, JSON lines$/);
  expect(await desk.type([...COMPANIES, 'list.jsonl'])).toMatchObject({ code: 3 });
  const output = await desk.read('list.enriched.jsonl');
  const [first, unread, invalid] = objectsOf(output);
  expect(output).toMatch(/^\{"id":1\.50,"domain":"x\.example","tags":\["a"\],/);
  expect(first).toMatchObject({ _status: 'matched', _reason: null, _credits: 1, _matched_by: 'domain' });
  // The vendor said a number, and a number it is.
  expect(typeof first.employee_count).toBe('number');
  expect(unread).toMatchObject({
    _cells: ['no json'],
    _status: 'invalid',
    _reason: 'line 2: it is not JSON: no json',
  });
  expect(invalid).toMatchObject({ id: 2, _status: 'invalid', _credits: 0 });
  expect(objectsOf(await desk.read('list.enriched.needs-attention.jsonl'))).toMatchObject([
    { _row: 2 },
    { id: 2, _row: 4 },
  ]);
  // The output is an input again, and nothing is bought twice.
  const before = await desk.requests();
  expect(await desk.type([...COMPANIES, 'list.enriched.jsonl', '-o', 'again.jsonl'])).toMatchObject({
    code: 3,
  });
  expect(await desk.requests()).toBe(before);
  const [again] = objectsOf(await desk.read('again.jsonl'));
  expect(again).toEqual({ ...first, _credits: 0, _source: 'ledger' });
});

test('`-` reads objects and `-o -` writes objects', async () => {
  const desk = await openDesk();
  const { code, stdout } = await desk.type([...COMPANIES, '-', '-o', '-'], {
    stdin: '\n{"domain":"x.example"}\n',
  });
  expect(code).toBe(0);
  expect(objectsOf(stdout)).toMatchObject([{ domain: 'x.example', _status: 'matched' }]);
});
