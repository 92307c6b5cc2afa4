import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { abn, type Command, costOf, node, PROGRAM, type Server, startServer } from '../program.ts';

/** What every measure works on: a list of twelve columns, a job that adds four, an account, stores of their own. */

const COLUMNS = [
  ...['ABN', 'Name', 'Trading name', 'Street', 'Town', 'State'],
  ...['Postcode', 'Phone', 'Class', 'Registered', 'Owner', 'Remark'],
];

export interface ListShape {
  /** A row for every nth company; left out: for all. */
  readonly every?: number;
  /** Left out: UTF-8, without any letter beyond ASCII. */
  readonly isWindows1252?: boolean;
}

/** Some 190 bytes a row, a cell of them in quotes, each about another company. */
export async function writeWideList(path: string, rows: number, shape: ListShape = {}): Promise<void> {
  const { every = 1, isWindows1252 = false } = shape;
  const file = createWriteStream(path, isWindows1252 ? 'latin1' : 'utf8');
  file.write(`${COLUMNS.join(',')}\n`);
  for (let row = 0; row < rows; row += every) {
    const line = lineOf(row, isWindows1252 ? 'Café' : 'Company');
    if (!file.write(line)) await once(file, 'drain');
  }
  file.end();
  await finished(file);
}

function lineOf(row: number, name: string): string {
  const serial = String(row).padStart(8, '0');
  const cells = [
    ...[abn(row), `${name} ${serial} Pty Ltd`, `Trading as ${serial}`],
    ...[`"${row % 900} Example Street, Level ${row % 30}"`, 'Sydney', 'NSW', '2000', `02 ${serial}`],
    ...['Incorporated association', '1998-07-01', `Owner ${row % 1000}`, 'as told on the telephone'],
  ];
  return `${cells.join(',')}\n`;
}

/** The same four fields that the naive script takes from an answer. */
const JOB = {
  operation: 'enrich-company',
  account: 'data',
  columns: { abn: 'ABN' },
  waterfall: ['abn'],
  add: {
    employees: 'employee_count',
    industry: 'industry',
    founded: 'founded_year',
    city: 'location.city',
  },
};

/** Requests that every contestant has under way side by side. */
const AT_ONCE = 64;

const VENDOR = join(import.meta.dirname, 'vendor.ts');

export function startSpeedVendor(flags: readonly string[]): Promise<Server> {
  return startServer(node(VENDOR, ...flags));
}

/** A folder with the job and an account, in which rowonce is typed. */
export class Desk {
  readonly folder: string;
  readonly #env: NodeJS.ProcessEnv;
  #stores = 0;

  private constructor(folder: string, env: NodeJS.ProcessEnv) {
    this.folder = folder;
    this.#env = env;
  }

  /** @param url of the vendor; of none for what asks for nothing. @param perSecond left out: more than any machine sends. */
  static async open(folder: string, url = 'http://127.0.0.1:1', perSecond = 100_000): Promise<Desk> {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'job.yaml'), JSON.stringify(JOB));
    const limits = { concurrency: AT_ONCE, per_second: perSecond };
    const account = { vendor: 'provider', id: 'bench', base_url: url, key: 'bench', limits };
    const accounts = JSON.stringify({ accounts: { data: account } });
    await writeFile(join(folder, 'accounts.yaml'), accounts, { mode: 0o600 });
    return new Desk(folder, { ...process.env, ROWONCE_CONFIG: folder });
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  get job(): string {
    return this.path('job.yaml');
  }

  get list(): string {
    return this.path('list.csv');
  }

  /** A command of rowonce over a store, which is new unless it was filled. */
  rowonce(store: string, ...words: readonly string[]): Command {
    const env = { ...this.#env, ROWONCE_STORE: this.path(store), XDG_STATE_HOME: this.#stateOf(store) };
    return { words: node(PROGRAM, ...words, '--quiet'), env };
  }

  run(store: string, list = this.list): Command {
    return this.rowonce(store, 'run', this.job, list, '--budget', '100000000');
  }

  /** A store that has bought every nth of so many rows, from a vendor of its own. */
  async fill(store: string, rows: number, every = 1): Promise<void> {
    const vendor = await startSpeedVendor([]);
    try {
      const desk = await Desk.open(this.folder, vendor.url);
      const list = this.path('bought.csv');
      await writeWideList(list, rows, { every });
      await costOf(desk.run(store, list));
    } finally {
      vendor.stop();
      await this.remove('bought.csv', 'bought.enriched.csv', 'bought.enriched.report.html');
    }
  }

  /** What is known of a store outside of it. Each has its own, or a copy would be taken for an older state of the same store. */
  #stateOf(store: string): string {
    return this.path(`${store}-state`);
  }

  async copyStore(from: string, to: string): Promise<void> {
    await cp(this.path(from), this.path(to), { recursive: true, preserveTimestamps: true });
  }

  /** Removes the last such store with the output of its run. No two have one name: a store that is gone is missed. */
  async newStore(): Promise<string> {
    const outputs = ['list.enriched.csv', 'list.enriched.report.html'];
    await this.remove(this.newest, `${this.newest}-state`, ...outputs);
    this.#stores += 1;
    return this.newest;
  }

  get newest(): string {
    return `store-${this.#stores}`;
  }

  remove(...names: readonly string[]): Promise<unknown> {
    return Promise.all(names.map((name) => rm(this.path(name), { recursive: true, force: true })));
  }
}
