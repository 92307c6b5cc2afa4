/**
 * Goal: a call that says why repeating it is harmless settles itself after a lost answer, at most three times; and one
 * that does not is never repeated, whatever else happens.
 * Method: the real pipeline over a real SQLite store, with an operation that exists only here and a vendor that loses
 * as many answers as the test says. The vendor counts the requests.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Account } from '../src/account.ts';
import { systemClock } from '../src/clock.ts';
import type { Dialect } from '../src/dialect.ts';
import provider from '../src/dialects/provider.ts';
import type { Job } from '../src/job.ts';
import { credits, type Ledger } from '../src/ledger.ts';
import { defineOperation, end, type IfLost, send } from '../src/operation.ts';
import { run } from '../src/pipeline.ts';
import sqlite from '../src/stores/sqlite.ts';
import type { RunSummary } from '../src/summary.ts';
import { ScriptedVendor } from './faults/scripted-vendor.ts';

/** Puts a tag on something: setting it twice is the same as setting it once. */
function tagging(ifLost: IfLost): Job {
  const operation = defineOperation<{ readonly name: string }>({
    name: 'set-tag',
    summary: 'Set a tag.',
    vendor: 'provider',
    inputs: [{ name: 'name', about: 'what is tagged', aliases: ['name'] }],
    tiers: [],
    prepare: ({ name = '' }) => ({ kind: 'ready', input: { name } }),
    next: ({ name }, answered) => {
      const call = { operation: 'set-tag', parameters: { name }, ifLost };
      return answered(call) === undefined ? send(call) : end({ kind: 'applied' });
    },
  });
  return { name: 'set-tag', operation, onExisting: 'refuse', inDoubt: { kind: 'hold' } };
}

const dialect: Dialect = {
  ...provider,
  operations: { 'set-tag': { method: 'POST', path: '/tag', credits: { most: 1, found: 1 } } },
};

interface Place {
  readonly folder: string;
  readonly ledger: Ledger;
  readonly vendor: ScriptedVendor;
}

/** A vendor that destroys the connection of the first `lost` requests, after it has read them. */
async function place(lost: number): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'rowonce-recover-'));
  await writeFile(join(folder, 'list.csv'), 'name\none\n');
  const vendor = await ScriptedVendor.start((_, response) => {
    if (vendor.requests.length <= lost) response.destroy();
    else response.setHeader('content-type', 'application/json').end('{"tag":"set"}');
  });
  const options = { clock: systemClock, waitForLockMs: 0, create: true, command: 'test' };
  const ledger = await sqlite.open(join(folder, 'store'), options);
  onTestFinished(async () => {
    await ledger.close();
    await vendor[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });
  return { folder, ledger, vendor };
}

function runOnce({ folder, ledger, vendor }: Place, job: Job): Promise<RunSummary> {
  const account: Account = {
    name: 'data',
    identity: 'data',
    vendor: 'provider',
    baseUrl: new URL(vendor.url),
    sandbox: false,
    key: { kind: 'file', reveal: () => 'key-1' },
    limits: { concurrency: 1, windows: [] },
    budget: {},
    sandboxFlags: [],
  };
  return run({
    job,
    account,
    dialect,
    ledger,
    inputPath: join(folder, 'list.csv'),
    output: undefined,
    budget: credits(10),
    limit: undefined,
    maxPauseMs: undefined,
    askBudget: undefined,
    sandboxFolder: folder,
    command: 'test',
    clock: systemClock,
    signal: new AbortController().signal,
    emit: () => {},
  });
}

describe('a call that is harmless to repeat', () => {
  const job = tagging({ repeat: 'a tag that is set twice is set' });

  test.each([0, 1, 2, 3])('settles itself after %i lost answers', async (lost) => {
    const at = await place(lost);
    expect((await runOnce(at, job)).counts).toEqual({ applied: 1 });
    expect(at.vendor.requests).toHaveLength(lost + 1);
  });

  test('is repeated three times and no more, by no later run either, and every time is in the ledger', async () => {
    const at = await place(100);
    expect((await runOnce(at, job)).counts).toEqual({ in_doubt: 1 });
    const again = await runOnce(at, job);
    expect(again.counts).toEqual({ in_doubt: 1 });
    expect(at.vendor.requests).toHaveLength(4);
    const history = await at.ledger.history(again.batch, 2);
    expect(history.map(({ decision }) => decision?.kind)).toEqual([undefined, 'repeat', 'repeat', 'repeat']);
    expect(history.at(-1)?.decision).toMatchObject({ by: 'rule', why: 'a tag that is set twice is set' });
  });
});

test.each<IfLost>(['hold', 'look'])('a call with ifLost %s is not repeated', async (ifLost) => {
  const at = await place(1);
  expect((await runOnce(at, tagging(ifLost))).counts).toEqual({ in_doubt: 1 });
  expect(at.vendor.requests).toHaveLength(1);
});
