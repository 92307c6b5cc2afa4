/**
 * Goal: a name is said to be another one only where that is likely, and a name in other words is not.
 * Method: a hundred pairs, whose counts are those of `docs/decisions.md`, and single cases that decide nothing else.
 */
import { describe, expect, test } from 'vitest';
import { isOtherCompany, isOtherPerson } from '../../src/values/same-name.ts';
import { isOtherProfile, isSameForm } from '../../src/values/same-profile.ts';
import { RIGHT, WRONG } from './name-pairs.ts';

const saidOf = (pairs: typeof RIGHT): readonly string[] =>
  pairs.filter(([one, other]) => isOtherCompany(one, other)).map((pair) => pair.join(' / '));

describe('of a hundred pairs', () => {
  test('of 50 right ones 7 are said to be others: names that share nothing', () => {
    expect(RIGHT).toHaveLength(50);
    expect(saidOf(RIGHT)).toEqual([
      'PricewaterhouseCoopers / PwC Australia',
      'Officeworks / Wesfarmers Limited',
      "Dan Murphy's / Endeavour Group Limited",
      'Instagram / Meta Platforms, Inc.',
      'Kmart / Wesfarmers Limited',
      'Ray White Manly / Seaforth Realty Holdings Pty Ltd',
      'Poolwerx Gosford / Jellis Aquatics Pty Ltd',
    ]);
  });

  test('of 50 wrong ones 49 are said', () => {
    expect(WRONG).toHaveLength(50);
    expect(saidOf(WRONG)).toHaveLength(49);
    expect(isOtherCompany('North Shore Medical Centre', 'Eastern Medical Centre')).toBe(false);
  });

  test('the order of a pair decides nothing', () => {
    for (const [one, other] of [...RIGHT, ...WRONG])
      expect(isOtherCompany(other, one), `${one} / ${other}`).toBe(isOtherCompany(one, other));
  });
});

test('names in two scripts, and blank ones, are not compared', () => {
  expect(isOtherCompany('华为技术有限公司', 'Huawei Technologies')).toBe(false);
  expect(isOtherPerson('張偉', 'Wei Zhang')).toBe(false);
  expect(isOtherCompany('', 'Acme')).toBe(false);
  expect(isOtherCompany('?', 'Acme')).toBe(false);
});

test('words in common are those of the company alone', () => {
  expect(isOtherCompany('Acme Plumbing Pty Ltd', 'ACME SERVICES')).toBe(false);
  expect(isOtherCompany('Smith Plumbing Pty Ltd', 'Jones Plumbing Pty Ltd')).toBe(true);
});

test('a person is another one where neither a name nor the initials are the same', () => {
  expect(isOtherPerson('John Smith', 'Mary Jones')).toBe(true);
  expect(isOtherPerson('John Smith', 'Jon Smith')).toBe(false);
  expect(isOtherPerson('Katherine Jones', 'Kate Jones')).toBe(false);
  expect(isOtherPerson('Kate Jones', 'Kate Brown')).toBe(false);
  expect(isOtherPerson('J. S.', 'John Smith')).toBe(false);
  expect(isOtherPerson('Jo-Anne Citizen', 'JOANNE DOE')).toBe(false);
  expect(isOtherPerson('Zoë Ångström', 'Zoe Brown')).toBe(false);
});

test('profiles are compared where both are of one network and one form', () => {
  const person = (slug: string): string => `https://www.linkedin.com/in/${slug}`;
  expect(isOtherProfile(person('jo-citizen'), person('jo-smith'))).toBe(true);
  expect(isOtherProfile(person('jo-citizen'), person('jo-citizen'))).toBe(false);
  // A number, and an id of the network's own, name the same person as a word does.
  expect(isSameForm(person('jo-citizen'), person('145991517'))).toBe(false);
  expect(isSameForm(person('jo-citizen'), person('ACwAAA8BYqEBCGLg_vT_ca6mMEqkpp9nVffJ3hc'))).toBe(false);
  expect(isSameForm(person('jo'), 'https://www.linkedin.com/company/jo')).toBe(false);
  expect(isOtherProfile('https://www.linkedin.com/school/a', 'https://www.linkedin.com/company/b')).toBe(
    true,
  );
  expect(isOtherProfile('https://www.xing.com/profile/A_B', 'https://www.xing.com/profile/C_D')).toBe(true);
  expect(isOtherProfile('https://app.zoominfo.com/#/p/123', 'https://app.zoominfo.com/#/p/124')).toBe(true);
});
