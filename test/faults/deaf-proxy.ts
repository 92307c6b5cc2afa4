import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * A way to a server on which connections die without a word, as behind a router that has forgotten them: nothing comes through any
 * more, nobody is told, and the server has them open for as long as it likes.
 */
export class DeafProxy implements AsyncDisposable {
  readonly port: number;
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  readonly #silenced = new Set<Socket>();
  #isDeaf = false;

  private constructor(server: Server) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
  }

  /** @param port of the server, on this machine. */
  static async before(port: number): Promise<DeafProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new DeafProxy(server);
    server.on('connection', (client) => proxy.#join(client, connect(port, '127.0.0.1')));
    return proxy;
  }

  /** All connections are dead from now on, and so are new ones until `hear`. */
  deafen(): void {
    this.#isDeaf = true;
    for (const pair of this.#pairs) this.#silence(pair);
  }

  /** New connections get through again. */
  hear(): void {
    this.#isDeaf = false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    for (const socket of [...this.#pairs].flat()) socket.destroy();
    await once(this.#server, 'close');
  }

  #join(...pair: readonly [Socket, Socket]): void {
    this.#pairs.add(pair);
    const [client, server] = pair;
    for (const [one, other] of [pair, [server, client]] as const) {
      one.pipe(other);
      // Where it ends by itself the other is told, unless nothing gets through.
      one.on('error', () => {}).on('close', () => void (this.#silenced.has(one) || other.destroy()));
    }
    if (this.#isDeaf) this.#silence(pair);
  }

  #silence(pair: readonly Socket[]): void {
    for (const socket of pair) this.#silenced.add(socket.unpipe().pause());
  }
}
