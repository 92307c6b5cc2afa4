import { Hono } from 'hono';
import type { ChangeMessage } from '../api.ts';
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

/** What is not read is not piled up: it becomes one message, which is sent as soon as there is room. */
function streamOf(changes: Changes): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let unsent: ChangeMessage | undefined;
  let end = (): void => {};
  const send = (controller: ReadableStreamDefaultController, text?: string): void => {
    if ((controller.desiredSize ?? 0) <= 0) return;
    const said = unsent === undefined ? text : `data: ${JSON.stringify(unsent)}\n\n`;
    unsent = undefined;
    if (said !== undefined) controller.enqueue(encoder.encode(said));
  };
  return new ReadableStream({
    start(controller) {
      const stopListening = changes.listen((message) => {
        unsent = unsent === undefined ? message : bothOf(unsent, message);
        send(controller);
      });
      // A connection that is gone is noticed by what cannot be written to it.
      const heartbeat = setInterval(() => send(controller, ': still here\n\n'), HEARTBEAT_MS);
      end = () => {
        clearInterval(heartbeat);
        stopListening();
      };
    },
    pull: (controller) => send(controller),
    cancel: () => end(),
  });
}

function bothOf(before: ChangeMessage, now: ChangeMessage): ChangeMessage {
  return {
    batches: [...new Set([...before.batches, ...now.batches])],
    work: before.work || now.work,
    spenders: now.spenders,
  };
}
