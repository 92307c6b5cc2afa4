import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** What lies between a program and its database, and cuts one connection when the program asks for a commit. */
export class CuttingProxy implements AsyncDisposable {
  readonly port: number;
  /** How many connections it has cut. */
  cuts = 0;
  #cutsNext: 'before the commit' | 'after the commit' | undefined;
  readonly #close: () => Promise<void>;

  private constructor(port: number, close: () => Promise<void>) {
    this.port = port;
    this.#close = close;
  }

  static async before(port: number): Promise<CuttingProxy> {
    const sockets = new Set<Socket>();
    const server = createServer((program) => proxy.#join(program, connect(port, '127.0.0.1'), sockets));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const close = async (): Promise<void> => {
      for (const socket of sockets) socket.destroy();
      await once(server.close(), 'close');
    };
    const proxy = new CuttingProxy((server.address() as AddressInfo).port, close);
    return proxy;
  }

  /** Cuts the connection that asks for the next commit: before the database hears of it, or when it has been made. */
  cutNext(when: 'before the commit' | 'after the commit'): void {
    this.#cutsNext = when;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#close();
  }

  #join(program: Socket, database: Socket, sockets: Set<Socket>): void {
    let isCut = false;
    const cut = (): void => {
      this.cuts += 1;
      program.destroy();
      database.destroy();
    };
    for (const socket of [program, database]) {
      sockets.add(socket);
      socket.on('error', () => {}).once('close', () => sockets.delete(socket));
    }
    program.on('data', (chunk) => {
      if (this.#cutsNext !== undefined && chunk.includes('COMMIT')) {
        isCut = true;
        const isBefore = this.#cutsNext === 'before the commit';
        this.#cutsNext = undefined;
        if (isBefore) return cut();
      }
      database.write(chunk);
    });
    database.on('data', (chunk) => (isCut ? cut() : program.write(chunk)));
    program.once('close', () => database.destroy());
    database.once('close', () => program.destroy());
  }
}
