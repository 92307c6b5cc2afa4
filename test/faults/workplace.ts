import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { isUrl } from '../../src/ledger/store.ts';
import type { Ended as Typed } from '../cli/rowonce.ts';
import { typedAt } from '../cli/typed.ts';
import { agreeToDialects } from '../support/agree.ts';
import { type LedgerView, viewLedger } from './ledger-view.ts';
import { type Ended, endedOf, Program } from './program.ts';
import { Vendor, type VendorOptions } from './vendor.ts';
import { accountsOf, KEYED, type Way } from './ways.ts';

/**
 * A user's folder with accounts, a store and lists, and the vendor that the account leads to. Written
 * `await using workplace = await Workplace.open()`, it is gone at the end of its block, vendor and all.
 */

export interface WorkplaceOptions extends VendorOptions {
  /** Requests that may be on their way at once: what a kill may leave in doubt. */
  readonly concurrency?: number;
  /** What else the account says. */
  readonly account?: object;
  /** Whether runs go on after many answers of one shape that cannot be read, and do not stop to ask. */
  readonly acceptsDoubts?: boolean;
}

export interface Order {
  readonly input?: string;
  readonly output?: string;
  readonly store?: string;
  /** The name of an operation, or of a job file in the folder. */
  readonly job?: string;
  readonly budget?: number;
  /** Whether account and budget are the job's. */
  readonly isByJob?: boolean;
  /** The exit codes of stops after which the command is typed again. */
  readonly stops?: readonly number[];
  /** Further words of the command. */
  readonly more?: readonly string[];
  /** As `$ROWONCE_CRASH_AT`. */
  readonly crashAt?: string;
  /** What else its environment holds. */
  readonly env?: Readonly<Record<string, string>>;
}

export type OutputRow = Readonly<Record<string, string>>;

const DEFAULT_CONCURRENCY = 4;

/** A plan that no test uses up. Without one every run would begin slowly, and learn a limit that is not there. */
const AMPLE_PER_SECOND = 2_000;

/** More than any test may spend: it is the budget tests alone that are about reaching one. */
const AMPLE_BUDGET = 1_000_000;

export class Workplace implements AsyncDisposable {
  readonly folder: string;
  readonly vendor: Vendor;
  readonly concurrency: number;
  readonly #way: Way;
  readonly #accepted: readonly string[];
  readonly #programs: Program[] = [];
  /** What was parsed of the files that were read last, because several promises are judged by one output. */
  readonly #parsed = new Map<string, { readonly content: Buffer; readonly rows: readonly OutputRow[] }>();

  private constructor(folder: string, vendor: Vendor, options: WorkplaceOptions) {
    this.folder = folder;
    this.vendor = vendor;
    this.concurrency = options.concurrency ?? DEFAULT_CONCURRENCY;
    this.#way = options.way ?? 'direct';
    this.#accepted = options.acceptsDoubts === true ? ['--accept', 'doubts'] : [];
  }

  static async open(options: WorkplaceOptions = {}): Promise<Workplace> {
    const folder = mkdtempSync(join(tmpdir(), 'rowonce-faults-'));
    const vendor = await Vendor.start(folder, options);
    const workplace = new Workplace(folder, vendor, options);
    if (options.way === 'keyed') workplace.writeDialect(KEYED.dialect, KEYED.file);
    workplace.writeAccount(vendor.url, options.account);
    await agreeToDialects(workplace.path('config'));
    return workplace;
  }

