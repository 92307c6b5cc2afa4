/**
 * Goal: in a column of which nobody has said what it holds, what is damaged is found also where it is most of the cells,
 * and a column that only looks odd is left in peace.
 * Method: columns as they stand in real sheets, cell by cell.
 */
import { expect, test } from 'vitest';
import { kindByName } from '../../../src/files/columns/column-kind.ts';
import { columnIssues } from '../../../src/files/describe-file.ts';
import { issuesAsRead } from '../../../src/files/quality/job-issues.ts';
import enrichCompany from '../../../src/operations/enrich-company.ts';

const australia = await issuesAsRead({ country: 'AU' });

function found(header: string, cells: readonly string[]): readonly (readonly [string, number])[] {
  const column = columnIssues(kindByName(header, [enrichCompany]), australia);
  for (const [at, cell] of cells.entries()) column.add(at + 2, cell);
  return column.findings().map(({ kind, count }) => [kind, count]);
}

test.each<readonly [string, readonly string[], readonly (readonly [string, number])[]]>([
  ['Direct phone', ['412345678', '+61 2 9999 0000'], [['lost_zero', 1]]],
  ['workMobile', ['4.12E+08', '13 11 14'], [['scientific_notation', 1]]],
  ['Post-code', ['800', '2000', '0872'], [['lost_zero', 1]]],
  ['Parent ABN', ['5.18E+10', '51824753556', 'unknown'], [['scientific_notation', 1]]],
  ['Second e-mail', ['Jo <jo@x.com>', 'none', ''], [['wrapped_address', 1]]],
])('%s: %j', (header, cells, findings) => {
  expect(found(header, cells)).toEqual(findings);
});

test.each<readonly [string, readonly string[]]>([
  ['Size', ['800', '51-200']],
  ['Telephone notes', ['ask Jo', 'n/a']],
])('nothing is said of %s: %j', (header, cells) => {
  expect(found(header, cells)).toEqual([]);
});
