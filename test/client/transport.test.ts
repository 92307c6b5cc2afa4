import { describe, expect, onTestFinished, test } from 'vitest';
import type { WireReply } from '../../src/client/judge.ts';
import type { HttpRequest } from '../../src/client/request.ts';
import type { SendOptions, Transport } from '../../src/client/transport.ts';
import type { Clock } from '../../src/core/clock.ts';
import { systemClock } from '../../src/core/clock.ts';
import { type Script, ScriptedVendor } from '../faults/scripted-vendor.ts';
import { rawVendor, transportTo } from './transport/raw-vendor.ts';

/*
 * Goal: a request leaves once or not at all, and what is said about it afterwards is true (protocol, rules 6 and 7).
 * Method: the transport alone against real servers on this machine that count what arrives, with a clock of the
 * test's own where time decides.
 */

const LOOKUP: HttpRequest = {
  method: 'POST',
  path: '/enrich/company',
  headers: { 'content-type': 'application/json' },
  body: Buffer.from('{"domain":"example.com"}'),
};

describe('an intent', () => {
  /** Milliseconds since the intent, on the clock that never jumps and on the calendar's. */
  test.each([
    { monotonicMs: 5_001, wallMs: 5_001, what: 'a process that was stopped' },
    { monotonicMs: 10, wallMs: 5_001, what: 'a machine that slept, which stops the clock that never jumps' },
    { monotonicMs: 5_001, wallMs: 10, what: 'a calendar that was set back meanwhile' },
  ])('an intent older than five seconds is not sent: $what', async ({ monotonicMs, wallMs }) => {
    const vendor = await vendorThat(found);
    const clock = clockAt(monotonicMs, wallMs);
    const { reply, sends } = await exchange(
      transportTo({ origin: vendor.url }, { clock }),
      LOOKUP,
      intentAtZero(),
    );
    expect(reply).toMatchObject({ kind: 'not_sent', cause: 'late' });
    expect(sends).toBe(0);
    expect(vendor.requests).toEqual([]);
  });

  test('an intent just younger than five seconds is sent', async () => {
    const vendor = await vendorThat(found);
    const clock = clockAt(4_999, 4_999);
    const { reply, sends } = await exchange(
      transportTo({ origin: vendor.url }, { clock }),
      LOOKUP,
      intentAtZero(),
    );
    expect(reply.kind).toBe('answered');
    expect(sends).toBe(1);
    expect(vendor.requests).toMatchObject([
      { method: 'POST', path: LOOKUP.path, body: LOOKUP.body?.toString() },
    ]);
  });
});

describe('a request leaves once', () => {
  test.each(['POST', 'GET'] as const)(
    'a %s of which the connection is reset is not sent again',
    async (method) => {
      const vendor = await vendorThat((_, response) => response.socket?.resetAndDestroy());
      const request: HttpRequest =
        method === 'POST' ? LOOKUP : { method, path: '/look', headers: {}, body: undefined };
      const { reply, sends } = await exchange(transportTo({ origin: vendor.url }), request);
      expect(reply).toMatchObject({ kind: 'lost', how: 'none_came' });
      expect(sends).toBe(1);
      // A second one would be on its way by now: the next lookup gets through and is the only other one.
      await exchange(transportTo({ origin: vendor.url }), LOOKUP);
      expect(vendor.requests).toHaveLength(2);
    },
  );

  test('one connection carries one request at a time', async () => {
    const answers: (() => void)[] = [];
    const vendor = await vendorThat((_, response) => answers.push(() => response.end('{}')));
    const transport = transportTo({ origin: vendor.url }, { connections: 1 });
    const first = exchange(transport, LOOKUP);
    const second = exchange(transport, LOOKUP);
    while (answers.length === 0) await turn();
    await turn();
    expect(answers, 'the second waits').toHaveLength(1);
    answers.pop()?.();
    expect((await first).reply.kind).toBe('answered');
    while (answers.length === 0) await turn();
    answers.pop()?.();
    expect((await second).reply.kind).toBe('answered');
  });
});

describe('what never left is not sent', () => {
  test('a request whose permit was taken back while its connection was made', async () => {
    const vendor = await vendorThat(found);
    const intentAt = { monotonicMs: systemClock.monotonicMs(), wallMs: systemClock.wallMs() };
    const mayLeave = (): boolean => false;
    const reply = await new Promise<WireReply>((onReply) =>
      transportTo({ origin: vendor.url }).send(LOOKUP, {
        intentAt,
        mayLeave,
        onSent: expect.unreachable,
        onReply,
      }),
    );
    expect(reply).toMatchObject({ kind: 'not_sent', message: 'its permit was taken back' });
    expect(vendor.requests).toEqual([]);
  });
});

describe('what may have arrived and has no whole answer is lost', () => {
  test.each([
    ['shorter than announced', 'content-length: 100\r\n\r\n{"name":"Fou'],
    ['in chunks of which the last is missing', 'transfer-encoding: chunked\r\n\r\n5\r\n{"nam\r\n'],
    ['that is not HTTP', undefined],
  ])('an answer %s', async (_, rest) => {
    const bytes = rest === undefined ? 'SSH-2.0-server\r\n' : `HTTP/1.1 200 OK\r\n${rest}`;
    const vendor = await rawVendor((socket) => socket.end(bytes));
    const { reply, sends } = await exchange(transportTo(vendor), LOOKUP);
    expect(reply.kind).toBe('lost');
    expect(sends).toBe(1);
  });

  test('an answer that is too large; it is not read to its end', async () => {
    let offered = 0;
    const vendor = await vendorThat((_, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(64 * 1024))) offered += 64 * 1024;
      };
      response.on('drain', more).writeHead(200);
      more();
    });
    const { reply } = await exchange(transportTo({ origin: vendor.url }), LOOKUP);
    expect(reply).toMatchObject({ kind: 'lost', message: expect.stringContaining('larger than 4 MiB') });
    expect(offered, 'bytes that it read besides what the sockets held').toBeLessThan(64 * 1024 * 1024);
  });
});

// ------------------------------------------------------------------------------------------------ the other side

const found: Script = (_, response) => response.end('{"name":"Found"}');

async function vendorThat(script: Script): Promise<ScriptedVendor> {
  const vendor = await ScriptedVendor.start(script);
  onTestFinished(() => vendor[Symbol.asyncDispose]());
  return vendor;
}

// ------------------------------------------------------------------------------------------------ our side

type IntentAt = SendOptions['intentAt'];

function intentAtZero(): IntentAt {
  return { monotonicMs: 0, wallMs: 0 };
}

/** A clock that stands still. */
function clockAt(monotonicMs: number, wallMs: number): Clock {
  return { ...systemClock, monotonicMs: () => monotonicMs, wallMs: () => wallMs };
}

async function exchange(
  transport: Transport,
  request: HttpRequest,
  intentAt: IntentAt = { monotonicMs: systemClock.monotonicMs(), wallMs: systemClock.wallMs() },
): Promise<{ readonly reply: WireReply; readonly sends: number }> {
  let sends = 0;
  const onSent = (): void => {
    sends += 1;
  };
  const reply = await new Promise<WireReply>((onReply) =>
    transport.send(request, { intentAt, mayLeave: () => true, onSent, onReply }),
  );
  return { reply, sends };
}

/** Lets what is waiting in the event loop and in the sockets of this machine happen. */
function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5));
}
