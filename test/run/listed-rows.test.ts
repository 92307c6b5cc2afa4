/**
 * Goal: rows that are worked on from the ledger, piece by piece and in any order, make the calls that they make from their file, and
 * end as they do; nothing is bought twice; and what was kept of a row is gone when the row is finished.
 * Method: real lists, a real store and a vendor with its own book. What is kept of the lists stands in a database beside the
 * store, because a store for one process keeps none.
 */
import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import SqliteDatabase from 'better-sqlite3';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { openMappedInput } from '../../src/files/input.ts';
import {
  type Batch,
  type BatchId,
  credits,
  type FinishedRow,
  type Ledger,
  type ListedRow,
  type ListedRows,
} from '../../src/ledger/ledger.ts';
import type { RunContext } from '../../src/plan/context.ts';
import { rowLister } from '../../src/run/pipeline/ranges.ts';
import { type Task, type TaskSource, tasksOf, tasksOfRange } from '../../src/run/pipeline/tasks.ts';
import { workRange } from '../../src/run/pipeline.ts';
import { RowSet } from '../../src/run/row-set.ts';
import { choose, openSpender, type Spender } from '../../src/run/run-job.ts';
import { Sessions } from '../../src/run/sessions.ts';
import type { RunSummary } from '../../src/run/summary.ts';
import { proof, times } from '../combinations.ts';
import type { VendorOptions } from '../faults/vendor.ts';
import { domainsOf, Workplace } from '../faults/workplace.ts';

/** What a database of many processes keeps of lists, in a file of its own. */
class KeptLists implements Pick<ListedRows, 'keepListed' | 'tasksOf'> {
  readonly #database: SqliteDatabase.Database;

  constructor(path: string) {
    this.#database = new SqliteDatabase(path);
    this.#database.exec(
      'CREATE TABLE listed (batch TEXT, row INTEGER, kept TEXT, PRIMARY KEY (batch, row)) STRICT',
    );
  }

  async keepListed(batch: BatchId, rows: readonly ListedRow[]): Promise<void> {
    const insert = this.#database.prepare('INSERT OR IGNORE INTO listed VALUES (?, ?, ?)');
    for (const row of rows) insert.run(batch, row.row, JSON.stringify(row));
  }

  async tasksOf(batch: BatchId, fromRow: number, beforeRow: number): Promise<readonly ListedRow[]> {
    const select = this.#database.prepare<[string, number, number], { kept: string }>(
      'SELECT kept FROM listed WHERE batch = ? AND row >= ? AND row < ? ORDER BY row',
    );
    return select.all(batch, fromRow, beforeRow).map(({ kept }) => JSON.parse(kept) as ListedRow);
  }

  /** The ledger, with which the rows that it finishes for good are gone from here. */
  beside(ledger: Ledger): Ledger {
    const erase = this.#database.prepare('DELETE FROM listed WHERE batch = ? AND row = ?');
    const finishRows = async (rows: readonly FinishedRow[]): Promise<void> => {
      await ledger.finishRows(rows);
      for (const { batch, row, outcome } of rows) if (outcome.kind !== 'in_doubt') erase.run(batch, row);
    };
    return new Proxy(ledger, {
      get: (target, name) => {
        if (name === 'finishRows') return finishRows;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }

  get text(): string {
    return this.#database
      .prepare<[], { kept: string }>('SELECT kept FROM listed')
      .all()
      .map(({ kept }) => kept)
      .join('\n');
  }

  close(): void {
    this.#database.close();
  }
}

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
  run(more?: { readonly limit?: number }): Promise<RunSummary>;
}

async function openPlace(list: string, vendor: VendorOptions = {}): Promise<Place> {
  const workplace = await Workplace.open(vendor);
  onTestFinished(() => workplace[Symbol.asyncDispose]());
  const file = workplace.path('list.csv');
  writeFileSync(file, list);
  vi.stubEnv('ROWONCE_CONFIG', workplace.path('config'));
  const spender = await openSpender(false, { store: workplace.path('store'), mayCreateStore: true });
  onTestFinished(() => spender.close());
  const run = async (more = {}): Promise<RunSummary> => {
    const chosen = await choose({ job: 'enrich-company', account: 'data', repair: true });
    return spender.run(chosen, { file, output: `${file}.out`, budget: credits(10_000), ...more });
  };
  return { workplace, file, spender, run };
}

interface Submitted {
  readonly context: RunContext;
  readonly batch: Batch;
  readonly lists: KeptLists;
  /** All rows of the list, as its tasks from the file. */
  readonly fromFile: TaskSource;
  readonly rows: number;
}

/** Begins the batch by its first row, and keeps the list. */
async function submitted({ workplace, file, spender, run }: Place): Promise<Submitted> {
  await run({ limit: 1 });
  const [batch] = await spender.ledger.batches();
  if (batch === undefined) throw new Error('no batch was begun');
  const lists = new KeptLists(workplace.path('lists.db'));
  onTestFinished(() => lists.close());
  const chosen = await choose({ job: 'enrich-company', account: 'data', repair: true });
  const context: RunContext = {
    ...chosen,
    ledger: lists.beside(spender.ledger),
    inputPath: file,
    sandboxFolder: 'nowhere',
    command: 'test',
    clock: systemClock,
    signal: new AbortController().signal,
    emit: () => {},
  };
  const input = await openMappedInput(file, context.job, spender.ledger);
  const listed = rowLister(input);
  for await (const group of input.sheet.groups()) await lists.keepListed(batch.id, group.map(listed));
  const fromFile = tasksOf({ context, input, batch, sample: undefined, finished: new RowSet() });
  return { context, batch, lists, fromFile, rows: batch.inputRows };
}

async function all(source: TaskSource): Promise<readonly Task[]> {
  const tasks: Task[] = [];
  for await (const group of source) tasks.push(...group);
  return tasks;
}

/** What the vendor was asked, whatever the order. */
const askedOf = ({ vendor }: Workplace): readonly string[] =>
  vendor
    .requests()
    .map(({ operation, body }) => JSON.stringify([operation, body]))
    .sort();

/** The output without the times of its answers. */
async function outputOf(files: RunSummary['files']): Promise<string> {
  return (await readFile(files?.output ?? '', 'utf8')).replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME');
}

test('the tasks of a range are those of the file', async () => {
  const place = await openPlace(listOf(domainsOf('same', 120)));
  const { context, batch, lists, fromFile, rows } = await submitted(place);
  const expected = await all(fromFile);
  expect(expected.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['work', 'end']));
  expect(expected.filter((task) => task.kind === 'work' && task.work.repaired !== undefined)).not.toEqual([]);
  const range = { fromRow: 2, beforeRow: rows + 2 };
  expect(await all(tasksOfRange(context, lists, batch, range))).toEqual(expected);
  const part = { fromRow: 40, beforeRow: 60 };
  expect(await all(tasksOfRange(context, lists, batch, part))).toEqual(
    expected.filter(({ row }) => row >= 40 && row < 60),
  );
});

