/**
 * Goal: a job sends notices about its lists, at least once, with nothing of a person in it, to whom the accounts file names.
 * Method: the real ledger and a real server that receives.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { systemClock as clock } from '../../src/core/clock.ts';
import { stop } from '../../src/core/errors.ts';
import { stopShown } from '../../src/core/stop-object.ts';
import { credits, type NoticeKind } from '../../src/ledger/ledger.ts';
import sqlite from '../../src/ledger/stores/sqlite.ts';
import type { RunObject } from '../../src/objects/run-object.ts';
import { sendNotices, toldBy } from '../../src/run/notices.ts';
import type { ResolvedJob } from '../../src/walk/resolved-job.ts';
import { accountsOf } from '../faults/ways.ts';
import { openStore, temporaryFolder } from '../ledger/stores/places.ts';
import { receiver } from './receiver.ts';

let folder: string;

beforeEach(() => {
  folder = temporaryFolder(onTestFinished);
  vi.stubEnv('ROWONCE_CONFIG', join(folder, 'config'));
});

/** The accounts file names a receiver `team`, or no one. */
function writeAccounts(team?: object): void {
  mkdirSync(join(folder, 'config'), { recursive: true });
  const accounts = accountsOf('direct', 'http://127.0.0.1:1', {});
  const file = { accounts, ...(team === undefined ? {} : { notify: { team } }) };
  writeFileSync(join(folder, 'config', 'accounts.yaml'), JSON.stringify(file), { mode: 0o600 });
}

function jobThatTells(team: object, ...on: NoticeKind[]): ResolvedJob {
  writeAccounts(team);
  const notify = { to: 'team', ...(on.length === 0 ? {} : { on }) };
  const job = { name: 'night', operation: { name: 'enrich-person' }, notify };
  const account = { identity: 'data', sandbox: false, budget: {} };
  return { job: { ...job, budget: { credits: credits(50) } }, account } as unknown as ResolvedJob;
}

const summary = {
  batch: '0a1b2c3d',
  rows: 4,
  counts: { matched: 2, invalid: 1, in_doubt: 1 },
  credits: { spent: 3, in_doubt: 1 },
  stopped: null,
} as unknown as RunObject;

async function openedStore() {
  const ledger = await openStore(sqlite, join(folder, 'store'));
  onTestFinished(() => ledger.close());
  return ledger;
}

test('the end, what is in doubt and a low balance are told once each, by numbers and ids alone', async () => {
  const told = await receiver();
  const chosen = jobThatTells({ webhook: told.url });
  const ledger = await openedStore();
  for (const balance of [49, 48])
    await toldBy(ledger, chosen, clock, async (hear) => {
      hear(balance);
      return summary;
    });
  await sendNotices(ledger, clock);
  await sendNotices(ledger, clock);
  expect(told.received.map(({ body }) => body.kind).sort()).toEqual(['doubt', 'end', 'low_balance']);
  expect(told.received.find(({ body }) => body.kind === 'end')).toEqual({
    key: expect.stringMatching(/^[0-9a-f]{32}$/),
    body: {
      id: told.received.find(({ body }) => body.kind === 'end')?.key,
      kind: 'end',
      at: expect.stringMatching(/Z$/),
      job: 'night',
      operation: 'enrich-person',
      sandbox: false,
      batch: '0a1b2c3d',
      rows: 4,
      counts: { matched: 2, invalid: 1, in_doubt: 1 },
      credits: { spent: 3, in_doubt: 1 },
      stopped: null,
      balance: 49,
    },
  });
});

test('a stop is told by its code, also where the run could not begin, and one by hand is not', async () => {
  const told = await receiver();
  const chosen = jobThatTells({ webhook: told.url }, 'stop');
  const ledger = await openedStore();
  const refused = stop('input', 'Jo Citizen.csv cannot be read: jo@acme.example.', 'Save it again.');
  await expect(toldBy(ledger, chosen, clock, () => Promise.reject(refused))).rejects.toBe(refused);
  for (const code of ['budget', 'interrupted'] as const)
    await toldBy(ledger, chosen, clock, async () => ({
      ...summary,
      stopped: stopShown({ code, message: 'x', next: 'y' }),
    }));
  await sendNotices(ledger, clock);
  expect(new Set(told.received.map(({ body }) => `${body.kind} ${body.stopped}`))).toEqual(
    new Set(['stop input', 'stop budget']),
  );
  expect(JSON.stringify(told.received)).not.toMatch(/Jo|acme|csv/);
});

test('nothing is sent to whom the accounts file no longer names, and an address leads to no other one', async () => {
  const other = await receiver();
  const told = await receiver((response) => response.writeHead(307, { location: other.url }).end());
  const ledger = await openedStore();
  const chosen = jobThatTells({ webhook: told.url }, 'end');
  await toldBy(ledger, chosen, clock, async () => summary);
  writeAccounts();
  const said: string[] = [];
  await sendNotices(ledger, clock, (sentence) => said.push(sentence));
  expect(said.at(-1)).toMatch(
    /^1 notice could not be sent \(.*accounts\.yaml has no "team" under notify\): the next run tries again\.$/,
  );
  expect(told.received).toEqual([]);
  writeAccounts({ webhook: told.url });
  await sendNotices(ledger, clock);
  expect(told.received.length).toBeGreaterThan(0);
  expect(other.received).toEqual([]);
});

test('a notice that somebody has written into the store reaches nobody', async () => {
  const told = await receiver();
  const chosen = jobThatTells({ webhook: told.url }, 'end');
  const ledger = await openedStore();
  await toldBy(ledger, chosen, clock, async () => summary);
  const forged = { kind: 'end' as const, target: 'team', body: '{"forged":true}', atMs: clock.wallMs() };
  await ledger.notices.keep({ ...forged, id: 'f'.repeat(32) });
  await sendNotices(ledger, clock);
  expect(told.received.map(({ body }) => body)).toEqual([expect.objectContaining({ kind: 'end' })]);
});

test('a command gets it on its standard input, and one that fails is started again by the next run', async () => {
  const [script, out] = ['tell.mjs', 'told.txt'].map((name) => join(folder, 'config', name)) as [
    string,
    string,
  ];
  const chosen = jobThatTells({ command: [process.execPath, 'tell.mjs'] }, 'end');
  writeFileSync(
    script,
    `import { appendFileSync, existsSync, readFileSync } from 'node:fs';
const isSecond = existsSync('told.txt');
appendFileSync('told.txt', readFileSync(0, 'utf8') + process.env.ROWONCE_NOTICE + '\\n');
process.exit(isSecond ? 0 : 1);`,
  );
  const ledger = await openedStore();
  await toldBy(ledger, chosen, clock, async () => summary);
  await sendNotices(ledger, clock);
  await sendNotices(ledger, clock);
  const [first = '', second] = readFileSync(out, 'utf8').trim().split('\n');
  expect(second).toBe(first);
  expect(first).toMatch(/^\{"id":"([0-9a-f]{32})".*\}\1$/);
  expect(await ledger.notices.waiting()).toEqual([]);
});
