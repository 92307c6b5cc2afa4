/** Goal: words that are shown to a person read as a person writes them. Method: against what Intl says. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { grouped } from '../../src/core/plain-text.ts';

test('a number is written in groups of three digits, as an Australian does, and its decimals are left alone', () => {
  const intl = new Intl.NumberFormat('en-AU', { maximumFractionDigits: 4 });
  const numbers = fc.tuple(fc.integer(), fc.constantFrom(0, 0.5, 0.25, 0.0625));
  fc.assert(
    fc.property(numbers, ([whole, part]) => {
      expect(grouped(whole + part)).toBe(intl.format(whole + part));
    }),
    { examples: [[[0, 0]], [[999, 0]], [[1000, 0.0625]], [[-1234567, 0]]] },
  );
});
