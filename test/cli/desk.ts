import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished } from 'vitest';
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

/** What `--json` promises: one object, on one line, and nothing else. */
export function objectIn(stdout: string): JsonResult {
  expect(stdout).toMatch(/^\{.*\}\n$/);
  return JSON.parse(stdout);
}

/** A vendor that always says the same. @returns its address. */
export async function vendorThat(answer: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => answer(response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
