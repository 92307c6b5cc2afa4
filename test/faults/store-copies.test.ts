import { existsSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { isUrl } from '../../src/ledger/store.ts';
import { proof, some } from '../combinations.ts';
import { postgresServer, type Server } from '../ledger/stores/postgres-server.ts';
import type { Ended } from './program.ts';
import { emailsOf, TeamWorkplace } from './team-workplace.ts';
import { domainsOf, type Order, Workplace } from './workplace.ts';

/*
 * Goal: a store that was copied is the same store elsewhere. Nothing is bought again there, every export is the same to the byte, and
 * what it was copied from buys nothing any more, wherever the copying was killed.
 * Method: the real command, in both directions, over a real server, with a database for each test. What was bought is read from the
 * vendor's book.
 */

const ROWS = 24;
const DOMAINS = domainsOf('copied', ROWS);

let server: Server;
beforeAll(async () => {
  server = await postgresServer();
});

type Kind = 'folder' | 'database';
let places = 0;

/** A place for a store, of which nobody else knows. */
async function freshPlace(place: Workplace, kind: Kind): Promise<string> {
  places += 1;
  if (kind === 'folder') return place.path(`store_${places}`);
  const name = `copy_${places}`;
  await server.createDatabase(name);
  return server.url(name);
}

const WAYS: readonly (readonly [Kind, Kind])[] = [
  ['folder', 'database'],
  ['folder', 'folder'],
  ['database', 'folder'],
];

async function openPlace(options: { readonly faults?: string; readonly concurrency?: number } = {}) {
  const place = await Workplace.open({ latencyMs: 5, ...options });
  place.writeList(DOMAINS);
  return place;
}

const copying = (from: string, to: string): readonly string[] => ['store', 'copy', from, to, '--json'];

async function copy(place: Workplace, from: string, to: string): Promise<void> {
  const { code, stderr } = await place.typeHere(copying(from, to));
  expect(code, stderr).toBe(0);
}

async function exported(place: Workplace, store: string, batch: string): Promise<Buffer> {
  places += 1;
  const name = `exported_${places}.csv`;
  const words = ['export', batch, '--store', store, '-o', place.path(name), '--json'];
  const { code, stderr } = await place.typeHere(words);
  expect(code, stderr).toBe(0);
  return readFileSync(place.path(name));
}

/** As an order names a store. */
const orderAt = (place: Workplace, store: string): Order => ({
  store: isUrl(store) ? store : store.slice(place.folder.length + 1),
});

async function ran(place: Workplace, store: string, codes: readonly number[] = [0]): Promise<Ended> {
  const ended = await place.runHere(orderAt(place, store));
  expect(codes, ended.stderr).toContain(ended.code);
  return ended;
}

const requestsOf = async ({ vendor }: Workplace): Promise<number> => (await vendor.book()).requests;

async function expectRefused(place: Workplace, store: string, copyAt: string): Promise<void> {
  const before = await requestsOf(place);
  const refused = await place.runHere({ ...orderAt(place, store), output: 'refused.csv' });
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain(`was copied to ${copyAt} on `);
  expect(refused.stderr).toContain(`--store ${copyAt}`);
  expect(await requestsOf(place)).toBe(before);
}

describe.each(some(WAYS, 1))('from a %s to a %s', (fromKind, toKind) => {
  test('exports are the same to the byte, nothing is bought again, and the former store buys nothing any more', async () => {
    await using place = await openPlace();
    const [from, to] = [await freshPlace(place, fromKind), await freshPlace(place, toKind)];
    const { report: { batch = '' } = {} } = await ran(place, from);
    const before = await exported(place, from, batch);
    await copy(place, from, to);
    expect(await exported(place, to, batch)).toEqual(before);
    expect(await exported(place, from, batch), 'what was copied is read as before').toEqual(before);
    const requests = await requestsOf(place);
    await ran(place, to);
    expect(await requestsOf(place), 'nothing is asked again').toBe(requests);
    await expectRefused(place, from, to);
    await copy(place, from, to);
    expect(await exported(place, to, batch), 'a copy that is there is left as it is').toEqual(before);
  });

  test.each(some(['copying:5', 'copying', 'copy-taken', 'copy-left'], 1))(
    'killed at %s, the same command goes on',
    async (crashAt) => {
      await using place = await openPlace();
      const [from, to] = [await freshPlace(place, fromKind), await freshPlace(place, toKind)];
      const { report: { batch = '' } = {} } = await ran(place, from);
      const before = await exported(place, from, batch);
      const killed = await place.type(copying(from, to), { ROWONCE_CRASH_AT: crashAt }).ended;
      expect(killed.signal, killed.stderr).toBe('SIGKILL');
      const atTo = await place.typeHere(['export', batch, '--store', to, '-o', place.path('early.csv')]);
      expect(atTo.code, 'what is not handed over is open to nobody').not.toBe(0);
      if (crashAt === 'copy-left') await expectRefused(place, from, to);
      else await ran(place, from);
      await copy(place, from, to);
      expect(await exported(place, to, batch)).toEqual(before);
      const requests = await requestsOf(place);
      await ran(place, to);
      expect(await requestsOf(place), 'nothing is asked again').toBe(requests);
      await expectRefused(place, from, to);
    },
  );

  proof('there and back again, and the batch goes on with what it has left', async () => {
    await using place = await openPlace();
    const [from, to, third] = [
      await freshPlace(place, fromKind),
      await freshPlace(place, toKind),
      await freshPlace(place, fromKind),
    ];
    const begun = await place.runHere({ ...orderAt(place, from), more: ['--limit', '9'] });
    expect(begun.code, begun.stderr).toBe(0);
    await copy(place, from, to);
    await copy(place, to, third);
    await expectRefused(place, to, third);
    await ran(place, third);
    const asked = place.vendor.requests().map(({ body }) => body.domain);
    expect(asked.toSorted()).toEqual(DOMAINS.toSorted());
    expect(place.statuses()).toEqual(DOMAINS.map(() => 'matched'));
  });

  proof('calls in doubt, what was decided about them and what they hold go with it', async () => {
    await using place = await openPlace({ faults: 'reset:0.3' });
    const [from, to] = [await freshPlace(place, fromKind), await freshPlace(place, toKind)];
    const { report: { batch = '', credits } = {} } = await ran(place, from, [3]);
    expect(credits?.in_doubt).toBeGreaterThan(0);
    const doubted = place.rows().findIndex(({ _status }) => _status === 'in_doubt') + 2;
    const settling = (store: string, row: number, ...words: readonly string[]) =>
      place.typeHere(['settle', batch, String(row), '--store', store, '--json', ...words]);
    const told = await settling(from, doubted, '--answer', 'employee_count=7');
    expect(told.code, told.stderr).toBe(0);
    const list = async (store: string) =>
      JSON.parse((await place.typeHere(['settle', batch, '--store', store, '--json'])).stdout);
    const [before, csv] = [await list(from), await exported(place, from, batch)];
    await copy(place, from, to);
    expect(await list(to)).toEqual(JSON.parse(JSON.stringify(before).replaceAll(from, to)));
    expect(await exported(place, to, batch)).toEqual(csv);
    const left = place.rows().findLastIndex(({ _status }) => _status === 'in_doubt') + 2;
    const skipped = await settling(to, left, '--skip');
    expect(skipped.code, skipped.stderr).toBe(0);
    const requests = await requestsOf(place);
    await ran(place, to, [0, 3]);
    expect(await requestsOf(place), 'nobody decided to ask again').toBe(requests);
  });
});

proof('a person who was forgotten stays forgotten, and is not bought again', async () => {
  await using place = await openPlace();
  const [from, to, back] = [
    await freshPlace(place, 'folder'),
    await freshPlace(place, 'database'),
    await freshPlace(place, 'folder'),
  ];
  place.writePeople(['ada@acme.example', 'ben@acme.example']);
  const order: Order = { job: 'enrich-person' };
  const first = await place.runHere({ ...orderAt(place, from), ...order });
  expect(first.code, first.stderr).toBe(0);
  const forgotten = await place.typeHere(['forget', 'ada@acme.example', '--yes', '--store', from]);
  expect(forgotten.code, forgotten.stderr).toBe(0);
  await copy(place, from, to);
  const requests = await requestsOf(place);
  for (const store of [to, back]) {
    if (store === back) await copy(place, to, back);
    place.writePeople(['ada@acme.example', 'ben@acme.example', `${store === to ? 'cy' : 'di'}@acme.example`]);
    const ended = await place.runHere({ ...orderAt(place, store), ...order });
    expect(ended.code, ended.stderr).toBe(0);
    expect(place.statuses()).toEqual(['skipped', 'matched', 'matched']);
  }
  expect(await requestsOf(place), 'two new people are asked about').toBe(requests + 2);
});

proof(
  'a list of a team is read in a database, where nothing is changed or decided, and goes on in a folder',
  async () => {
    await using team = await TeamWorkplace.open({ concurrency: 1 });
    const { place } = team;
    const people = emailsOf('copied', 6).map((email) => ({ email, role: 'viewer' }));
    await team.vendor.setFaults('reset@create-invite:x1');
    const { report: { batch = '', counts } = {} } = await team.apply(people);
    expect(counts).toEqual({ applied: 5, in_doubt: 1 });
    const [from, to, back] = [place.path('store'), await freshPlace(place, 'database'), place.path('back')];
    const before = await exported(place, from, batch);
    await copy(place, from, to);
    expect(await exported(place, to, batch)).toEqual(before);
    const row = String(place.rows().findIndex(({ _status }) => _status === 'in_doubt') + 2);
    for (const words of [
      ['settle', batch, row, '--skip', '--store', to],
      ['run', place.path('team.yaml'), place.path('team.csv'), '--yes', '--store', to],
    ]) {
      const refused = await place.typeHere(words);
      expect(refused.code, refused.stderr).toBe(2);
      expect(refused.stderr).toContain('takes only jobs that look things up');
    }
    await copy(place, to, back);
    expect(await exported(place, back, batch)).toEqual(before);
    const skipped = await place.typeHere(['settle', batch, row, '--not-done', '--store', back]);
    expect(skipped.code, skipped.stderr).toBe(0);
    const ended = await team.runHere({ store: 'back' });
    expect(ended.code, ended.stderr).toBe(0);
    expect(Object.values((await team.state()).roles())).toEqual(people.map(() => 'viewer'));
  },
);

describe('nothing is copied', () => {
  proof.each(['folder', 'database'] as const)(
    'from a %s where a run was cut off, until it has ended',
    async (kind) => {
      await using place = await openPlace();
      const [from, to] = [await freshPlace(place, kind), await freshPlace(place, 'folder')];
      expect((await place.run({ ...orderAt(place, from), crashAt: 'after-send:3' })).signal).toBe('SIGKILL');
      // A worker that was killed is believed to be at work until then.
      if (kind === 'database') await server.passTime(from);
      const refused = await place.typeHere(copying(from, to));
      expect(refused.code).toBe(2);
      expect(refused.stderr).toMatch(
        /Nothing was copied: a run of batch .* was cut off .*Run it once more.* run enrich-company/s,
      );
      expect(existsSync(`${to}/ledger.db`)).toBe(false);
      await ran(place, from, [0, 3]);
      await copy(place, from, to);
      await ran(place, to, [0, 3]);
    },
  );

  proof.each(['folder', 'database'] as const)('from a %s that another process spends from', async (kind) => {
    await using place = await openPlace();
    const [from, to] = [await freshPlace(place, kind), await freshPlace(place, 'folder')];
    const program = place.start(orderAt(place, from));
    while ((await place.vendor.book()).requests < 1) await program.said(/Batch/);
    program.signal('SIGSTOP');
    expect((await place.typeHere(copying(from, to))).code).toBe(76);
    program.signal('SIGCONT');
    expect((await program.ended).code).toBe(0);
  });

  test.each(some(['folder', 'database'] as const, 1))('to a %s that has a ledger', async (kind) => {
    await using place = await openPlace();
    const [from, to] = [await freshPlace(place, 'folder'), await freshPlace(place, kind)];
    await ran(place, from);
    await ran(place, to);
    const refused = await place.typeHere(copying(from, to));
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('has a ledger already');
    await ran(place, from);
  });

  test('from a place to itself', async () => {
    await using place = await openPlace();
    const from = await freshPlace(place, 'folder');
    const refused = await place.typeHere(copying(from, `${from}/../${from.split('/').at(-1)}`));
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('is named as both stores') });
  });
});
