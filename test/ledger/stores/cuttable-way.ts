import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { postgresServer } from './postgres-server.ts';

/** `P` begins the first statement of a text, `B` a later one. */
const STATEMENTS = ['P', 'B'];

/** A way to the database that a test cuts off at the next commit. A statement outside a transaction commits as well. */
export class CuttableWay {
  readonly #server: Server;
  readonly #target: URL;
  readonly #sockets = new Set<Socket>();
  #cut: 'before' | 'after' | undefined;

  private constructor(server: Server, target: URL) {
    this.#server = server;
    this.#target = target;
    server.on('connection', (client) => this.#join(client));
  }

  static async open(): Promise<CuttableWay> {
    const target = new URL((await postgresServer()).url('any'));
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const proxy = new CuttableWay(server, target);
    onTestFinished(() => proxy.#end());
    return proxy;
  }

  url = (database: string): string =>
    `postgres://tests@127.0.0.1:${(this.#server.address() as AddressInfo).port}/${database}`;

  /** Cuts all connections when one of them commits: before the database hears of it, or before anybody hears of the commit. */
  cutAtCommit(when: 'before' | 'after'): void {
    this.#cut = when;
  }

  #join(client: Socket): void {
    const database = connect(Number(this.#target.port), this.#target.hostname);
    let isCommitting = false;
    let isIdle = true;
    for (const socket of [client, database]) {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        client.destroy();
        database.destroy();
      });
    }
    client.on('data', (chunk) => {
      const isAlone = isIdle && STATEMENTS.includes(chunk.toString('latin1', 0, 1));
      isCommitting = this.#cut !== undefined && (isAlone || chunk.includes('COMMIT\0'));
      if (isCommitting && this.#cut === 'before') this.#cutAll();
      else database.write(chunk);
    });
    database.on('data', (chunk) => {
      // What it says last is whether it is in a transaction.
      isIdle = chunk.at(-1) === 'I'.charCodeAt(0);
      if (isCommitting) this.#cutAll();
      else client.write(chunk);
    });
  }

  #cutAll(): void {
    this.#cut = undefined;
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  async #end(): Promise<void> {
    this.#cutAll();
    await once(this.#server.close(), 'close');
  }
}
