import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { bookOf, sandbox } from './client.ts';

/*
 * Goal: a web page that the user has open cannot drive the sandbox, neither from its own address nor by a name of its own
 * that it lets lead to this machine; programs on this machine can.
 * Method: the bytes that a browser would send, on raw sockets, and the sandbox's book.
 */

/** The status that a request gets which has these headers besides. */
async function statusFor(port: number, headers: readonly string[], version = '1.1'): Promise<number> {
  const body = '{"faults":"reset:x9"}';
  const lines = [
    `POST /sandbox/faults HTTP/${version}`,
    ...headers,
    'Content-Type: text/plain',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
  return Number(/^HTTP\/1\.1 (\d+)/.exec(await text(socket))?.[1]);
}

/** Headers with the sandbox's port in the place of PORT. */
const filled = (headers: readonly string[], port: number): readonly string[] =>
  headers.map((header) => header.replaceAll('PORT', String(port)));

describe('a request is refused', () => {
  test.each([
    ['under a name that leads to this machine', ['Host: page.example:PORT']],
    ['under a name that only begins like this machine', ['Host: 127.0.0.1.page.example:PORT']],
    ['under a name that only ends like it', ['Host: notlocalhost:PORT']],
    ['with an address before the name', ['Host: 127.0.0.1@page.example:PORT']],
    ['from a page', ['Host: 127.0.0.1:PORT', 'Origin: https://page.example']],
    ['from a page without an address', ['Host: 127.0.0.1:PORT', 'Origin: null']],
    [
      'from a page of another program of this machine',
      ['Host: 127.0.0.1:PORT', 'Origin: http://127.0.0.1:1'],
    ],
  ])('%s', async (_, headers) => {
    const { port, url } = await sandbox();
    expect(await statusFor(port, filled(headers, port))).toBe(403);
    expect(await bookOf(url)).toMatchObject({ requests: 0, faults: {} });
  });

  test('without any name', async () => {
    const { port } = await sandbox();
    expect(await statusFor(port, [], '1.0')).toBe(403);
  });

  test('also of a vendor, and before anything is booked', async () => {
    const { port, url } = await sandbox({ matchRate: 1 });
    const headers = {
      authorization: 'Bearer key',
      origin: 'https://page.example',
      'content-type': 'text/plain',
    };
    const reply = await fetch(`http://127.0.0.1:${port}/enrich/company`, {
      method: 'POST',
      headers,
      body: '{}',
    });
    expect(reply.status).toBe(403);
    expect(await reply.json()).toEqual({ error: expect.stringContaining('programs on this machine') });
    expect(await bookOf(url)).toMatchObject({ requests: 0, credits: 0 });
  });
});

test.each([
  ['Host: 127.0.0.1:PORT'],
  ['Host: 127.0.0.1'],
  ['Host: localhost:PORT'],
  ['Host: LOCALHOST:1'],
  ['Host: [::1]:PORT'],
  ['Host: 127.0.0.1:PORT', 'Origin: http://127.0.0.1:PORT'],
])('a program of this machine is heard: %s', async (...headers) => {
  const { port } = await sandbox();
  expect(await statusFor(port, filled(headers, port))).toBe(200);
});
