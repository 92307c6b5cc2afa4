/**
 * Goal: who is forgotten is found however an answer, a request or a file spells them, and no one else is.
 * Method: texts and answers as vendors and programs write them.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { personOf } from '../../src/operations/lookup/person.ts';

const jane = personOf(' Jane.Doe@Acme.example ');
const page = personOf('http://au.linkedin.com/in/Jane-Doe/?trk=x');

test.each([
  'jane.doe@acme.example',
  '{"email":"JANE.DOE@ACME.EXAMPLE"}',
  `the address 'jane.doe@acme.example, as of today`,
  '/people?email=jane.doe%40acme.example&x=1',
  String.raw`{"email":"jane.doe\u0040acme.example"}`,
  'mailto:jane.doe@acme.example.',
  String.raw`{"note":"by\njane.doe@acme.example"}`,
  'https://api.example/people?of=1&email=jane.doe@acme.example',
  'from%20jane.doe%40acme.example%2C and on',
  'jane.doe@acme.example.enrich-person.csv.gz',
  '/home/user/jane.doe@acme.example.csv',
  'Jane|jane.doe@acme.example|7',
])('an address is found in %s', (text) => expect(jane.in(text)).toBe(true));

test.each([
  'jane.doe@acme.example.org',
  'jane.doe@acme.example.csv.org',
  'janexdoe@acme.example',
  "o'jane.doe@acme.example",
  'o%27jane.doe%40acme.example',
  "/home/o'jane.doe@acme.example.csv",
])('%s is somebody else', (text) => expect(jane.in(text)).toBe(false));

/** Most letters of RFC 5321's `atext`, the dot, and some of what RFC 6531 adds, as it is, as in a URL and as in JSON. */
const ATEXT = [..."abz019!#$%'*+-^_~.", 'é', 'ß', '山', '\u0301', '😀', 'Ж'];
const hex = (number: number, digits: number): string => number.toString(16).padStart(digits, '0');
const WRITINGS = [
  (letter: string) => letter,
  (letter: string) => [...Buffer.from(letter)].map((byte) => `%${hex(byte, 2)}`).join(''),
  (letter: string) => Array.from(letter.split(''), (unit) => `\\u${hex(unit.charCodeAt(0), 4)}`).join(''),
];
/** What may stand around an address in a text, a table or JSON, and belongs to no address. */
const AROUND = ['', ...' \n,;"<>([]:“)\u00a0', '%20', '%22', '\\n', '\\u003c'];

test('an address that is longer by anything on either side is somebody else, however that is written', () => {
  const grown = fc.record({
    before: fc.constantFrom(...AROUND),
    first: fc.constantFrom('o', ...ATEXT.filter((letter) => letter !== "'")),
    letter: fc.constantFrom(...ATEXT),
    write: fc.constantFrom(...WRITINGS),
    after: fc.constantFrom(...AROUND),
  });
  fc.assert(
    fc.property(grown, ({ before, first, letter, write, after }) => {
      const longer = `${before}${first}${write(letter)}jane.doe@acme.example${after}`;
      expect(jane.in(longer), longer).toBe(false);
      const host = `${before}jane.doe@acme.example${write(letter)}x${after}`;
      if (/^[\p{L}\p{N}\p{M}._-]$/u.test(letter)) expect(jane.in(host), host).toBe(false);
      const own = `${before}JANE.doe@acme.example${after}`;
      expect(jane.in(own), own).toBe(true);
    }),
    { numRuns: 3000 },
  );
});

test('UTF-16 is read as well, with a mark in front and in either order', () => {
  const bytes = Buffer.from('\uFEFFJane.Doe@acme.example;y', 'utf16le');
  expect(jane.in(bytes)).toBe(true);
  expect(jane.in(Buffer.from(bytes).swap16())).toBe(true);
});

test.each([
  'https://www.linkedin.com/in/jane-doe',
  'https://uk.linkedin.com/in/JANE-DOE/details',
  String.raw`{"url":"linkedin.com\/in\/jane-doe"}`,
  'path=https%3A%2F%2Flinkedin.com%2Fin%2Fjane-doe',
  '{"parameters":{"profile_slug":"jane-doe"}}',
])('a profile is found in %s', (text) => expect(page.in(text)).toBe(true));

test.each(['https://www.linkedin.com/in/jane-doe-2', 'linkedin.com/company/jane-doe', 'jane-doe'])(
  '%s is another page, or may be',
  (text) => expect(page.in(text)).toBe(false),
);

test.each(['', 'acme.example', 'jane-doe', 'https://www.linkedin.com/company/acme'])(
  '"%s" is refused, because it names no person',
  (text) => expect(() => personOf(text)).toThrow(expect.objectContaining({ code: 'usage' })),
);

test.each([
  ['run /x/jane.doe@acme.example.csv', 'run /x/erased.csv'],
  ['/people%2Fjane.doe%40acme.example/notes', 'erased'],
  ['{"path":"/people%2Fjane.doe%40acme.example/notes","at":7}', '{"path":"erased","at":7}'],
  [
    String.raw`{"a":["\u003cJANE.doe\u0040acme.example\u003e","b"],"jane.doe@acme.example":1}`,
    '{"a":["<erased>","b"],"erased":1}',
  ],
  ['mary-jane.doe%40acme.example', 'mary-jane.doe%40acme.example'],
])('what names the person in %s is replaced, and nothing else is', (text, replaced) =>
  expect(jane.replacedIn(text)).toBe(replaced),
);

function left(answer: unknown, what: 'in_lists' | 'values'): unknown {
  const bytes = jane.cutFrom(Buffer.from(JSON.stringify(answer)), what);
  return bytes === undefined ? undefined : JSON.parse(bytes.toString());
}

const JANE = { name: 'Jane', emails: [{ kind: 'work', address: 'jane.doe@acme.example' }], id: 7 };
const MARY = {
  name: 'Mary',
  emails: [{ kind: 'work', address: 'mary@acme.example' }],
  id: '12345678901234567890',
};

test('one person is cut out of a list, with all that is known of them, and the others stay', () => {
  expect(left({ data: { people: [MARY, JANE], total: 2 } }, 'in_lists')).toEqual({
    data: { people: [MARY], total: 2 },
  });
  expect(left([JANE], 'in_lists')).toEqual([]);
});

test('an answer about one person goes as a whole, and so does what cannot be read', () => {
  expect(left({ data: { name: 'Jane', emails: ['jane.doe@acme.example'] } }, 'in_lists')).toBeUndefined();
  expect(left({ found: [JANE], asked: 'jane.doe@acme.example' }, 'in_lists')).toBeUndefined();
  expect(jane.cutFrom(Buffer.from('<p>jane.doe@acme.example</p>'), 'values')).toBeUndefined();
});
