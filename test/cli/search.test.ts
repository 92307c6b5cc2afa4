/**
 * Goal: a search of people pays once, whatever way the vendor is reached and however often it is killed,
 * and all that was found comes out, beside the output, row by row.
 * Method: the real command, killed and typed again, before the sandbox, whose own log says what it found and charged.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { Way } from '../faults/ways.ts';
import { type OutputRow, Workplace } from '../faults/workplace.ts';
import { some } from '../support/combinations.ts';
import { Desk, deskBefore } from './desk.ts';

/** One is asked for twice, and one says nothing. */
const LIST =
  'Company,Title,Owner\nAcme,,"x, y"\nBanksia,CEO,\nKauri Freight,,\nAcme,,again\n ,,nobody\nWattle & Sons,Director,\n';
const JOB = { operation: 'search-people', columns: { company: 'Company', position: 'Title' } };

async function deskOf(way: Way, job: object = JOB): Promise<Desk> {
  // One request at a time, so that a kill between two of them leaves nothing in doubt.
  const place = await Workplace.open({ way, concurrency: 1 });
  onTestFinished(() => place[Symbol.asyncDispose]());
  const desk = new Desk(place);
  await desk.write('list.csv', LIST);
  await desk.write('job.yaml', JSON.stringify(job));
  return desk;
}

/** What the vendor found and charged for the row, by its own log: a credit for each person. */
function soldFor(desk: Desk, { Company, Title }: OutputRow): number {
  const own = desk.place.vendor
    .requests()
    .filter(({ body }) => body.company === Company && (body.position ?? '') === Title);
  return own.reduce((sum, { credits }) => sum + credits, 0);
}

test.each<[Way, string]>(
  some(
    [
      ['direct', 'before-intent:3'],
      ['via', 'before-intent:3'],
      ['rest-get', 'before-intent:3'],
    ],
    1,
  ),
)('a search killed between two rows and typed again, %s', async (way, crashAt) => {
  const desk = await deskOf(way);
  const { place } = desk;
  const killed = await place.run({ job: 'job.yaml', crashAt });
  expect(killed.signal).toBe('SIGKILL');
  const { code, report } = await place.runHere({ job: 'job.yaml' });
  expect(code).toBe(3);
  expect(report).toMatchObject({
    counts: { matched: 5, invalid: 1 },
    results: place.path('out.people.csv'),
    needs_attention: place.path('out.needs-attention.csv'),
  });

  const { charged_twice, credits } = await place.vendor.book();
  expect({ charged_twice, credits }).toEqual({ charged_twice: [], credits: report?.credits.spent });
  const people = place.rows('out.people.csv');
  for (const [at, row] of place.rows().entries()) {
    const own = people.filter(({ _row }) => Number(_row) === at + 2);
    if (row._status === 'matched') expect(own.length).toBe(soldFor(desk, row));
    if (own.length > 0) expect(row._reason).toMatch(new RegExp(`^${own.length} (person|people)`));
  }
  expect(people.every(({ full_name: name = '' }) => name.endsWith('(sandbox)'))).toBe(true);

  const requests = place.vendor.requests().length;
  const files = ['out.csv', 'out.people.csv', 'out.report.html'];
  const before = await Promise.all(files.map((file) => readFile(place.path(file))));
  const { stdout } = await desk.type(['export', 'last']);
  expect(stdout).toContain(`${place.path('out.people.csv')}\n`);
  expect(await Promise.all(files.map((file) => readFile(place.path(file))))).toEqual(before);
  expect(place.vendor.requests()).toHaveLength(requests);
});

test('the plan says what a row may cost, the budget holds, and a job that says what a search costs at most goes on', async () => {
  const desk = await deskOf('direct');
  const { place } = desk;
  const { stdout } = await desk.type(['plan', 'job.yaml', 'list.csv']);
  expect(stdout).toContain('credits        at most 100, probably 100');
  expect(place.vendor.requests()).toEqual([]);

  const poor = await place.runHere({ job: 'job.yaml', budget: 30 });
  expect({ code: poor.code, stopped: poor.report?.stopped?.code }).toEqual({ code: 4, stopped: 'budget' });
  expect((await place.vendor.book()).credits).toBeLessThanOrEqual(30);

  await writeFile(place.path('job.yaml'), JSON.stringify({ ...JOB, credits_max: 25 }));
  const { code, report } = await place.runHere({ job: 'job.yaml' });
  expect({ code, stopped: report?.stopped }).toEqual({ code: 3, stopped: null });
});

test('the people are where the dialect says, wherever that is', async () => {
  const people = [{ full_name: 'Jo' }, { full_name: 'Al' }];
  const { desk, speak } = await deskBefore(() => ({ other: [1], data: { hits: people } }));
  speak({ operations: { 'search-people': { results: 'data.hits' } } });
  await desk.write('list.csv', 'Company\nAcme\n');
  await desk.json(['run', 'search-people', 'list.csv', '--budget', '99', '-o', 'out.csv']);
  expect(desk.place.rows('out.people.csv').map(({ full_name: name }) => name)).toEqual(['Jo', 'Al']);
});

test('a filter of a blank is sent, and its answer is read', async () => {
  const { desk } = await deskBefore(() => ({ people: [{ full_name: 'Jo' }] }));
  await desk.write('list.csv', 'Company\nAcme\n');
  await desk.write('job.yaml', 'operation: search-people\naccount: data\nfilters: { q: " " }\n');
  const { code } = await desk.type(['run', 'job.yaml', 'list.csv', '--budget', '99', '-o', 'out.csv']);
  expect([code, desk.place.rows()[0]?._status]).toEqual([0, 'matched']);
});
