import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { besideFolder } from '../../src/core/paths.ts';
import { type Ended, type Start, startRowonce } from '../cli/rowonce.ts';
import { isHosted, type Serving, serveInHost } from './hosts.ts';

/** A real `rowonce serve` with a folder of its own, and requests to it as no browser would send them. */

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** Where accounts and stores of a test are. */
export function environmentIn(folder: string): Record<string, string> {
  const config = join(folder, 'config');
  return {
    HOME: folder,
    ROWONCE_CONFIG: config,
    ROWONCE_STORE: join(folder, 'store'),
    XDG_STATE_HOME: join(folder, 'state'),
  };
}

/** @param address of the page, as it is printed. */
export const wordOf = (address: string): string => new URL(address).hash.slice('#open='.length);

function serveInProcess(words: readonly string[], cwd: string, start: Start): Serving {
  const child = startRowonce(['serve', ...words], { ...start, cwd });
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error('no pipes');
  const closed = once(child, 'close');
  const code = closed.then(([code]): number | null => code);
  const leave = async (): Promise<void> => {
    child.kill('SIGKILL');
    await closed;
  };
  return { child, stdout, stderr, code, leave };
}

export class Served implements AsyncDisposable {
  readonly folder: string;
  readonly #serving: Serving;
  /** Where `serve.json` is. */
  readonly #beside: string;
  readonly #ended: Promise<Ended>;
  #printed = '';

  private constructor(folder: string, beside: string, serving: Serving) {
    this.folder = folder;
    this.#beside = beside;
    this.#serving = serving;
    const { stdout, stderr, code } = serving;
    stdout.on('data', (chunk: Buffer) => {
      this.#printed += chunk;
    });
    this.#ended = Promise.all([code, text(stderr)]).then(([code, said]) => ({
      code,
      stdout: this.#printed,
      stderr: said,
    }));
  }

  /** In a process of its own, as a user starts it. @param words after `serve`. */
  static start(words: readonly string[] = [], start: Start = {}): Promise<Served> {
    return Served.#in(serveInProcess, words, start);
  }

  /** The same, in a process that has served other pages, unless only a new one can. */
  static startWarm(words: readonly string[] = [], start: Start = {}): Promise<Served> {
    return Served.#in(isHosted(start) ? serveInHost : serveInProcess, words, start);
  }

  static async #in(serve: typeof serveInHost, words: readonly string[], start: Start): Promise<Served> {
    const folder = start.cwd ?? mkdtempSync(join(tmpdir(), 'rowonce-page-'));
    const env: Record<string, string> = { ...environmentIn(folder), ...start.env };
    const serving = serve(words, folder, { env });
    const [store] = words.slice(words.indexOf('--store') + 1);
    const location = words.includes('--store') ? resolve(folder, store ?? '') : env.ROWONCE_STORE;
    const served = new Served(folder, besideFolder(location ?? '', env), serving);
    const isOver = served.#ended.then(() => true);
    while (!served.#printed.includes('\n')) {
      const heard = once(serving.stdout, 'data').then(() => false);
      if (await Promise.race([heard, isOver])) throw new Error((await served.#ended).stderr);
    }
    return served;
  }

  get child(): ChildProcess {
    return this.#serving.child;
  }

  /** As it was printed on the first line, with its one-time word. */
  get address(): string {
    return this.#printed.split('\n', 1).join();
  }

  /** The origin of the page: the name of this start. */
  get url(): string {
    return new URL(this.address).origin;
  }

  get port(): number {
    return Number(new URL(this.address).port);
  }

  get word(): string {
    return wordOf(this.address);
  }

  /** What `serve.json` says now. */
  get note(): { readonly url: string; readonly token: string; readonly pid: number } {
    return JSON.parse(readFileSync(join(this.#beside, 'serve.json'), 'utf8'));
  }

  /** Asks as a tool does, which has the token of `serve.json`. */
  tool(path: string, asked: Asked = {}): Promise<Answer> {
    const { token, url } = this.note;
    const own = { authorization: `Bearer ${token}`, host: new URL(url).host };
    return this.ask(path, { ...asked, headers: { ...own, ...asked.headers } });
  }

  /** The one-time word of a new address. */
  async newWord(): Promise<string> {
    return wordOf(JSON.parse((await this.tool('/api/openings', { method: 'POST' })).body).address);
  }

  /** What a browser sends with what the page itself asks. */
  get ofPage(): { readonly host: string; readonly origin: string; readonly 'sec-fetch-site': 'same-origin' } {
    return { host: new URL(this.url).host, origin: this.url, 'sec-fetch-site': 'same-origin' };
  }

  /** Redeems a word as the page does. */
  enter(opening: string, headers: Readonly<Record<string, string>> = this.ofPage): Promise<Answer> {
    return this.ask('/api/session', { method: 'POST', headers, body: JSON.stringify({ opening }) });
  }

  /** Asks without a token, by a client that sends nothing but what it is told and the name of the page. */
  ask(path: string, { method = 'GET', headers = {}, body }: Asked = {}): Promise<Answer> {
    const { port } = this;
    const sent = { host: new URL(this.url).host, ...headers };
    return new Promise((resolve, reject) => {
      const asking = request({ host: '127.0.0.1', port, path, method, headers: sent, agent: false });
      asking.once('error', reject);
      asking.once('response', (answer) => {
        text(answer).then(
          (said) => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: said }),
          reject,
        );
      });
      asking.end(body);
    });
  }

  stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> {
    this.child.kill(signal);
    return this.#ended;
  }

  /** The test is over, and its page with it. */
  leave(): Promise<void> {
    return this.#serving.leave();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.leave();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
