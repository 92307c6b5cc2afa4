import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { answer, ask, optionsTo, rawVendor, said, transportTo, transportWith } from './raw-vendor.ts';

/*
 * Goal: an exchange ends at its deadline, whatever the vendor does to stretch it: bytes that trickle, blank chunks,
 * "still working", or nothing. What was sent by then is lost, and what was not was not sent. An answer too many is not taken for that of
 * the next request, and a connection is used again and again (protocol, rules 7, 9 and 14).
 * Method: the transport, also with a short deadline, before a vendor that says bytes on raw sockets.
 */

const TIMEOUT_MS = 2_000;

/** More often than the deadline, so that a timer that each of them begins anew never fires. */
const EVERY_MS = 40;

function trickle(socket: Socket, ...pieces: readonly string[]): void {
  let at = 0;
  const timer = setInterval(() => {
    socket.write(pieces[Math.min(at, pieces.length - 1)] ?? '');
    at += 1;
  }, EVERY_MS);
  socket.on('close', () => clearInterval(timer));
}

const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';

describe('an exchange is over at its deadline', () => {
  test.concurrent.each<[string, object, (socket: Socket) => void]>([
    ['a vendor that says nothing', { how: 'none_came' }, () => {}],
    [
      'an answer of which a byte comes now and then',
      { how: 'broke_off', status: 200 },
      (socket) => trickle(socket, 'HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n', 'x'),
    ],
    [
      'an answer of which a blank comes now and then, in chunks',
      { how: 'broke_off', status: 200 },
      (socket) => trickle(socket, CHUNKED, '1\r\n \r\n'),
    ],
    [
      'headers of which one comes now and then',
      { how: 'none_came' },
      (socket) => trickle(socket, 'HTTP/1.1 200 OK\r\n', 'x-wait: 1\r\n'),
    ],
    [
      '"processing" now and then',
      { how: 'none_came' },
      (socket) => trickle(socket, 'HTTP/1.1 102 Processing\r\n\r\n'),
    ],
    [
      '"early hints" now and then',
      { how: 'none_came' },
      (socket) => trickle(socket, 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'),
    ],
  ])('%s: it is lost, and its connection is closed', async (_, before, script) => {
    const vendor = await rawVendor(script);
    const beganMs = performance.now();
    const reply = await ask(transportTo(vendor, { timeoutMs: TIMEOUT_MS }));
    expect(reply).toEqual({ kind: 'lost', ...before, message: 'the timeout of 2 s passed' });
    expect(performance.now() - beganMs).toBeGreaterThan(TIMEOUT_MS - 20);
    while (vendor.open() > 0) await delay(5);
    expect(vendor.requests).toHaveLength(1);
  });

  test('what could not leave by then was not sent, and never leaves', async () => {
    let free = (): void => {};
    const vendor = await rawVendor((socket, { body }) => {
      if (body === 'first') free = () => socket.write(answer('at last'));
      else socket.write(answer('quick'));
    });
    const options = optionsTo(vendor.origin);
    const transport = transportWith(options);
    const first = ask(transport, 'first');
    // Its deadline passes while the only connection waits for the first, however slow this machine is.
    options.timeoutMs = 50;
    const second = ask(transport, 'second');
    options.timeoutMs = 20_000;
    expect((await second).kind).toBe('not_sent');
    while (vendor.requests.length === 0) await delay(5);
    free();
    expect(said(await first)).toBe('at last');
    expect(said(await ask(transport, 'third'))).toBe('quick');
    expect(vendor.requests.map(({ body }) => body)).toEqual(['first', 'third']);
  });
});

describe('one answer too many on a connection', () => {
  test('an answer right behind the first: the next request has an answer of its own, on another connection', async () => {
    const vendor = await rawVendor((socket, { body }) => {
      const own = answer(`to ${body}`);
      socket.write(body === 'one' ? Buffer.concat([own, answer('surplus')]) : own);
    });
    const transport = transportTo(vendor);
    for (const body of ['one', 'two', 'three', 'four'])
      expect(said(await ask(transport, body))).toBe(`to ${body}`);
    expect(vendor.requests.map(({ connection }) => connection)).toEqual([1, 2, 2, 2]);
  });

  test('one too many that is no answer at all ends the connection, and the answer before it stands', async () => {
    const vendor = await rawVendor((socket, { body }) =>
      socket.write(Buffer.concat([answer(`to ${body}`), Buffer.from('SSH-2.0-x\r\n')])),
    );
    const transport = transportTo(vendor);
    for (const body of ['one', 'two']) expect(said(await ask(transport, body))).toBe(`to ${body}`);
    expect(vendor.requests.map(({ connection }) => connection)).toEqual([1, 2]);
  });
});

test.each([
  ['ISO-8859-1', Buffer.from('{"name":"Café Zürich"}', 'latin1')],
  ['"windows-1252"', Buffer.from('{"name":"Café Zürich"}', 'latin1')],
  ['iso-8859-1', Buffer.from('{"name":"Café Zürich"}')],
  ['UTF-8', Buffer.from('{"name":"Café Zürich"}')],
  ['klingon', Buffer.from('{"name":"Café Zürich"}')],
])(
  'an answer is read in the encoding that its header names, unless its bytes are UTF-8 all the same: %s',
  async (charset, body) => {
    const type = { 'content-type': `application/json; charset=${charset}` };
    const vendor = await rawVendor((socket) => socket.end(answer(body, type)));
    const reply = await ask(transportTo(vendor));
    expect(reply.kind === 'answered' && reply.raw.body.toString()).toBe('{"name":"Café Zürich"}');
  },
);
