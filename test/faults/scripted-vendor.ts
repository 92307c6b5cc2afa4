import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/**
 * A vendor that answers exactly as a test says, for what the sandbox does not do. It books nothing. Its answers have no
 * `Date` but one that a test gives them, because the time of most of these tests is made up.
 */

export interface ScriptedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Script = (request: ScriptedRequest, response: ServerResponse) => void;

export class ScriptedVendor implements AsyncDisposable {
  readonly url: string;
  /** Every request that arrived whole, oldest first, but for those that ask for the time alone. */
  readonly requests: ScriptedRequest[] = [];
  readonly timeAsked: ScriptedRequest[] = [];
  /** What time it is, for who asks for that alone. */
  timeMs: (() => number) | undefined;
  readonly #server: ReturnType<typeof createServer>;

  private constructor(script: Script, server: ReturnType<typeof createServer>) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', async (incoming, response) => {
      const { method = '', url: path = '', headers } = incoming;
      const request = { method, path, headers, body: await text(incoming) };
      response.sendDate = false;
      if (method === 'HEAD') {
        this.timeAsked.push(request);
        if (this.timeMs !== undefined) response.setHeader('date', new Date(this.timeMs()).toUTCString());
        response.end();
        return;
      }
      this.requests.push(request);
      script(request, response);
    });
  }

  static async start(script: Script): Promise<ScriptedVendor> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ScriptedVendor(script, server);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }
}
