import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { problemWords } from '../../src/core/cell-problems.ts';
import { abn, lostDigitChoices } from '../../src/values/number.ts';
import { validAbn } from './abn-arbitrary.ts';

/**
 * Goal: a right ABN is taken in any spelling, and a mistyped one is never paid for.
 * Method: numbers whose check digits are computed the other way round than the program checks them, in many spellings
 * and with every single slip of a typist.
 */

const usable = (value: string) => ({ kind: 'usable', value });

describe('a right number', () => {
  test.each([
    '51824753556',
    '51 824 753 556',
    '  51-824-753-556\t',
    '51.824.753.556',
    '51\u00a0824\u202f753\u2009556',
    '51–824—753−556',
    'ABN 51 824 753 556',
    'ABN: 51824753556',
    'A.B.N. 51 824 753 556',
    'ABN No.: 51824753556',
    '51 824 753 556 (Active)',
    '\ufeff51824753556\u200b',
  ])('a right number is read from %j', (text) => {
    expect(abn.read(text)).toEqual(usable('51824753556'));
  });

  test('a right number is usable whichever it is, spelled with any separators at any place', () => {
    const separator = fc.constantFrom('', ' ', '-', '.', '\u00a0', '\u2013', '\u3000', '  ');
    const label = fc.constantFrom('', 'ABN', 'ABN ', 'abn: ', 'A.B.N.: ');
    fc.assert(
      fc.property(
        validAbn,
        label,
        fc.array(separator, { minLength: 11, maxLength: 11 }),
        (right, start, gaps) => {
          const text = start + [...right].map((digit, place) => digit + gaps[place]).join('');
          expect(abn.read(text)).toEqual(usable(right));
        },
      ),
    );
  });
});

describe('a mistyped number', () => {
  // 89 is a prime, and no weight, nor the difference of two neighbouring weights, times 1 to 9 divides by it.
  test('a mistyped number is caught when any one digit is wrong', () => {
    fc.assert(
      fc.property(validAbn, fc.nat(10), fc.integer({ min: 1, max: 9 }), (right, place, change) => {
        const digit = (Number(right[place]) + change) % 10;
        const mistyped = right.slice(0, place) + digit + right.slice(place + 1);
        expect(abn.read(mistyped).kind).toBe('unusable');
      }),
    );
  });

  test('a mistyped number is caught when two neighbouring digits changed places', () => {
    fc.assert(
      fc.property(validAbn, fc.nat(9), (right, place) => {
        const [first, second] = [right[place], right[place + 1]];
        fc.pre(first !== second);
        const mistyped = `${right.slice(0, place)}${second}${first}${right.slice(place + 2)}`;
        expect(abn.read(mistyped).kind).toBe('unusable');
      }),
    );
  });

  test.each([
    ['51824753557', 'the checksum fails'],
    ['5182475355', 'has 10 digits, an ABN has 11'],
    ['51 824 753 55O', 'contains letters'],
    ['ABN pending', 'contains letters'],
    ['5.38E+10', 'looks like a rounded number from a spreadsheet (5.38E+10)'],
    ['51824753556/001', 'contains the sign /'],
    ['0412 345 678', 'is a telephone number, not an ABN'],
    ['+61 412 345 678', 'is a telephone number, not an ABN'],
    // The sum alone divides by 89, as that of 93 000 000 005 does; check digits below 10 were never issued.
    ['04000000005', 'starts with 0; an ABN never does'],
  ])('%j %s', (text, problem) => {
    const said = abn.read(text);
    expect(said.kind === 'unusable' && problemWords(said)).toBe(problem);
  });
});

test.each(['', '   ', '\u00a0', '-', 'ABN:', '\u200b', '00 000 000 000', 'ABN/ACN: '])(
  'a cell that holds no number is blank: %j',
  (text) => {
    expect(abn.read(text)).toEqual({ kind: 'blank' });
  },
);

describe('a number that has lost a digit', () => {
  test('the right number is among those that may be meant, wherever the digit stood, and each of them passes', () => {
    fc.assert(
      fc.property(validAbn, fc.nat(10), (right, place) => {
        const cell = right.slice(0, place) + right.slice(place + 1);
        const choices = lostDigitChoices(cell);
        expect(choices).toContain(right);
        expect(new Set(choices).size).toBe(choices.length);
        for (const choice of choices) expect(abn.read(choice)).toEqual(usable(choice));
      }),
    );
  });

  test.each([
    ['8310001676', ['83100031676']],
    ['1310005028', ['13100095028', '12310005028', '13120005028']],
  ])('%s may be %j', (cell, choices) => {
    expect(lostDigitChoices(cell).toSorted()).toEqual(choices.toSorted());
  });

  test('a choice is spelled as the cell is: in groups where the cell has such', () => {
    expect(lostDigitChoices('83 100 031 67')).toContain('83 100 031 676');
    expect(lostDigitChoices('ABN: 8310003167')).toContain('83100031676');
  });

  test.each(['51824753556', '51824753557', '123', '0412 345 678', '518247535', '', 'x'])(
    'nothing is offered for %j, which has not lost one digit',
    (cell) => {
      expect(lostDigitChoices(cell)).toEqual([]);
    },
  );
});
