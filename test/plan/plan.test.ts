/**
 * Goal: a plan may be believed: it counts every row once, it never sends, and a run never costs more than it said.
 * Method: lists with invalid, doubled and unknown rows are planned with a vendor that is not there, and then really
 * run before the sandbox, whose book is compared with the plan.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Account } from '../../src/client/account/account.ts';
import provider from '../../src/client/dialects/provider.ts';
import type { Limits } from '../../src/client/limits/limits.ts';
import { planLines } from '../../src/commands/shared/plan-lines.ts';
import { systemClock } from '../../src/core/clock.ts';
import { openMappedInput } from '../../src/files/input.ts';
import type { Job } from '../../src/job/job.ts';
import { credits, type Ledger } from '../../src/ledger/ledger.ts';
import sqlite from '../../src/ledger/stores/sqlite.ts';
import enrichCompany from '../../src/operations/enrich-company.ts';
import type { RunContext } from '../../src/plan/context.ts';
import { type Plan, planRows } from '../../src/plan/plan.ts';
import type { PlanContext } from '../../src/plan/row-walk.ts';
import { run } from '../../src/run/pipeline.ts';
import { Sessions } from '../../src/run/sessions.ts';
import { type RunningSandbox, startSandbox } from '../../src/sandbox/server.ts';
import { freshLedger } from '../ledger/stores/places.ts';
import { testExtension } from '../sandbox/extension.ts';
import { times } from '../support/combinations.ts';

const job: Job = {
  name: 'enrich-company',
  operation: enrichCompany,
};

/** A plan that no test uses up. Without one every run would begin slowly, and learn a limit that is not there. */
const AMPLE: Limits = { concurrency: 4, windows: [{ requests: 2_000, windowMs: 1_000 }] };

function account(url: string, more: Partial<Account> = {}): Account {
  return {
    name: 'data',
    identity: 'data',
    vendor: 'provider',
    baseUrl: new URL(url),
    sandbox: false,
    key: { kind: 'file', reveal: () => 'key-1' },
    limits: AMPLE,
    budget: {},
    sandboxFlags: [],
    ...more,
  };
}

/** A port of this machine at which nothing listens. */
const nobody = account('http://127.0.0.1:1');

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'rowonce-plan-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

async function sandbox(options: Parameters<typeof startSandbox>[0] = {}): Promise<RunningSandbox> {
  const running = await startSandbox({ extension: testExtension(), ...options });
  onTestFinished(() => running.close());
  return running;
}

async function book(running: RunningSandbox): Promise<{ requests: number; credits: number }> {
  return (await fetch(`${running.url}/sandbox/book`)).json() as Promise<{
    requests: number;
    credits: number;
  }>;
}

const emptyLedger = (): Promise<Ledger> => freshLedger(sqlite);

/** Writes the list and plans or runs it. */
class List {
  readonly path: string;
  readonly ledger: Ledger;

  constructor(path: string, ledger: Ledger) {
    this.path = path;
    this.ledger = ledger;
  }

  static async of(content: string, ledger?: Ledger): Promise<List> {
    const path = join(await folder(), 'list.csv');
    await writeFile(path, content);
    return new List(path, ledger ?? (await emptyLedger()));
  }

  input() {
    return openMappedInput(this.path, job);
  }

  async plan(by: Account = nobody, more: Partial<PlanContext> = {}): Promise<Plan> {
    const order = { job, account: by, dialect: provider, ledger: this.ledger, ...more };
    return planRows(order, await this.input());
  }

  order(by: Account, more: Partial<RunContext> = {}): RunContext {
    return {
      job,
      account: by,
      dialect: provider,
      ledger: this.ledger,
      inputPath: this.path,
      sandboxFolder: join(this.path, '..'),
      clock: systemClock,
      signal: new AbortController().signal,
      emit: () => {},
      ...more,
    };
  }
}

const counted = ({ rows, invalid, duplicates, bought_before, in_doubt, to_buy }: Plan) => ({
  rows,
  sum: invalid + duplicates + bought_before + in_doubt + to_buy,
});

const cell = fc.constantFrom('', 'a.example', 'b.example', 'c.example', 'www.a.example', 'not a domain');
const abn = fc.constantFrom('', '51824753556', '51 824 753 556', '51824753557', '33051775556');
const rows = fc.array(fc.tuple(abn, cell), { minLength: 1, maxLength: 12 });

test('a run never costs more than its plan said at most, and the plan itself never sends', async () => {
  const vendor = await sandbox({ matchRate: 0.5 });
  await fc.assert(
    fc.asyncProperty(rows, async (cells) => {
      const list = await List.of(
        `ABN,Domain,Ref\n${cells.map((each, at) => `${each.join()},${at}\n`).join('')}`,
      );
      const by = account(vendor.url);
      const before = await book(vendor);
      const plan = await list.plan(by);
      expect(await book(vendor)).toEqual(before);
      expect(counted(plan)).toEqual({ rows: cells.length, sum: cells.length });
      expect(plan.credits.expected).toBeLessThanOrEqual(plan.credits.most);

      await run(list.order(by, { budget: credits(1_000) }), new Sessions());
      expect((await book(vendor)).credits - before.credits).toBeLessThanOrEqual(plan.credits.most);
      expect(await list.plan(by)).toMatchObject({
        to_buy: 0,
        duplicates: plan.duplicates,
        invalid: plan.invalid,
      });
    }),
    { numRuns: times(5, 15) },
  );
});

describe('what is expected', () => {
  const domains = (name: string, count: number): string =>
    `Domain\n${Array.from({ length: count }, (_, at) => `${name}-${at}.example\n`).join('')}`;

  test('the expected time is as long as the tightest window allows, and no time is promised without one', async () => {
    const list = await List.of(domains('new', 60));
    const windows = [
      { requests: 20, windowMs: 1_000 },
      { requests: 60, windowMs: 60_000 },
    ];
    expect((await list.plan({ ...nobody, limits: { concurrency: 1, windows } })).seconds).toBe(60);
    const unlimited = await list.plan({ ...nobody, limits: { concurrency: 4, windows: [] } });
    expect(unlimited).toMatchObject({ seconds: null });
    expect(planLines(unlimited)).toContain('  time           not known yet, as the account has no limit');
  });
});
