/**
 * Goal: two operations over one file keep both results, with every file beside them, in whatever order they begin, stop
 * and go on; and a batch's output has one name for ever.
 * Method: real runs in this process before the sandbox as a vendor, with a real store; what stands in the folder is read.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parse } from 'csv-parse/sync';
import { expect, onTestFinished, test } from 'vitest';
import { plan } from '../src/index.ts';
import { credits } from '../src/ledger/ledger.ts';
import { PlanObject } from '../src/objects/plan-object.ts';
import type { RunObject } from '../src/objects/run-object.ts';
import type { RunOptions } from '../src/plan/context.ts';
import { runJob } from '../src/run/run-job.ts';
import { Workplace } from './faults/workplace.ts';

const ROWS = 'Domain,Email\na.example,jo@a.example\nnone,none\nb.example,al@b.example\n';

class Place {
  readonly #place: Workplace;
  readonly notes: string[] = [];

  private constructor(place: Workplace) {
    this.#place = place;
  }

  static async open(): Promise<Place> {
    const place = await Workplace.open();
    onTestFinished(() => place[Symbol.asyncDispose]());
    process.env.ROWONCE_CONFIG = place.path('config');
    onTestFinished(() => {
      delete process.env.ROWONCE_CONFIG;
    });
    const opened = new Place(place);
    opened.write('leads.csv', ROWS);
    return opened;
  }

  path(name: string): string {
    return this.#place.path(name);
  }

  write(name: string, content: string): void {
    writeFileSync(this.path(name), content);
  }

  /** As `rowonce run JOB leads.csv`, which names no output. */
  run(job: string, request: Partial<RunOptions> = {}): Promise<RunObject> {
    return runJob({
      job: job.endsWith('.yaml') ? this.path(job) : job,
      file: this.path('leads.csv'),
      store: this.path('store'),
      budget: credits(100),
      onEvent: (event) => {
        if (event.kind === 'note') this.notes.push(event.message);
      },
      ...request,
    });
  }

  /** As `rowonce plan JOB FILE`. */
  async plan(job: string, file: string): Promise<PlanObject> {
    return PlanObject.parse(await plan({ job: this.path(job), file, store: this.path('store') }));
  }

  /** The name of the output of such a run. */
  async output(job: string, request: Partial<RunOptions> = {}): Promise<string> {
    const { output } = await this.run(job, request);
    return basename(output ?? '');
  }

  /** Names that a run wrote, in order. */
  written(): readonly string[] {
    return readdirSync(this.path('.'))
      .filter((name) => /^leads.*\.(csv|html)$/.test(name) && name !== 'leads.csv')
      .sort();
  }

  matched(name: string): readonly string[] {
    const rows = parse(readFileSync(this.path(name)), { columns: true, bom: true }) as {
      _matched_by: string;
    }[];
    return rows.map((row) => row._matched_by);
  }
}

const PERSON = ['email', '', 'email'];

test('the second operation gets a name of its own for all its files, and says why', async () => {
  const place = await Place.open();
  await place.run('enrich-company');
  const first = place.written().map((name) => readFileSync(place.path(name), 'utf8'));
  const { batch } = await place.run('enrich-company');
  await place.run('enrich-person');
  expect(place.written()).toEqual([
    'leads.enrich-person.csv',
    'leads.enrich-person.needs-attention.csv',
    'leads.enrich-person.report.html',
    'leads.enriched.csv',
    'leads.enriched.needs-attention.csv',
    'leads.enriched.report.html',
  ]);
  expect(place.notes).toContain(
    `${place.path('leads.enriched.csv')} is the output of enrich-company, batch ${batch}, so it is kept.`,
  );
  const kept = place.written().filter((name) => name.includes('enriched'));
  expect(kept.map((name) => readFileSync(place.path(name), 'utf8'))).toEqual(first);
  expect(place.matched('leads.enrich-person.csv')).toEqual(PERSON);

  place.notes.length = 0;
  expect(await place.output('enrich-person')).toBe('leads.enrich-person.csv');
  expect(await place.output('enrich-company')).toBe('leads.enriched.csv');
  expect(place.notes.filter((note) => note.includes('so it is kept'))).toEqual([]);
  expect(place.written()).toHaveLength(6);
});
