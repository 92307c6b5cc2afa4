import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/**
 * A proxy in front of a vendor: passes requests on, and has times in which it answers with a page of its own. Any
 * workplace can be put behind one: `workplace.writeAccount(gateway.url)`. What was charged stands in the vendor's book.
 */

/** What the proxy says in the vendor's place. */
interface ErrorPage {
  readonly status: number;
  /** Left out: a page for people. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Passing {
  readonly path: string;
}

/** The page with which a call is answered, by its number from 1 on; undefined: it is passed on. */
export type Weather = (call: number, passing: Passing) => ErrorPage | undefined;

const PAGE = '<!DOCTYPE html><html><head><title>Not here</title></head><body>nginx</body></html>';

/** They are about one connection, or about bytes that `fetch` has unpacked. */
const NOT_PASSED_ON: ReadonlySet<string> = new Set([
  ...['connection', 'content-encoding', 'content-length', 'host', 'keep-alive', 'transfer-encoding'],
]);

export class Gateway implements AsyncDisposable {
  readonly url: string;
  weather: Weather;
  readonly #server: Server;
  readonly #vendor: string;
  #calls = 0;

  private constructor(server: Server, vendor: string, weather: Weather) {
    this.#server = server;
    this.#vendor = vendor;
    this.weather = weather;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    // The vendor lost its answer, or whoever asked was killed.
    server.on('request', (request, response) =>
      this.#answer(request, response).catch(() => response.destroy()),
    );
  }

  static async before(vendor: string, weather: Weather = () => undefined): Promise<Gateway> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Gateway(server, vendor, weather);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  async #answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#calls += 1;
    const body = await buffer(incoming);
    const page = this.weather(this.#calls, { path: incoming.url ?? '' });
    if (page !== undefined) {
      response.writeHead(page.status, { 'content-type': 'text/html', ...page.headers });
      response.end(page.body ?? PAGE);
      return;
    }
    const passed = await this.#pass(incoming, body);
    response.writeHead(passed.status, headersToPass(passed.headers));
    response.end(Buffer.from(await passed.arrayBuffer()));
  }

  #pass({ url = '', method = 'GET', headers }: IncomingMessage, body: Buffer): Promise<Response> {
    const passed = headersToPass(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    const sent = body.length === 0 ? {} : { body: new Uint8Array(body) };
    return fetch(this.#vendor + url, { method, headers: passed, redirect: 'manual', ...sent });
  }
}

function headersToPass(headers: Iterable<readonly [string, string]>): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => !NOT_PASSED_ON.has(name)));
}
