import type { Reply } from '../../../src/client/judge.ts';
import { Transport } from '../../../src/client/transport.ts';
import { systemClock } from '../../../src/core/clock.ts';

// Asks in a process of its own: one request on each connection, and then one more. When all of those have left it stops itself, as
// by Ctrl+Z, before it reads anything. Once it is continued, it says what came of them.

const [origin = '', timeoutMs = '', asking = ''] = process.argv.slice(2);
const connections = Number(asking);
const options = { origin, clock: systemClock, connections, timeoutMs: Number(timeoutMs) };
const transport = new Transport({ ...options, keptHeaders: new Set<string>(), keys: [] });

let left = 0;

function ask(body: string): Promise<Reply> {
  const intentAt = { monotonicMs: systemClock.monotonicMs(), wallMs: systemClock.wallMs() };
  const onSent = (): void => {
    left += 1;
    // The bytes leave in this turn, after this.
    if (left === 2 * connections) setImmediate(() => process.kill(process.pid, 'SIGSTOP'));
  };
  const request = { method: 'POST', path: '/', headers: {}, body: Buffer.from(body) } as const;
  return new Promise((onReply) =>
    transport.send(request, { intentAt, mayLeave: () => true, onSent, onReply }),
  );
}

const round = (body: string) => Promise.all(Array.from({ length: connections }, () => ask(body)));
await round('before');
const replies = await round('asked');
process.stdout.write(`${replies.map(({ kind }) => kind).join(' ')}\n`);
await transport.close();
