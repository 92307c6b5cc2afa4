/** What the output of a list says at the end is what the vendor's book says, and it follows from the ledger alone. */
import fs from 'node:fs';
import { parse } from 'csv-parse/sync';
import { NOT_KEPT } from '../../judge.ts';
import { companies, type Row } from '../../list-kinds.ts';
import { objectIn, type } from '../../people.ts';
import { promise } from '../../played.ts';
import type { Stage } from '../../stage.ts';
import type { Vendor } from '../../vendor.ts';
import { abnOf, emailOf, type ListRow } from '../../workplace.ts';

/** What people said in a history that the book does not say. */
export interface Words {
  /** Of what was in doubt: that there is no match. */
  readonly isNoMatchTold: boolean;
  readonly forgotten: ReadonlySet<string>;
}

/** The program writes these in place of what it has erased. */
const ERASED = /^erased on /;

export function requireOutput(stage: Stage, path: string, rows: readonly ListRow[], words: Words): void {
  const shown: readonly Row[] = parse(fs.readFileSync(path), { columns: true, bom: true });
  promise(shown.length === rows.length, `${path} has ${shown.length} rows, its list ${rows.length}`);
  for (const [index, row] of rows.entries()) requireRow(stage, row, shown[index] ?? {}, words);
}

function requireRow(stage: Stage, { company, isInvalid }: ListRow, row: Row, words: Words): void {
  const { _status: status = '', _reason: reason = '', _matched_by: by = '', Contact: contact } = row;
  const { vendor, exchanges } = stage;
  const of = `row ${Object.values(row).join(', ')}`;
  const isErased = ERASED.test(reason);
  const isForgotten = words.forgotten.has(emailOf(company));
  promise(contact === emailOf(company) || isErased, `another row than in the list: ${of}`);
  promise(isInvalid || status !== 'invalid' || isForgotten, `invalid, and it is not: ${of}`);
  promise(!isInvalid || status === 'invalid' || isForgotten || isErased, `not invalid: ${of}`);
  // A row of somebody who was forgotten while it waited still rests on what its company was sold for.
  if (isInvalid || isErased || isForgotten) return;
  promise(row.ABN === abnOf(company), `another company than in the list: ${of}`);
  const keys = companies.keysOf(row);
  const all = Object.values(keys);
  const heard = vendor.arrivals.filter(({ key }) => all.includes(key));
  const sold = vendor.charges.filter(({ key }) => key === keys[by]);
  const shown = companies.shownIn(row);
  // A row of a batch with which no run goes on is skipped, also where its doubt was answered later.
  const wasSold = vendor.charges.some(
    ({ key, facts }) => all.includes(key) && companies.shownOf(facts) === shown,
  );
  const mayShow = status === 'matched' || (status === 'skipped' && wasSold);
  promise(mayShow || shown === '', `facts without a match: ${of}`);
  const isRight: Readonly<Record<string, boolean>> = {
    matched: sold.some(({ facts }) => companies.shownOf(facts) === shown),
    no_match: words.isNoMatchTold || all.every((key) => hasNoMatch(vendor, key)),
    refused: heard.some(({ ailment }) => ailment === 'refusing'),
    skipped: exchanges.some(({ key }) => all.includes(key)) || NOT_KEPT.test(reason),
  };
  promise(isRight[status] === true, `not as the book has it: ${of}`);
}

/** The vendor has said of each question that it knows no one, or that it does not answer it. */
const hasNoMatch = (vendor: Vendor, asked: string): boolean =>
  vendor.arrivals.some(
    ({ key, ailment }) =>
      key === asked && (vendor.factsOf(key) === undefined || ailment === 'missing' || ailment === 'refusing'),
  );

/** Another list may have learned since what became of a row that a person has skipped: it shows what was sold. */
const withoutSkipped = (output: Buffer): string =>
  output
    .toString()
    .split('\n')
    .filter((line) => !line.includes(',skipped,'))
    .join('\n');

/** Another process writes the same, whenever it does. @param more where, and how. */
export async function requireSameExport(
  stage: Stage,
  batch: string,
  written: Buffer,
  more: readonly string[] = [],
): Promise<void> {
  const words = ['export', batch, ...more, '--json'];
  const { exitCode, stdout, stderr } = await type(stage, words);
  const output = objectIn<{ output: string | null }>(stdout)?.output;
  promise(
    exitCode === 0 && typeof output === 'string',
    `${words.join(' ')} ends with ${exitCode}: ${stderr}`,
  );
  const isSame = withoutSkipped(fs.readFileSync(output)) === withoutSkipped(written);
  promise(isSame, `${words.join(' ')} writes something else than the run: ${output}`);
}
