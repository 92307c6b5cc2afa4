import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { startSandbox } from '../../src/sandbox/server.ts';
import { spawnSandbox } from '../../src/sandbox/spawn.ts';
import { testSandbox } from '../sandbox/options.ts';
import { type TeamState, VendorTeam } from './vendor-team.ts';
import { inOurWords, sandboxFlags, type Way } from './ways.ts';

/**
 * The judge of the fault suite: the sandbox of a test, served by the process of the test, or by one of its own where it needs
 * clocks of its own. What was charged and what was asked is read from its book and its log, and never from the program's own
 * ledger.
 */

const PROGRAM = [join(import.meta.dirname, '..', 'sandbox', 'program.ts')];

export interface VendorOptions {
  /** How the account reaches it; left out: directly. */
  readonly way?: Way;
  readonly latencyMs?: number;
  /** As `--faults`. */
  readonly faults?: string;
  /** Left out: every identifier is known, so that every lookup costs a credit. */
  readonly matchRate?: number;
  /** Further flags of the sandbox. */
  readonly flags?: readonly string[];
  /** In a process of its own, which has the clocks that the environment says. To start one takes as long as many a run. */
  readonly ownProcess?: boolean;
}

/** What `GET /sandbox/book` says, as far as it is looked at. */
export interface Book {
  readonly requests: number;
  /** Answers 429 of its own limit. */
  readonly rate_limited: number;
  readonly faults: Readonly<Record<string, number>>;
  readonly charges: number;
  readonly credits: number;
  readonly charged_twice: readonly unknown[];
}

/** One line of the vendor's log, in the words of the operation, whatever way it came. */
export interface LoggedRequest {
  readonly at: string;
  readonly path: string;
  /** Null where the vendor has nothing at the path. */
  readonly operation: string | null;
  readonly body: Readonly<Record<string, string>>;
  readonly fault: string | null;
  readonly credits: number;
  /** Null where no answer was sent. */
  readonly status: number | null;
  /** `project` is that of the service on which the request acts. */
  readonly authorization: { readonly project: string };
}

export class Vendor implements AsyncDisposable {
  readonly url: string;
  readonly stop: () => Promise<void>;
  readonly #logPath: string;

  private constructor(url: string, stop: () => Promise<void>, logPath: string) {
    this.url = url;
    this.stop = stop;
    this.#logPath = logPath;
  }

  /** Book and log are files in `folder`; a vendor that is started again in it goes on with both. */
  static async start(folder: string, options: VendorOptions = {}): Promise<Vendor> {
    const {
      way = 'direct',
      latencyMs = 0,
      faults = '',
      matchRate = 1,
      flags: more = [],
      ownProcess = false,
    } = options;
    const logPath = join(folder, 'vendor-log.jsonl');
    const flags = [
      ...['--latency', `${latencyMs}ms`, '--match-rate', String(matchRate), '--faults', faults],
      ...[...sandboxFlags(way), ...more],
    ];
    const bookPath = join(folder, 'vendor-book.jsonl');
    if (ownProcess) {
      const spawned = await spawnSandbox({ bookPath, flags: [...flags, '--log', logPath], program: PROGRAM });
      return new Vendor(spawned.url, () => spawned.stop(), logPath);
    }
    const running = await startSandbox({ ...(await testSandbox([...flags, '--log', logPath])), bookPath });
    return new Vendor(running.url, () => running.close(), logPath);
  }

  async book(): Promise<Book> {
    const response = await fetch(`${this.url}/sandbox/book`);
    return (await response.json()) as Book;
  }

  /** Every request that reached the vendor, oldest first. */
  requests(): readonly LoggedRequest[] {
    const lines = readFileSync(this.#logPath, 'utf8').split('\n');
    return lines.filter((line) => line !== '').map((line) => requestIn(JSON.parse(line) as LoggedRequest));
  }

  /** Grows with every request; cheap enough to be looked at every few milliseconds. */
  get loggedBytes(): number {
    return statSync(this.#logPath).size;
  }

  /** Replaces the faults; nothing: from now on every answer is true. */
  setFaults(faults = ''): Promise<void> {
    return this.#control('faults', { faults });
  }

  /** The key stops working. */
  revoke(key: string): Promise<void> {
    return this.#control('revoke', { key });
  }

  /** The person accepts every invite that waits for them. */
  accept(email: string): Promise<void> {
    return this.#control('accept', { email });
  }

  /** Who is in which project, and what was sent to whom. */
  async team(): Promise<VendorTeam> {
    const response = await fetch(`${this.url}/sandbox/state`);
    return new VendorTeam((await response.json()) as TeamState);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #control(name: string, body: object): Promise<void> {
    const response = await fetch(`${this.url}/sandbox/${name}`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`the sandbox refused ${name}: ${await response.text()}`);
  }
}

function requestIn(line: LoggedRequest): LoggedRequest {
  return { ...line, body: inOurWords(line.body) };
}