proof('ranges in any order, two at once, buy what the file buys, once, and end every row alike', async () => {
  const domains = domainsOf('ranges', 150);
  const repeated = domains.map((domain, at) => (at % 5 === 4 ? (domains[at % 30] ?? domain) : domain));
  const list = listOf(repeated);
  const whole = await openPlace(list);
  const { files, counts } = await whole.run();
  const expected = await outputOf(files);
  const asked = askedOf(whole.workplace);
  const cuts = fc.uniqueArray(fc.integer({ min: 3, max: 150 }), { minLength: 1, maxLength: 12 });
  const play = async (at: readonly number[], seed: number): Promise<void> => {
    const place = await openPlace(list, { latencyMs: 3 });
    const { context, batch, lists, rows } = await submitted(place);
    const edges = [2, ...at.toSorted((a, b) => a - b), rows + 2];
    const ranges = edges.slice(1).map((beforeRow, index) => ({ fromRow: edges[index] ?? 2, beforeRow }));
    // The same order each time for the same numbers; one range is worked on twice.
    const order = ranges.toSorted((a, b) => ((a.fromRow * seed) % 97) - ((b.fromRow * seed) % 97));
    const queue = [...order, ...order.slice(0, 1)];
    const sessions = new Sessions();
    const worker = async (): Promise<void> => {
      for (let range = queue.shift(); range !== undefined; range = queue.shift())
        expect(await workRange(context, sessions, batch, lists, range)).toBeUndefined();
    };
    await Promise.all([worker(), worker()]);
    expect(askedOf(place.workplace)).toEqual(asked);
    expect(lists.text, 'what was kept of the rows').toBe('');
    const summary = await place.run();
    expect(summary.counts).toEqual(counts);
    expect(await outputOf(summary.files)).toBe(expected);
    expect(askedOf(place.workplace), 'the file asks for nothing more').toEqual(asked);
  };
  await fc.assert(fc.asyncProperty(cuts, fc.integer({ min: 1, max: 96 }), play), { numRuns: times(2, 5) });
});

test('a range that two workers have at once is bought once', async () => {
  const place = await openPlace(listOf(domainsOf('twice', 60)), { latencyMs: 20 });
  const { context, batch, lists, rows } = await submitted(place);
  const sessions = new Sessions();
  const range = { fromRow: 2, beforeRow: rows + 2 };
  const work = () => workRange(context, sessions, batch, lists, range);
  expect(await Promise.all([work(), work()])).toEqual([undefined, undefined]);
  const asked = askedOf(place.workplace);
  expect(asked.length).toBeGreaterThan(40);
  expect(new Set(asked).size).toBe(asked.length);
  expect(lists.text).toBe('');
});

test('a row in doubt is kept, and a later range settles it once the doubt is resolved', async () => {
  const place = await openPlace(`Domain\n${domainsOf('doubt', 20).join('\n')}\n`);
  const { context, batch, lists, rows } = await submitted(place);
  await place.workplace.vendor.setFaults('charged-500:x1');
  const range = { fromRow: 2, beforeRow: rows + 2 };
  expect(await workRange(context, new Sessions(), batch, lists, range)).toBeUndefined();
  const left = await lists.tasksOf(batch.id, range.fromRow, range.beforeRow);
  expect(left.length).toBe(1);
  expect(await place.spender.ledger.counts(batch.id)).toMatchObject({ in_doubt: 1, matched: 19 });
  const before = askedOf(place.workplace).length;
  const again = {
    ...context,
    job: { ...context.job, inDoubt: { kind: 'retry', extraCredits: credits(10) } },
  } as const;
  await place.spender.ledger.changeBatch(batch.id, { extraCredits: credits(10) });
  expect(await workRange(again, new Sessions(), batch, lists, range)).toBeUndefined();
  expect(askedOf(place.workplace).length).toBe(before + 1);
  expect(lists.text).toBe('');
});
