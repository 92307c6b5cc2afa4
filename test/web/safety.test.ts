/**
 * Goal: nobody but the user's own tabs and tools gets anything from the page's server, whatever is sent to its port.
 * Method: requests to a real `rowonce serve` that no browser would send, one promise a test. What a browser decides is in
 * `browser-safety.test.ts`.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Guard, newAddress } from '../../src/web/server/guard.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { type Answer, type Asked, Served, wordOf } from './served.ts';

let served: Served;
let tab: string;

beforeAll(async () => {
  served = await Served.start();
  tab = JSON.parse((await enter(served.word)).body).token;
});
afterAll(() => served[Symbol.asyncDispose]());

const ofPage = () => ({ ...served.ofPage, 'sec-fetch-mode': 'cors' });

const enter = (opening: string, headers?: Readonly<Record<string, string>>): Promise<Answer> =>
  served.enter(opening, headers);

function asTab(path: string, { headers, ...asked }: Asked = {}): Promise<Answer> {
  return served.ask(path, { ...asked, headers: { ...ofPage(), authorization: `Bearer ${tab}`, ...headers } });
}

const newWord = (): Promise<string> => served.newWord();

/** A `Host` in which PORT and NAME stand for those of this start. */
const hostOf = (pattern: string): string =>
  pattern.replace('PORT', String(served.port)).replace('NAME', new URL(served.url).hostname);

/** Of another page, or of an earlier start of this one. */
const FOREIGN = [
  'evil.example',
  'evil.example:PORT',
  'localhost:PORT',
  'abcdefghijklmnopqrstuvwxyz.localhost:PORT',
  'NAME:PORT.evil.example',
  '127.0.0.1',
  'user@127.0.0.1:PORT',
  '[::1]:PORT',
];

describe('the host', () => {
  test('the host is a name of this start: 26 letters that are not those of another', async () => {
    const { hostname } = new URL(served.url);
    expect(hostname).toMatch(/^[a-z]{26}\.localhost$/);
    await using other = await Served.start();
    expect(new URL(other.url).hostname).not.toBe(hostname);
    expect((await other.ask('/', { headers: { host: `${hostname}:${other.port}` } })).status).toBe(403);
  });

  test.each(FOREIGN)('%s is refused, even with the token', async (pattern) => {
    const host = hostOf(pattern);
    const { status, body } = await served.tool('/api/tasks', { headers: { host } });
    expect([400, 403]).toContain(status);
    if (status === 403) expect(JSON.parse(body).error.message).toContain("is not this page's");
    expect((await served.ask('/', { headers: { host } })).status).toBe(status);
  });

  test.each(['127.0.0.1:PORT', 'localhost:PORT', 'abcdefghijklmnopqrstuvwxyz.localhost:PORT'])(
    '%s has nothing of the page, and says where it is',
    async (pattern) => {
      for (const path of ['/', '/batches/12345678', '/page.js', '/icon.svg']) {
        const { status, body } = await served.ask(path, { headers: { host: hostOf(pattern) } });
        expect(status).toBe(403);
        expect(body).toBe('The page is not at this address. To open it, type: npx rowonce serve');
      }
    },
  );

  test('the host is where a tab is let in: no word and no token of one opens anything at the bare address', async () => {
    const host = hostOf('127.0.0.1:PORT');
    const there = { ...ofPage(), host, origin: `http://${host}` };
    expect((await enter(await newWord(), there)).status).toBe(401);
    expect((await asTab('/api/tasks')).status).toBe(200);
    expect((await asTab('/api/tasks', { headers: there })).status).toBe(401);
    expect((await served.tool('/api/tasks', { headers: there })).status).toBe(200);
  });

  test('the host may have another port, that of the near end of a tunnel, which is then of the origin, too', async () => {
    const [host, other] = [hostOf('NAME:1'), hostOf('NAME:2')];
    const there = { ...ofPage(), host, origin: `http://${host}` };
    expect((await enter(await newWord(), { ...there, origin: `http://${other}` })).status).toBe(403);
    expect((await enter(await newWord(), there)).status).toBe(200);
  });
});

