import { readFile, writeFile } from 'node:fs/promises';
import { expect, onTestFinished, vi } from 'vitest';
import { type ScriptedRequest, ScriptedVendor } from '../faults/scripted-vendor.ts';
import { domainsOf, Workplace, type WorkplaceOptions } from '../faults/workplace.ts';
import { type Ended, rowonce, type Start } from './rowonce.ts';
import { typedAt } from './typed.ts';

/** A user at a workplace: types commands in its folder and reads what they print. */
export class Desk {
  readonly place: Workplace;

  constructor(place: Workplace) {
    this.place = place;
  }

  /**
   * The store is `store` in the folder, unless the environment says otherwise. No terminal is attached. It is a process of
   * its own only where `typedAt` says so.
   */
  type(words: readonly string[], start: Start = {}): Promise<Ended> {
    return typedAt(words, this.#started(start));
  }

  /** The same in a process of its own: for what is about processes, such as two that want one store. */
  start(words: readonly string[], start: Start = {}): Promise<Ended> {
    return rowonce(words, this.#started(start));
  }

  #started({ env, ...start }: Start): Start {
    return { cwd: this.place.folder, ...start, env: { ...this.environment(), ...env } };
  }

  /** The accounts of this desk are those of this process until the test ends: for what is called and not typed. */
  here(): this {
    vi.stubEnv('ROWONCE_CONFIG', this.place.path('config'));
    vi.stubEnv('XDG_STATE_HOME', this.place.path('state'));
    onTestFinished(() => void vi.unstubAllEnvs());
    return this;
  }

  environment(): Record<string, string> {
    const { place } = this;
    return {
      HOME: place.folder,
      ROWONCE_CONFIG: place.path('config'),
      ROWONCE_STORE: place.path('store'),
      ROWONCE_VENDOR_IS_QUICK: '1',
      XDG_CONFIG_HOME: place.path('config'),
      XDG_STATE_HOME: place.path('state'),
    };
  }

  /** The one object of a command that is typed with `--json`. */
  async json(words: readonly string[], start: Start = {}): Promise<JsonResult> {
    return objectIn((await this.type([...words, '--json'], start)).stdout);
  }

  /** The words of a run of `list.csv`, which has a budget that is never reached. */
  run(...more: readonly string[]): readonly string[] {
    return ['run', 'enrich-company', 'list.csv', '--budget', '1000', '-o', 'out.csv', ...more];
  }

  /** Writes `list.csv` with as many domains, each another company. */
  list(count: number, name = 'list.csv'): void {
    this.place.writeList(domainsOf(name, count), name);
  }

  write(name: string, content: string): Promise<void> {
    return writeFile(this.place.path(name), content);
  }

  read(name: string): Promise<string> {
    return readFile(this.place.path(name), 'utf8');
  }

  /** How many requests reached the vendor, by its own book. */
  async requests(): Promise<number> {
    return (await this.place.vendor.book()).requests;
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads what was printed, and fails when it is something else
export type JsonResult = any;

/** A desk of the running test alone; it is gone after it, vendor and all. */
export async function openDesk(options: WorkplaceOptions = {}): Promise<Desk> {
  const place = await Workplace.open(options);
  onTestFinished(() => place[Symbol.asyncDispose]());
  return new Desk(place);
}

/** The command of the last line, without the program's name. */
export const lastCommand = (stderr: string): readonly string[] =>
  (stderr.trimEnd().split('\n').at(-1) ?? '').split(' ').slice(2);

/** What `--json` promises: one object, on one line, and nothing else. */
export function objectIn(stdout: string): JsonResult {
  expect(stdout).toMatch(/^\{.*\}\n$/);
  return JSON.parse(stdout);
}

/** What a vendor of a test was asked; `input` is what the query or the body says. */
export interface Asked extends ScriptedRequest {
  readonly input: Readonly<Record<string, string>>;
}

/** JSON, a text as it stands, or any answer; undefined: the vendor hangs up. */
export type Answer = (asked: Asked, nth: number) => Response | object | string | undefined | Promise<object>;

export interface DeskBefore {
  readonly desk: Desk;
  /** In order. */
  readonly asked: Asked[];
  answer: Answer;
  /** What time it is for the vendor, unless an answer has a date of its own. */
  timeMs(): number;
  /** The dialect of the account from now on. */
  speak(dialect: object): void;
}

/** A desk whose account is at a vendor that answers as a test says, one request at a time. */
export async function deskBefore(answer: Answer, account: object = {}): Promise<DeskBefore> {
  const desk = await openDesk();
  const { place } = desk;
  const speak = (dialect: object): void => place.writeDialect(dialect, 'ours.yaml');
  const at: DeskBefore = { desk, asked: [], answer, timeMs: Date.now, speak };
  const vendor = await ScriptedVendor.start(async (request, response) => {
    const { body, path } = request;
    const query = Object.fromEntries(new URL(path, 'http://vendor.example').searchParams);
    const asked = { ...request, input: body === '' ? query : JSON.parse(body) };
    at.asked.push(asked);
    const said = await at.answer(asked, at.asked.length);
    if (said === undefined) return void response.destroy();
    const { status, headers, ...rest } =
      said instanceof Response
        ? { status: said.status, headers: said.headers, text: Buffer.from(await said.arrayBuffer()) }
        : { status: 200, headers: [], text: typeof said === 'string' ? said : JSON.stringify(said) };
    const date = new Date(at.timeMs()).toUTCString();
    response.writeHead(status, { 'content-type': 'application/json', date, ...Object.fromEntries(headers) });
    response.end(rest.text);
  });
  vendor.timeMs = () => at.timeMs();
  onTestFinished(() => vendor[Symbol.asyncDispose]());
  const limits = { per_second: 2_000, concurrency: 1 };
  place.writeAccount(vendor.url, { dialect: 'ours.yaml', limits, ...account });
  speak({});
  return at;
}

/** The account is one of a service whose calls change something. */
export const SERVICE = { vendor: 'service', organization_id: 'o-1', project_id: 'p-1' };
