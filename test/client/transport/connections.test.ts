import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { answer, ask, rawVendor, said, transportTo } from './raw-vendor.ts';

/*
 * Goal: no answer is ever taken for that of another request, and a connection is not used again where that has been seen
 * to lose requests (protocol, rule 7).
 * Method: the transport before a vendor that says bytes on raw sockets: one answer too many,
 * or a reset instead of an answer.
 */

describe('one answer too many on a connection', () => {
  test('right behind the first: the next request has an answer of its own, on another connection', async () => {
    const vendor = await rawVendor((socket, { body }) => {
      const own = answer(`to ${body}`);
      socket.write(body === 'one' ? Buffer.concat([own, answer('surplus')]) : own);
    });
    const transport = transportTo(vendor);
    for (const body of ['one', 'two', 'three', 'four'])
      expect(said(await ask(transport, body))).toBe(`to ${body}`);
    expect(vendor.requests.map(({ connection }) => connection)).toEqual([1, 2, 3, 4]);
  });

  test('behind the answer to a later request: that is in doubt, because it may be the one of another', async () => {
    const vendor = await rawVendor((socket, { body, nth }) => {
      const own = answer(`to ${body}`);
      socket.write(nth === 2 ? Buffer.concat([answer('surplus'), own]) : own);
    });
    const transport = transportTo(vendor);
    expect(said(await ask(transport, 'one'))).toBe('to one');
    expect(await ask(transport, 'two')).toMatchObject({
      kind: 'lost',
      message: expect.stringContaining('its connection brought more answers than requests'),
    });
    expect(said(await ask(transport, 'three'))).toBe('to three');
  });

  test('that came too late to be told from the next one’s own is told about, with how far it may reach', async () => {
    const vendor = await rawVendor((socket, { nth }) => {
      if (nth === 2) socket.write(answer('surplus'));
      if (nth === 3) socket.write(Buffer.concat([answer('to two'), answer('to three')]));
      else if (nth !== 2) socket.write(answer('to one'));
    });
    const surplus: number[] = [];
    const transport = transportTo(vendor, { onSurplus: (requests) => surplus.push(requests) });
    expect(said(await ask(transport, 'one'))).toBe('to one');
    // Nobody can know that this answer was on its way before the request was.
    expect(said(await ask(transport, 'two'))).toBe('surplus');
    expect(said(await ask(transport, 'three'))).toBe('lost');
    expect(surplus).toEqual([3]);
  });

  test('that is no answer at all ends the connection, and the answer before it stands', async () => {
    const vendor = await rawVendor((socket, { body }) =>
      socket.write(Buffer.concat([answer(`to ${body}`), Buffer.from('SSH-2.0-x\r\n')])),
    );
    const transport = transportTo(vendor);
    for (const body of ['one', 'two']) expect(said(await ask(transport, body))).toBe(`to ${body}`);
    expect(vendor.requests.map(({ connection }) => connection)).toEqual([1, 2]);
  });
});

describe('a server that resets connections when they are used again', () => {
  test.each<[string, 'resetAndDestroy' | 'end']>([
    ['by a reset', 'resetAndDestroy'],
    ['by hanging up', 'end'],
  ])('%s: two requests are in doubt, and from then on each has its own connection', async (_, ending) => {
    const vendor = await rawVendor((socket, { body, nth }) => {
      if (nth === 1) socket.write(answer(`to ${body}`));
      else socket[ending]();
    });
    const transport = transportTo(vendor);
    const bodies = Array.from({ length: 8 }, (_each, index) => `row ${index}`);
    const replies: string[] = [];
    for (const body of bodies) replies.push(said(await ask(transport, body)));
    expect(replies.filter((reply) => reply === 'lost')).toHaveLength(2);
    expect(replies.slice(4)).toEqual(bodies.slice(4).map((body) => `to ${body}`));
    expect(vendor.requests.at(-1)?.head).toMatch(/connection: close/i);
  });

  test('a server that keeps them open is asked on the same one', async () => {
    const vendor = await rawVendor((socket, { body }) => socket.write(answer(`to ${body}`)));
    const transport = transportTo(vendor);
    for (let count = 0; count < 20; count += 1) await ask(transport);
    expect(new Set(vendor.requests.map(({ connection }) => connection)).size).toBe(1);
  });

  test('two connections that are reset at their first request say nothing about using them again', async () => {
    const vendor = await rawVendor((socket, { connection, body }) => {
      if (connection <= 2) socket.resetAndDestroy();
      else socket.write(answer(`to ${body}`));
    });
    const transport = transportTo(vendor);
    for (let count = 0; count < 6; count += 1) {
      await ask(transport);
      await delay(1);
    }
    expect(vendor.requests.map(({ connection }) => connection)).toEqual([1, 2, 3, 3, 3, 3]);
  });
});
