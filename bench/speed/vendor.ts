/**
 * The vendor of every contestant, as a process of its own: `node vendor.ts [--latency MS] [--limit REQUESTS_PER_SECOND]`. It
 * prints its address and answers each request with 270 bytes of JSON. It speaks just as much HTTP as that takes, so that as
 * little as possible of what is measured is the vendor. `GET /book` tells what it saw, and `GET /next` is answered when the
 * next request has come.
 */
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { constants, setPriority } from 'node:os';
import { parseArgs } from 'node:util';

/** As long as an answer about a company is that has some ten fields. */
export const ANSWER_BYTES = 270;

/** What the vendor saw. */
export interface SpeedBook {
  readonly requests: number;
  readonly refused: number;
  /** Answers of the steady state in relation to the limit; 0 without one. */
  readonly share: number;
}

const FIELDS = {
  domain: 'company.example',
  industry: 'Water, sewerage and waste services',
  employee_count: 42,
  founded_year: 1998,
  location: { city: 'Sydney', state: 'NSW', country: 'Australia' },
};

/** @returns an answer of just so many bytes, about another company each time. */
export function answerBody(serial: number): string {
  const name = `Company ${String(serial).padStart(9, '0')} Pty Ltd`;
  const bare = JSON.stringify({ name, ...FIELDS, about: '' });
  return JSON.stringify({ name, ...FIELDS, about: 'x'.repeat(ANSWER_BYTES - bare.length) });
}

interface Options {
  readonly latencyMs: number;
  /** Undefined for a vendor without a limit. */
  readonly perSecond: number | undefined;
}

class SpeedVendor {
  readonly #options: Options;
  readonly #admits: (nowMs: number) => boolean;
  /** When each request came that was within the limit; empty without one. */
  readonly #accepted: number[] = [];
  #requests = 0;
  #refused = 0;
  #date = new Date().toUTCString();
  #waiting: Socket[] = [];

  constructor(options: Options) {
    this.#options = options;
    this.#admits = options.perSecond === undefined ? () => true : slidingLog(options.perSecond);
    setInterval(() => {
      this.#date = new Date().toUTCString();
    }, 250).unref();
  }

  serve(socket: Socket): void {
    socket.setNoDelay(true).setEncoding('latin1');
    // A client that is killed is part of what is measured.
    socket.on('error', () => socket.destroy());
    let pending = '';
    socket.on('data', (chunk: Buffer | string) => {
      pending += chunk;
      for (let end = requestEnd(pending); end !== undefined; end = requestEnd(pending)) {
        const request = pending.slice(0, end);
        pending = pending.slice(end);
        this.#receive(socket, request);
      }
    });
  }

  #receive(socket: Socket, request: string): void {
    if (request.startsWith('GET /book ')) this.#tell(socket);
    else if (request.startsWith('GET /next ')) this.#waiting.push(socket);
    else this.#decide(socket);
  }

  #decide(socket: Socket): void {
    const status = this.#admit() ? '200 OK' : '429 Too Many Requests';
    for (const each of this.#waiting.splice(0)) this.#tell(each);
    const answer = this.#answer(status, answerBody(this.#requests));
    const { latencyMs } = this.#options;
    if (latencyMs === 0) socket.write(answer);
    else setTimeout(() => socket.write(answer), latencyMs);
  }

  #admit(): boolean {
    const nowMs = performance.now();
    this.#requests += 1;
    const isAdmitted = this.#admits(nowMs);
    if (!isAdmitted) this.#refused += 1;
    else if (this.#options.perSecond !== undefined) this.#accepted.push(nowMs);
    return isAdmitted;
  }

  #tell(socket: Socket): void {
    const { perSecond } = this.#options;
    const share = perSecond === undefined ? 0 : shareUsed(this.#accepted, perSecond);
    const book = { requests: this.#requests, refused: this.#refused, share };
    socket.write(this.#answer('200 OK', JSON.stringify(book satisfies SpeedBook)));
  }

  #answer(status: string, body: string): string {
    const head = `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ndate: ${this.#date}\r\n`;
    return `${head}x-request-id: bench-${this.#requests}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  }
}

/** Where the first request in the text ends, with its body; undefined for one that has not come whole. */
function requestEnd(text: string): number | undefined {
  const head = text.indexOf('\r\n\r\n');
  if (head === -1) return undefined;
  const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, head + 2))?.[1] ?? '0';
  const end = head + '\r\n\r\n'.length + Number(length);
  return text.length < end ? undefined : end;
}

const WINDOW_MS = 1000;

/** The strictest of limits: so many in any second. Refused requests do not count. */
function slidingLog(requests: number): (nowMs: number) => boolean {
  const times = new Float64Array(requests).fill(Number.NEGATIVE_INFINITY);
  let next = 0;
  return (nowMs) => {
    if (nowMs - (times[next] ?? 0) < WINDOW_MS) return false;
    times[next] = nowMs;
    next = (next + 1) % requests;
    return true;
  };
}

/** Start and tail of a run say nothing about how much of the limit it uses. */
const [START_MS, TAIL_MS] = [2000, 500];

/** What part of the limit was used in the whole seconds between. */
function shareUsed(accepted: readonly number[], perSecond: number): number {
  const fromMs = (accepted[0] ?? 0) + START_MS;
  const seconds = Math.floor(((accepted.at(-1) ?? 0) - TAIL_MS - fromMs) / WINDOW_MS);
  const used = accepted.filter((atMs) => atMs >= fromMs && atMs < fromMs + seconds * WINDOW_MS);
  return used.length / (seconds * perSecond);
}

/** When a request arrives must not depend on what else the machine is busy with, as far as we may say so. */
function beFirst(): void {
  try {
    setPriority(constants.priority.PRIORITY_HIGH);
  } catch {
    // Not everybody may.
  }
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { latency: { type: 'string' }, limit: { type: 'string' } } });
  const perSecond = values.limit === undefined ? undefined : Number(values.limit);
  if (perSecond !== undefined) beFirst();
  const vendor = new SpeedVendor({ latencyMs: Number(values.latency ?? 0), perSecond });
  const server = createServer((socket) => vendor.serve(socket));
  server.listen(0, '127.0.0.1', () => {
    console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
  // The measuring process holds our standard input, so that we end with it, whatever ends it.
  process.stdin.on('end', () => process.exit(0)).resume();
}
