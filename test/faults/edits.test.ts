/**
 * Goal: a row gets what was found for its own cells and for no others, whatever is done to the list meanwhile: rows belong
 * to the bytes that their batch is known by.
 * Method: lists are edited while a run asks its question or buys, and put back; the vendor says in each answer about whom
 * it is, and its book says what was paid. Where even the file system tells nothing, by a clock that stands still, the hash of
 * all bytes tells. Each way of editing is tried here at each moment that is told apart, the
 * question and the buying, because each is noticed elsewhere. Edits at any moment of long runs,
 * mixed with kills and with all else that goes wrong, are the matter of `npm run faults -- --kills 1000`.
 */
import fs, { readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { RunEvent } from '../../src/core/events.ts';
import { credits } from '../../src/ledger/ledger.ts';
import type { RunObject } from '../../src/objects/run-object.ts';
import type { RunOptions } from '../../src/plan/context.ts';
import { runJob } from '../../src/run/run-job.ts';
import { Desk, openDesk } from '../cli/desk.ts';
import { some } from '../combinations.ts';
import { EDITS, EditedList, foreignRows } from './edits.ts';
import { brokenPromises, NONE_BROKEN } from './promises.ts';
import { domainsOf, Workplace } from './workplace.ts';

/** The list of a workplace, run in this process, so that a test can do what it likes while the program waits for it. */
function runHere(place: Workplace, request: Partial<RunOptions> = {}): Promise<RunObject> {
  process.env.ROWONCE_CONFIG = place.path('config');
  onTestFinished(() => {
    delete process.env.ROWONCE_CONFIG;
  });
  return runJob({
    job: 'enrich-company',
    file: place.path('list.csv'),
    entries: { account: 'data' },
    store: place.path('store'),
    output: place.path('out.csv'),
    ...request,
  });
}

const ROWS = 300;

/** So long that a thread parses most of it. */
async function longList(): Promise<{ place: Workplace; list: EditedList }> {
  const place = await Workplace.open({ latencyMs: 50, concurrency: 8 });
  onTestFinished(() => place[Symbol.asyncDispose]());
  const notes = 'x'.repeat(16_000);
  const rows = domainsOf('bought', ROWS).map((domain, index) => `${index + 1},${notes},${domain}\n`);
  writeFileSync(place.path('list.csv'), `No,Notes,Domain\n${rows.join('')}`);
  return { place, list: new EditedList(place.path('list.csv')) };
}

describe('while a run buys', () => {
  test.for(some(EDITS, 1))(
    'an edit (%s) changes nothing about its output, which is made of the cells that the store keeps',
    async (how) => {
      const { place, list } = await longList();
      const program = place.start();
      await program.until(() => place.vendor.loggedBytes > 0);
      list.edit(how);
      const { code, report } = await program.ended;
      expect([code, report?.counts]).toEqual([0, { matched: ROWS }]);
      expect(foreignRows(place)).toBe(0);
      const written = readFileSync(place.path('out.csv'), 'utf8');

      list.putBack();
      place.hurry();
      expect(await place.runHere()).toMatchObject({ code: 0, report: { counts: { matched: ROWS } } });
      expect(readFileSync(place.path('out.csv'), 'utf8')).toBe(written);
      expect(await brokenPromises(place)).toEqual(NONE_BROKEN);
    },
  );
});

test.each(['edited', 'deleted'] as const)(
  'a list that was %s after a kill is exported with every row as it was',
  async (how) => {
    const place = await Workplace.open({ latencyMs: 50, concurrency: 8 });
    onTestFinished(() => place[Symbol.asyncDispose]());
    place.writeList(domainsOf('bought', ROWS));
    const was = readFileSync(place.path('list.csv'), 'utf8').trim().split('\n');
    const program = place.start();
    await program.until(() => place.vendor.loggedBytes > 20_000);
    await program.kill();
    if (how === 'deleted') await rm(place.path('list.csv'));
    else new EditedList(place.path('list.csv')).edit('replaced');
    const { code, stderr } = await new Desk(place).type(['export', 'last', '-o', 'out.csv']);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('is made of the cells that the store keeps of it.'),
    ]);
    const written = readFileSync(place.path('out.csv'), 'utf8').trim().split('\n');
    const [header = '', ...rows] = written;
    expect(header.startsWith(`${was[0]},`)).toBe(true);
    expect(rows.map((row, at) => row.startsWith(`${was[at + 1]},`))).toEqual(Array(ROWS).fill(true));
    expect(rows.some((row) => row.includes(',matched,'))).toBe(true);
  },
);

test('an output that was made of the list itself is never replaced by one of its cells alone', async () => {
  const desk = await openDesk();
  desk.list(20);
  await desk.type(desk.run());
  const before = await desk.read('out.csv');
  new EditedList(desk.place.path('list.csv')).edit('replaced');
  for (const _ of [1, 2]) expect(await desk.type(['export', 'last'])).toMatchObject({ code: 0 });
  expect([await desk.read('out.csv'), await desk.read('out.answers.csv')]).toEqual([before, before]);
});

// -------------------------------------------------------------------------------------------- the walls behind the stamp

/** Everything of a file that tells when it was changed stands still, as on a disk whose clock ticks every two seconds. */
function blindFileSystem(place: Workplace, name = 'list.csv'): () => void {
  const found = fs.statSync(place.path(name), { bigint: true });
  const look = fs.fstatSync;
  const blinded = vi.spyOn(fs, 'fstatSync').mockImplementation(((file: number, options?: fs.StatOptions) => {
    const now = look(file, options);
    return options?.bigint === true && now.ino === found.ino ? found : now;
  }) as never);
  // What imports it by its name has it as well.
  syncBuiltinESMExports();
  const seeAgain = (): void => {
    blinded.mockRestore();
    syncBuiltinESMExports();
  };
  onTestFinished(seeAgain);
  return seeAgain;
}

describe('where the file system tells nothing', () => {
  test('a list that was edited before it was read is noticed before anything is bought', async () => {
    const place = await Workplace.open();
    onTestFinished(() => place[Symbol.asyncDispose]());
    place.writeList(domainsOf('poisoned', 30));
    const list = new EditedList(place.path('list.csv'));
    const seeAgain = blindFileSystem(place);
    const askBudget = async () => {
      list.edit('in_place');
      return credits(100);
    };
    await expect(runHere(place, { askBudget })).rejects.toMatchObject({ code: 'input' });
    expect(place.vendor.requests()).toEqual([]);
    seeAgain();
    list.putBack();
    expect(await place.runHere()).toMatchObject({ code: 0, report: { counts: { matched: 30 } } });
    expect(foreignRows(place)).toBe(0);
  });

  test('a list that was edited after it was read gives its output no cell', async () => {
    const place = await Workplace.open({ latencyMs: 50, concurrency: 2 });
    onTestFinished(() => place[Symbol.asyncDispose]());
    place.writeList(domainsOf('poisoned', 30));
    const list = new EditedList(place.path('list.csv'));
    blindFileSystem(place);
    let isEdited = false;
    const onEvent = ({ kind }: RunEvent): void => {
      if (kind !== 'row' || isEdited) return;
      isEdited = true;
      list.edit('in_place');
    };
    expect((await runHere(place, { onEvent, budget: credits(100) })).counts).toEqual({ matched: 30 });
    expect([isEdited, foreignRows(place)]).toEqual([true, 0]);
  });
});
