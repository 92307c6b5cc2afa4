import { writeFileSync } from 'node:fs';
import { type JsonResult, objectIn } from '../cli/desk.ts';
import type { Ended as Typed } from '../cli/rowonce.ts';
import { typedAt } from '../cli/typed.ts';
import type { Ended } from './program.ts';
import type { Vendor } from './vendor.ts';
import type { VendorTeam } from './vendor-team.ts';
import { type Order, type OutputRow, Workplace, type WorkplaceOptions } from './workplace.ts';

/** The folder of an administrator: an account of the service, a job that onboards, and sheets of people. */

export interface TeamOptions extends WorkplaceOptions {
  /** Where the account leads; left out: to the vendor itself. */
  readonly reachedAt?: string;
  /** What else the job says. */
  readonly job?: object;
}

/** One row of a sheet. */
export interface Wanted {
  readonly email: string;
  readonly role: string;
  /** Left out: `PROJECT`. */
  readonly project?: string;
  readonly userId?: string;
}

/** The sandbox has every project whose id begins like this. */
export const PROJECT = 'proj-1';

export const KEY = 'key-1';

const SERVICE = { vendor: 'service', organization_id: 'org-1', project_id: PROJECT, key: KEY };

const JOB = {
  operation: 'onboard',
  columns: { email: 'Email', role: 'Role', project_id: 'Project', user_id: 'User' },
};

export class TeamWorkplace implements AsyncDisposable {
  readonly place: Workplace;
  readonly #address: string;

  private constructor(place: Workplace, address: string) {
    this.place = place;
    this.#address = address;
  }

  static async open({ reachedAt, job, ...options }: TeamOptions = {}): Promise<TeamWorkplace> {
    const place = await Workplace.open(options);
    const team = new TeamWorkplace(place, reachedAt ?? place.vendor.url);
    team.writeAccount();
    team.writeJob(job);
    return team;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.place[Symbol.asyncDispose]();
  }

  get vendor(): Vendor {
    return this.place.vendor;
  }

  /** @param more what else the account says, such as another key. */
  writeAccount(more: object = {}): void {
    this.place.writeAccount(this.#address, { ...SERVICE, ...more });
  }

  writeJob(job: object = {}, name = 'team.yaml'): void {
    writeFileSync(this.place.path(name), JSON.stringify({ ...JOB, ...job }));
  }

  writeSheet(people: readonly Wanted[], name = 'team.csv'): void {
    const rows = people.map(
      ({ email, role, project = PROJECT, userId = '' }) => `${email},${project},${role},${userId}\n`,
    );
    writeFileSync(this.place.path(name), `Email,Project,Role,User\n${rows.join('')}`);
  }

  /** The order of a run of the sheet, agreed to. */
  order({ more = [], ...order }: Order = {}): Order {
    return { job: 'team.yaml', input: 'team.csv', ...order, more: ['--yes', ...more] };
  }

  run(order: Order = {}): Promise<Ended> {
    return this.place.run(this.order(order));
  }

  runHere(order: Omit<Order, 'crashAt' | 'env'> = {}): Promise<Ended> {
    return this.place.runHere(this.order(order));
  }

  /** Writes the sheet and runs it, and throws when the run ends with anything but 0 or 3. */
  async apply(people: readonly Wanted[], order: Order = {}): Promise<Ended> {
    this.writeSheet(people, order.input);
    const ended = await this.runHere(order);
    if (ended.code === 0 || ended.code === 3) return ended;
    throw new Error(`the run ended with ${ended.code}: ${ended.stderr}`);
  }

  /** The first row of the output that is about them. */
  row(email: string, output = 'out.csv'): OutputRow {
    const row = this.place.rows(output).find((each) => each.Email === email);
    if (row === undefined) throw new Error(`${output} has no row of ${email}`);
    return row;
  }

  /** The vendor's own state. */
  state(): Promise<VendorTeam> {
    return this.vendor.team();
  }

  /** Requests that reached the vendor so far. */
  async requests(): Promise<number> {
    return (await this.vendor.book()).requests;
  }

  /** Types any command in the folder. */
  type(...words: readonly string[]): Promise<Typed> {
    const { folder, environment } = this.place;
    return typedAt(words, { cwd: folder, env: { ...environment, ROWONCE_STORE: this.place.path('store') } });
  }

  /** Types a command with `--json`, and gives its one object. */
  async json(...words: readonly string[]): Promise<JsonResult> {
    const { stdout, stderr } = await this.type(...words, '--json');
    return stdout === '' ? { stderr } : objectIn(stdout);
  }
}

/** People who occur in no other sheet made with another name. */
export function emailsOf(name: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${name}-${index + 1}@team.example`);
}
