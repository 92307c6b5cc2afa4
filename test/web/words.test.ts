/**
 * Goal: what the page says is the page's: no flag, no file of jobs and no number of HTTP as a reason.
 * Method: the one list of its messages, read whole; and what the program says of rows, as the page shows it.
 */
import { expect, test } from 'vitest';
import { attentionWords } from '../../src/files/output/tally.ts';
import { text } from '../../src/web/page/text.ts';

/** Every message, those with figures in them as they are said of one and of many. */
function messages(of: unknown, path = ''): readonly (readonly [path: string, message: string])[] {
  if (typeof of === 'string') return [[path, of]];
  if (typeof of === 'function') {
    const said = ['1', '2-3'].map((word) => of(...Array(of.length).fill(word)));
    return said.flatMap((each) => messages(each, path));
  }
  return Object.entries(of ?? {}).flatMap(([name, value]) => messages(value, `${path}.${name}`));
}

const TERMINAL =
  /(?<![\w-])--[a-z]|[Yy][Aa][Mm][Ll]|`|\bdocs\/|\bjson\b|\bJSON\b|\b[Ss]tatus \d|\browonce (?!serve\b)/;

test('no message has a flag, a command but the one that opens the page, YAML, or a status as a reason', () => {
  const all = messages(text);
  expect(all.length).toBeGreaterThan(300);
  expect(all.filter(([, message]) => TERMINAL.test(message))).toEqual([]);
});

test.each([
  [
    'no usable identifier: ABN 51 824: does not have 11 digits; website: blank',
    'ABN: does not have 11 digits; website: blank',
  ],
  [
    'no usable identifier: e-mail jo: is no address: really; profile URL: no column',
    'e-mail: really; profile URL: no column',
  ],
  [
    'no usable identifier: e-mail a@b.c; d@e.f: holds more than one; website: blank',
    'e-mail: holds more than one; website: blank',
  ],
  [
    'enrich-company: no usable identifier: domain x y: has a space; enrich-person: no usable identifier: e-mail: blank',
    'domain: has a space; e-mail: blank',
  ],
  ['role "boss" is not known. Known are: viewer.', 'role is not known. Known are: viewer.'],
  ['project "X" is not among the job\'s `projects`. Name it there with its id.', 'the project is not known'],
])('rows that are invalid because of %j are told together as %j', (reason, words) => {
  expect(attentionWords('invalid', reason)).toBe(words);
});
