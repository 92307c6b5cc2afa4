import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { WireReply } from '../../../src/client/judge.ts';
import { Transport, type TransportOptions } from '../../../src/client/transport.ts';
import { systemClock } from '../../../src/core/clock.ts';

/** A vendor that says bytes and not answers, for what no web server does. */

export interface RawRequest {
  /** The body, which is how tests tell requests apart. */
  readonly body: string;
  readonly head: string;
  /** Which connection it came on, from 1. */
  readonly connection: number;
}

export interface RawVendor {
  readonly origin: string;
  readonly requests: readonly RawRequest[];
  /** Of connections that are open now. */
  open(): number;
}

/** @param script hears every request as soon as it is whole. */
export async function rawVendor(script: (socket: Socket, request: RawRequest) => void): Promise<RawVendor> {
  const requests: RawRequest[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    const connection = connections;
    let heard = '';
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => {
      heard += chunk;
      for (let end = wholeRequest(heard); end > 0; end = wholeRequest(heard)) {
        const [head = '', body = ''] = heard.slice(0, end).split('\r\n\r\n');
        heard = heard.slice(end);
        const request = { head, body, connection };
        requests.push(request);
        script(socket, request);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the vendor has no port');
  return { origin: `http://127.0.0.1:${address.port}`, requests, open: () => sockets.size };
}

/** Where the first request in the bytes ends; 0 while it is not whole. */
function wholeRequest(heard: string): number {
  const headEnd = heard.indexOf('\r\n\r\n');
  if (headEnd < 0) return 0;
  const length = Number(/content-length: (\d+)/i.exec(heard.slice(0, headEnd))?.[1] ?? 0);
  const end = headEnd + 4 + length;
  return heard.length >= end ? end : 0;
}

/** A whole answer as bytes. */
export function answer(body: string | Buffer, headers: Readonly<Record<string, string>> = {}): Buffer {
  const bytes = Buffer.from(body);
  const lines = Object.entries({ 'content-length': String(bytes.length), ...headers });
  const head = ['HTTP/1.1 200 OK', ...lines.map(([name, value]) => `${name}: ${value}`), '', ''];
  return Buffer.concat([Buffer.from(head.join('\r\n')), bytes]);
}

/** Those of a transport to an origin; one that is given may be changed between requests. */
export const optionsTo = (origin: string) => ({
  origin,
  connections: 1,
  timeoutMs: 20_000,
  clock: systemClock,
  keptHeaders: new Set<string>(),
  keys: [] as string[],
});

export function transportTo(
  { origin }: Pick<RawVendor, 'origin'>,
  options: Partial<TransportOptions> = {},
): Transport {
  return transportWith({ ...optionsTo(origin), ...options });
}

export function transportWith(options: TransportOptions): Transport {
  const transport = new Transport(options);
  onTestFinished(() => transport.close());
  return transport;
}

/** Sends one request, as an attempt does. */
export async function ask(transport: Transport, body = 'one'): Promise<WireReply> {
  const intentAt = { monotonicMs: systemClock.monotonicMs(), wallMs: systemClock.wallMs() };
  const request = { method: 'POST', path: '/', headers: {}, body: Buffer.from(body) } as const;
  return new Promise((onReply) =>
    transport.send(request, { intentAt, mayLeave: () => true, onSent() {}, onReply }),
  );
}

/** What it says, or how it went. */
export function said(reply: WireReply): string {
  return reply.kind === 'answered' ? reply.raw.body.toString() : reply.kind;
}
