import { NO_FINDINGS } from '../../../src/core/finding.ts';
/**
 * Goal: each input of an operation comes from the column that the user means, because a wrong column is paid for row by row. Where the names
 * do not say which is meant, their cells may; what is not sure is never taken, and where a name does say, no cell changes that.
 * Method: headers as they stand in real sheets, against an operation of three inputs; small sheets against the real operations, and what
 * `describeFile` says of a column.
 */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { unoffered } from '../../../src/core/described.ts';
import type { StopError } from '../../../src/core/errors.ts';
import { defineOperation, end, type Operation } from '../../../src/core/operation.ts';
import {
  ColumnContent,
  columnMapOf,
  findColumns,
  guessColumns,
  guessWords,
  likelyColumns,
} from '../../../src/files/columns/columns.ts';
import { describeFile } from '../../../src/files/describe-file.ts';
import { openFile } from '../../../src/files/input.ts';
import enrichCompany from '../../../src/operations/enrich-company.ts';
import enrichPerson from '../../../src/operations/enrich-person.ts';
import { validAbn } from '../../values/abn-arbitrary.ts';
import { inputFolder } from '../formats/sheets.ts';

const ABNS = ['51824753556', '44 676 848 475', 'ABN 44735928039', '44737312885'];

/** Very many that differ. */
const MANY_ABNS = fc.sample(validAbn, { numRuns: 1_500, seed: 1 });

/** A sheet of these rows. */
const sheetOf = (rows: readonly (readonly string[])[]) => ({
  async *groups() {
    for (const [at, cells] of rows.entries()) {
      const row = at + 2;
      yield [{ row, cells, position: { row, byteOffset: 0, lines: at + 1 } }];
    }
  },
});

/** Rows of a sheet, given by column. */
function rowsOf(...columns: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const [first = []] = columns;
  return first.map((_, at) => columns.map((cells) => cells[at] ?? ''));
}

const found = async (
  operation: Operation,
  header: readonly string[],
  ...columns: readonly (readonly string[])[]
): Promise<string> => guessWords(await findColumns(operation, sheetOf(rowsOf(...columns)), header));

const refusal = (
  operation: Operation,
  header: readonly string[],
  ...columns: readonly (readonly string[])[]
): Promise<StopError> =>
  findColumns(operation, sheetOf(rowsOf(...columns)), header).then(
    (map) => Promise.reject(new Error(`taken: ${guessWords(map)}`)),
    (error) => error,
  );

const likely = (
  operation: Operation,
  header: readonly string[],
  ...columns: readonly (readonly string[])[]
): readonly string[] => {
  const content = new ColumnContent(header.length);
  for (const cells of rowsOf(...columns)) content.add(cells);
  const { sure } = guessColumns(operation, header, content);
  return likelyColumns(operation, header, content, sure).map(
    ({ input, column, because }) => `${input} ← ${column} (${because})`,
  );
};

describe('a column is known by its cells, whatever it is called', () => {
  test('one of bare domains is the domain, one of web addresses of any kind the website', async () => {
    const [domains, mixed, urls] = [
      ['a.example', 'b.example'],
      ['https://c.example', 'd.example'],
      ['https://e.example', 'www.f.example/about'],
    ];
    expect(await found(enrichCompany, ['X', 'Y'], domains, urls)).toBe(
      'domain ← X (by its content, 2 of 2 cells), website ← Y (by its content, 2 of 2 cells)',
    );
    expect(await found(enrichCompany, ['X', 'Y'], ['Perth', 'Hobart'], mixed)).toBe(
      'website ← Y (by its content, 2 of 2 cells)',
    );
  });

  test('one damaged cell in ten leaves it what it is, and blank cells say nothing', async () => {
    const cells = [...MANY_ABNS.slice(0, 9), 'unknown', '', ''];
    expect(await found(enrichCompany, ['Number'], cells)).toBe(
      'abn ← Number (by its content, 9 of 10 cells)',
    );
  });
});

describe('where several columns have the name, the cells decide', () => {
  const header = ['Website', 'Charity website'];

  test('when one is what it says and the other is not', async () => {
    const columns = [
      ['yes', 'no', 'yes'],
      ['a.example', 'https://b.example', ''],
    ];
    expect(await found(enrichCompany, header, ...columns)).toBe(
      'website ← Charity website (by its content, 2 of 2 cells)',
    );
  });

  test.each([
    ['both are', ['c.example', 'd.example'], ['a.example', 'b.example']],
    ['the other is now and then', ['c.example', 'yes', 'no', 'no'], ['a.example', 'b.example', '', '']],
    ['neither is', ['yes', 'no'], ['1', '2']],
    ['both are blank', ['', ''], ['', '']],
  ])('several columns of the name, when %s, are a question', async (_when, one, other) => {
    const { message, next } = await refusal(enrichCompany, header, one, other);
    expect(message).toBe('enrich-company: the columns "Website", "Charity website" could all be "website".');
    expect(next).toContain('columns:');
  });
});

