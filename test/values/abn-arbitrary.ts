import fc from 'fast-check';

/**
 * Numbers that carry a right checksum: nine free digits, and the two leading check digits that the Register computes
 * for them, 10 to 98. Written from the issuing side on purpose, so that it shares nothing with the check in `abn.ts`.
 */
export const validAbn: fc.Arbitrary<string> = fc
  .array(fc.nat(9), { minLength: 9, maxLength: 9 })
  .map((digits) => {
    const sum = digits.reduce((total, digit, place) => total + digit * (2 * place + 3), 0);
    return `${10 + ((89 - (sum % 89)) % 89)}${digits.join('')}`;
  });
