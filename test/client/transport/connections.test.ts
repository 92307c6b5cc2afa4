import { describe, expect, test } from 'vitest';
import { answer, ask, rawVendor, said, transportTo } from './raw-vendor.ts';

/*
 * Goal: an answer too many is not taken for that of the next request, and a connection is used again and again (protocol, rule 7).
 * Method: the transport before a vendor that says bytes on raw sockets.
 */

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
