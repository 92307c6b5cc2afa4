/**
 * Goal: a list that comes again says what of it is new, changed and gone, by what tells its rows and never by where they stand.
 * Method: two files of 308 rows with a known truth, and small ones for what is rare.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { compareVersions } from '../../src/files/compared.ts';
import { cameAgain } from '../support/came-again.ts';

function compare(before: string, now: string, chosen?: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'rowonce-compared-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [older, newer] = [join(folder, 'before.csv'), join(folder, 'now.csv')];
  writeFileSync(older, before);
  writeFileSync(newer, now);
  return compareVersions({}, older, newer, chosen);
}

const csv = (...lines: readonly string[]): string => `${lines.join('\n')}\n`;

test('of 308 rows 8 are new, 3 changed, 3 gone and 294 as before, although every row has moved', async () => {
  const { before, now, truth } = cameAgain();
  expect(await compare(before, now)).toEqual({ ...truth, isTold: true });
});

test('people of one company are told apart by what names them: who left is gone, and nobody takes their place', async () => {
  const before = csv(
    'First,Last,Domain,Title',
    'Ada,Byron,acme.example,Head',
    'Ben,Okri,acme.example,Clerk',
    'Cy,Young,acme.example,Clerk',
  );
  const now = csv('First,Last,Domain,Title', 'Dee,Ford,acme.example,Clerk', 'Ada,Byron,acme.example,Chair');
  expect(
    await compare(before, now, { first_name: 'First', last_name: 'Last', domain: 'Domain' }),
  ).toMatchObject({
    same: 0,
    added: [2],
    changed: [[3, 2]],
    gone: [3, 4],
  });
});

test('a column that came or went, and one that has another name, change no row', async () => {
  const before = csv('Company,Domain,Old', 'One,one.example,x', 'Two,two.example,y');
  const now = csv('New,Website,Company', 'n,two.example,Two', 'm,one.example,One');
  expect(await compare(before, now)).toMatchObject({ same: 2, added: [], changed: [], gone: [] });
});

test('rows that are there several times are counted as often', async () => {
  const before = csv('Domain', 'a.example', 'a.example', 'b.example');
  const now = csv('Domain', 'b.example', 'a.example', 'a.example', 'a.example');
  expect(await compare(before, now)).toMatchObject({ same: 3, added: [5], changed: [], gone: [] });
});

test('another address under the same name is a change; another name and address is another row', async () => {
  const before = csv('Company,Domain', 'One,one.example', 'Two,two.example');
  const now = csv('Company,Domain', 'One,one.example.au', 'Three,three.example');
  expect(await compare(before, now)).toMatchObject({ same: 0, added: [3], changed: [[2, 2]], gone: [3] });
});
