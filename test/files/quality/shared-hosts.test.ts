/**
 * Goal: shared hosts of a very long list are found wherever they stand in it, in memory that does not grow with the list.
 * Method: a quarter of a million other hosts between the rows of one.
 */
import { expect, test } from 'vitest';
import { HostSurvey, hostReader } from '../../../src/files/quality/shared-hosts.ts';

const HEADER = ['Account Name', 'URL', 'City'];

test('companies of one host that stand far from each other are found, in a bounded table', () => {
  const read = hostReader({ website: 'URL' }, HEADER);
  const survey = new HostSurvey();
  let row = 1;
  const add = (name: string, site: string): void => {
    row += 1;
    const of = read?.({ row, cells: [name, site, 'Perth'] });
    if (of !== undefined) survey.add(of);
  };
  const others = (count: number): void => {
    for (let at = 0; at < count; at += 1) add(`Company ${row} Ltd`, `https://www.c${row}.com.au/contact`);
  };
  add('Blue Dental', 'https://portal.example/?org=1');
  others(125_000);
  add('Papa Bakery', 'HTTPS://WWW.PORTAL.EXAMPLE/?org=2');
  others(125_000);
  add('Oldmill Motors', 'portal.example/?org=3');
  // The table is full by now, and what is in it still counts.
  others(100_000);
  add('Zinc Pty Ltd', 'portal.example/?org=4');
  expect([...survey.shared()]).toEqual([['portal.example', 4]]);
  expect([...survey.named()]).toEqual([['portal.example', 4]]);
});

const PEOPLE = {
  'find-email.domain': 'URL',
  'find-email.first_name': 'First',
  'find-email.last_name': 'Name',
};

test.each<readonly [Readonly<Record<string, string>>, readonly string[], boolean]>([
  [{ website: 'URL' }, ['Name', 'URL'], true],
  [{ website: 'URL' }, ['City', 'URL'], false],
  [{ abn: 'ABN' }, ['Company', 'ABN'], false],
  [PEOPLE, ['First', 'Name', 'URL'], false],
  [PEOPLE, ['First', 'Name', 'URL', 'Employer'], true],
])(
  'a list with the columns %j is looked at where it says what its companies are called',
  (columns, header, is) => {
    expect(hostReader(columns, header) !== undefined).toBe(is);
  },
);
