/**
 * Goal: a program asks, decides and cleans up by calls as a person does by commands, and is told the same.
 * Method: the library's own entry in this process, with a real ledger; the sandbox loses one answer that it charged. What the
 * commands print under `--json` is what the calls give.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Command, CommandGroup } from '../src/commands/shared/command.ts';
import { COMMANDS, loadFamily } from '../src/core/families.ts';
import * as rowonce from '../src/index.ts';
import { enrich, forget, type StopError, settle, spend, status, undo } from '../src/index.ts';
import { deskBefore, openDesk } from './cli/desk.ts';

test('a batch from its beginning to the last word about it', async () => {
  const desk = (await openDesk({ faults: 'charged-500:x1' })).here();
  const store = desk.place.path('store');
  const job = 'enrich-person';
  const rows = [{ email: 'jo@a.example' }, { email: 'al@b.example' }];
  const run = enrich(rows, { job, store, budget: 9 });
  const { batch, counts } = await run.summary();
  expect(counts).toMatchObject({ in_doubt: 1 });

  vi.stubEnv('ROWONCE_STORE', store);
  // The command that goes on is one for the folder in which it is asked for.
  const here = { cwd: process.cwd() };
  expect(await status({ store })).toEqual(await desk.json(['status', '--store', store], here));
  expect(await status({ batch: 'last', store })).toEqual(
    await desk.json(['status', batch, '--store', store], here),
  );
  expect(await status({ batch, store, row: 1 })).toEqual(await desk.json(['status', batch, '1']));
  const doubts = await settle({ batch, store });
  expect(doubts).toEqual(await desk.json(['settle', batch]));
  const row = 'in_doubt' in doubts ? (doubts.in_doubt[0]?.row ?? 0) : 0;
  expect(await settle({ batch, store, row, skip: true, as: 'Kim' })).toEqual({
    batch,
    decided: 'skip',
    calls: 1,
  });

  const output = desk.place.path('copy.jsonl');
  expect(await rowonce.export({ batch, store, output, copy: true })).toMatchObject({ output });
  expect((await desk.read('copy.jsonl')).split('\n')).toHaveLength(3);
  const tried = await rowonce.try({ job, given: { email: 'al@b.example' }, store, budget: 2 });
  expect(tried).toMatchObject({ request: { method: 'POST' }, answer: expect.any(String) });
  await expect(rowonce.try({ job, given: { email: 'zo@c.example' }, store })).rejects.toMatchObject({
    code: 'consent',
  });
  expect(await spend({ store, by: 'batch' })).toEqual(await desk.json(['spend', '--by', 'batch']));
  await expect(undo({ batch, store })).rejects.toMatchObject({ code: 'usage' });
  // Both rows have ended: one by its answer, the other because it was skipped.
  expect(await forget({ person: 'al@b.example', store, yes: true })).toMatchObject({ stores: [{ store }] });
  expect(await forget({ person: 'zo@c.example', store })).toMatchObject({
    stores: [{ store, requests: 0 }],
  });
  await expect(status({ batch, stor: store } as never)).rejects.toThrow('status: "stor" is not known here.');
});

test('a program makes a first store and is told so, but in CI it has to name one', async () => {
  const desk = await openDesk();
  for (const [name, value] of Object.entries({ ...desk.environment(), ROWONCE_STORE: '', CI: 'true' }))
    vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const path = desk.place.path('state/rowonce');
  const asked = () => enrich([{ domain: 'a.example' }], { job: 'enrich-company', budget: 9 }).summary();
  await expect(asked()).rejects.toMatchObject({ code: 'store', message: expect.stringContaining('In CI') });
  vi.stubEnv('CI', '');
  expect(await asked()).toMatchObject({ store: { path, made: true }, counts: { matched: 1 } });
  expect((await asked()).store).toBeUndefined();
  expect(await desk.requests()).toBe(1);
});

test('a command in what a call says names the store that it was given, also where calls for several go on side by side', async () => {
  const desk = (await openDesk({ faults: 'charged-500:x2' })).here();
  const stores = ['one', 'two'].map((name) => desk.place.path(name));
  const rows = [{ domain: 'a.example' }];
  const begun = stores.map((store) => enrich(rows, { job: 'enrich-company', store, budget: 9 }));
  // Read after another call has begun, which names no store.
  expect(await status(undefined as never)).toEqual(await status({}));
  const batches = await Promise.all(begun.map(async (run) => (await run.summary()).batch));
  const said = await Promise.all(
    stores.map((store, at) =>
      settle({ batch: batches[at] ?? '', store, row: 9, skip: true }).catch(
        (error: StopError) => error.nextCommand,
      ),
    ),
  );
  for (const [at, store] of stores.entries()) {
    const typed = `npx rowonce settle ${batches[at]} --store ${store}`;
    expect(said[at]).toBe(typed);
    const { in_doubt: there } = await desk.json(typed.split(' ').slice(2));
    expect(there).toHaveLength(1);
  }
  await expect(settle({ batch: 'last', skip: true })).rejects.toMatchObject({
    nextCommand: expect.not.stringContaining('--store'),
  });
});

test('a call leaves Ctrl-C and other signals to its program, which may have more lists to work through', async () => {
  const desk = (await openDesk()).here();
  const listeners = (): readonly number[] =>
    ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2'].map((name) => process.listenerCount(name));
  const before = listeners();
  const seen: (readonly number[])[] = [];
  desk.list(2);
  const list = { job: 'enrich-company', file: desk.place.path('list.csv'), store: desk.place.path('store') };
  const { counts } = await rowonce.run(
    { ...list, yes: true },
    { onEvent: () => void seen.push(listeners()) },
  );
  expect(counts).toEqual({ matched: 2 });
  expect(seen).toEqual(seen.map(() => before));
});

test('a program that works through lists for weeks keeps nothing of a run that is over', async () => {
  const desk = await openDesk();
  vi.stubEnv('ROWONCE_CONFIG', desk.place.path('config'));
  vi.stubEnv('XDG_STATE_HOME', desk.place.path('state'));
  onTestFinished(() => void vi.unstubAllEnvs());
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  const hearing = async (): Promise<WeakRef<() => void>> => {
    const onEvent = (): void => {};
    const store = desk.place.path('store');
    const run = enrich([{ domain: 'a.example' }], { job: 'enrich-company', store, budget: 9 }, { onEvent });
    expect((await run.summary()).counts).toEqual({ matched: 1 });
    return new WeakRef(onEvent);
  };
  const heard = await hearing();
  // On a busy machine the connection ends some turns later.
  await vi.waitFor(
    () => {
      collectGarbage();
      // What a failed assertion compares is kept by its error.
      expect(heard.deref() === undefined).toBe(true);
    },
    { timeout: 20_000 },
  );
});

test('rows that a program reads are bought after a `yes`, and wait for a vendor no longer than a run does', async () => {
  const { desk } = await deskBefore((_, nth) =>
    nth === 1
      ? { name: 'Banksia' }
      : Response.json({ error: 'slow down' }, { status: 429, headers: { 'retry-after': '3600' } }),
  );
  desk.here();
  const rows = [{ domain: 'a.example' }, { domain: 'b.example' }];
  const request = { job: 'enrich-company', store: desk.place.path('store') };
  await expect(enrich(rows, request).summary()).rejects.toMatchObject({ code: 'consent' });
  const summary = await enrich(rows, { ...request, yes: true }).summary();
  expect(summary).toMatchObject({ counts: { matched: 1 }, stopped: { code: 'paused' } });
});

test('every command that says so is a call of the library, by its name', async () => {
  const members = [...(await loadFamily<Command | CommandGroup>(COMMANDS)).values()];
  const ofLibrary = members.filter((of) => !('commands' in of) && (of.faces?.includes('library') ?? true));
  const calls: Readonly<Record<string, unknown>> = rowonce;
  expect(ofLibrary.map(({ name }) => name).filter((name) => typeof calls[name] !== 'function')).toEqual([]);
});
