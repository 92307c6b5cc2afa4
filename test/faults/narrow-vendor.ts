import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * A vendor whose door can be closed: nobody gets a connection, and nobody is refused one. It is a process that is
 * stopped while the few places of its queue are taken, so that the kernel drops whoever knocks, and lets them in when
 * they knock again after it goes on.
 */

const SERVER = `
  let requests = 0;
  const server = require('node:http').createServer((request, response) => {
    if (request.url !== '/count') requests += 1;
    response.setHeader('content-type', 'application/json');
    response.end(request.url === '/count' ? String(requests) : '{"name":"Found"}');
  });
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(server.address().port));
  process.stdin.on('end', () => process.exit()).resume();
`;

/** More than the queue of a backlog of 1 holds. */
const KNOCKING = 4;

export class NarrowVendor implements AsyncDisposable {
  readonly url: string;
  readonly #port: number;
  readonly #process: ChildProcess;
  #knocking: Socket[] = [];

  private constructor(port: number, process: ChildProcess) {
    this.#port = port;
    this.#process = process;
    this.url = `http://127.0.0.1:${port}`;
  }

  static async start(): Promise<NarrowVendor> {
    // It ends with this process, because its standard input is a pipe from here.
    const child = spawn(process.execPath, ['-e', SERVER], { stdio: ['pipe', 'pipe', 'inherit'] });
    const [port] = await once(child.stdout, 'data');
    return new NarrowVendor(Number(port), child);
  }

  async close(): Promise<void> {
    this.#process.kill('SIGSTOP');
    for (let each = 0; each < KNOCKING; each += 1) {
      const socket = connect(this.#port, '127.0.0.1');
      socket.on('error', () => undefined);
      this.#knocking.push(socket);
    }
    // Until the kernel has put those into the queue that fit.
    await delay(200);
  }

  async open(): Promise<void> {
    for (const socket of this.#knocking.splice(0)) socket.destroy();
    this.#process.kill('SIGCONT');
  }

  /** Lookups that arrived. */
  async requests(): Promise<number> {
    return Number(await (await fetch(`${this.url}/count`)).text());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.open();
    this.#process.kill('SIGTERM');
    await once(this.#process, 'exit');
  }
}
