import { describe, expect, test } from 'vitest';
import { Faults } from '../../src/sandbox/faults.ts';
import { bookOf, type RawReply, rawLookup, sandbox } from './client.ts';

// Goal: each fault is on the wire what its name says, and charged exactly when its name says so.
// Method: a bare socket that keeps every byte, and the book.

/** What a bare client gets for one lookup that would match, and what was charged for it. */
async function oneFault(faults: string): Promise<{ reply: RawReply; credits: number }> {
  const running = await sandbox({ matchRate: 1, faults });
  const reply = await rawLookup(running, 'a.example');
  const { credits, faults: counts } = await bookOf(running.url);
  expect(counts).toEqual({ [faults.split(':')[0] ?? '']: 1 });
  return { reply, credits };
}

const statusOf = (reply: RawReply): number => Number(/^HTTP\/1\.1 (\d+)/.exec(reply.head)?.[1]);

describe.each([
  ['', 0],
  ['charged-', 1],
] as const)('lost answers named "%s…" cost %d', (prefix, expectedCredits) => {
  test('reset: the connection is reset after the request', async () => {
    const { reply, credits } = await oneFault(`${prefix}reset:x1`);
    expect(reply).toMatchObject({ ended: 'ECONNRESET', head: '', bodyBytes: 0 });
    expect(credits).toBe(expectedCredits);
  });

  test('truncate: fewer bytes than announced', async () => {
    const { reply, credits } = await oneFault(`${prefix}truncate:x1`);
    const announced = Number(/content-length: (\d+)/.exec(reply.head)?.[1]);
    expect(statusOf(reply)).toBe(200);
    expect(reply.bodyBytes).toBeGreaterThan(0);
    expect(reply.bodyBytes).toBeLessThan(announced);
    expect(reply.ended).toBe('end');
    expect(credits).toBe(expectedCredits);
  });

  test('cut: no length, a connection that ends in good order, and half the JSON', async () => {
    const { reply, credits } = await oneFault(`${prefix}cut:x1`);
    expect(reply.head).not.toMatch(/content-length|transfer-encoding/i);
    expect(reply.head).toContain('connection: close');
    expect(reply.body.toString()).toMatch(/^\{"name":/);
    expect(() => JSON.parse(reply.body.toString())).toThrow();
    expect(reply.ended).toBe('end');
    expect(credits).toBe(expectedCredits);
  });

  test('empty: 200 without a byte', async () => {
    const { reply, credits } = await oneFault(`${prefix}empty:x1`);
    expect([statusOf(reply), reply.bodyBytes]).toEqual([200, 0]);
    expect(credits).toBe(expectedCredits);
  });

  test('garbage: 200 with what is not JSON', async () => {
    const { reply, credits } = await oneFault(`${prefix}garbage:x1`);
    expect(statusOf(reply)).toBe(200);
    expect(reply.body.toString()).toContain('<html>');
    expect(credits).toBe(expectedCredits);
  });

  test.each([500, 502, 503, 504, 408, 425, 499, 507])('%d, with words', async (status) => {
    const { reply, credits } = await oneFault(`${prefix}${status}:x1`);
    expect(statusOf(reply)).toBe(status);
    expect(JSON.parse(reply.body.toString())).toEqual({ error: expect.any(String) });
    expect(credits).toBe(expectedCredits);
  });
});

describe('what cannot be a fault is refused, with the nearest name', () => {
  test.each([
    ['rest:0.1', 'Did you mean reset?'],
    ['charged-402:0.1', 'never costs anything'],
    ['200:0.1', '"200" is not a fault'],
    ['reset', 'does not say how often'],
    ['reset:0.1:0.1', 'does not say how often'],
    ['reset:0.6,500:0.5', 'add up to'],
  ])('%s', (text, ...words) => {
    let said = '';
    try {
      new Faults(text, 1);
    } catch (error) {
      const { message, next } = error as { message: string; next: string };
      said = `${message} ${next}`;
    }
    for (const word of words) expect(said).toContain(word);
  });
});
