import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

/**
 * A proxy in front of a vendor: passes requests on, and has times in which it answers with a page of its own. Any
 * workplace can be put behind one: `workplace.writeAccount(gateway.url)`. What was charged stands in the vendor's book.
 */

/** What the proxy says in the vendor's place. */
export interface ErrorPage {
  readonly status: number;
  /** Left out: a page for people. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The vendor gets the request all the same and may charge for it; only its answer is thrown away. */
  readonly reached?: true;
}

export interface Passing {
  readonly path: string;
  readonly body: string;
}

/** The page with which a call is answered, by its number from 1 on; undefined: it is passed on. It may take its time. */
export type Weather = (
  call: number,
  passing: Passing,
) => ErrorPage | undefined | Promise<ErrorPage | undefined>;

/**
 * Bad weather from a call on. Its first pages wait until `atOnce` of them are asked for, which is as many as may be on their
 * way: by then every call before them is settled, so that no page comes before an answer to one, however slow the machine is.
 */
export function badOnceSettled(call: number, page: ErrorPage, atOnce: number): Weather {
  const { promise: isAnswered, resolve: settled } = Promise.withResolvers<void>();
  return async (number) => {
    if (number < call) return undefined;
    if (number === call + atOnce - 1) settled();
    await isAnswered;
    return page;
  };
}

/** Some bad calls in a row, over and over: for runs that are killed at random meanwhile. */
export function badEvery(period: number, page: ErrorPage, calls: number): Weather {
  return (number) => (number % period < calls && number >= period ? page : undefined);
}

export interface AskedInvite {
  readonly email: string;
  /** As the service's API writes it. */
  readonly role: string;
  /** How many invites were asked for this person before, refused ones among them. */
  readonly before: number;
}

/** Before a service that takes every invite: some of them are refused. */
export function refusingInvites(refuses: (invite: AskedInvite) => boolean): Weather {
  const asked = new Map<string, number>();
  return (_, { path, body }) => {
    if (!path.endsWith('/invite/create')) return undefined;
    const { email, permissions } = JSON.parse(body);
    const before = asked.get(email) ?? 0;
    asked.set(email, before + 1);
    const role = Object.keys(permissions.items.serviceDefault.actions).join();
    if (!refuses({ email, role, before })) return undefined;
    const headers = { 'content-type': 'application/json' };
    return { status: 422, headers, body: '{"error":"no seats are left for this role"}' };
  };
}

const PAGE = '<!DOCTYPE html><html><head><title>Not here</title></head><body>nginx</body></html>';

/** They are about one connection, or about bytes that `fetch` has unpacked. */
const NOT_PASSED_ON: ReadonlySet<string> = new Set([
  ...['connection', 'content-encoding', 'content-length', 'host', 'keep-alive', 'transfer-encoding'],
]);

export class Gateway implements AsyncDisposable {
  readonly url: string;
  /** Pages that were sent, by whether the vendor had the request before. */
  readonly pages = { alone: 0, reached: 0 };
  weather: Weather;
  readonly #server: Server;
  readonly #vendor: string;
  #calls = 0;
  #answering = 0;

  private constructor(server: Server, vendor: string, weather: Weather) {
    this.#server = server;
    this.#vendor = vendor;
    this.weather = weather;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (request, response) => {
      this.#answering += 1;
      this.#answer(request, response)
        // The vendor lost its answer, or whoever asked was killed.
        .catch(() => response.destroy())
        .finally(() => {
          this.#answering -= 1;
        });
    });
  }

  static async before(vendor: string, weather: Weather = () => undefined): Promise<Gateway> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Gateway(server, vendor, weather);
  }

  /** Requests that arrived so far. */
  get calls(): number {
    return this.#calls;
  }

  /** Waits until nobody is connected any more: on a busy machine the last requests of a killed program arrive after its end. */
  async quiet(): Promise<void> {
    const connections = promisify(this.#server.getConnections.bind(this.#server));
    while (this.#answering > 0 || (await connections()) > 0) await delay(5);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  async #answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#calls += 1;
    const call = this.#calls;
    const body = await buffer(incoming);
    const page = await this.weather(call, { path: incoming.url ?? '', body: String(body) });
    const passed = page === undefined || page.reached === true ? await this.#pass(incoming, body) : undefined;
    if (page !== undefined) {
      this.pages[page.reached === true ? 'reached' : 'alone'] += 1;
      const headers = { 'content-type': 'text/html', ...page.headers };
      response.writeHead(page.status, headers).end(page.body ?? PAGE);
    } else if (passed !== undefined) {
      response.writeHead(passed.status, headersToPass(passed.headers));
      response.end(Buffer.from(await passed.arrayBuffer()));
    }
  }

  #pass({ url = '', method = 'GET', headers }: IncomingMessage, body: Buffer): Promise<Response> {
    const passed = headersToPass(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    const sent = body.length === 0 ? {} : { body };
    return fetch(this.#vendor + url, { method, headers: passed, redirect: 'manual', ...sent });
  }
}

function headersToPass(headers: Iterable<readonly [string, string]>): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => !NOT_PASSED_ON.has(name)));
}
