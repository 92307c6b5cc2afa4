/**
 * Goal: the report can be mailed and opened anywhere by somebody who never typed a command: it says first what came of the list
 * and what it cost, keeps what is typed in a fold, loads nothing, and what a vendor or a file says in it stays text.
 * Method: reports of known tallies, read as a browser would.
 */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';
import { finding, NO_FINDINGS, together } from '../../../src/core/finding.ts';
import { present } from '../../../src/core/objects.ts';
import type { Outcome } from '../../../src/core/row.ts';
import { figuresOf } from '../../../src/files/output/batch-view.ts';
import { reportHtml } from '../../../src/files/output/report.ts';
import { readReport } from '../../../src/files/output/report-facts.ts';
import { Tally } from '../../../src/files/output/tally.ts';
import {
  type AnswerRecord,
  type AttemptId,
  type Batch,
  type BatchId,
  credits,
} from '../../../src/ledger/ledger.ts';
import type { BatchView } from '../../../src/objects/batch-view.ts';
import { said } from '../../support/told.ts';

const batch: Batch = {
  id: '0a1b2c3d' as BatchId,
  generation: 1,
  state: 'open',
  key: 'k',
  lineage: 'l',
  accountIdentity: 'data',
  accountName: 'data',
  accounts: [{ identity: 'data', name: 'data' }],
  sandbox: false,
  vendor: 'provider',
  operation: 'enrich-company',
  inputPath: '/lists/leads.csv',
  inputSha256: '',
  header: [],
  inputRows: 4,
  settings: {},
  createdAtMs: 0,
};

const money: BatchView['credits'] = { budget: 1500, spent: 1200, exact: true, reserved: 0, in_doubt: 3 };

function answer(name: string, kind: AnswerRecord['kind'], paidRow: number): AnswerRecord {
  return {
    attempt: paidRow as AttemptId,
    batch: batch.id,
    accountIdentity: 'data',
    kind,
    why: NO_FINDINGS,
    call: { operation: 'enrich-company', parameters: { [name]: 'x' }, ifLost: 'hold' },
    charged: credits(kind === 'found' ? 1 : 0),
    status: 200,
    body: Buffer.from('{}'),
    answeredAtMs: 0,
    paidRow,
  };
}

interface Tallied extends Pick<BatchView, 'counts'> {
  readonly tally: Tally;
}

function tallyOf(...outcomes: readonly (readonly [Outcome | undefined, ...AnswerRecord[]])[]): Tallied {
  const tally = new Tally();
  const counts: Record<string, number> = {};
  for (const [at, [outcome, ...answers]] of outcomes.entries()) {
    const row = at + 2;
    if (outcome !== undefined) counts[outcome.kind] = (counts[outcome.kind] ?? 0) + 1;
    tally.add(batch, row, outcome === undefined ? undefined : { row, outcome, answers });
  }
  return { tally, counts };
}

const NO_ROWS = {
  acts: async () => [],
  batches: async () => [],
  rowsAt: async () => [],
  interruptions: async () => [],
  cellsOf: async () => new Map(),
  recordsOf: async () => new Map(),
};

interface Said {
  readonly of?: Batch;
  readonly spent?: BatchView['credits'];
  readonly cost?: BatchView['cost'];
}

async function report(
  { tally, counts }: Tallied,
  { of = batch, spent = money, cost }: Said = {},
): Promise<string> {
  const files = { output: '/lists/out.csv', attention: '/lists/out.needs-attention.csv' };
  const asked = { has_costs: true, requests: 4, calls: 4 };
  const view = { rows: of.inputRows, counts, credits: spent, ...asked, ...present({ cost }) };
  const whole = { ...view, figures: figuresOf(of, tally, view) };
  return reportHtml(of, await readReport(NO_ROWS, of, whole, undefined), files);
}

/** What everybody reads before the first fold, tag by tag. */
function aboveTheFold(html: string): string {
  const [, main = ''] = html.slice(0, html.indexOf('<details>')).split('<main class="a4">');
  return main
    .replaceAll(/<[^>]*>/g, '\n')
    .replaceAll('\u00a0', ' ')
    .replaceAll(/\s*\n\s*/g, '\n')
    .trim();
}

const matched: Outcome = { kind: 'matched', matchedBy: 'abn', findings: NO_FINDINGS };

/** The text of each cell, row by row, as a person sees it. */
function cells(html: string): readonly (readonly string[])[] {
  const rows = html
    .replaceAll(/<\/table>[\s\S]*?(?=<tr>|$)/g, '')
    .split('<tr>')
    .slice(1);
  return rows.map((row) =>
    row
      .split(/<t[dh][^>]*>/)
      .slice(1)
      .map((cell) => cell.replaceAll(/<[^>]*>/g, '').trim()),
  );
}