describe('another page', () => {
  test.each([
    ['of another port of this machine', { 'sec-fetch-site': 'same-site' }],
    ['of another site', { 'sec-fetch-site': 'cross-site' }],
    [
      'that sends a form, which a browser takes for an opened page',
      { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    ],
    ['by its origin', { origin: 'http://127.0.0.1:1' }],
    ['without an origin that can be told', { origin: 'null' }],
  ])('%s is refused, even with the token', async (_what, headers) => {
    const { status, body } = await served.tool('/api/openings', { method: 'POST', headers });
    expect([status, body]).toEqual([403, expect.not.stringContaining('opening":"')]);
    expect((await asTab('/api/tasks', { headers })).status).toBe(403);
  });

  test.each([
    [
      'have our files as parts of its own',
      '/page.js',
      { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' },
    ],
    ['show ours in a frame', '/', { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }],
  ])('another page cannot %s', async (_what, path, headers) => {
    const asked = { headers: { 'sec-fetch-site': 'same-site', ...headers } };
    expect((await served.ask(path, asked)).status).toBe(403);
  });

  test('another page may have a link to ours', async () => {
    const headers = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    };
    expect((await served.ask('/', { headers })).status).toBe(200);
  });
});

describe('without a token', () => {
  test.each([
    ['no header', {}],
    ['one of the right length', { authorization: `Bearer ${'A'.repeat(43)}` }],
    ['the right one in a cookie', { cookie: 'token=TOKEN' }],
    ['the right one with more behind it', { authorization: 'Bearer TOKENx' }],
  ])('nothing is answered: %s', async (_what, headers) => {
    const named = JSON.parse(JSON.stringify(headers).replace('TOKEN', served.note.token));
    for (const [method, path] of [
      ['GET', '/api/tasks'],
      ['HEAD', '/api/batches'],
      ['OPTIONS', '/api/batches'],
      ['POST', '/api/openings'],
      ['DELETE', '/api/tasks'],
      ['GET', '/api/nothing'],
    ] as const)
      expect([path, (await served.ask(path, { method, headers: named })).status]).toEqual([path, 401]);
  });

  test('a word of the address is no token', async () => {
    const authorization = `Bearer ${await newWord()}`;
    expect((await served.ask('/api/tasks', { headers: { authorization } })).status).toBe(401);
  });

  test('the token of a tab does nothing where the page is not known to ask', async () => {
    const authorization = `Bearer ${tab}`;
    expect((await served.ask('/api/tasks', { headers: { authorization } })).status).toBe(403);
    const { origin: _left, ...rest } = ofPage();
    const headers = { ...rest, authorization };
    expect((await served.ask('/api/openings', { method: 'POST', headers })).status).toBe(403);
    expect((await served.ask('/api/tasks', { headers })).status).toBe(200);
  });
});

describe('the word of an address', () => {
  test('the word of an address opens once', async () => {
    const word = await newWord();
    expect((await enter(word)).status).toBe(200);
    expect((await enter(word)).status).toBe(401);
  });

  test('the word of an address opens nothing for who does not come from the page', async () => {
    const word = await newWord();
    const { origin, ...withoutOrigin } = ofPage();
    expect((await enter(word, withoutOrigin)).status).toBe(403);
    expect((await enter(word, { origin: origin ?? '' })).status).toBe(403);
    // None of these has used it up.
    expect((await enter(word)).status).toBe(200);
  });

  test('the word of an address opens for a minute', () => {
    const clock = new VirtualClock();
    const guard = new Guard(newAddress(80), clock);
    const [early, late] = [wordOf(guard.opening().address), wordOf(guard.opening().address)];
    clock.nowMs += 59_999;
    expect(guard.admit(early)).toMatch(/^[\w-]{43}$/);
    clock.nowMs += 1;
    expect(guard.admit(late)).toBe(undefined);
  });

  test('the word of an address is none that somebody made up', async () => {
    for (const made of ['', 'x', 'A'.repeat(43), '__proto__']) expect((await enter(made)).status).toBe(401);
    expect((await enter('A'.repeat(101))).status).toBe(400);
  });
});

test('no request leads a night to a folder of the machine', async () => {
  const list = JSON.parse(
    (await served.tool('/api/lists?name=a.csv', { method: 'PUT', body: 'Website\na.example\n' })).body,
  ).id;
  const job = JSON.stringify({ operation: 'enrich-company', account: 'sandbox-provider' });
  expect((await served.tool(`/api/lists/${list}/job`, { method: 'PUT', body: job })).status).toBe(200);
  const asked = async (more: object): Promise<number> => {
    const body = JSON.stringify({ list, at: '02:00', credits: 9, ...more });
    return (await served.tool('/api/nights', { method: 'POST', body })).status;
  };
  expect(await asked({})).toBe(200);
  for (const inbox of [served.folder, '/etc', '..', './x', '../x', '', 'crm'])
    expect([inbox, await asked({ inbox })]).toEqual([inbox, 400]);
  for (const entry of ['folder', 'path', 'text', 'job', 'schedule', 'notify'])
    expect([entry, await asked({ [entry]: '/etc' })]).toEqual([entry, 400]);
  for (const at of ['* * * * *', '24:00', '02:00\ninbox: /etc'])
    expect([at, await asked({ at })]).toEqual([at, 400]);
  expect(existsSync(join(served.folder, 'store', 'nights'))).toBe(false);
});

test('every answer says what a browser may do with it', async () => {
  const policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  const answers = [
    await served.ask('/'),
    await served.ask('/page.js'),
    await served.ask('/nothing.js'),
    await served.ask('/api/tasks'),
    await asTab('/api/tasks'),
    await served.ask('/', { headers: { host: 'evil.example' } }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 401, 200, 403]);
  for (const { headers } of answers)
    expect(headers).toMatchObject({
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
    });
  expect(answers.flatMap(({ headers }) => headers['set-cookie'] ?? [])).toEqual([]);
});
