/**
 * Goal: an output can be opened in any spreadsheet program, whatever a vendor answers and whatever stands in the user's
 * own list; and what the user wrote comes back as it was.
 * Method: the real command before a vendor whose answers are formulas, and over a list of naughty strings of our own.
 */
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { type Desk, openDesk, vendorThat } from './desk.ts';

const ANSWER = {
  name: "=cmd|' /C calc'!A0",
  phone: '+61 2 9999 0000',
  growth: -5.25,
  contact: '@evil.example',
  note: '\t=1+1',
};
const SAFE = ["'=cmd|' /C calc'!A0", '+61 2 9999 0000', '-5.25', "'@evil.example", "'\t'=1+1"];

/** A desk before a vendor that answers every question with formulas. */
async function openHostileDesk(): Promise<Desk> {
  const desk = await openDesk();
  const url = await vendorThat((response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(ANSWER));
  });
  desk.place.writeAccount(url);
  await desk.write('list.csv', 'Domain,Own\nacme.example,=1+1\n');
  return desk;
}

async function cellsOf(desk: Desk, name: string): Promise<readonly string[]> {
  const [, row] = parse(await desk.read(name)) as string[][];
  return row?.slice(2, 7) ?? [];
}

test('a vendor’s formulas are text in the output, which is said; --formulas raw writes them as they came', async () => {
  const desk = await openHostileDesk();
  const { code, stdout } = await desk.type(desk.run());
  expect(code).toBe(0);
  expect(stdout).toContain('Formulas   3 cells from the vendor made safe with an apostrophe in front\n');
  expect(await cellsOf(desk, 'out.csv')).toEqual(SAFE);
  expect(await desk.read('out.csv')).toContain('\nacme.example,=1+1,');
  expect(await desk.read('out.report.html')).toContain('3 cells that would have begun a formula');

  const raw = await desk.json(desk.run('--formulas', 'raw'));
  expect(raw).not.toHaveProperty('formulas_made_safe');
  expect(await cellsOf(desk, 'out.csv')).toEqual(Object.values(ANSWER).map(String));
  expect(await desk.json(desk.run())).toMatchObject({ requests: 0, formulas_made_safe: 3 });
});

test('an export writes as the batch did, unless it is told otherwise', async () => {
  const desk = await openHostileDesk();
  await desk.write('job.yaml', 'operation: enrich-company\nformulas: raw\n');
  await desk.type(['run', 'job.yaml', 'list.csv', '--budget', '9', '-o', 'out.csv']);
  const raw = Object.values(ANSWER).map(String);
  expect(await cellsOf(desk, 'out.csv')).toEqual(raw);
  await desk.type(['export', 'last', '-o', 'again.csv']);
  expect(await cellsOf(desk, 'again.csv')).toEqual(raw);
  await desk.type(['export', 'last', '-o', 'safe.csv', '--formulas', 'safe']);
  expect(await cellsOf(desk, 'safe.csv')).toEqual(SAFE);
});

test('a word that is no mode is refused with the nearest one', async () => {
  const desk = await openHostileDesk();
  const { code, stderr } = await desk.type(desk.run('--formulas', 'rwa'));
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('--formulas rwa is not known.\nKnown are: safe, raw.'),
  ]);
  await desk.write('job.yaml', 'operation: enrich-company\nformulas: rwa\n');
  const wrong = await desk.type(['plan', 'job.yaml', 'list.csv']);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('job.yaml:2')]);
});

/** What stumbles somewhere: each has been a bug in some program. */
const NAUGHTY = [
  ...[
    '=1+1',
    '+1+1',
    '-1+1',
    '@SUM(1)',
    ' =1',
    '\t=1',
    '＝1',
    '\u200b=1',
    "'=1",
    '"=1"',
    '=A1&B1',
    '--',
    '+',
    '|x',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'null',
    'undefined',
    'NaN',
    'Infinity',
    'true',
    'None',
  ],
  ...[
    '0',
    '-0',
    '00123',
    '1e5',
    '1E400',
    '0x1F',
    '1_000',
    '٣',
    '½',
    '1,5',
    '1.000,00',
    '2026-11-20',
    'Mar-22',
    '44927',
  ],
  ...[
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "'; DROP TABLE rows; --",
    '#{7*7}',
    '{{Name}}',
  ],
  ...[
    '../../etc/passwd',
    'C:\\Temp\\con',
    '%00',
    '%s%n',
    '$(reboot)',
    '`id`',
    '; ls',
    '\\',
    '\\n',
    '\\u0000',
    '#REF!',
  ],
  ...[
    'two\nlines',
    'two\r\nlines',
    'old\rmac',
    'a,b',
    'a;b',
    'a|b',
    '"',
    '""',
    'say "hi"',
    "O'Hara",
    '#comment',
    'sep=;',
  ],
  ...[
    '\u001b[31mred\u001b[0m',
    '\u0007',
    '\u0085',
    '\u2028',
    '\ufeff',
    '\u00a0',
    '\u200d',
    '\u202eabc',
    '\u00ad',
    '\ufffd',
  ],
  ...[
    'Zoë',
    'Zoe\u0308',
    'İstanbul',
    'ß',
    'ﬁ',
    '日本語',
    'שלום',
    'مرحبا',
    '👩‍👩‍👧',
    '🇦🇺',
    '𝕬',
    'Z͑ͫ̓ͪ̂ͫ̽͏̴a',
    'x'.repeat(5_000),
  ],
];

const csvLine = (cells: readonly string[]): string =>
  `${cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')}\n`;

/** Nothing of ours begins a formula, and all of the user's is there. */
async function checkOutput(desk: Desk, table: readonly (readonly string[])[]): Promise<void> {
  const written = parse(await desk.read('out.csv')) as string[][];
  const width = table[0]?.length ?? 0;
  expect(written.map((row) => row.slice(0, width))).toEqual(table);
  for (const cell of written.flatMap((row) => row.slice(width))) expect(cell).not.toMatch(/^\s*[=+@-](?!\d)/);
}

test('naughty strings as cells come back as they were, and no row is lost', async () => {
  const desk = await openDesk();
  const table = [['Domain', 'Note'], ...NAUGHTY.map((naughty) => [naughty, naughty])];
  await desk.write('list.csv', table.map(csvLine).join(''));
  const { rows, counts } = await desk.json(desk.run('--attention-ok'));
  expect(rows).toBe(NAUGHTY.length);
  expect(Object.values<number>(counts).reduce((sum, count) => sum + count, 0)).toBe(NAUGHTY.length);
  await checkOutput(desk, table);
  const attention = parse(await desk.read('out.needs-attention.csv')) as string[][];
  expect(attention.slice(1).every((row) => row[0] === NAUGHTY[Number(row[2]) - 2])).toBe(true);
});