test('the report says first what came of the list, what it cost, and what needs a person, as one reads it to a manager', async () => {
  const of = tallyOf(
    [matched, answer('abn', 'found', 2)],
    [matched, answer('abn', 'found', 2)],
    [
      {
        kind: 'invalid',
        findings: together(
          finding('nothing_usable', {}),
          finding('wrong_length', { input: 'abn', cell: '12 345', about: '5' }),
          finding('blank', { input: 'website' }),
        ),
      },
    ],
    [
      { kind: 'refused', findings: finding('refused', { by: 'abn', status: 422, words: 'bad <abn>' }) },
      answer('abn', 'no_match', 5),
      answer('domain', 'refused', 5),
    ],
  );
  of.tally.columns = ['phone', 'city'].map((name) => ({ name, path: name }));
  of.tally.addFound('phone', '1');
  of.tally.addFound('city', '');
  const html = await report(of, { cost: [{ amount: 48, currency: 'AUD' }] });
  expect(html).toContain('<title>leads.csv</title>');
  expect(
    aboveTheFold(html)
      .replace(/1 January 1970, .*/, 'THEN')
      .split('\n'),
  ).toEqual([
    'leads.csv · THEN',
    '2 of 4 companies found, 50 %',
    'It cost 1,200 credits (A$48.00), and 3 more in doubt, for answers that were lost. ' +
      'That is 1,200 credits (A$48.00) for each one bought. 1 row shares an answer with another row: free of charge. ' +
      '2 rows need attention.',
    ...['Rows', '4', 'Looked up', '2, by 4 requests', 'Share an answer', '1, free', 'Cannot be used', '1'],
    ...['Found', '2, 1 of them free', 'Need attention', '2'],
    ...['Cost', 'Credits', '1,200', 'In doubt', '3 credits', 'Never more than', '1,500 credits'],
    ...['In money', 'A$48.00', 'What came back, of 2 companies', 'phone', '1, 50 %', 'city', '0, 0 %'],
    ...['Found by ABN', '2 of 3, 67 %', 'Found by web domain', '0 of 1, 0 %'],
    'Needs attention: 1 row. Correct the list.',
    ...['Row 4', 'ABN: has 5 digits, an ABN has 11; website: blank'],
    'Needs attention: 1 row. Check the account at the vendor.',
    ...['Row 5', 'the vendor refused ABN'],
  ]);
  expect(aboveTheFold(html)).not.toMatch(/0a1b2c3d|enrich-company|\/lists|--|status \d/);
});

test('the report says what is not done yet, and folded away which batch it is', async () => {
  const html = await report(tallyOf([matched, answer('abn', 'found', 2)], [undefined]));
  expect(aboveTheFold(html)).toContain('So far 1 of 4 companies found, 25 %; 3 rows to go');
  expect(cells(html)).toContainEqual(['batch', '0a1b2c3d']);
});

test('the report loads nothing and runs nothing, whatever a vendor, a file name or an identifier says', async () => {
  const hostile = fc.oneof(
    fc.constantFrom(
      '<script>alert(1)</script>',
      '"><img src=x onerror=alert(1)>',
      '</table><iframe>',
      "' style='",
    ),
    fc.string({ unit: 'binary' }),
  );
  const plain = await report(tallyOf([{ kind: 'invalid', findings: said('r') }, answer('i', 'refused', 2)]));
  const tags = (html: string): readonly string[] => html.match(/<[^>]*>/g) ?? [];
  await fc.assert(
    fc.asyncProperty(hostile, hostile, hostile, async (reason, path, identifier) => {
      const tally = tallyOf([{ kind: 'invalid', findings: said(reason) }, answer(identifier, 'refused', 2)]);
      const html = await report(tally, { of: { ...batch, inputPath: path, accountName: path } });
      expect(tags(html)).toEqual(tags(plain));
    }),
  );
  expect(plain).toContain(`http-equiv="Content-Security-Policy" content="default-src 'none';`);
  expect(plain).not.toMatch(/<script|<link|<img|<iframe|src=|href="(?!\.\/)|url\(|@import/);
});

test('the parts of the report are shown by a browser as well, so they ask nothing of Node', async () => {
  const folder = join(import.meta.dirname, '..', '..', '..', 'src', 'files', 'output', 'report');
  const parts = globSync(join(folder, '*.ts'));
  expect(parts.length).toBeGreaterThan(3);
  const bundle = await rolldown({
    input: parts,
    platform: 'browser',
    external: /^node:/,
    logLevel: 'silent',
  });
  const { output } = await bundle.generate();
  const asked = output.flatMap((each) => (each.type === 'chunk' ? each.imports : []));
  expect(asked.filter((path) => path.startsWith('node:'))).toEqual([]);
});
