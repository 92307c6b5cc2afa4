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
  /** Every request that arrived whole, oldest first. */
  readonly requests: ScriptedRequest[] = [];
  readonly #server: ReturnType<typeof createServer>;

  private constructor(script: Script, server: ReturnType<typeof createServer>) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', async (incoming, response) => {
      const { method = '', url: path = '', headers } = incoming;
      const request = { method, path, headers, body: await text(incoming) };
      this.requests.push(request);
      response.sendDate = false;
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
