/**
 * Goal: who keeps a store sees whether its books add up, and has a copy of it that buys nothing before a person says so. The owner of a
 * database lays it out by one command, and what that prints allows others just enough.
 * Method: the real commands over real stores, also while a run spends from one; books are altered past the database's own rules.
 * What was bought is read from the vendor's book.
 */
import { copyFileSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, test } from 'vitest';
import { domainsOf, Workplace } from '../faults/workplace.ts';
import { temporaryFolder } from '../ledger/stores/places.ts';
import { postgresServer, type Server } from '../ledger/stores/postgres-server.ts';
import { Desk, objectIn } from './desk.ts';
import { typedAt } from './typed.ts';

const ROWS = 6;

async function openPlace(options: Parameters<typeof Workplace.open>[0] = {}): Promise<Workplace> {
  const place = await Workplace.open(options);
  for (const list of ['one', 'two']) place.writeList(domainsOf(list, ROWS), `${list}.csv`);
  return place;
}

const listOf = (name: string) => ({ input: `${name}.csv`, output: `${name}-out.csv` });

/** As a person does who has nothing but the backup. */
function putBack(place: Workplace, backup: string, store: string): void {
  mkdirSync(place.path(store), { mode: 0o700 });
  copyFileSync(place.path(backup), place.path(`${store}/ledger.db`));
}

const requestsAt = async (place: Workplace): Promise<number> => (await place.vendor.book()).requests;

test('who has only bought play money looks after its store without naming it', async () => {
  const cwd = temporaryFolder();
  const env = { HOME: cwd, XDG_STATE_HOME: cwd, ROWONCE_STORE: '' };
  writeFileSync(join(cwd, 'list.csv'), 'Domain\nacme.example\n');
  const run = ['run', 'enrich-company', 'list.csv', '--account', 'sandbox-provider', '--budget', '5'];
  for (const words of [run, ['store', 'check'], ['store', 'info'], ['store', 'backup', 'kept.db']]) {
    const { code, stderr } = await typedAt(words, { cwd, env });
    expect({ words, code, stderr }).toMatchObject({ code: 0 });
  }
});

describe('a backup', () => {
  test('a backup that is put back buys nothing before a person accepts it, in its own place and in any other', async () => {
    await using place = await openPlace();
    const desk = new Desk(place);
    expect((await place.runHere(listOf('one'))).code).toBe(0);
    const made = await desk.type(['store', 'backup', 'kept.db']);
    expect(made, made.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('is in kept.db') });
    expect(statSync(place.path('kept.db')).mode & 0o777).toBe(0o600);
    expect(readdirSync(place.folder).filter((name) => name.startsWith('kept'))).toEqual(['kept.db']);
    rmSync(place.path('store'), { recursive: true });
    // No one there knows of a store. Nothing was bought since, which the backup cannot know.
    rmSync(place.path('state'), { recursive: true });

    for (const store of ['store', 'elsewhere']) {
      putBack(place, 'kept.db', store);
      const refused = await place.runHere({ ...listOf('two'), store });
      expect(refused).toMatchObject({ code: 2, report: { stopped: { code: 'store_lost' } } });
      expect(refused.stderr).toMatch(
        /is a backup that was put back\. What was bought after 20.*Z is not in it, and would be bought again\.\nRestore the newest store, or let a run continue without it by --accept store\.\n$/,
      );
      const looked = await desk.type(['status', 'last', '--store', place.path(store)]);
      expect(looked).toMatchObject({ code: 0, stderr: expect.stringContaining('Nothing is bought from it') });
    }
    expect(await requestsAt(place)).toBe(ROWS);

    const accepted = await place.runHere({ ...listOf('one'), more: ['--accept', 'store'] });
    expect(accepted, accepted.stderr).toMatchObject({ code: 0, report: { requests: 0 } });
    expect(await place.runHere(listOf('two'))).toMatchObject({ code: 0, report: { requests: ROWS } });
    expect(await desk.json(['store', 'check'])).toMatchObject({ broken: [], wrong: [] });
    // The other one still is what it was.
    expect((await place.runHere({ ...listOf('two'), store: 'elsewhere' })).code).toBe(2);
    expect(await requestsAt(place)).toBe(2 * ROWS);
  });

  test('a backup is made while a run spends, which goes on', async () => {
    await using place = await openPlace({ latencyMs: 50, concurrency: 1 });
    place.writeList(domainsOf('long', 40));
    const desk = new Desk(place);
    const program = place.start();
    await program.until(() => place.vendor.loggedBytes > 0);
    expect(await desk.type(['store', 'backup', 'kept.db'])).toMatchObject({ code: 0 });
    expect((await program.ended).code).toBe(0);
    putBack(place, 'kept.db', 'other');
    const words = ['store', 'check', '--store', place.path('other')];
    expect(await desk.type(words)).toMatchObject({ code: 0, stdout: expect.stringContaining('is sound: ') });
    const status = await desk.json(['status', 'last', '--store', place.path('other')]);
    expect(status).toMatchObject({ state: 'open' });
  });
});

describe('a store that is checked', () => {
  async function boughtPlace(): Promise<{ place: Workplace; desk: Desk }> {
    const place = await openPlace();
    await place.runHere(listOf('one'));
    return { place, desk: new Desk(place) };
  }

  test('a checked store whose budget is not what its entries add up to, says which and by how much, and ends with 2', async () => {
    const { place, desk } = await boughtPlace();
    expect(await desk.type(['store', 'check'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/ is sound: 5 budgets added up anew, as booked\.\n$/),
    });
    const database = new Database(place.path('store/ledger.db'));
    database.exec("UPDATE budgets SET spent = spent - 2 WHERE kind = 'day'");
    database.close();
    const wrong = await desk.type(['store', 'check']);
    expect(wrong.code).toBe(2);
    expect(wrong.stdout).toMatch(
      /^day:\d+:\d+: 4 spent and 0 held are booked, and its entries add up to 6 spent and 0 held\.\n$/,
    );
    expect(wrong.stderr).toContain('Restore the store from its newest backup');
    expect(objectIn((await desk.type(['store', 'check', '--json'])).stdout)).toMatchObject({
      broken: [],
      budgets: 5,
      wrong: [{ scope: expect.stringMatching(/^day:/), booked: { spent: 4 }, added: { spent: 6, held: 0 } }],
    });
  });
});

let server: Server;
beforeAll(async () => {
  server = await postgresServer();
});

test('what is printed can be run as it stands, and gives nobody the right to alter a schema or what was entered', async () => {
  await server.createDatabase('init grants');
  const { stdout } = await typedAt(['store', 'init', server.url('init grants')]);
  await server.query('init grants', stdout);
  const asRole = (role: string, text: string): Promise<unknown> =>
    server.query('init grants', `SET ROLE rowonce_${role}; SET search_path = rowonce_ledger; ${text}`);
  await asRole('worker', 'DELETE FROM files; UPDATE accounts SET paused_until = NULL');
  await asRole('reader', 'SELECT count(*) FROM attempts; SELECT count(*) FROM rowonce_queue.job');
  for (const refused of ['CREATE TABLE more ()', 'DROP TABLE rows', 'DELETE FROM attempts'])
    await expect(asRole('worker', refused), refused).rejects.toThrow(/permission denied|must be owner/);
  await expect(asRole('reader', 'DELETE FROM files')).rejects.toThrow('permission denied');
});

test('a folder needs not to be laid out', async () => {
  expect((await typedAt(['store', 'init', '/tmp/nowhere'])).stderr).toContain('does not need to be set up');
});
