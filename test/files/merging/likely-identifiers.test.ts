import { expect, test } from 'vitest';
import {
  inputWithout,
  likelyIdentifiers,
  matchedRows,
} from '../../../src/files/merging/likely-identifiers.ts';

/**
 * Goal: where no store knows a result, its rows are told apart by all that may have been sent for them, and by no more of it than
 * that: what she edits beside it keeps no row from being found.
 * Method: the rule alone, over outputs of the kinds that people have.
 */

const COMPANY = {
  Company: 'Acme Pty Ltd',
  Website: 'acme.example',
  ABN: '51824753556',
  Phone: '02 9999 1111',
};
const PERSON = {
  ...{ Name: 'Jo Citizen', Company: 'Acme', City: 'Sydney' },
  ...{ Email: 'jo@acme.example', LinkedIn: 'https://www.linkedin.com/in/jo-citizen' },
};

/** By what rows like this one are told apart, where it was matched by these. */
function told(
  row: Readonly<Record<string, string>>,
  ...matchedBy: readonly string[]
): readonly string[] | string {
  const rows = matchedBy.map((input) => (column: string) => ({ ...row, _matched_by: input })[column] ?? '');
  const columns = Object.keys(row);
  const matched = matchedRows([...columns, '_matched_by'], rows);
  return (
    inputWithout(columns, matched) ?? likelyIdentifiers(columns, matched, rows).map(({ column }) => column)
  );
}

test.for([
  [COMPANY, ['abn'], ['ABN']],
  [COMPANY, ['abn', '', 'domain'], ['Website', 'ABN']],
  [COMPANY, ['abn+domain'], ['Website', 'ABN']],
  // Each may have been the domain that was sent.
  [{ ...COMPANY, Mail: 'jo@acme.example' }, ['domain'], ['Website', 'Mail']],
  [{ ...COMPANY, Registration: '33 051 775 556' }, ['abn'], ['ABN', 'Registration']],
  [PERSON, ['email', 'profile_slug'], ['Email', 'LinkedIn']],
  [{ Account: 'Acme', Company: 'Bolt', Website: 'acme.example' }, ['company'], ['Company']],
  // A team's rows are matched by nothing: what was done for them is what they were about.
  [PERSON, [''], ['Email', 'LinkedIn']],
  [{ Registration: '33051775556', Website: '' }, [''], ['Registration', 'Website']],
  [{ Account: 'Acme', Website: 'acme.example' }, ['company'], 'company'],
  [{ Parent_ABN: 'unknown', Website: 'acme.example' }, ['abn'], 'abn'],
] as const)('%o that was matched by %o is told by %o', ([row, matchedBy, expected]) => {
  expect(told(row, ...matchedBy)).toEqual(expected);
});
