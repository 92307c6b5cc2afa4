import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { abn } from '../../bench/program.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import { typed } from '../cli/typed.ts';
import { notesIn } from '../sandbox/request-log.ts';
import { counted, type Work, watch } from './counted.ts';

/**
 * A list that is bought, written again, planned and bought no second time, with what each of these asks of SQLite, of the
 * disk and of the vendor. Program and vendor share this process and its event loop: so answers come in the same groups on
 * a slow machine as on a fast one, and groups are what commits are counted by.
 */
export const STEPS = ['bought', 'written again', 'planned', 'replayed'] as const;

export type Step = (typeof STEPS)[number];

export interface StepWork extends Work {
  readonly requests: number;
}

/** @param folder an empty one. */
export async function workOf(folder: string, rows: number): Promise<Readonly<Record<Step, StepWork>>> {
  watch();
  const log = join(folder, 'requests.log');
  writeFileSync(log, '');
  const vendor = await startSandbox({ extension: { exchanged: notesIn(log) } });
  try {
    const job = furnish(folder, vendor.url);
    const [list, other] = ['list', 'other'].map((name) => writeList(folder, name, rows));
    const run = (path = ''): readonly string[] => ['run', job, path, '--budget', String(rows), '--quiet'];
    const count = async (words: readonly string[]): Promise<StepWork> => {
      const before = linesOf(log);
      const work = await counted(() => typedWell(words));
      return { ...work, requests: linesOf(log) - before };
    };
    return {
      bought: await count(run(list)),
      'written again': await count(run(list)),
      planned: await count(['plan', job, other ?? '', '--quiet']),
      replayed: await count(run(other)),
    };
  } finally {
    await vendor.close();
  }
}

const JOB = {
  operation: 'enrich-company',
  account: 'data',
  columns: { abn: 'ABN' },
  waterfall: ['abn'],
  add: { employees: 'employee_count' },
};

/** @returns the path of the job. Account, store and what is known of it are told by the environment. */
function furnish(folder: string, url: string): string {
  // More than any machine sends: to learn a limit is work of its own.
  const limits = { concurrency: 64, per_second: 100_000 };
  const account = { vendor: 'provider', id: 'work', base_url: url, key: 'work', limits };
  writeFileSync(join(folder, 'accounts.yaml'), JSON.stringify({ accounts: { data: account } }), {
    mode: 0o600,
  });
  process.env.ROWONCE_CONFIG = folder;
  process.env.ROWONCE_STORE = join(folder, 'store');
  process.env.XDG_STATE_HOME = join(folder, 'state');
  const job = join(folder, 'job.yaml');
  writeFileSync(job, JSON.stringify(JOB));
  return job;
}

/** The same companies under another name of the list, which makes it another batch. */
function writeList(folder: string, name: string, rows: number): string {
  const lines = Array.from({ length: rows }, (_, row) => `${abn(row)},Company ${row},${name}\n`);
  const path = join(folder, `${name}.csv`);
  writeFileSync(path, `ABN,Name,List\n${lines.join('')}`);
  return path;
}

async function typedWell(words: readonly string[]): Promise<void> {
  const { code, stderr } = await typed(words);
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}: ${stderr}`);
}

const linesOf = (path: string): number => readFileSync(path, 'utf8').split('\n').length - 1;

/** How often what calls have cost was booked: once in a commit that ends some. */
export function groupsOf({ statements }: Work): number {
  const booked = [...statements].filter(([text]) => text.includes('UPDATE budgets SET spent ='));
  return booked.reduce((sum, [, count]) => sum + count, 0);
}

export function totalOf({ statements }: Work): number {
  return [...statements.values()].reduce((sum, count) => sum + count, 0);
}
