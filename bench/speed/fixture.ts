import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { AT_ONCE, abn, connect, PROGRAM, startServer, type Vendor } from '../program.ts';
import { fillStore } from '../store.ts';
import { type Command, node } from './cost.ts';

/** What every measure works on: a list of twelve columns, a job that adds four, an account, stores of their own. */

const COLUMNS = [
  ...['ABN', 'Name', 'Trading name', 'Street', 'Town', 'State'],
  ...['Postcode', 'Phone', 'Class', 'Registered', 'Owner', 'Remark'],
];

/** Some 190 bytes a row, a cell of them in quotes, each about another company. */
export async function writeWideList(path: string, rows: number): Promise<void> {
  const file = createWriteStream(path);
  file.write(`${COLUMNS.join(',')}\n`);
  for (let row = 0; row < rows; row += 1) if (!file.write(lineOf(row))) await once(file, 'drain');
  file.end();
  await finished(file);
}

function lineOf(row: number): string {
  const serial = String(row).padStart(8, '0');
  const cells = [
    ...[abn(row), `Company ${serial} Pty Ltd`, `Trading as ${serial}`],
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

const VENDOR = join(import.meta.dirname, 'vendor.ts');

export function startSpeedVendor(flags: readonly string[]): Promise<Vendor> {
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

  /** @param url of the vendor; of none for what asks for nothing. */
  static async open(folder: string, url = 'http://127.0.0.1:1', perSecond?: number): Promise<Desk> {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'job.yaml'), JSON.stringify(JOB));
    return new Desk(folder, await connect(folder, url, AT_ONCE, perSecond));
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

  /** A store that knows the answers for the first rows of every list, or for every nth of them. */
  fill(store: string, rows: number, every = 1): Promise<void> {
    process.env.XDG_STATE_HOME = this.#stateOf(store);
    return fillStore(this.path(store), rows, every);
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
