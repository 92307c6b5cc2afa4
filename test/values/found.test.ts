/**
 * Goal: what a vendor gives is found where it is of its kind, and never where it is a word, a mask or another thing.
 * Method: values as vendors give them, collected from their answers and from trackers, each with what it is.
 */
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/core/operation.ts';
import { foundAmong } from '../../src/values/found.ts';

/** What stands there, as what it is read. */
const read = (name: string, ...values: JsonValue[]): unknown => {
  const found = foundAmong(values, { name });
  return found?.kind === 'found' ? found.value : found?.kind;
};

describe('a telephone number is digits with signs', () => {
  test.each([
    '(02) 9000 1235',
    '13 33 45',
    '1800 975 711',
    '+14155550136;ext=136',
    '+44 (0)20 7946 0018',
    '+49 89 / 1234-567',
    '+971 4 123 4567',
    '+81-3-1234-5678',
    '61290001236',
    '02.9000.1238',
    '+7 (495) 123-45-67',
    '+61 1300 9757 070',
    '(+61) 2 9000 1234 x12',
    '02 9000 1234 ext. 5',
    '030 1234567 Durchwahl 12',
    '０３-１２３４-５６７８',
    '٠٥٠١٢٣٤٥٦٧',
    'Tel.: +61 2 9000 1234',
    '+61 2 9000\u20111234',
    '12345',
    '01161290001234567',
    61290001236,
  ])('%s', (cell) => {
    expect(read('phone', cell)).toBe(cell);
  });

  test.each([
    'Not available',
    '+61 4** *** *22',
    'xxx-xxx-xxxx',
    'https://acme.com.au/contact',
    'Upgrade to view',
    '❌ No phone found',
    'requires credits',
    '000000000',
    '1234',
    '012345678901234567',
    '02 9000 1234 / 02 9000 1235',
    'ann@acme.example',
    true,
    { number: '02 9000 1234' },
  ])('%s is none', (cell) => {
    expect(read('phone', cell)).toBe('other');
  });
});

describe('an address is one', () => {
  test.each([
    "kate.o'brien@acme.com.au",
    'lee@acme.technology',
    'anna@xn--bcher-kva.de',
    'anna@bücher.de',
    'müller@firma-beispiel.de',
    'tom.hidden@acme.com.au',
    'locke.d@acme.com.au',
    '123456@qq.com',
    'd_nguyen@dept.nsw.gov.au',
    'anna.bell@gmail.com',
    'pending.k@acme.com.au',
    'ng.wei.ming@acme.com.sg',
    'info@acme.example',
  ])('%s', (cell) => {
    expect(read('email', cell)).toBe(cell);
    expect(read('email', ` ${cell} `)).toBe(cell);
  });

  test.each([
    'Not Available',
    '[email protected]',
    '@acme.com.au',
    '+61 2 9000 1234',
    'locked',
    'pending',
    'hidden',
    'anna(at)acme.example',
    'a@x.com.au; b@y.com.au',
    '••••@acme.com.au',
    'a***@acme.com.au',
    'email_not_unlocked@domain.com',
    'no email',
    true,
    17,
  ])('%s is none', (cell) => {
    expect(read('email', cell)).toBe('other');
  });
});

test.each([null, '', '  ', 'N/A', 'null', 'undefined', '-', false, [], [null, ''], {}])(
  '%j is a blank place',
  (value) => {
    for (const name of ['email', 'phone', 'website', 'job_title', 'verdict'])
      expect(read(name, value)).toBe('blank');
  },
);

test('of a list the first member of the kind is taken, and a list of texts without a form stays one', () => {
  expect(read('email', ['hidden', 'ann@acme.example', 'bob@acme.example'])).toBe('ann@acme.example');
  expect(read('phone', [null, '+61 2 9000 1239', '+61 2 9000 1240'])).toBe('+61 2 9000 1239');
  expect(read('email', [null, 'hidden'])).toBe('other');
  expect(read('email', 'hidden', ['ann@acme.example'])).toBe('ann@acme.example');
  expect(read('department', ['sales', 'marketing'])).toEqual(['sales', 'marketing']);
  expect(read('email')).toBeUndefined();
});

test.each([
  ['website', 'https://acme.example/au', 'https://acme.example/au'],
  // Only the vendor knows whose page it is.
  ['website', 'facebook.com/acme', 'facebook.com/acme'],
  ['domain', 'acme.example', 'acme.example'],
  ['domain', 'Not available', 'other'],
  ['website', 'info@acme.example', 'other'],
  ['profile_url', true, 'other'],
  ['abn', '51 824 753 556', '51 824 753 556'],
  ['abn', 'exempt', 'other'],
  ['number', 'SC123456', 'SC123456'],
  ['job_title', true, 'other'],
  ['full_name', '*****', 'other'],
  ['last_name', 'Ng', 'Ng'],
  ['city', 'ירושלים', 'ירושלים'],
  ['employees', 0, 0],
  ['company', { name: 'Acme' }, { name: 'Acme' }],
])('%s: %j', (name, value, expected) => {
  expect(read(name, value)).toEqual(expected);
});

test.each([
  [true, 'valid'],
  [false, 'invalid'],
  [' OK ', 'valid'],
  ['risky', 'other'],
  [null, 'blank'],
])('a verdict is the word of the vendor for it: %j', (value, expected) => {
  const found = foundAmong([value], { name: 'verdict', verdicts: { valid: [true, 'ok'], invalid: false } });
  expect(found?.kind === 'found' ? found.value : found?.kind).toBe(expected);
});