  /** What a failed test left running or stopped ends with it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#programs.map((program) => program.kill()));
    await this.vendor.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** The account `data`, and what it needs to reach the vendor. */
  writeAccount(baseUrl: string, more: object = {}): void {
    const limits = { per_second: AMPLE_PER_SECOND, concurrency: this.concurrency };
    this.writeAccounts(accountsOf(this.#way, baseUrl, { limits, ...more }));
  }

  writeAccounts(accounts: object): void {
    mkdirSync(this.path('config'), { recursive: true });
    // YAML takes JSON as it is.
    writeFileSync(this.path('config/accounts.yaml'), JSON.stringify({ accounts }), { mode: 0o600 });
  }

  /** What else the accounts file has, such as whom jobs notify. */
  writeNames(more: object): void {
    const path = this.path('config/accounts.yaml');
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...more }));
  }

  /** From the next command on so many requests are on their way at once that a list which began slowly is soon over. */
  hurry(): void {
    this.writeAccount(this.vendor.url, { limits: { per_second: AMPLE_PER_SECOND, concurrency: 64 } });
  }

  /** A dialect file beside the accounts; `writeAccount(url, { dialect: name })` takes it. */
  writeDialect(dialect: object, name = 'dialect.yaml'): void {
    mkdirSync(this.path('config'), { recursive: true });
    writeFileSync(this.path(`config/${name}`), JSON.stringify(dialect));
  }

  /** A list with a number and a domain in each row, and columns beside them that no one may touch. */
  writeList(domains: readonly string[], name = 'list.csv', column = 'Domain'): void {
    const rows = domains.map((domain, index) => `${index + 1},"Row ""${index + 1}"", Ltd",${domain}`);
    writeFileSync(this.path(name), `No,Name,${column}\n${rows.map((row) => `${row}\n`).join('')}`);
  }

  /** A list of people, one e-mail address in each row. */
  writePeople(emails: readonly string[], name = 'list.csv'): void {
    this.writeList(emails, name, 'Email');
  }

  /** The words of a run of the list. */
  words({
    input = 'list.csv',
    output = 'out.csv',
    store = 'store',
    job = 'enrich-company',
    ...order
  }: Order = {}): readonly string[] {
    const { budget = AMPLE_BUDGET, isByJob = false, more = [] } = order;
    const jobPath = job.endsWith('.yaml') ? this.path(job) : job;
    const paths = [
      '--store',
      isUrl(store) || isAbsolute(store) ? store : this.path(store),
      '-o',
      this.path(output),
    ];
    const typed = isByJob ? [] : ['--account', 'data', '--budget', String(budget)];
    return ['run', jobPath, this.path(input), ...typed, ...paths, '--json', ...this.#accepted, ...more];
  }

  /** Starts the command of `order`. Nothing of the tester's own home is ever read or written. */
  start(order: Order = {}): Program {
    const { crashAt, env } = order;
    const crashing = crashAt === undefined ? {} : { ROWONCE_CRASH_AT: crashAt };
    return this.type(this.words(order), { ...crashing, ...env });
  }

  /** Types any command. */
  type(words: readonly string[], env: Readonly<Record<string, string>> = {}): Program {
    const program = new Program(words, { ...this.environment, ...env });
    this.#programs.push(program);
    return program;
  }

  /** Types any command in the process of the test, which is for what no one kills. */
  typeHere(words: readonly string[]): Promise<Typed> {
    return typedAt(words, { env: this.environment });
  }

  async run(order: Order = {}): Promise<Ended> {
    await agreeToDialects(this.path('config'));
    return this.start(order).ended;
  }

  /** As `run`, in the process of the test. */
  async runHere(order: Omit<Order, 'crashAt' | 'env'> = {}): Promise<Ended> {
    return endedOf(await this.typeHere(this.words(order)));
  }

  /** What a command at this place has of the tester's environment, and in its place. */
  get environment(): Readonly<Record<string, string>> {
    return {
      HOME: this.folder,
      ROWONCE_CONFIG: this.path('config'),
      XDG_CONFIG_HOME: this.path('config'),
      XDG_STATE_HOME: this.path('state'),
      // The sandbox, and what else stands in for a vendor here, is done with a request when it answers or hangs up.
      ROWONCE_TEST_HOOKS: '1',
      ROWONCE_VENDOR_IS_QUICK: '1',
    };
  }

  ledger(store = 'store'): LedgerView {
    return viewLedger(this.path(store));
  }

  rows(name = 'out.csv'): readonly OutputRow[] {
    const content = readFileSync(this.path(name));
    const known = this.#parsed.get(name);
    if (known?.content.equals(content)) return known.rows;
    const rows = parse(content, { columns: true, bom: true }) as OutputRow[];
    this.#parsed.set(name, { content, rows });
    return rows;
  }

  /** The `_status` of every row, in order. */
  statuses(name = 'out.csv'): readonly string[] {
    return this.rows(name).map((row) => row._status ?? 'no status');
  }
}

/** Domains that occur in no other list made with another name. */
export function domainsOf(name: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${name}-${index + 1}.example`);
}
