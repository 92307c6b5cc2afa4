/**
 * Goal: lists as R, psql, LinkedIn, CRMs and people leave them are read as they are meant, with no flag: the right cells are looked up,
 * what is no contact is left out by name and not called invalid, and every line comes back in its place. Plan and run say the same.
 * Method: the real command over small lists of these kinds, before the sandbox as a vendor.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { bookOf, partsOf, textRow, zipOf } from '../files/formats/workbook-file.ts';
import { type Desk, openDesk } from './desk.ts';

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
  'a table of R with tabs and one column': {
    list: lines('email', ...PEOPLE.map((email, at) => `${at + 1}\t${email}`)),
    says: [ROW_NAMES],
  },
  'a table of R with semicolons and a mark, whose column names no person would choose': {
    list: `\uFEFF${lines('email;v1;v2', ...PEOPLE.map((email, at) => `row ${at};${email};x${at};y`))}`,
    says: [ROW_NAMES],
  },
  'a table of R as it is by default, with blanks between the cells': {
    list: lines('"name" "email"', ...PEOPLE.map((email, at) => `"${at + 1}" "N" "${email}"`)),
    says: [ROW_NAMES],
    name: 'list.txt',
  },
  'a delimiter behind every row but the header': {
    list: lines('name,email', ...PEOPLE.map((email) => `N,${email},`)),
    says: [],
  },
  'a delimiter behind the header alone': {
    list: lines('name,email,', ...PEOPLE.map((email) => `N,${email}`)),
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
  'a table of mysql': {
    list: lines(
      '+---+---+',
      '| email | n |',
      '+---+---+',
      ...PEOPLE.map((email) => `| ${email} | N |`),
      '+---+---+',
    ),
    says: ['(3, 7: +---+---+) are no contacts'],
    name: 'list.txt',
  },
  'a table of Markdown': {
    list: lines('| name | email |', '|:-|-:|', ...PEOPLE.map((email) => `| N | ${email} |`)),
    says: [left('2', ':-, -:')],
    name: 'list.txt',
  },
  'an export of sqlcmd': {
    list: lines('name,email', '----,-----', ...PEOPLE.map((email) => `N,${email}`), '', '(3 rows affected)'),
    says: [left('2', '----, -----'), left('7', '(3 rows affected)')],
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
  'a form with numbers alone between the others': {
    list: lines('#;Email', ...PEOPLE.flatMap((email, at) => [`${2 * at + 1};${email}`, `${2 * at + 2};`])),
    says: [`3 rows ${left('3, 5, 7', 'only a running number')}`],
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
  'a sum with its amount, in another language': {
    list: lines('E-Mail;Umsatz', ...PEOPLE.map((email) => `${email};1.000,50`), 'Summe;3.001,50'),
    says: [left('5', 'Summe')],
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

test('the output of a table of R is such a table again, whose columns of ours are replaced', async () => {
  const desk = await openDesk();
  await desk.write('list.csv', KINDS['a table of R, whose rows have names in quotes']?.list ?? '');
  expect((await desk.type([...RUN, 'list.csv'])).code).toBe(0);
  const first = await desk.read('list.enriched.csv');
  expect((await desk.type([...RUN, 'list.enriched.csv', '-o', 'again.csv', '--yes'])).code).toBe(0);
  const again = await desk.read('again.csv');
  expect(again.split('\n')[0]).toBe(first.split('\n')[0]);
  expect(again.split('\n').length).toBe(first.split('\n').length);
});

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
const NAMES = rowsOf(['Company', 'Position'], ['Acme', 'Chair'], ['Beta', 'Director']);

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

  test('a list of names stays the one that is read, and the stop names the others', async () => {
    const desk = await openDesk();
    const book = bookOf({ rows: NAMES, otherSheets: [{ name: 'Contacts', rows: CONTACTS }] });
    await writeFile(desk.place.path('list.xlsx'), book);
    expect((await desk.json(['plan', 'search-people', 'list.xlsx'])).rows).toBe(2);
    const { code, stderr } = await desk.type([...RUN, 'list.xlsx']);
    expect(code).toBe(2);
    expect(stderr).toContain('Or name another sheet of the workbook with --sheet: "Contacts".');
  });
});

// ------------------------------------------------------------------------------------------------ names that say otherwise

const BOOK = bookOf({ rows: CONTACTS });
const TEXT = lines('Name,Email', ...PEOPLE.map((email) => `N,${email}`));
const OLD = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)]);

test.each([
  ['leads.csv', BOOK, 'leads.enriched.xlsx'],
  ['leads.xls', BOOK, 'leads.enriched.xlsx'],
  ['leads.txt', BOOK, 'leads.enriched.xlsx'],
  ['leads', BOOK, 'leads.enriched.xlsx'],
  ['leads.zip', BOOK, 'leads.enriched.xlsx'],
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
  ['leads.csv', ZIP, /leads\.csv is a zip archive and no list/],
  ['leads.xls', OLD, /ends in "\.xls", which Rowonce cannot read\.\nOpen it in Excel and save it as \.xlsx/],
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
