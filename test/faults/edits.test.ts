/**
 * Goal: a row gets what was found for its own cells and for no others, whatever is done to the list meanwhile: rows belong
 * to the bytes that their batch is known by.
 * Method: lists are edited before a run asks its question or while it buys, and after it was killed; the vendor says in each answer
 * about whom it is. Where even the file system tells nothing, by a clock that stands still, the hash of all bytes tells.
 */
import fs, { readFileSync, renameSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
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
import { brokenPromises, NONE_BROKEN, rowsMixedUp } from './promises.ts';
import { domainsOf, Workplace, type WorkplaceOptions } from './workplace.ts';

const ROWS = 100;

async function placeWithList(options?: WorkplaceOptions): Promise<Workplace> {
  const place = await Workplace.open(options);
  onTestFinished(() => place[Symbol.asyncDispose]());
  place.writeList(domainsOf('bought', ROWS));
  return place;
}

/**
 * `in_place`: the rows in the opposite order, written over the old ones, with the file's time set back, as programs that
 * synchronise folders do. `replaced`: the same as a file of its own that takes the name, as editors save. `cut_off`: the
 * upper half of it.
 */
const EDITS = ['in_place', 'replaced', 'cut_off'] as const;

/** Edits the list. @returns what puts it back, to the byte. */
function edit(place: Workplace, how: (typeof EDITS)[number]): () => void {
  const path = place.path('list.csv');
  const content = readFileSync(path);
  const { atime, mtime } = statSync(path);
  const [header = '', ...rows] = content.toString().trimEnd().split('\n');
  const reordered = [header, ...rows.reverse(), ''].join('\n');
  const overwrite = (bytes: Buffer | string): void => {
    writeFileSync(path, bytes, { flag: 'r+' });
    utimesSync(path, atime, mtime);
  };
  if (how === 'in_place') overwrite(reordered);
  else if (how === 'cut_off') truncateSync(path, content.length >> 1);
  else {
    writeFileSync(`${path}.new`, reordered);
    renameSync(`${path}.new`, path);
  }
  return () => overwrite(content);
}

test.for(some(EDITS, 1))('an edit (%s) while a run buys changes nothing about its output', async (how) => {
  const place = await placeWithList({ latencyMs: 50, concurrency: 8 });
  const program = place.start();
  await program.until(() => place.vendor.loggedBytes > 0);
  const putBack = edit(place, how);
  const { code, report } = await program.ended;
  expect([code, report?.counts]).toEqual([0, { matched: ROWS }]);
  putBack();
  expect(await brokenPromises(place)).toEqual(NONE_BROKEN);
});

test.each(['edited', 'deleted'] as const)(
  'a list that was %s after a kill is exported with every row as it was',
  async (how) => {
    const place = await placeWithList({ latencyMs: 50, concurrency: 8 });
    const was = readFileSync(place.path('list.csv'), 'utf8').trim().split('\n');
    const program = place.start();
    await program.until(() => place.vendor.loggedBytes > 10_000);
    await program.kill();
    if (how === 'deleted') await rm(place.path('list.csv'));
    else edit(place, 'replaced');
    const { code, stderr } = await new Desk(place).type(['export', 'last', '-o', 'out.csv']);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('is made of the cells that the store keeps of it.');
    const written = readFileSync(place.path('out.csv'), 'utf8').trim().split('\n');
    expect(written.map((line, at) => line.startsWith(`${was[at]},`))).toEqual(Array(ROWS + 1).fill(true));
    expect(written.some((line) => line.includes(',matched,'))).toBe(true);
  },
);

test('an output that was made of the list itself is never replaced by one of its cells alone', async () => {
  const desk = await openDesk();
  desk.list(20);
  await desk.type(desk.run());
  const before = await desk.read('out.csv');
  edit(desk.place, 'replaced');
  for (const _ of [1, 2]) expect(await desk.type(['export', 'last'])).toMatchObject({ code: 0 });
  expect([await desk.read('out.csv'), await desk.read('out.answers.csv')]).toEqual([before, before]);
});

// -------------------------------------------------------------------------------------------- the walls behind the stamp

/** The list of a workplace, run in this process, so that a test can do what it likes while the program waits for it. */
function runHere(place: Workplace, request: Partial<RunOptions>): Promise<RunObject> {
  vi.stubEnv('ROWONCE_CONFIG', place.path('config'));
  onTestFinished(() => void vi.unstubAllEnvs());
  return runJob({
    job: 'enrich-company',
    file: place.path('list.csv'),
    entries: { account: 'data' },
    store: place.path('store'),
    output: place.path('out.csv'),
    ...request,
  });
}

/** Everything of a file that tells when it was changed stands still, as on a disk whose clock ticks every two seconds. */
function blindFileSystem(place: Workplace): () => void {
  const found = fs.statSync(place.path('list.csv'), { bigint: true });
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
    const place = await placeWithList();
    const seeAgain = blindFileSystem(place);
    let putBack = (): void => {};
    const askBudget = async () => {
      putBack = edit(place, 'in_place');
      return credits(ROWS);
    };
    await expect(runHere(place, { askBudget })).rejects.toMatchObject({ code: 'input' });
    expect(place.vendor.requests()).toEqual([]);
    seeAgain();
    putBack();
    expect(await place.runHere()).toMatchObject({ code: 0, report: { counts: { matched: ROWS } } });
    expect(rowsMixedUp(place)).toBe(0);
  });

  test('a list that was edited after it was read gives its output no cell', async () => {
    const place = await placeWithList({ latencyMs: 20, concurrency: 4 });
    blindFileSystem(place);
    let isEdited = false;
    const onEvent = ({ kind }: RunEvent): void => {
      if (kind !== 'row' || isEdited) return;
      isEdited = true;
      edit(place, 'in_place');
    };
    expect((await runHere(place, { onEvent, budget: credits(ROWS) })).counts).toEqual({ matched: ROWS });
    expect([isEdited, rowsMixedUp(place)]).toEqual([true, 0]);
  });
});
