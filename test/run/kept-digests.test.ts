import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { PARSER, RecordParser } from '../../src/files/formats/csv/record-parser.ts';
import { credits } from '../../src/ledger/ledger.ts';
import { runJob } from '../../src/run/run-job.ts';
import type { RunSummary } from '../../src/run/summary.ts';
import { planJob } from '../../src/run/tasks/plan-job.ts';
import { domainsOf, Workplace } from '../faults/workplace.ts';

/**
 * Goal: a list that has a batch is never parsed again, as long as no row of it is erased.
 * Method: runs in this process, whose parser counts what it is asked.
 */

function parserCalls(): () => number {
  const { parse } = RecordParser.prototype;
  let calls = 0;
  const spy = vi.spyOn(RecordParser.prototype, 'parse').mockImplementation(function (
    this: RecordParser,
    text,
  ) {
    calls += 1;
    return parse.call(this, text);
  });
  onTestFinished(() => spy.mockRestore());
  return () => calls;
}

function runHere(place: Workplace): Promise<RunSummary> {
  process.env.ROWONCE_CONFIG = place.path('config');
  onTestFinished(() => {
    delete process.env.ROWONCE_CONFIG;
  });
  const more = { mayCreateStore: true, budget: credits(100), output: place.path('out.csv') };
  return runJob({ ...orderOf(place), ...more });
}

const orderOf = (place: Workplace) => ({
  job: 'enrich-company',
  account: 'data',
  file: place.path('list.csv'),
  store: place.path('store'),
});

test('a list is parsed by the run that begins its batch, and not by one that goes on with it, nor by a plan', async () => {
  await using place = await Workplace.open();
  place.writeList(domainsOf('known', 30));
  const calls = parserCalls();
  await runHere(place);
  // Once for lines of totals: the survey, the rows and the copy take what that has left.
  const begun = calls();
  expect(begun).toBe(1);
  const output = readFileSync(place.path('out.csv'), 'utf8');
  await runHere(place);
  expect(calls()).toBe(begun);
  expect(readFileSync(place.path('out.csv'), 'utf8')).toBe(output);
  const planned = await planJob(orderOf(place));
  expect(planned.plan).toMatchObject({ rows: 30, boughtBefore: 30 });
  expect(calls()).toBe(begun);
});

test('the parser by whose name digests are kept is the one that is installed', () => {
  const manifest = readFileSync(
    new URL('../../node_modules/csv-parse/package.json', import.meta.url),
    'utf8',
  );
  expect(PARSER).toBe(`csv-parse ${JSON.parse(manifest).version}`);
});
