/**
 * Goal: whatever way people write an address, a telephone number, a website, a profile or a number, what is one is
 * asked by and what is none is not.
 * Method: 10,000 cells of each kind by a grammar that knows what each cell means and shares nothing with the readers.
 */
import { expect, test } from 'vitest';
import { phone } from '../../src/values/phone.ts';
import {
  pickerOf,
  type Written,
  writeAbn,
  writeEmail,
  writePhone,
  writeProfile,
  writeWebsite,
} from './grammar.ts';
import { sendingFor } from './sent-for.ts';

const CELLS = 10_000;

const written = (write: (pick: ReturnType<typeof pickerOf>) => Written): Written[] => {
  const pick = pickerOf(CELLS);
  return Array.from({ length: CELLS }, () => write(pick));
};

test.for([
  ['email', writeEmail],
  ['website', writeWebsite],
  ['profile', writeProfile],
  ['abn', writeAbn],
] as const)('no %s is refused that is one, and none is sent that is none', ([kind, write]) => {
  const [asItIs, repaired] = [sendingFor(kind, false), sendingFor(kind, true)];
  const odd = written(write).filter(({ cell, value, isDamaged }) => {
    const sent = asItIs(cell);
    const mended = repaired(cell);
    if (value === undefined) return sent !== undefined || mended !== undefined;
    return mended !== value || (sent !== value && !(isDamaged === true && sent === undefined));
  });
  expect(
    odd.slice(0, 20).map((each) => ({ ...each, sent: asItIs(each.cell), mended: repaired(each.cell) })),
  ).toEqual([]);
});

test('no telephone number is refused, and nothing is taken for one that is none', () => {
  const odd = written(writePhone).filter(
    ({ cell, value }) => (phone.read(cell).kind === 'usable') !== (value !== undefined),
  );
  expect(odd.slice(0, 20)).toEqual([]);
});
