import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export interface Received {
  readonly key: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A real server that is told how lists end. @param answers how it answers each request; left out: that it has it. */
export async function receiver(
  answers: (response: ServerResponse, at: number) => void = (response) => response.end(),
): Promise<{ readonly url: string; readonly received: Received[]; next(): Promise<void> }> {
  const received: Received[] = [];
  let waiting = Promise.withResolvers<void>();
  const server = createServer(async (request: IncomingMessage, response) => {
    const body = JSON.parse(await text(request));
    received.push({ key: request.headers['idempotency-key'] as string | undefined, body });
    answers(response, received.length);
    waiting.resolve();
    waiting = Promise.withResolvers();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/told`, received, next: () => waiting.promise };
}
