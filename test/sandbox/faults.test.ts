import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { Faults } from '../../src/sandbox/faults.ts';
import { proof } from '../combinations.ts';
import { bookOf, company, get, post, type RawReply, rawLookup, sandbox } from './client.ts';

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

  proof('timeout: nothing comes, and the connection stays', async () => {
    const running = await sandbox({ matchRate: 1, faults: `${prefix}timeout:x1` });
    let ended = false;
    const lookup = rawLookup(running, 'a.example').then((reply) => {
      ended = true;
      return reply;
    });
    await expect.poll(async () => (await bookOf(running.url)).requests).toBe(1);
    expect((await company(running.url, 'b.example')).status).toBe(200);
    expect(ended).toBe(false);
    expect((await bookOf(running.url)).credits).toBe(expectedCredits + 1);
    await running.close();
    expect(await lookup).toMatchObject({ head: '', bodyBytes: 0 });
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

  proof('huge: 64 MB', async () => {
    const { reply, credits } = await oneFault(`${prefix}huge:x1`);
    expect(statusOf(reply)).toBe(200);
    expect(reply.bodyBytes).toBeGreaterThan(64 * 1024 * 1024);
    expect(credits).toBe(expectedCredits);
  });

  proof('bomb: small on the wire, 200 MB unpacked', async () => {
    const { reply, credits } = await oneFault(`${prefix}bomb:x1`);
    expect(reply.head).toContain('content-encoding: gzip');
    expect(reply.bodyBytes).toBeLessThan(1024 * 1024);
    let unpackedBytes = 0;
    for await (const chunk of Readable.from([reply.body]).pipe(createGunzip())) unpackedBytes += chunk.length;
    expect(unpackedBytes).toBeGreaterThan(200 * 1024 * 1024);
    expect(credits).toBe(expectedCredits);
  });

  test.each([500, 502, 503, 504, 408, 425, 499, 507])('%d, with words', async (status) => {
    const { reply, credits } = await oneFault(`${prefix}${status}:x1`);
    expect(statusOf(reply)).toBe(status);
    expect(JSON.parse(reply.body.toString())).toEqual({ error: expect.any(String) });
    expect(credits).toBe(expectedCredits);
  });
});

describe('whole answers that are never charged', () => {
  test.each([400, 401, 402, 403, 404, 409, 418, 422])('%d', async (status) => {
    const { reply, credits } = await oneFault(`${status}:x1`);
    expect([statusOf(reply), credits]).toEqual([status, 0]);
  });

  test.each([301, 302])('%d says where to, and following it leads nowhere', async (status) => {
    const running = await sandbox({ matchRate: 1, faults: `${status}:x1` });
    const reply = await post(running.url, '/enrich/company', 'Bearer key-1', { domain: 'a.example' });
    expect([reply.status, reply.headers.get('location')]).toEqual([
      status,
      `${running.url}/moved/enrich/company`,
    ]);
    expect((await get(running.url, '/moved/enrich/company')).status).toBe(404);
    expect((await bookOf(running.url)).credits).toBe(0);
  });

  test('429, with and without Retry-After', async () => {
    const { url } = await sandbox({ matchRate: 1, faults: '429:x2' });
    const [first, second] = [await company(url, 'a.example'), await company(url, 'a.example')];
    expect([first.status, first.headers.get('retry-after')]).toEqual([429, '1']);
    expect([second.status, second.headers.get('retry-after')]).toEqual([429, null]);
    expect(await bookOf(url)).toMatchObject({ credits: 0, rate_limited: 0 });
  });

  test('limited-200: a rate limit that is only in the body', async () => {
    const { url } = await sandbox({ matchRate: 1, faults: 'limited-200:x1' });
    const reply = await company(url, 'a.example');
    expect(reply.status).toBe(200);
    expect(reply.json).toMatchObject({
      success: false,
      code: 'rate_limited',
      error: expect.stringContaining('Retry in 1s.'),
    });
    expect((await bookOf(url)).credits).toBe(0);
  });
});

proof('slow is the true answer, ten times as late and at least half a second', async () => {
  const waitsMs: number[] = [];
  const sleep = async (durationMs: number): Promise<void> => {
    waitsMs.push(durationMs);
  };
  const clock = { ...systemClock, sleep };
  for (const latencyMs of [0, 20, 200]) {
    const { url } = await sandbox({ matchRate: 1, faults: 'slow:x1', latencyMs, clock });
    expect((await company(url, 'a.example')).json.domain).toBe('a.example');
    expect((await bookOf(url)).credits).toBe(1);
  }
  expect(waitsMs).toEqual([500, 500, 2000]);
});

