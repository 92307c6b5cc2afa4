import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** In front of the sandbox, which takes every invite: passes all requests on, but for the invites that it refuses. */

export interface AskedInvite {
  readonly email: string;
  /** As the service's API writes it. */
  readonly role: string;
  /** How many invites were asked for this person before, refused ones among them. */
  readonly before: number;
}

export class ChoosyVendor implements AsyncDisposable {
  readonly url: string;
  readonly #server: Server;
  readonly #asked = new Map<string, number>();
  readonly #refuses: (invite: AskedInvite) => boolean;
  #behind = '';

  private constructor(server: Server, refuses: (invite: AskedInvite) => boolean) {
    this.#server = server;
    this.#refuses = refuses;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (request, response) => {
      // Whoever asked was killed; what had arrived whole has been passed on.
      this.#answer(request, response).catch(() => response.destroy());
    });
  }

  static async start(refuses: (invite: AskedInvite) => boolean): Promise<ChoosyVendor> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ChoosyVendor(server, refuses);
  }

  /** @param url of the vendor that does what is not refused. */
  standBefore(url: string): void {
    this.#behind = url;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  async #answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = '', method = '', headers } = incoming;
    const body = await text(incoming);
    if (url.endsWith('/invite/create') && this.#refuses(this.#note(body))) {
      response.writeHead(422, { 'content-type': 'application/json' });
      response.end('{"error":"no seats are left for this role"}');
      return;
    }
    const passed = { 'content-type': 'application/json', authorization: headers.authorization ?? '' };
    const answer = await fetch(this.#behind + url, { method, headers: passed, body });
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(await answer.text());
  }

  #note(body: string): AskedInvite {
    const { email, permissions } = JSON.parse(body) as {
      email: string;
      permissions: { items: { serviceDefault: { actions: Record<string, boolean> } } };
    };
    const before = this.#asked.get(email) ?? 0;
    this.#asked.set(email, before + 1);
    return { email, role: Object.keys(permissions.items.serviceDefault.actions).join(), before };
  }
}
