/**
 * Goal: who is forgotten is found however an answer, a request or a file spells them, and nobody else is.
 * Method: texts and answers as vendors and programs write them.
 */
import { expect, test } from 'vitest';
import { answerWithout, Mentions, personOf } from '../../src/ledger/person.ts';

const jane = new Mentions(personOf(' Jane.Doe@Acme.example '));
const page = new Mentions(personOf('http://au.linkedin.com/in/Jane-Doe/?trk=x'));

test.each([
  'jane.doe@acme.example',
  '{"email":"JANE.DOE@ACME.EXAMPLE"}',
  `the address 'jane.doe@acme.example, as of today`,
  '/people?email=jane.doe%40acme.example&x=1',
  String.raw`{"email":"jane.doe\u0040acme.example"}`,
  'mailto:jane.doe@acme.example.',
  '/home/user/jane.doe@acme.example.csv',
  'jane.doe@acme.example.enrich-person.csv.gz',
])('an address is found in %s', (text) => expect(jane.in(text)).toBe(true));

test.each([
  'mary-jane.doe@acme.example',
  'jane.doe@acme.example.org',
  'jane.doe@acme.examples',
  'jane.doe@acme.example.csv.org',
  'janexdoe@acme.example',
])('%s is somebody else', (text) => expect(jane.in(text)).toBe(false));

test('UTF-16 is read as well, with a mark in front and in either order', () => {
  const bytes = Buffer.from('\uFEFFJane.Doe@acme.example;y', 'utf16le');
  expect(jane.inBytes(bytes)).toBe(true);
  expect(jane.inBytes(Buffer.from(bytes).swap16())).toBe(true);
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

test.each(['', 'acme.example', 'jane-doe', 'https://www.linkedin.com/company/acme', 'a@b@c.example'])(
  '"%s" is refused, because it names no person',
  (text) => expect(() => personOf(text)).toThrow(expect.objectContaining({ code: 'usage' })),
);

test.each([
  ['run jane.doe@acme.example.csv', 'run erased.csv'],
  ['{"path":"people%2Fjane.doe%40acme.example/notes"}', '{"path":"people%2Ferased/notes"}'],
  [String.raw`{"note":"\u003cJANE.doe\u0040acme.example\u003e"}`, String.raw`{"note":"\u003cerased\u003e"}`],
  ['mary-jane.doe%40acme.example', 'mary-jane.doe%40acme.example'],
])('in %s the address is replaced, and nothing else is', (text, replaced) =>
  expect(jane.replacedIn(text)).toBe(replaced),
);

test('a profile is replaced as it is written in JSON and in a URL', () => {
  expect(page.replacedIn(String.raw`"linkedin.com\/in\/jane-doe"`)).toBe('"erased"');
  expect(page.replacedIn('at=https%3A%2F%2Flinkedin.com%2Fin%2Fjane-doe&x')).toBe(
    'at=https%3A%2F%2Ferased&x',
  );
});

function left(answer: unknown, about: 'company' | 'anything'): unknown {
  const bytes = answerWithout(Buffer.from(JSON.stringify(answer)), jane, about);
  return bytes === undefined ? undefined : JSON.parse(bytes.toString());
}

const JANE = { name: 'Jane', emails: [{ kind: 'work', address: 'jane.doe@acme.example' }], id: 7 };
const MARY = {
  name: 'Mary',
  emails: [{ kind: 'work', address: 'mary@acme.example' }],
  id: '12345678901234567890',
};

test('of a list of people one is cut out, with all that is known of them, and the others stay', () => {
  expect(left({ data: { people: [MARY, JANE], total: 2 } }, 'anything')).toEqual({
    data: { people: [MARY], total: 2 },
  });
  expect(left([JANE], 'anything')).toEqual([]);
});

test('of an answer about a company the values that name somebody go', () => {
  const company = {
    name: 'Acme',
    contact: 'jane.doe@acme.example',
    mails: ['jane.doe@acme.example', 'info@acme.example'],
  };
  expect(left(company, 'company')).toEqual({ name: 'Acme', contact: null, mails: ['info@acme.example'] });
});

test('an answer about one person goes as a whole, and so does what cannot be read', () => {
  expect(left({ data: { name: 'Jane', emails: ['jane.doe@acme.example'] } }, 'anything')).toBeUndefined();
  expect(left({ found: [JANE], asked: 'jane.doe@acme.example' }, 'anything')).toBeUndefined();
  expect(answerWithout(Buffer.from('<p>jane.doe@acme.example</p>'), jane, 'company')).toBeUndefined();
});
