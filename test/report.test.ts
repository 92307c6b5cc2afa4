/**
 * Goal: the report can be mailed and opened anywhere: it says what became of the rows and the money, loads nothing, and
 * what a vendor or a file says in it stays text.
 * Method: reports of known tallies, read as a browser would.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type AnswerRecord,
  type AttemptId,
  type Batch,
  type BatchId,
  credits,
  type Money,
} from '../src/ledger.ts';
import { reportHtml } from '../src/report.ts';
import type { Outcome } from '../src/row.ts';
import { Tally } from '../src/tally.ts';

const batch: Batch = {
  id: '0a1b2c3d' as BatchId,
  generation: 1,
  state: 'open',
  key: 'k',
  lineage: 'l',
  accountIdentity: 'data',
  accountName: 'data',
  sandbox: false,
  vendor: 'provider',
  operation: 'enrich-company',
  inputPath: '/lists/leads.csv',
  inputSha256: '',
  inputRows: 4,
  settings: {},
  createdAtMs: 0,
};

const money: Money = { cap: credits(1500), spent: credits(1200), reserved: credits(0), inDoubt: credits(3) };

function answer(name: string, kind: AnswerRecord['kind'], paidRow: number): AnswerRecord {
  return {
    attempt: paidRow as AttemptId,
    batch: batch.id,
    kind,
    why: '',
    call: { operation: 'enrich-company', parameters: { [name]: 'x' }, ifLost: 'hold' },
    charged: credits(kind === 'found' ? 1 : 0),
    status: 200,
    body: Buffer.from('{}'),
    answeredAtMs: 0,
    paidRow,
  };
}

function tallyOf(...outcomes: readonly (readonly [Outcome | undefined, ...AnswerRecord[]])[]): Tally {
  const tally = new Tally();
  for (const [at, [outcome, ...answers]] of outcomes.entries()) {
    const row = at + 2;
    tally.add(batch, row, outcome === undefined ? undefined : { row, outcome, answers });
  }
  return tally;
}

const matched: Outcome = { kind: 'matched', matchedBy: 'abn' };

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

test('says how the rows ended, which identifier found how many, what was spent and saved, and what needs attention', () => {
  const tally = tallyOf(
    [matched, answer('abn', 'found', 2)],
    [matched, answer('abn', 'found', 2)],
    [
      { kind: 'refused', reason: 'the vendor refused' },
      answer('abn', 'no_match', 4),
      answer('domain', 'refused', 4),
    ],
    [undefined],
  );
  const html = reportHtml(batch, money, tally);
  expect(html).toContain('<title>enrich-company · batch 0a1b2c3d</title>');
  expect(html).toContain('/lists/leads.csv, 4 rows, account data.');
  const shown = cells(html);
  expect(shown).toContainEqual(['matched', '2', '50.0 %', 'found at the vendor']);
  expect(shown).toContainEqual(['refused', '1', '25.0 %', 'the vendor refused every request']);
  expect(shown).toContainEqual(['pending', '1', '25.0 %', 'not worked on yet']);
  expect(shown).toContainEqual(['abn', '3', '2', '66.7 %']);
  expect(shown).toContainEqual(['domain', '1', '0', '0.0 %']);
  expect(shown).toContainEqual(['spent', '1,200']);
  expect(shown).toContainEqual(['in doubt: may have been charged', '3']);
  expect(shown).toContainEqual(['saved by asking once', '1']);
  expect(shown).toContainEqual(['budget', '1,500']);
  expect(shown).toContainEqual(['4', 'refused', 'the vendor refused']);
});

test('says so when nothing needs attention, when there is no budget, and when it is all play', () => {
  const { cap: _, ...unlimited } = money;
  const html = reportHtml(
    { ...batch, sandbox: true },
    unlimited,
    tallyOf([matched, answer('abn', 'found', 2)]),
  );
  expect(html).toContain('<h2>Needs attention</h2>\n<p>Nothing.</p>');
  expect(cells(html)).toContainEqual(['budget', 'none']);
  expect(html).toContain('sandbox: nothing here is real');
});

test('a long list of problems is cut, and says by how many', () => {
  const outcomes = Array.from({ length: 1_004 }, () => [{ kind: 'invalid', reason: 'no' }] as const);
  const html = reportHtml(batch, money, tallyOf(...outcomes));
  expect(html).toContain('And 4 rows more, in the needs-attention file beside this report.');
  expect(cells(html).filter(([, kind]) => kind === 'invalid')).toHaveLength(1_000);
});

test('loads nothing and runs nothing, whatever a vendor, a file name or an identifier says', () => {
  const hostile = fc.oneof(
    fc.constantFrom(
      '<script>alert(1)</script>',
      '"><img src=x onerror=alert(1)>',
      '</table><iframe>',
      "' style='",
    ),
    fc.string({ unit: 'binary' }),
  );
  const plain = reportHtml(
    batch,
    money,
    tallyOf([{ kind: 'invalid', reason: 'r' }, answer('i', 'refused', 2)]),
  );
  const tags = (html: string): readonly string[] => html.match(/<[^>]*>/g) ?? [];
  fc.assert(
    fc.property(hostile, hostile, hostile, (reason, path, identifier) => {
      const tally = tallyOf([{ kind: 'invalid', reason }, answer(identifier, 'refused', 2)]);
      const html = reportHtml({ ...batch, inputPath: path, accountName: path }, money, tally);
      expect(tags(html)).toEqual(tags(plain));
    }),
  );
  expect(plain).not.toMatch(/<script|<link|<img|<iframe|src=|href=|url\(|@import/);
});

test('control characters that would turn the reading direction or hide text are gone', () => {
  const html = reportHtml(batch, money, tallyOf([{ kind: 'invalid', reason: 'a\u202eb\u0007c\u001b[2Jd' }]));
  expect(cells(html)).toContainEqual(['2', 'invalid', 'abcd']);
});

test('the same state gives the same bytes', () => {
  const make = (): string =>
    reportHtml(batch, money, tallyOf([matched, answer('abn', 'found', 2)], [undefined]));
  expect(make()).toBe(make());
});
