/**
 * Goal: what a spreadsheet, an export or a mail program did to a cell is told by its name, what is sound is left in peace,
 * and a repair is right or is not made.
 * Method: tables of cells as they stand in real sheets, and properties over values that are sound.
 */
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { numbersAsRead } from '../../src/values/country-numbers.ts';
import { email } from '../../src/values/email.ts';
import type { KindName } from '../../src/values/kind.ts';
import { cellIssueOf } from '../../src/values/kinds.ts';
import type { CellIssueKind, Numbers } from '../../src/values/mend.ts';
import { abn } from '../../src/values/number.ts';
import { personProfile } from '../../src/values/profile.ts';
import type { ReadAs } from '../../src/values/reading.ts';
import { domain, website } from '../../src/values/website.ts';
import { validAbn } from './abn-arbitrary.ts';

/** What is telephone number and postcode is told by a country; the others do not ask for it. */
let australia: Numbers | undefined;

beforeAll(async () => {
  australia = await numbersAsRead({ country: 'AU' });
});

type Table = readonly (readonly [KindName, cell: string, CellIssueKind, repaired: string])[];

describe('repaired for sure', () => {
  const table: Table = [
    ['abn', '5.1824753556E+10', 'scientific_notation', '51824753556'],
    ['abn', '51824753556.0', 'number_format', '51824753556'],
    ['abn', '51,824,753,556', 'number_format', '51824753556'],
    ['abn', '="51824753556.0"', 'number_format', '51824753556'],
    ['abn', '"51 824 753 556"', 'punctuation', '51 824 753 556'],
    ['abn', '"ABN 51 824 753 556"', 'punctuation', '51 824 753 556'],
    ['abn', 'ABN: 51,824,753,556', 'number_format', '51824753556'],
    ['email', 'jo@bücher.de', 'misspelled', 'jo@xn--bcher-kva.de'],
    ['website', 'W: www.acme.org.au', 'wrapped_address', 'www.acme.org.au'],
    ['domain', 'acme,org.au', 'misspelled', 'acme.org.au'],
    ['abn', 'Â\u00a051 824 753 556', 'mojibake', '51 824 753 556'],
    ['email', 'Jo <jo@x.com>', 'wrapped_address', 'jo@x.com'],
    ['email', '"Citizen, Jo" <jo@x.com>;', 'punctuation', 'jo@x.com'],
    ['email', 'mailto:jo@x.com?subject=Hello', 'wrapped_address', 'jo@x.com'],
    ['email', '<jo@x.com>', 'punctuation', 'jo@x.com'],
    ['email', 'jo@x.com.', 'punctuation', 'jo@x.com'],
    ['email', 'jo@x.com\u200b', 'invisible_character', 'jo@x.com'],
    ['email', 'jo\u00ad@x.com', 'invisible_character', 'jo@x.com'],
    ['website', 'https://acme.org.au/?utm_source=mail&id=7#top', 'tracking', 'https://acme.org.au/?id=7#top'],
    ['website', 'acme.org.au;', 'punctuation', 'acme.org.au'],
    ['email', 'josÃ©@x.com', 'mojibake', 'josé@x.com'],
    ['domain', '"acme.org.au"', 'punctuation', 'acme.org.au'],
    ['profile_url', 'linkedin.com/in/jo\u200b-citizen', 'invisible_character', 'linkedin.com/in/jo-citizen'],
    ['phone', '6.1412345678E+10', 'scientific_notation', '61412345678'],
    ['phone', '412345678', 'lost_zero', '0412345678'],
    ['postcode', '800', 'lost_zero', '0800'],
    ['postcode', '4069.0', 'number_format', '4069'],
    ['text', 'CafÃ© JosÃ©', 'mojibake', 'Café José'],
    ['text', 'Oâ€™Brien & Sons', 'mojibake', 'O’Brien & Sons'],
  ];
  test.each(table)('%s %j is damage by %s, and means %j', (kind, cell, damage, repaired) => {
    expect(cellIssueOf(kind, cell, australia)).toEqual({ kind: damage, repaired });
    expect(cellIssueOf(kind, repaired, australia)?.repaired).toBeUndefined();
  });
});

describe('damage that only somebody who knows can mend', () => {
  test.each<readonly [KindName, string, CellIssueKind]>([
    ['abn', '5.18248E+10', 'scientific_notation'],
    ['abn', '51824753557', 'mistyped'],
    ['abn', 'ABN 51 824 753–55\u200b7', 'mistyped'],
    ['abn', '5182475355', 'lost_digit'],
    ['phone', '6.1412E+10', 'scientific_notation'],
    ['phone', '6.14123456E+10', 'scientific_notation'],
  ])('%s %j: %s', (kind, cell, damage) => {
    const found = cellIssueOf(kind, cell, australia);
    expect(found).toEqual({ kind: damage });
  });
});

test.each<readonly [KindName, string]>([
  ['abn', '51 824 753 556'],
  ['abn', 'ABN 51824753556'],
  ['abn', "'51824753556"],
  ['abn', '="51824753556"'],
  ['abn', '="51 824 753 556"'],
  ['email', '="jo@x.com"'],
  ['abn', '51\u00a0824\u00a0753\u00a0556\u200b'],
  ['domain', 'acme\u200b.org.au'],
  ['profile_url', 'https://au.linkedin.com/in/jo-citizen'],
  ['profile_url', 'https://www.linkedin.com/in/jo-citizen?trk=x'],
  ['profile_url', 'https://people.example/show?id=7&utm_source=mail'],
])('%s %j is no damage, because it is read right as it is', (kind, cell) => {
  expect(cellIssueOf(kind, cell, australia)).toBeUndefined();
});

