import { Hono } from 'hono';
import { stream } from 'hono/streaming';
import type { StreamingApi } from 'hono/utils/stream';
import type { ChangeMessage } from '../api.ts';
import type { Changes } from './changes.ts';
import type { Server } from './server.ts';

/** One stream of events for each browser: it says what changed, and a tab asks for what it shows. */

const HEARTBEAT_MS = 15_000;

export function eventRoutes({ changes, clock }: Server): Hono {
  return new Hono().get('/events', (context) => {
    context.header('content-type', 'text/event-stream; charset=utf-8');
    return stream(context, (out) => tell(out, changes, clock));
  });
}

/** What is not read is not piled up: it becomes one message, which is sent as soon as there is room. */
async function tell(out: StreamingApi, changes: Changes, clock: Server['clock']): Promise<void> {
  let unsent: ChangeMessage | undefined;
  let waking = new AbortController();
  const stopListening = changes.listen((message) => {
    unsent = unsent === undefined ? message : bothOf(unsent, message);
    waking.abort();
  });
  out.onAbort(() => waking.abort());
  while (!out.aborted) {
    waking = new AbortController();
    if (unsent === undefined) await clock.sleep(HEARTBEAT_MS, waking.signal).catch(() => {});
    // A connection that is gone is noticed by what cannot be written to it.
    const said = unsent === undefined ? ': still here' : `data: ${JSON.stringify(unsent)}`;
    unsent = undefined;
    await out.write(`${said}\n\n`);
  }
  stopListening();
}

function bothOf(before: ChangeMessage, now: ChangeMessage): ChangeMessage {
  return {
    batches: [...new Set([...before.batches, ...now.batches])],
    work: before.work || now.work,
    spenders: now.spenders,
  };
}