describe('a fault over a change of the service', () => {
  const permissions = { items: { serviceDefault: { actions: { admin: true } } } };
  const IN_PROJECT = 'Bearer proj-1:key-1';
  const changes = [
    [
      'create-project',
      '/latest/projects/create',
      'Bearer :key-1',
      { name: 'A', description: '', organization_id: 'o' },
    ],
    ['create-invite', '/latest/auth/invite/create', IN_PROJECT, { permissions, email: 'new@a.example' }],
    ['update-user', '/latest/auth/users/USER/update', 'proj-1:key-1', { permissions }],
    ['delete-invite', '/latest/auth/invite/delete', IN_PROJECT, { invite_code: 'CODE' }],
    ['remove-user', '/latest/auth/users/USER/delete', IN_PROJECT, {}],
  ] as const;

  test.each(changes)('of %s: lost before it is done, done before it is lost', async (...change) => {
    const [operation, path, authorization, body] = change;
    const { url } = await sandbox();
    const invite = (email: string): Promise<{ json: { invite_code: string } }> => {
      const viewer = { items: { serviceDefault: { actions: { 'role:viewer': true } } } };
      return post(url, '/latest/auth/invite/create', IN_PROJECT, { permissions: viewer, email });
    };
    await invite('member.uma@a.example');
    const { invite_code: code } = (await invite('pat@a.example')).json;
    const state = async (): Promise<{ users: { user: string }[] }> => (await get(url, '/sandbox/state')).json;
    const user = (await state()).users[0]?.user ?? '';
    const send = (): Promise<unknown> =>
      post(url, path.replace('USER', user), authorization, JSON.stringify(body).replace('CODE', code));
    await post(url, '/sandbox/faults', undefined, {
      faults: `reset@${operation}:x1,504@${operation}:x1,charged-reset@${operation}:x1`,
    });
    const before = await state();
    await expect(send()).rejects.toThrow();
    expect(await send()).toMatchObject({ status: 504 });
    expect(await state()).toEqual(before);
    await expect(send()).rejects.toThrow();
    expect(await state()).not.toEqual(before);
  });
});

describe('a fault that names an operation', () => {
  test('strikes it alone, and the others go on', async () => {
    const { url } = await sandbox({ matchRate: 1, faults: '500@enrich-company:x1,503@search-people:1' });
    const person = (): Promise<{ status: number }> =>
      post(url, '/enrich/person', 'Bearer key-1', { email: 'ann@a.example' });
    const search = (): Promise<{ status: number }> =>
      post(url, '/search/people', 'Bearer key-1', { company: 'A' });
    expect((await person()).status).toBe(200);
    expect([(await company(url, 'a.example')).status, (await company(url, 'a.example')).status]).toEqual([
      500, 200,
    ]);
    expect([(await search()).status, (await search()).status]).toEqual([503, 503]);
    expect((await bookOf(url)).faults).toEqual({ '500@enrich-company': 1, '503@search-people': 2 });
  });

  test.each(['500@enrich-companies:x1', '500@:x1', '500@enrich-company@x:x1', '500@list-users:x1'])(
    'that there is not is refused: %s',
    async (faults) => {
      const { url } = await sandbox();
      const { status, json } = await post(url, '/sandbox/faults', undefined, { faults });
      expect([status, json.error]).toEqual([
        400,
        expect.stringContaining('names no operation of the sandbox'),
      ]);
    },
  );
});

test('requests that are turned away use up no fault, and faults can be replaced', async () => {
  const { url } = await sandbox({ matchRate: 1, faults: '500:x1' });
  expect((await company(url, 'a.example', 'revoked-1')).status).toBe(401);
  expect((await company(url, 'a.example')).status).toBe(500);
  expect((await company(url, 'a.example')).status).toBe(200);
  await post(url, '/sandbox/faults', undefined, { faults: '503:1' });
  expect((await company(url, 'b.example')).status).toBe(503);
  const refused = await post(url, '/sandbox/faults', undefined, { faults: 'rest:0.5' });
  expect([refused.status, refused.json.error]).toEqual([400, expect.stringContaining('Did you mean reset?')]);
  expect((await company(url, 'b.example')).status).toBe(503);
  await post(url, '/sandbox/faults', undefined, { faults: '' });
  expect((await company(url, 'b.example')).status).toBe(200);
});

describe('how often', () => {
  const drawn = (text: string, seed: number, count: number): (string | undefined)[] => {
    const faults = new Faults(text, seed);
    return Array.from({ length: count }, () => faults.draw('enrich-company')?.name);
  };

  test('counts come first, in the order given', () => {
    expect(drawn('reset:x2,charged-500:x1', 1, 4)).toEqual(['reset', 'reset', 'charged-500', undefined]);
  });

  proof('probabilities hold, and the same seed gives the same faults', () => {
    const names = drawn('reset:0.2,charged-500:0.1', 1, 5000);
    const share = (name: string): number => names.filter((drawnName) => drawnName === name).length / 5000;
    expect(share('reset')).toBeCloseTo(0.2, 1);
    expect(share('charged-500')).toBeCloseTo(0.1, 1);
    expect(drawn('reset:0.2,charged-500:0.1', 1, 5000)).toEqual(names);
    expect(drawn('reset:0.2,charged-500:0.1', 2, 5000)).not.toEqual(names);
  });
});

describe('what cannot be a fault is refused, with the nearest name', () => {
  test.each([
    ['rest:0.1', 'Did you mean reset?'],
    ['charged-rest:0.1', 'Did you mean charged-reset?'],
    ['charged-402:0.1', 'never costs anything', 'Did you mean charged-4'],
    ['charged-429:0.1', 'never costs anything'],
    ['charged-slow:0.1', 'never costs anything'],
    ['200:0.1', '"200" is not a fault'],
    ['600:0.1', '"600" is not a fault'],
    ['reset', 'does not say how often'],
    ['reset:1.5', 'does not say how often'],
    ['reset:x0', 'does not say how often'],
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