describe('telephone numbers and postcodes', () => {
  test.each<readonly [KindName, string, string, string | undefined]>([
    ['phone', '712345678', 'ES', undefined],
    ['phone', '7911123456', 'GB', '07911123456'],
    ['phone', '412345678', 'AU', '0412345678'],
    ['phone', '12345678', 'NZ', undefined],
    ['phone', '212345678', 'NZ', '0212345678'],
    ['phone', '7.12345678E+8', 'ES', '712345678'],
    ['postcode', '1067', 'DE', '01067'],
    ['postcode', '800', 'AU', '0800'],
    ['postcode', '800', 'DE', undefined],
    ['postcode', '1067', 'AU', undefined],
  ])('the %s %s in %s is repaired to %s', async (kind, cell, code, repaired) => {
    const issue = cellIssueOf(kind, cell, await numbersAsRead({ country: code }));
    expect(issue?.repaired).toBe(repaired);
  });

  test.each<readonly [KindName, string]>([
    ['phone', '412345678'],
    ['phone', '412345678.0'],
    ['phone', '6.1412345678E+10'],
    ['postcode', '800'],
    ['postcode', '800.0'],
  ])('numbers of no known country are never repaired for sure: %s %s', (kind, cell) => {
    expect(cellIssueOf(kind, cell)?.repaired).toBeUndefined();
  });
});

describe('no false alarm', () => {
  test.each<readonly [KindName, string]>([
    // Wrong, but by nothing that we know: refusing it is enough.
    ['abn', 'n/a'],
    ['abn', '123'],
    ['abn', '518247535560'],
    ['abn', '0412345678'],
    ['abn', '00 000 000 000'],
    ['email', 'n/a.'],
    ['email', 'jo@@x.com.'],
    ['email', 'flo@x.com <jo@x.com>'],
    ['email', 'jo@x.com; flo@x.com'],
    ['website', 'none;'],
    // Two readings.
    ['website', 'shop,acme.org.au'],
    ['website', 'acme.com,acme.org'],
    ['website', 'acme. shop.acme.org.au'],
    ['website', 'acme.com (formerly acme.org)'],
    ['email', 'jo@shop,acme.org.au'],
    ['email', 'jo bell@x.com'],
    // Sound, however odd it looks.
    ['email', "o'brien@x.com"],
    ['website', 'https://acme.org.au/a;b=1;'],
    ['website', 'https://acme.org.au/find?source=utm_source'],
    ['website', 'https://münchen.de/größe'],
    ['domain', 'acme.org.au.'],
    ['phone', '02 9999 0000'],
    ['phone', '+61 2 9999 0000'],
    ['phone', '13 11 14'],
    ['phone', '64212345678'],
    ['profile_url', 'https://people.example/show?id=7'],
    ['postcode', '0800'],
    ['postcode', '4069'],
    ['postcode', 'SW1A 1AA'],
    ['text', 'MARIA DA IRMÃ® LTDA'],
    ['text', '“AMANHÃ”'],
    ['text', 'Âme & Ãlvaro'],
    ['text', 'Ångström Ätna Ærø naïve'],
    ['text', 'March 22'],
    ['text', '2022-03-12'],
    ['text', '５１８２４'],
  ])('%s %j', (kind, cell) => {
    expect(cellIssueOf(kind, cell, australia)).toBeUndefined();
  });
});

// -------------------------------------------------------------------------------------------------- properties

const word = fc.stringMatching(/^[a-z][a-z0-9]{1,8}$/);
const host = fc.tuple(word, fc.constantFrom('com', 'org.au', 'co.nz')).map(([name, end]) => `${name}.${end}`);
const addresses = fc.tuple(word, word, host).map(([first, last, at]) => `${first}.${last}@${at}`);
const sites = fc.tuple(host, word).map(([name, path]) => `https://www.${name}/${path}?id=1`);

const SOUND: readonly (readonly [KindName, fc.Arbitrary<string>, (cell: string) => ReadAs])[] = [
  ['abn', validAbn, abn.read],
  ['email', addresses, email.read],
  ['website', sites, website.read],
  ['domain', host, domain.read],
  ['profile_url', word.map((slug) => `https://www.linkedin.com/in/${slug}`), personProfile.read],
];

/** What happens to cells, each of which leaves the value readable to a person. */
const MISHAPS: readonly ((value: string) => string)[] = [
  (value) => `"${value}"`,
  (value) => `<${value}>`,
  (value) => ` ${value} `,
  (value) => `${value},`,
  (value) => `${value.slice(0, 2)}\u200b${value.slice(2)}`,
  (value) => `${value}\ufeff`,
];

describe.each(SOUND)('%s', (kind, sound, normalise) => {
  test('a sound value is never damage', () => {
    fc.assert(
      fc.property(sound, (value) => {
        expect(cellIssueOf(kind, value, australia)).toBeUndefined();
      }),
    );
  });

  test('a repaired value is usable, says what the sound one said, and needs no second repair', () => {
    const mishap = fc.constantFrom(...MISHAPS);
    fc.assert(
      fc.property(sound, fc.array(mishap, { minLength: 1, maxLength: 2 }), (value, mishaps) => {
        const damaged = mishaps.reduce((cell, happen) => happen(cell), value);
        const damage = cellIssueOf(kind, damaged, australia);
        if (damage?.repaired === undefined) return;
        expect(normalise(damage.repaired)).toEqual(normalise(value));
        expect(cellIssueOf(kind, damage.repaired, australia)?.repaired).toBeUndefined();
      }),
    );
  });
});
