import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../src/core/clock.ts';
import { openFile } from '../src/files/input.ts';
import type { BatchId } from '../src/ledger/ledger.ts';
import sqlite from '../src/ledger/stores/sqlite.ts';
import { inFolder, PROGRAM } from './program.ts';
import { writeWideList } from './speed/fixture.ts';
import { type BoughtList, fillBatches } from './store.ts';

/**
 * What the page's server does beside a large store: how long it takes to answer, of that its own processor time, and how
 * large it becomes. First with thousands of batches, which are a few years of nights, then with a batch of a million rows.
 */
export async function measurePage(): Promise<readonly string[]> {
  return [...(await inFolder(measureBatches)), '', ...(await inFolder(measureRows))];
}

const BATCHES = 5_000;
const ROWS_OF_SMALL = 10;
const LARGE = { count: 3, rows: 50_000 };
const CHANGES = 10;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Half of the batches of one month, as after a bulk of small lists; the others night by night before it. */
function* lists(folder: string): Generator<BoughtList> {
  const now = Date.now();
  let serial = 0;
  for (let at = 0; at < BATCHES; at += 1) {
    const nightsAgo = at % 2 === 0 ? 0 : Math.floor((BATCHES - at) / 2);
    const rows = at < LARGE.count ? LARGE.rows : ROWS_OF_SMALL;
    const createdAtMs = now - nightsAgo * DAY_MS;
    yield { path: join(folder, `leads-${at}.csv`), sha256: `bench-${at}`, rows, serial, createdAtMs };
    serial += rows;
  }
}

async function measureBatches(folder: string): Promise<readonly string[]> {
  const store = join(folder, 'store');
  await fillBatches(store, lists(folder));
  const page = await Page.serve(folder, store);
  try {
    const { batches } = await page.json<{ batches: readonly { batch: string }[] }>('/api/batches');
    const id = batches[0]?.batch ?? '';
    const paths = [
      '/api/batches',
      '/api/batches?page=100',
      '/api/batches?text=leads-4711',
      '/api/batches?text=nothing-of-this-name',
      '/api/batches?state=open',
      `/api/batches/${id}`,
      `/api/batches/${id}/saved`,
      `/api/batches/${id}/rows`,
      '/api/history',
      '/api/history?month=2020-01',
      '/api/subjects?text=51824753556',
      '/api/lists',
      '/api/tasks',
    ];
    return [`${BATCHES} batches`, ...(await page.lines(paths)), await page.changes(store, id as BatchId)];
  } finally {
    await page.end();
  }
}

const ROWS = 1_000_000;

async function measureRows(folder: string): Promise<readonly string[]> {
  const store = join(folder, 'store');
  const path = join(folder, 'leads.csv');
  await writeWideList(path, ROWS);
  const { sheet } = await openFile(path, {});
  const { sha256 } = await sheet.survey();
  const { digests } = sheet;
  await fillBatches(store, [{ path, sha256, rows: ROWS, serial: 0, createdAtMs: Date.now(), digests }]);
  const page = await Page.serve(folder, store);
  try {
    const { batches } = await page.json<{ batches: readonly { batch: string }[] }>('/api/batches');
    const rows = `/api/batches/${batches[0]?.batch}/rows`;
    const paths = [
      rows,
      `${rows}?from=500000`,
      `${rows}?from=999990`,
      `${rows}?status=invalid`,
      `${rows}/500000`,
    ];
    const lines = await page.lines(paths);
    const search = `/api/batches/${batches[0]?.batch}/find?text=nobody-is-called-so`;
    await Promise.all([page.text(search), page.text(search)]);
    return [`${ROWS} rows`, ...lines, `after two searches through all rows: ${await page.memory()}`];
  } finally {
    await page.end();
  }
}

/** A real `rowonce serve`, asked as a tool asks. */
class Page {
  readonly #child: ReturnType<typeof spawn>;
  readonly #url: string;
  readonly #token: string;

  private constructor(child: ReturnType<typeof spawn>, url: string, token: string) {
    this.#child = child;
    this.#url = url;
    this.#token = token;
  }

  static async serve(folder: string, store: string): Promise<Page> {
    await writeFile(join(folder, 'accounts.yaml'), '{}', { mode: 0o600 });
    const env = { ...process.env, ROWONCE_CONFIG: folder, ROWONCE_STORE: store };
    const child = spawn(process.execPath, [PROGRAM, 'serve', '--no-open'], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    const { url, token } = JSON.parse(await readFile(join(store, 'serve.json'), 'utf8'));
    return new Page(child, url, token);
  }

  async text(path: string): Promise<string> {
    const answer = await fetch(`${this.#url}${path}`, {
      headers: { authorization: `Bearer ${this.#token}` },
    });
    const said = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${said}`);
    return said;
  }

  async json<T>(path: string): Promise<T> {
    return JSON.parse(await this.text(path)) as T;
  }

  /** Each path once from a server that has not been asked for it before, then nine times more. */
  async lines(paths: readonly string[]): Promise<readonly string[]> {
    const lines: string[] = [];
    for (const path of paths) {
      const taken: number[] = [];
      let bytes = 0;
      const before = await this.#processorMs();
      for (let time = 0; time < 10; time += 1) {
        const began = performance.now();
        bytes = (await this.text(path)).length;
        taken.push(performance.now() - began);
      }
      const processor = ((await this.#processorMs()) - before) / taken.length;
      const [first = 0] = taken;
      const median = taken.sort((a, b) => a - b)[5] ?? 0;
      lines.push(
        `${path}: first ${first.toFixed(0)} ms, median ${median.toFixed(0)} ms, ${processor.toFixed(0)} ms of processor, ${bytes} bytes`,
      );
    }
    return [...lines, `memory: ${await this.memory()}`];
  }

  /** While a tab listens, a batch is paused and goes on, each time by a process that has the store for a moment. */
  async changes(store: string, batch: BatchId): Promise<string> {
    const listening = new AbortController();
    const answer = await fetch(`${this.#url}/api/events`, {
      headers: { authorization: `Bearer ${this.#token}` },
      signal: listening.signal,
    });
    const heard = answer.body?.getReader();
    await heard?.read();
    const before = await this.#processorMs();
    for (let time = 0; time < CHANGES; time += 1) {
      const options = { clock: systemClock, waitForLockMs: 0, create: false, command: 'bench' };
      const ledger = await sqlite.open(store, options);
      await ledger.changeBatch(batch, { outputSha256: `bench-${time}` });
      await ledger.close();
      await heard?.read();
    }
    const processor = (await this.#processorMs()) - before;
    listening.abort();
    return `a change that is heard: ${(processor / CHANGES).toFixed(0)} ms of processor`;
  }

  /** What the server holds now and at most held, MiB. */
  async memory(): Promise<string> {
    const status = await readFile(`/proc/${this.#child.pid}/status`, 'utf8');
    const of = (name: string): string =>
      (Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) / 1024).toFixed(0);
    return `${of('VmRSS')} MiB, at most ${of('VmHWM')} MiB`;
  }

  /** Of all its threads; the kernel counts hundredths of a second. */
  async #processorMs(): Promise<number> {
    const stat = await readFile(`/proc/${this.#child.pid}/stat`, 'utf8');
    const [user = 0, system = 0] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14).map(Number);
    return (user + system) * 10;
  }

  async end(): Promise<void> {
    const ended = once(this.#child, 'close');
    this.#child.kill();
    await ended;
  }
}
