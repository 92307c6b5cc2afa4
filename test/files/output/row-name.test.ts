/**
 * Goal: a row is called by what a person calls it: a person by first and last name or by e-mail, a company by its name.
 * Method: headers as CRMs write them, with and without the columns by which it is asked.
 */
import { expect, test } from 'vitest';
import { rowName } from '../../../src/files/output/row-name.ts';

const CONTACT = {
  'First Name': 'Ann',
  'Last Name': 'Lee',
  'Company Name': 'Acme Supplies',
  'Work Email': 'ann@acme.example',
};

test.each<[expected: string | undefined, row: Record<string, string>, asked?: Record<string, string>]>([
  ['Ann Lee', CONTACT, { first_name: 'First Name', last_name: 'Last Name' }],
  ['Ann Lee', CONTACT, { 'find.email': 'Work Email' }],
  ['Acme Supplies', CONTACT, { domain: 'Website' }],
  ['ann@acme.example', { ...CONTACT, 'First Name': '' }, { email: 'Work Email' }],
  ['Ann Lee', { firstname: 'Ann', lastName: 'Lee', Status: 'Lost' }, { email: 'Mail' }],
  ['Acme', { 'Company Domain': 'acme.example', Organisation: 'Acme' }],
  ['Harbour Freight', { Name: 'Harbour Freight', 'Contact Email': 'jo@harbour.example' }, { name: 'Name' }],
  ['Bao', { Name: 'Bao', Company: 'Harbour' }, { email: 'Email' }],
  ['jo@t.example', { Email: 'jo@t.example', Project: 'Care', Role: 'viewer' }, { email: 'Email' }],
  ['Lee', { 'Last Name': 'Lee', Status: 'Lost' }],
  [undefined, { ABN: '1', Status: 'Lost' }],
])('%s', (expected, row, asked = {}) => {
  expect(rowName(Object.keys(row), Object.values(row), asked)).toBe(expected);
});
