/**
 * Goal: a vendor that hands the account's key back, in whatever way, brings it into no file, no terminal and no log.
 * Method: the real command before a vendor that echoes a canary in every place of an answer. Then every command that shows
 * what was said, one that is killed before its store is closed, and every file of the folder is read, byte by byte.
 */
import { readdirSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { ScriptedVendor } from '../faults/scripted-vendor.ts';
import { type Desk, openDesk } from './desk.ts';

const KEY = 'canary_9f/Q~x+Zt0=71';

const json = (value: unknown): string => JSON.stringify(value);
const base64 = (bytes: string): string => Buffer.from(bytes).toString('base64');

/** The vendor's answer, by the first part of the domain that is asked for. */
const ANSWERS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  field: (response) => response.end(json({ name: `Acme ${KEY}`, [KEY]: 'as a name', tags: [KEY, 7] })),
  link: (response) => response.end(json({ name: 'Acme', next: `/page?key=${encodeURIComponent(KEY)}` })),
  basic: (response) =>
    response.end(json({ a: base64(KEY), b: base64(`p${KEY}!`), c: base64(`pq${KEY}`), d: 'Acme' })),
  escaped: (response) => response.end(`{"name":"${[...KEY].map(escaped).join('')}"}`),
  parted: (response) => response.end(json({ name: `Acme ${[...KEY].join('\u0001')}` })),
  packed: (response) => {
    response.setHeader('content-encoding', 'gzip').end(gzipSync(json({ name: `Packed ${KEY}` })));
  },
  header: (response) => {
    response.setHeader('x-request-id', KEY).setHeader('x-credits', `Bearer p:${KEY}`);
    response.writeHead(422).end(json({ message: `no such key: ${KEY}` }));
  },
  unknown: (response) => response.setHeader('content-encoding', KEY).end(json({ name: 'x' })),
  page: (response) => response.writeHead(500).end(`<html>Authorization: Bearer ${KEY}</html>`),
  odd: (response) => response.end(`not JSON: ${encodeURIComponent(KEY)}`),
  wire: (response) => response.socket?.end(`HTTP/1.1 200 ${KEY}\r\n${KEY}: \0${KEY}\r\n\r\n`),
  moved: (response) => response.writeHead(308, { location: `/elsewhere?token=${KEY}` }).end(),
  dead: (response) => response.writeHead(401).end(json({ error: `the key ${KEY} is not valid` })),
  good: (response) => response.end(json({ name: 'Acme' })),
};

function escaped(character: string): string {
  return `\\u00${character.charCodeAt(0).toString(16)}`;
}

async function openEchoingDesk(): Promise<Desk> {
  const vendor = await ScriptedVendor.start(({ body }, response) => {
    const { domain = '' } = JSON.parse(body || '{}');
    response.setHeader('content-type', 'application/json');
    ANSWERS[String(domain).split('.')[0] ?? '']?.(response);
  });
  onTestFinished(() => vendor[Symbol.asyncDispose]());
  const desk = await openDesk();
  desk.place.writeAccount(vendor.url, { key: KEY });
  return desk;
}

/** The ways in which it was echoed, and what every one of them would leave. */
const TRACES = [
  KEY,
  encodeURIComponent(KEY),
  base64(KEY).slice(0, -4),
  base64(`p${KEY}!`).slice(4, -4),
  base64(`pq${KEY}`).slice(4, -4),
  'canary_9f',
  '\\u0063\\u0061',
];

function tracesIn(bytes: string): readonly string[] {
  return TRACES.filter((trace) => bytes.toLowerCase().includes(trace.toLowerCase()));
}

/** Every file of the folder but the one in which the user wrote the key. */
function filesWithTraces({ place }: Desk): readonly string[] {
  const entries = readdirSync(place.folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name !== 'accounts.yaml');
  expect(files.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['ledger.db', 'ledger.db-wal', 'out.csv']),
  );
  return files.flatMap(({ parentPath, name }) =>
    tracesIn(readFileSync(`${parentPath}/${name}`, 'latin1')).map((trace) => `${name}: ${trace}`),
  );
}

const STOPS = ['moved', 'dead'];
const LOOKED_AT = ['field', 'basic', 'header', 'page', 'wire'];

test('an echoed key is in nothing that is written or shown', async () => {
  const desk = await openEchoingDesk();
  const names = Object.keys(ANSWERS).filter((name) => !STOPS.includes(name));
  await desk.write('list.csv', `Domain\n${names.map((name) => `${name}.example\n`).join('')}`);
  for (const name of STOPS) await desk.write(`${name}.csv`, `Domain\n${name}.example\n`);
  await desk.write('killed.csv', 'Domain\nfield.killed.example\n');
  const run = (list: string): string[] => ['run', 'enrich-company', list, '--budget', '100'];
  const commands: readonly (readonly string[])[] = [
    ['accounts', 'list', '--json'],
    ['doctor'],
    desk.run(),
    ...['status', 'settle', 'export'].map((word) => [
      word,
      'last',
      ...(word === 'export' ? ['-o', 'again.csv'] : []),
    ]),
    ...LOOKED_AT.map((name) => ['status', 'last', String(names.indexOf(name) + 2), '--json']),
    ...STOPS.flatMap((name) => [run(`${name}.csv`), ['status', 'last', '2', '--json']]),
  ];
  let said = '';
  for (const words of commands) {
    const { stdout, stderr } = await desk.type(words);
    said += `${words.join(' ')}\n${stdout}${stderr}\n`;
  }
  await desk.type(run('killed.csv'), { env: { ROWONCE_CRASH_AT: 'after-keep', ROWONCE_TEST_HOOKS: '1' } });
  expect(tracesIn(said)).toEqual([]);
  expect(filesWithTraces(desk)).toEqual([]);
  // The answers themselves are there, with a mark where the key was.
  const output = await desk.read('out.csv');
  expect(output.match(/\[redacted\]/g)?.length).toBeGreaterThan(5);
  expect(said).toContain('elsewhere?token=[redacted]');
});