describe('beside what the header decides', () => {
  const websites = ['a.example', 'b.example', 'c.example', 'd.example'];

  test('a column of ABNs is taken as well, because they carry a checksum; addresses are only likely', async () => {
    expect(await found(enrichCompany, ['Website', 'Number'], websites, ABNS)).toBe(
      'abn ← Number (by its content, 4 of 4 cells), website ← Website',
    );
    expect(await found(enrichCompany, ['ABN', 'Site'], ABNS, websites)).toBe('abn ← ABN');
    expect(likely(enrichCompany, ['ABN', 'Site'], ABNS, websites)).toEqual([
      'domain ← Site (by its content, 4 of 4 cells)',
    ]);
  });
});

describe('a word of the kind in the name, with cells of which most are right, is a column', () => {
  const emails = ['a@a.example', 'b@b.example', 'c@c.example', 'd@d.example', 'e at e.example'];
  const names = emails.map((_, at) => `Person ${at}`);
  const companies = emails.map((_, at) => `Company ${at}`);
  const header = (name: string) => ['Full name', 'Company', name];
  const none = async (name: string, cells = emails) =>
    expect((await refusal(enrichPerson, header(name), names, companies, cells)).message).toContain(
      'none was',
    );

  test('as its cells are judged by that kind', async () => {
    const email = await found(enrichPerson, header('E-mail addr'), names, companies, emails);
    expect(email).toBe('email ← E-mail addr (by its content, 4 of 5 cells)');
  });

  test.each(['Login', 'E-mail source', 'Supplier e-mail', 'E-mail status'])('%s is none', (name) =>
    none(name),
  );

  test('and one with few right cells is none', () =>
    none('E-mail addr', ['yes', 'no', 'yes', 'no', 'a@a.example']));
});

describe('cells that look right and are about somebody else are not paid for', () => {
  test.each([
    ['Parent ABN', enrichCompany, ABNS],
    ['supplierWebsite', enrichCompany, ['https://a.example', 'https://b.example']],
    ['REFERRER E-MAIL', enrichPerson, ['jo@acme.example', 'al@beta.example']],
    ['Created by', enrichPerson, ['jo@acme.example', 'al@beta.example']],
  ])('%s', async (column, operation, cells) => {
    const because = `by its content, ${cells.length} of ${cells.length} cells, though its name suggests another person`;
    expect((await refusal(operation, ['Name', column], cells, cells)).next).toContain('may be');
    expect(likely(operation, [column], cells)).toEqual([expect.stringContaining(`${column} (${because})`)]);
  });
});

// ------------------------------------------------------------------------------------------------ by the names alone

const finding = defineOperation({
  name: 'find-company',
  summary: 'Find a company.',
  vendor: 'provider',
  described: unoffered('companies', {}),
  inputs: [
    { name: 'abn', about: 'the business number', aliases: ['abn', 'businessnumber'] },
    { name: 'website', about: 'the address of the website', aliases: ['charitywebsite', 'url'] },
    { name: 'profile_url', about: 'the profile', aliases: ['linkedin'] },
  ],
  tiers: [],
  preparer: () => () => ({ kind: 'ready', input: undefined }),
  next: () => end({ kind: 'applied', findings: NO_FINDINGS }),
});

describe('without a choice, what is sure is guessed', () => {
  test.each([
    [['Name', 'ABN'], { abn: 'ABN' }],
    [['A.B.N.', 'Charity_Website'], { abn: 'A.B.N.', website: 'Charity_Website' }],
    [['Profile URL', 'Business number'], { abn: 'Business number', profile_url: 'Profile URL' }],
    [['url', 'ABN checked', 'my abn'], { website: 'url' }],
    [['__proto__', 'constructor', 'abn'], { abn: 'abn' }],
  ])('%j', (header, columns) => {
    const map = columnMapOf(finding, header, guessColumns(finding, header));
    expect(map.columns).toEqual(columns);
    expect(map.guessed).toBe(true);
  });
});

// ------------------------------------------------------------------------------------------------ what a column looks like

async function columnOf(name: string, cells: readonly string[]) {
  const write = await inputFolder();
  const lines = cells.map((cell) => `"${cell}";x\n`);
  const { columns } = await describeFile(await openFile(await write(`${name};Other\n${lines.join('')}`)), []);
  return columns[0];
}

test.each([
  ['date', 'When', ['04.05.2026', '31.12.2025']],
  ['date', 'When', ['2026-05-04', '2026-05-04T09:30:00', '4 May 2026']],
  ['phone', 'Reach', ['+61 2 9999 0000', '(02) 9999 0000', '0412 345 678']],
  ['phone', 'Mobile', ['412345678', '411222333']],
  ['number', 'Customer', ['0001234567', '0001234568']],
  ['text', 'Deal', ['$1,234.50', 'A$ 5', '1.234,50 €', 'AUD 12', '5.00€', '-£7.50']],
  ['number', 'Size', ['10', '2,000', '3.5']],
  ['number', 'Share', ['0.8390764', '0.5741314', '0,2881209']],
  ['text', 'Note', ['May be', 'call 5 times', '12 apples']],
])('a column of %s', async (look, name, cells) => {
  expect(await columnOf(name, cells)).toMatchObject({ looks_like: look });
});
