import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { onTestFinished } from 'vitest';

/** One connection that goes this way. */
export interface Link {
  toDatabase(chunk: Buffer): void;
  toClient(chunk: Buffer): void;
  /** Who asked is cut off. What has gone to the database is with it. */
  cutClient(): void;
  /** Both are cut off. */
  cut(): void;
}

/** A way to a database on which a test decides what becomes of each message. Left alone it carries all of them. */
export class Way {
  readonly #server: Server;
  readonly #links = new Set<Link>();
  /** What becomes of what the client sends, and of what it is answered, and when it closes. */
  sent = (link: Link, chunk: Buffer): void => link.toDatabase(chunk);
  answered = (link: Link, chunk: Buffer): void => link.toClient(chunk);
  ended = (link: Link): void => link.cut();

  private constructor(server: Server, target: URL) {
    this.#server = server;
    server.on('connection', (client) => {
      const database = connect(Number(target.port), target.hostname);
      const link: Link = {
        toDatabase: (chunk) => void database.write(chunk),
        toClient: (chunk) => void client.write(chunk),
        cutClient: () => void client.destroy(),
        cut: () => {
          client.destroy();
          database.destroy();
        },
      };
      this.#links.add(link);
      for (const socket of [client, database]) socket.on('error', () => {});
      client.on('data', (chunk) => this.sent(link, chunk));
      client.on('end', () => this.ended(link));
      database.on('data', (chunk) => this.answered(link, chunk));
      database.on('close', () => client.destroy());
    });
  }

  static async to(url: string): Promise<Way> {
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const way = new Way(server, new URL(url));
    onTestFinished(async () => {
      for (const link of way.#links) link.cut();
      await once(server.close(), 'close');
    });
    return way;
  }

  url = (database: string): string =>
    `postgres://tests@127.0.0.1:${(this.#server.address() as AddressInfo).port}/${database}`;
}

/** What becomes of the next message that has a COMMIT. */
export const CUTS = {
  before: (link: Link) => link.cut(),
  after: (link: Link, chunk: Buffer, way: Way) => {
    way.answered = (of, answer) => (of === link ? link.cut() : of.toClient(answer));
    link.toDatabase(chunk);
  },
};

export function cutNext(way: Way, cut: (link: Link, chunk: Buffer, way: Way) => void): void {
  way.sent = (link, chunk) => {
    if (!chunk.includes('COMMIT\0')) return link.toDatabase(chunk);
    way.sent = (of, later) => of.toDatabase(later);
    cut(link, chunk, way);
  };
}
