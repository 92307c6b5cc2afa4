import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * A way to a server of this machine that takes some time, and on which connections may die without a word, as behind a router that has
 * forgotten them: nothing comes through any more, no one is told, and the server has them open for as long as it likes.
 */
export class TcpProxy implements AsyncDisposable {
  readonly port: number;
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  readonly #silenced = new Set<Socket>();
  #isDeaf = false;

  private constructor(server: Server) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
  }

  /** @param delayMs each way takes so long, however much is on it: what comes is passed on in its order. */
  static async before(port: number, delayMs = 0): Promise<TcpProxy> {
    const server = createServer({ noDelay: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new TcpProxy(server);
    server.on('connection', (client) => {
      proxy.#join([client, connect({ port, host: '127.0.0.1', noDelay: true })], delayMs);
    });
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

  #join(pair: readonly [Socket, Socket], delayMs: number): void {
    this.#pairs.add(pair);
    const [client, server] = pair;
    // Timers of one length fire in the order in which they were set.
    const later = (act: () => void): unknown => (delayMs === 0 ? act() : setTimeout(act, delayMs));
    for (const [one, other] of [pair, [server, client]] as const) {
      const passOn = (act: () => void): unknown => later(() => void (this.#silenced.has(one) || act()));
      one.on('data', (bytes) => passOn(() => other.write(bytes)));
      one.on('error', () => {}).on('close', () => passOn(() => other.destroy()));
      one.on('end', () => passOn(() => other.end()));
    }
    if (this.#isDeaf) this.#silence(pair);
  }

  #silence(pair: readonly Socket[]): void {
    for (const socket of pair) this.#silenced.add(socket.pause());
  }
}
