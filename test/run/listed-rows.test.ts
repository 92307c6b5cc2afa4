/**
 * Goal: rows that are worked on from the ledger, piece by piece and in any order, make the calls that they make from their file, and
 * end as they do; nothing is bought twice; and what was kept of a row is gone when the row is finished.
 * Method: real lists, a real store and a vendor with its own book.
 */
import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { type Batch, credits } from '../../src/ledger/ledger.ts';
import type { RunObject } from '../../src/objects/run-object.ts';
import type { RunContext } from '../../src/plan/context.ts';
import { choose } from '../../src/run/choose.ts';
import { workRange } from '../../src/run/pipeline.ts';
import { openSpender, type Spender } from '../../src/run/run-job.ts';
import { Sessions } from '../../src/run/sessions.ts';
import type { VendorOptions } from '../faults/vendor.ts';
import { domainsOf, Workplace } from '../faults/workplace.ts';
import { proof, times } from '../support/combinations.ts';

/** A list with duplicates, near duplicates, cells that are repaired, rows without a usable cell and one that cannot be read. */
function listOf(domains: readonly string[]): string {
  const lines = domains.map((domain, at) => {
    if (at % 13 === 6) return ',Ltd,';
    if (at % 17 === 3) return ',Ltd,51824753556.0';
    if (at % 23 === 5) return `${domain},"a,b",too,many cells`;
    return at % 11 === 2 ? `https://www.${domain.toUpperCase()}/about,Ltd,` : `${domain},Ltd,`;
  });
  return `Domain,Kind,ABN\n${lines.join('\n')}\n`;
}

interface Place {
  readonly workplace: Workplace;
  readonly file: string;
  readonly spender: Spender;
  run(more?: { readonly limit?: number }): Promise<RunObject>;
}

async function openPlace(list: string, vendor: VendorOptions = {}): Promise<Place> {
  const workplace = await Workplace.open(vendor);
  onTestFinished(() => workplace[Symbol.asyncDispose]());
  const file = workplace.path('list.csv');
  writeFileSync(file, list);
  vi.stubEnv('ROWONCE_CONFIG', workplace.path('config'));
  const spender = await openSpender(false, { store: workplace.path('store') });
  onTestFinished(() => spender.close());
  const run = async (more = {}): Promise<RunObject> => {
    const chosen = await choose({ job: 'enrich-company', entries: { account: 'data', repair: true } });
    return spender.run(chosen, { file, output: `${file}.out`, budget: credits(10_000), ...more });
  };
  return { workplace, file, spender, run };
}

interface Submitted {
  readonly context: RunContext;
  readonly batch: Batch;
  readonly rows: number;
}

/** Submits the list, and works on its first row. */
async function submitted({ file, spender, run }: Place): Promise<Submitted> {
  await run({ limit: 1 });
  const [batch] = await spender.ledger.batches();
  if (batch === undefined) throw new Error('no batch was begun');
  const chosen = await choose({ job: 'enrich-company', entries: { account: 'data', repair: true } });
  const context: RunContext = {
    ...chosen,
    ledger: spender.ledger,
    inputPath: file,
    sandboxFolder: 'nowhere',
    clock: systemClock,
    signal: new AbortController().signal,
    emit: () => {},
  };
  return { context, batch, rows: batch.inputRows };
}

/** What the vendor was asked, whatever the order. */
const askedOf = ({ vendor }: Workplace): readonly string[] =>
  vendor
    .requests()
    .map(({ operation, body }) => JSON.stringify([operation, body]))
    .sort();

/** The output without the times of its answers. */
async function outputOf({ output }: RunObject): Promise<string> {
  return (await readFile(output ?? '', 'utf8')).replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME');
}

proof('ranges in any order, two at once, buy what the file buys, once, and end every row alike', async () => {
  const domains = domainsOf('ranges', 150);
  const repeated = domains.map((domain, at) => (at % 5 === 4 ? (domains[at % 30] ?? domain) : domain));
  const list = listOf(repeated);
  const whole = await openPlace(list);
  const ended = await whole.run();
  const expected = await outputOf(ended);
  const asked = askedOf(whole.workplace);
  const cuts = fc.uniqueArray(fc.integer({ min: 3, max: 150 }), { minLength: 1, maxLength: 12 });
  const play = async (at: readonly number[], seed: number): Promise<void> => {
    const place = await openPlace(list, { latencyMs: 3 });
    const { context, batch, rows } = await submitted(place);
    const edges = [2, ...at.toSorted((a, b) => a - b), rows + 2];
    const ranges = edges.slice(1).map((beforeRow, index) => ({ fromRow: edges[index] ?? 2, beforeRow }));
    // The same order each time for the same numbers; one range is worked on twice.
    const order = ranges.toSorted((a, b) => ((a.fromRow * seed) % 97) - ((b.fromRow * seed) % 97));
    const queue = [...order, ...order.slice(0, 1)];
    const sessions = new Sessions();
    const worker = async (): Promise<void> => {
      for (let range = queue.shift(); range !== undefined; range = queue.shift())
        expect(await workRange(context, sessions, batch, range)).toBeUndefined();
    };
    await Promise.all([worker(), worker()]);
    expect(askedOf(place.workplace)).toEqual(asked);
    const summary = await place.run();
    expect(summary.counts).toEqual(ended.counts);
    expect(await outputOf(summary)).toBe(expected);
    expect(askedOf(place.workplace), 'the file asks for nothing more').toEqual(asked);
  };
  await fc.assert(fc.asyncProperty(cuts, fc.integer({ min: 1, max: 96 }), play), { numRuns: times(2, 5) });
});

test('a row in doubt is kept, and a later range settles it once the doubt is resolved', async () => {
  const place = await openPlace(`Domain\n${domainsOf('doubt', 20).join('\n')}\n`);
  const { context, batch, rows } = await submitted(place);
  await place.workplace.vendor.setFaults('charged-500:x1');
  const range = { fromRow: 2, beforeRow: rows + 2 };
  expect(await workRange(context, new Sessions(), batch, range)).toBeUndefined();
  const left = await context.ledger.rowsLeft(batch.id, 'in_doubt', range.fromRow, range.beforeRow, 9);
  expect(left.length).toBe(1);
  expect(await place.spender.ledger.counts(batch.id)).toMatchObject({ in_doubt: 1, matched: 19 });
  const before = askedOf(place.workplace).length;
  const again = {
    ...context,
    job: { ...context.job, in_doubt: { retry: { extra_credits: credits(10) } } },
  } as const;
  await place.spender.ledger.changeBatch(batch.id, { extraCredits: credits(10) });
  expect(await workRange(again, new Sessions(), batch, range)).toBeUndefined();
  expect(askedOf(place.workplace).length).toBe(before + 1);
});
