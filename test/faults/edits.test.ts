/**
 * Goal: a row gets what was found for its own cells and for no others, whatever is done to the list meanwhile: rows belong
 * to the bytes that their batch is known by.
 * Method: lists are edited before a run asks its question, while it buys, and after it was killed; the vendor says in each answer about
 * whom it is. The file system tells nothing, by a clock that stands still, so that the hash of all bytes must tell. What else people do to
 * lists, and when, the simulation draws.
 */
import fs, { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { RunEvent } from '../../src/core/events.ts';
import { credits } from '../../src/ledger/ledger.ts';
import type { RunObject } from '../../src/objects/run-object.ts';
import type { RunOptions } from '../../src/plan/context.ts';
import { runJob } from '../../src/run/run-job.ts';
import { Desk, openDesk } from '../cli/desk.ts';
import { rowsMixedUp } from './promises.ts';
import { domainsOf, Workplace, type WorkplaceOptions } from './workplace.ts';

const ROWS = 100;

async function placeWithList(options?: WorkplaceOptions): Promise<Workplace> {
  const place = await Workplace.open(options);
  onTestFinished(() => place[Symbol.asyncDispose]());
  place.writeList(domainsOf('bought', ROWS));
  return place;
}

/** Writes the rows in the opposite order. @returns what puts the list back, to the byte. */
function edit(place: Workplace): () => void {
  const path = place.path('list.csv');
  const content = readFileSync(path);
  const { atime, mtime } = statSync(path);
  // Over the old bytes, with the file's time set back, as programs that synchronise folders do.
  const overwrite = (bytes: Buffer | string): void => {
    writeFileSync(path, bytes, { flag: 'r+' });
    utimesSync(path, atime, mtime);
  };
  const [header = '', ...rows] = content.toString().trimEnd().split('\n');
  overwrite([header, ...rows.reverse(), ''].join('\n'));
  return () => overwrite(content);
}

test.each(['edited', 'deleted'] as const)(
  'a list that was %s after a kill is exported with every row as it was',
  async (how) => {
    const place = await placeWithList({ latencyMs: 50, concurrency: 8 });
    const was = readFileSync(place.path('list.csv'), 'utf8').trim().split('\n');
    const program = place.start();
    await program.until(() => place.vendor.loggedBytes > 10_000);
    await program.kill();
    if (how === 'deleted') await rm(place.path('list.csv'));
    else edit(place);
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
  edit(desk.place);
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
      putBack = edit(place);
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
      edit(place);
    };
    expect((await runHere(place, { onEvent, budget: credits(ROWS) })).counts).toEqual({ matched: ROWS });
    expect([isEdited, rowsMixedUp(place)]).toEqual([true, 0]);
  });
});
