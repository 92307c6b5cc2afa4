import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Account } from '../../src/client/account/account.ts';
import type { Dialect, DialectOperation } from '../../src/client/dialect.ts';
import provider from '../../src/client/dialects/provider.ts';
import { type Clock, systemClock } from '../../src/core/clock.ts';
import { OF_ANOTHER, unoffered } from '../../src/core/described.ts';
import type { RunEvent } from '../../src/core/events.ts';
import { NO_FINDINGS } from '../../src/core/finding.ts';
import { defineOperation, end, type IfLost, send } from '../../src/core/operation.ts';
import type { Job } from '../../src/job/job.ts';
import { type AttemptRecord, type BatchId, credits, type Ledger } from '../../src/ledger/ledger.ts';
import sqlite from '../../src/ledger/stores/sqlite.ts';
import type { RunObject } from '../../src/objects/run-object.ts';
import { run } from '../../src/run/pipeline.ts';
import { Sessions } from '../../src/run/sessions.ts';
import { type Script, type ScriptedRequest, ScriptedVendor } from '../faults/scripted-vendor.ts';
import { said } from './told.ts';

/**
 * A list with one row, a real SQLite store, and a vendor that loses answers as a test says. What is done for the row is
 * one call of an operation that exists only here: it puts a tag on something.
 */
export interface Place {
  readonly folder: string;
  ledger: Ledger;
  readonly vendor: ScriptedVendor;
  readonly clock: SkippingClock;
}

/** What runs by this clock sleeps at once, and the time has passed. */
export class SkippingClock implements Clock {
  readonly sleptMs: number[] = [];
  #skippedMs = 0;
  /** How far the calendar is ahead of the others. */
  setMs = 0;

  wallMs(): number {
    return systemClock.wallMs() + this.#skippedMs + this.setMs;
  }

  monotonicMs(): number {
    return systemClock.monotonicMs() + this.#skippedMs;
  }

  async sleep(durationMs: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.sleptMs.push(durationMs);
    this.skip(durationMs);
    await systemClock.sleep(1, signal);
  }

  skip(durationMs: number): void {
    this.#skippedMs += durationMs;
  }
}

/** A place of the running test alone. */
export async function openPlace(script: Script): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'rowonce-doubtful-'));
  await writeFile(join(folder, 'list.csv'), 'name\none\n');
  const vendor = await ScriptedVendor.start(script);
  const clock = new SkippingClock();
  // The vendor has the true time, wherever the calendar of the machine is.
  vendor.timeMs = () => clock.wallMs() - clock.setMs;
  const place = { folder, ledger: await openStore(folder, clock), vendor, clock };
  onTestFinished(async () => {
    await place.ledger.close();
    await vendor[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });
  return place;
}

function openStore(folder: string, clock: Clock): Promise<Ledger> {
  return sqlite.open(join(folder, 'store'), { clock, waitForLockMs: 0, create: true, command: 'test' });
}

/** Answers what `purchase` says to the n-th purchase, the first being 1, and what `look` says to free questions. */
export function vendorScript(
  purchase: (nth: number) => unknown,
  look: (nth: number) => unknown = () => 'lost',
): Script {
  let purchases = 0;
  let looks = 0;
  return (request, response) => {
    const isLook = request.path.startsWith('/look');
    if (isLook) looks += 1;
    else purchases += 1;
    const answer = isLook ? look(looks) : purchase(purchases);
    if (answer === 'lost') {
      response.destroy();
      return;
    }
    const {
      status = 200,
      headers = {},
      ...body
    } = answer as {
      status?: number;
      headers?: Record<string, string>;
    };
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
}

/** The first so many purchases are lost, and all others answered. */
export const losing = (lost: number) => (nth: number) => (nth <= lost ? 'lost' : { tag: 'set' });

export const purchasesOf = ({ vendor }: Place): readonly ScriptedRequest[] =>
  vendor.requests.filter(({ path }) => !path.startsWith('/look'));

export const looksOf = ({ vendor }: Place): readonly ScriptedRequest[] =>
  vendor.requests.filter(({ path }) => path.startsWith('/look'));

/** What is done for the row, and what becomes of it when its answer is lost. */
export function tagging(ifLost: IfLost, in_doubt: Job['in_doubt'] = 'hold'): Job {
  const operation = defineOperation<{ readonly name: string }>({
    name: 'set-tag',
    summary: 'Set a tag.',
    vendor: 'provider',
    described: unoffered('tags', { 'set-tag': OF_ANOTHER }),
    inputs: [{ name: 'name', about: 'what is tagged', aliases: ['name'] }],
    tiers: [],
    preparer:
      () =>
      ({ name = '' }) => ({ kind: 'ready', input: { name } }),
    next: ({ name }, answered) => {
      const call = { operation: 'set-tag', parameters: { name }, ifLost };
      const answer = answered(call);
      if (answer === undefined) return send(call);
      return end(
        answer.kind === 'found'
          ? { kind: 'applied', findings: NO_FINDINGS }
          : { kind: 'no_match', findings: said('nothing') },
      );
    },
  });
  return { name: 'set-tag', operation, in_doubt };
}

/** A dialect with that one operation, which costs a credit. */
export function dialectWith(more: Partial<Dialect>, operation: Partial<DialectOperation> = {}): Dialect {
  const setTag: DialectOperation = {
    method: 'POST',
    path: '/tag',
    credits: { most: 1, found: 1 },
    ...operation,
  };
  return { ...provider, operations: { 'set-tag': setTag }, ...more };
}

export interface RunOptions {
  readonly job?: Job;
  readonly dialect?: Dialect;
  readonly exclusiveKey?: true;
  readonly budget?: number;
  readonly concurrency?: number;
  readonly emit?: (event: RunEvent) => void;
}

/** One run of the list: the same again goes on. */
export async function runOnce(
  { folder, ledger, vendor, clock }: Place,
  options: RunOptions = {},
): Promise<RunObject & { readonly batch: BatchId }> {
  const {
    job = tagging('hold'),
    dialect = dialectWith({}),
    exclusiveKey,
    budget = 10,
    concurrency = 1,
    emit = () => {},
  } = options;
  const account: Account = {
    name: 'data',
    identity: 'data',
    vendor: 'provider',
    baseUrl: new URL(vendor.url),
    sandbox: false,
    key: { kind: 'file', reveal: () => 'key-1' },
    // Without a limit a run begins slowly, and learns one that is not there.
    limits: { concurrency, windows: [{ requests: 2_000, windowMs: 1_000 }] },
    budget: {},
    sandboxFlags: [],
    ...(exclusiveKey === undefined ? {} : { exclusiveKey }),
  };
  const ended = await run(
    {
      job,
      account,
      dialect,
      further: [],
      ledger,
      inputPath: join(folder, 'list.csv'),
      budget: credits(budget),
      sandboxFolder: folder,
      clock,
      signal: new AbortController().signal,
      emit,
    },
    new Sessions(),
  );
  return { ...ended, batch: ended.batch as BatchId };
}

/** Every attempt that was made for the one row. */
export function attemptsOf({ ledger }: Place, batch: BatchId): Promise<readonly AttemptRecord[]> {
  return ledger.history(batch, 2);
}
