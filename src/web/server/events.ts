import { Hono } from 'hono';
import type { Changes } from './changes.ts';
import type { Server } from './server.ts';

/** One stream of events for each browser: it says what changed, and a tab asks for what it shows. */

const HEARTBEAT_MS = 15_000;

export function eventRoutes({ changes }: Server): Hono {
  return new Hono().get('/events', (context) => {
    const streamed = streamOf(changes);
    return context.body(streamed, 200, { 'content-type': 'text/event-stream; charset=utf-8' });
  });
}

function streamOf(changes: Changes): ReadableStream<Uint8Array> {
  let end = (): void => {};
  return new ReadableStream({
    start(controller) {
      const encoder = new TextEncoder();
      const write = (text: string): void => controller.enqueue(encoder.encode(text));
      const stopListening = changes.listen((message) => write(`data: ${JSON.stringify(message)}\n\n`));
      // A connection that is gone is noticed by what cannot be written to it.
      const heartbeat = setInterval(() => write(': still here\n\n'), HEARTBEAT_MS);
      end = () => {
        clearInterval(heartbeat);
        stopListening();
      };
    },
    cancel: () => end(),
  });
}
