import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Connections at one time: more than a browser opens to all sites together. */
const MOST = 512;

/** Of them, those on which nobody has shown a token. The other half is kept for who has one. */
const MOST_STRANGERS = MOST / 2;

/**
 * Who is connected to the page's server. Any program of this machine can connect, and none can lock the owner out: a new
 * connection takes the place of the oldest one that has shown no token, and a token is shown with its first request.
 */
export class Places {
  readonly #strangers = new Set<Socket>();
  readonly #holders = new Set<Socket>();

  watch(server: Server): void {
    server.on('connection', (socket: Socket) => {
      this.#strangers.add(socket);
      socket.once('close', () => {
        this.#strangers.delete(socket);
        this.#holders.delete(socket);
      });
      const isFull = this.#strangers.size + this.#holders.size > MOST;
      if (!isFull && this.#strangers.size <= MOST_STRANGERS) return;
      const [oldest] = this.#strangers;
      oldest?.destroy();
    });
  }

  /** A valid token was shown on this connection. */
  keep(socket: Socket): void {
    if (this.#strangers.delete(socket)) this.#holders.add(socket);
  }
}
