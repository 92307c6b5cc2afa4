/**
 * Goal: the rows of a list stand in the ledger before anything is sent. A run that is killed while it submits goes on where it was, by
 * the same command; one that is resumed works on the rows as they are there, and does not read them from the list again.
 * Method: a list of several groups of rows; the program is killed between two of them, or while it buys. What is read of the list is
 * counted where its bytes are handed out; the vendor's book says what was asked.
 */
import { writeFileSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { InputFile } from '../../src/files/input-file.ts';
import { credits } from '../../src/ledger/ledger.ts';
import { runJob } from '../../src/run/run-job.ts';
import { brokenPromises, NONE_BROKEN } from './promises.ts';
import { domainsOf, Workplace } from './workplace.ts';

test.each([1, 2])(
  'a run that is killed while it submits (group %i) has sent nothing, and the same command sends all of it once',
  async (group) => {
    await using place = await Workplace.open({ concurrency: 16 });
    place.writeList([...domainsOf('submitted', 2_400), 'not a domain']);
    const killed = await place.run({ crashAt: `submitting:${group}` });
    expect(killed.signal).toBe('SIGKILL');
    expect((await place.vendor.book()).requests).toBe(0);
    expect(await place.runHere()).toMatchObject({
      code: 3,
      report: { counts: { matched: 2_400, invalid: 1 } },
    });
    expect((await place.vendor.book()).requests).toBe(2_400);
    expect(await brokenPromises(place)).toEqual(NONE_BROKEN);
  },
);

test('a run that is resumed reads no row of the list before it buys', async () => {
  await using place = await Workplace.open({ latencyMs: 20 });
  const notes = 'x'.repeat(8_000);
  const rows = domainsOf('resumed', 400).map((domain, at) => `${at + 1},${notes},${domain}\n`);
  writeFileSync(place.path('list.csv'), `No,Notes,Domain\n${rows.join('')}`);
  // Columns that are named are not told by the first rows.
  writeFileSync(place.path('job.yaml'), 'operation: enrich-company\ncolumns: { domain: Domain }\n');
  expect((await place.run({ job: 'job.yaml', crashAt: 'after-row:40' })).signal).toBe('SIGKILL');

  let bytes = 0;
  const read = InputFile.prototype.chunks;
  const counting = vi.spyOn(InputFile.prototype, 'chunks').mockImplementation(async function* (
    this: InputFile,
    ...from
  ) {
    for await (const chunk of read.call(this, ...from)) {
      bytes += chunk.length;
      yield chunk;
    }
  });
  onTestFinished(() => counting.mockRestore());
  process.env.ROWONCE_CONFIG = place.path('config');
  onTestFinished(() => void delete process.env.ROWONCE_CONFIG);
  const stopping = new AbortController();
  const { counts } = await runJob({
    ...{
      job: place.path('job.yaml'),
      file: place.path('list.csv'),
      account: 'data',
      store: place.path('store'),
    },
    budget: credits(1_000),
    signal: stopping.signal,
    // Nothing is written after it, for which the list is read.
    onEvent: (event) => event.kind === 'row' && event.outcome === 'matched' && stopping.abort(),
  });
  expect(counts.matched).toBeGreaterThan(40);
  // Only the header is looked at, three times, each time in a chunk of 64 KB.
  expect(bytes).toBeLessThanOrEqual(3 * 64 * 1024);
});
