/**
 * Goal: findings are said in whole sentences, and the page says none that only people who write jobs understand.
 * Method: findings by their codes, on the faces that say them.
 */
import { expect, test } from 'vitest';
import { finding, together } from '../../src/core/finding.ts';
import { sayAll } from '../../src/core/finding-words.ts';

test('what an entry of the job does about a cell is said to who types, and not on the page', () => {
  const cell = finding('directory_page', { input: 'website', cell: 'x.example', about: 'x.example' });
  const fact = 'website x.example: x.example has pages of many companies';
  expect(sayAll(cell, 'page')).toBe(fact);
  expect(sayAll(cell, 'file')).toBe(`${fact}; to send it, name the host under \`accept_hosts\` in the job`);
});

test('after a sentence another one begins, and after a colon the words go on', () => {
  const role = finding('role_unknown', { input: 'role', cell: 'owner' });
  const all = together(role, finding('blank', { input: 'domain' }));
  expect(sayAll(all, 'page')).toMatch(/^role "owner" is not known\. Web domain: blank$/);
  expect(sayAll(together(finding('nothing_usable', {}), finding('blank', { input: 'abn' })), 'file')).toBe(
    'no usable identifier: ABN: blank',
  );
});
