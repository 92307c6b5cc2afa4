/**
 * Goal: whoever bought with an earlier Rowonce buys nothing again. A store of its layout is refused by one sentence with the command
 * that copies it, nothing of it is lost by that, and at no moment can both ledgers be spent from, wherever the copying is killed.
 * Method: what the real programs of layouts 6, 7 and 8 left of three lists is kept as SQL, with what they wrote. The real command copies
 * it and runs the lists again, before vendors on real sockets that hear whatever is asked.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { parse } from 'csv-parse/sync';
import { describe, expect, onTestFinished, test } from 'vitest';
import { LAYOUT } from '../../src/ledger/layouts.ts';
import { isUrl } from '../../src/ledger/store.ts';
import { layOutQueue } from '../../src/run/work-queue.ts';
import { lastCommand } from '../cli/desk.ts';
import type { Ended } from '../cli/rowonce.ts';
import { typedAt } from '../cli/typed.ts';
import { environmentOf, NAMES, runOf, vendorOfThen, writeFolder } from '../ledger/stores/earlier/desk.ts';
import { type Kind, type Place, placeWith } from '../ledger/stores/earlier/places.ts';
import { temporaryFolder } from '../ledger/stores/places.ts';
import { proof, some } from '../support/combinations.ts';
import { Vendor } from './vendor.ts';

const HERE = join(import.meta.dirname, '..', 'ledger', 'stores', 'earlier');

/** What an earlier Rowonce has left in one of both kinds of stores, and its user's folder. A database takes no team. */
class Upgraded {
  readonly layout: number;
  readonly kind: Kind;
  readonly folder: string;
  readonly from: Place;
  /** Requests that may cost or change something. */
  readonly bought: () => Promise<number>;

  private constructor(
    layout: number,
    kind: Kind,
    folder: string,
    from: Place,
    bought: () => Promise<number>,
  ) {
    this.layout = layout;
    this.kind = kind;
    this.folder = folder;
    this.from = from;
    this.bought = bought;
  }

  static async open([layout, kind]: readonly [number, Kind]): Promise<Upgraded> {
    const folder = temporaryFolder();
    const vendor = await vendorOfThen();
    const team = await Vendor.start(folder);
    onTestFinished(async () => {
      await vendor[Symbol.asyncDispose]();
      await team.stop();
    });
    await writeFolder(folder, vendor.url, team.url);
    const bought = async (): Promise<number> =>
      vendor.requests.filter(({ method }) => method !== 'GET').length + (await team.book()).requests;
    return new Upgraded(layout, kind, folder, await placeWith(kind, `layout-${layout}/`, folder), bought);
  }

  type(words: readonly string[], store = this.from.location, env = {}): Promise<Ended> {
    return typedAt(words, { cwd: this.folder, env: { ...environmentOf(this.folder, store), ...env } });
  }

  async typed(words: readonly string[], store?: string): Promise<string> {
    const { code, stderr } = await this.type(words, store);
    expect(code, stderr).toBe(0);
    return stderr;
  }

  /** What the earlier program noted outside of the store: its newest request. @param more requests that the store lacks. */
  async noted(more = 0): Promise<void> {
    const [now] = await this.from.query(
      `SELECT value AS identity, a.id, a.sent_at FROM meta, attempts a WHERE name = 'identity'
       ORDER BY a.sent_at DESC, a.id DESC LIMIT 1`,
    );
    const notes = join(this.folder, 'state', 'rowonce-ledgers');
    mkdirSync(notes, { recursive: true, mode: 0o700 });
    const place = this.from.location.replace(/\/\/[^@]*@/, '//');
    writeFileSync(join(notes, `${now?.identity}`), `${Number(now?.id) + more} ${now?.sent_at}\n${place}\n`);
  }

  /** The command that a refusal ends with. */
  async copyCommand(): Promise<readonly string[]> {
    const { code, stderr } = await this.type(runOf('companies'));
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(REFUSED) });
    return lastCommand(stderr);
  }

  /** Runs every list again, and sees that each comes back as the earlier program wrote it, and that no one was asked. */
  async expectNothingBought(store = this.from.location): Promise<void> {
    const isDatabase = this.kind === 'database' || isUrl(store);
    for (const name of isDatabase ? NAMES.filter((each) => each !== 'team') : NAMES) {
      const { stderr } = await this.type(runOf(name), store);
      const was = `layout-${this.layout}/${this.kind === 'folder' ? 'sqlite' : 'postgres'}-${name}-out.csv`;
      // A column that was not there then is blank.
      expect(rowsOf(join(this.folder, `${name}-out.csv`)), stderr).toMatchObject(rowsOf(join(HERE, was)));
    }
    expect(await this.bought()).toBe(0);
    expect(await this.typed(['store', 'check'], store)).toBe('');
  }
}

const REFUSED =
  'was made by an earlier Rowonce, which kept the ledger in another form. Nothing in it was changed.';
const rowsOf = (path: string): readonly object[] => parse(readFileSync(path), { columns: true });

const LEFT: readonly (readonly [number, Kind])[] = [
  [6, 'folder'],
  [7, 'folder'],
  [7, 'database'],
  [8, 'folder'],
  [8, 'database'],
];

const LAST_BATCH = 'SELECT id FROM batches ORDER BY number DESC LIMIT 1';
const COPIED_TO = `SELECT value FROM meta WHERE name = 'copied_to'`;

describe.each(LEFT)('a store of layout %i in a %s', (...left) => {
  const once = some(LEFT, 2).some((each) => each.join() === left.join()) ? test : proof;

  once('every command refuses it with the command that copies it, and leaves it as it is', async () => {
    const at = await Upgraded.open(left);
    const { location, query } = at.from;
    const tables = async () => [
      await query('SELECT * FROM steps'),
      await query('SELECT * FROM meta ORDER BY name'),
    ];
    const before = await tables();
    const [batch] = await query(LAST_BATCH);
    const readers = [
      ['status'],
      ['status', `${batch?.id}`],
      ['export', `${batch?.id}`],
      ['spend'],
      ['log'],
      ['serve'],
    ];
    const stores = [
      ['store', 'info'],
      ['store', 'check'],
      ['store', 'purge', '--older-than', '9d', '--yes'],
    ];
    const writers = [
      runOf('people'),
      ['settle', `${batch?.id}`, '--not-done'],
      ['forget', 'ann@acme.com', '--yes'],
    ];
    const workers = at.kind === 'folder' ? [] : [['worker'], ['store', 'init', location]];
    const plan = ['plan', 'companies.yaml', 'companies.csv'];
    if (at.kind === 'database') await layOutQueue(location);
    for (const words of [plan, ...readers, ...stores, ...writers, ...workers]) {
      const { code, stderr } = await at.type(words);
      expect({ code, stderr }, words.join(' ')).toEqual({
        code: 2,
        stderr: expect.stringContaining(REFUSED),
      });
      expect(lastCommand(stderr), words.join(' ')).toEqual(['store', 'copy', location, location]);
    }
    const doctor = await at.type(['doctor']);
    expect(doctor.stdout).toContain(REFUSED);
    expect(doctor.stdout).toContain(`store copy ${location} ${location}`);
    expect(await tables()).toEqual(before);
    expect(await at.bought()).toBe(0);
  });

  test('after the command that the refusal types out, the same runs go on, and buy nothing', async () => {
    const at = await Upgraded.open(left);
    await at.noted();
    const copy = await at.copyCommand();
    await at.typed(copy);
    expect(await at.from.query('SELECT number FROM steps')).toEqual([{ number: LAYOUT }]);
    await at.expectNothingBought();
    const again = await at.type(copy);
    expect(again.stderr).toContain('has the form of this Rowonce');
  });

  once.each(some(['copying:5', 'copy-taken', 'copy-left'] as const, 1))(
    'a copy in its place that is killed at %s: what is there is whole, and the same command goes on',
    async (crashAt) => {
      const at = await Upgraded.open(left);
      const copy = await at.copyCommand();
      const killed = await at.type(copy, undefined, { ROWONCE_CRASH_AT: crashAt });
      expect(killed.code, killed.stderr).toBe(null);
      expect(await at.from.query(COPIED_TO)).toHaveLength(crashAt === 'copy-left' ? 1 : 0);
      expect(await at.copyCommand()).toEqual(copy);
      await at.typed(copy);
      await at.expectNothingBought();
    },
  );

  once.each(some(['folder', 'database'] as const, 1))(
    'it is copied to a %s, where nothing is bought again, and from where it was nothing is',
    async (kind) => {
      const at = await Upgraded.open(left);
      const to = await placeWith(kind, undefined, at.folder);
      const copy = ['store', 'copy', at.from.location, to.location];
      const killed = await at.type(copy, undefined, { ROWONCE_CRASH_AT: 'copy-left' });
      expect(killed.code, killed.stderr).toBe(null);
      await at.typed(copy);
      await at.typed(copy);
      const { stderr } = await at.type(runOf('companies'));
      expect(stderr).toContain(`It was copied to ${to.location} on `);
      expect(stderr).toContain(`--store ${to.location}`);
      await at.expectNothingBought(to.location);
    },
  );
});

test('a folder keeps what was copied in its place under another name, and nothing is bought from that', async () => {
  const at = await Upgraded.open([7, 'folder']);
  const kept = join(at.from.location, 'ledger.db.layout-7');
  expect(await at.typed(await at.copyCommand())).toContain(
    `is kept as ${kept}.\nA forget does not reach that old copy`,
  );
  const database = new Database(kept, { readonly: true });
  onTestFinished(() => void database.close());
  expect(database.prepare('SELECT max(number) FROM steps').pluck().get()).toBe(7);
  expect(database.prepare(COPIED_TO).pluck().get()).toContain(at.from.location);
});

test('what another process has open is not copied in its place before that has ended', async () => {
  const at = await Upgraded.open([7, 'folder']);
  const page = new Database(join(at.from.location, 'ledger.db'));
  onTestFinished(() => void page.close());
  page.pragma('journal_mode = WAL');
  page.prepare('SELECT 1 FROM rows').get();
  const copy = await at.copyCommand();
  const { code, stderr } = await at.type(copy);
  expect({ code, stderr }).toEqual({
    code: 76,
    stderr: expect.stringContaining('Another program holds the ledger'),
  });
  page.close();
  await at.typed(copy);
  await at.expectNothingBought();
});

test('what is connected to a database is named, and nothing is copied in its place before that has ended', async () => {
  const at = await Upgraded.open([7, 'database']);
  const { location } = at.from;
  const copy = await at.copyCommand();
  // A page of an earlier Rowonce, which wants the tables that it knows.
  const { Client } = (await import('pg')).default;
  const page = new Client({ connectionString: location, application_name: 'rowonce' });
  await page.connect();
  const { code, stderr } = await at.type(copy);
  expect({ code, stderr }).toEqual({ code: 76, stderr: expect.stringContaining('is connected to') });
  await page.end();
  await at.typed(copy);
  await at.expectNothingBought();
});

test('the roles of a database may do in a copy in its place what they did', async () => {
  const at = await Upgraded.open([7, 'database']);
  const { query } = at.from;
  await query('GRANT USAGE ON SCHEMA rowonce_ledger TO rowonce_worker');
  await query('GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA rowonce_ledger TO rowonce_worker');
  await query('GRANT SELECT, USAGE ON ALL SEQUENCES IN SCHEMA rowonce_ledger TO rowonce_worker');
  await query('GRANT DELETE ON files, places TO rowonce_worker');
  await at.typed(await at.copyCommand());
  const rights = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'].map(
    (right) => `SELECT has_table_privilege('rowonce_worker', 'batches', '${right}') AS may`,
  );
  expect(await query(rights.join(' UNION ALL '))).toEqual([true, true, true, false].map((may) => ({ may })));
  const asWorker = at.from.location.replace(/\/\/[^@]*@/, '//rowonce_worker@');
  await at.expectNothingBought(asWorker);
});

test('a store that lacks what was bought buys nothing from its copy, either, before a person accepts that', async () => {
  const at = await Upgraded.open([7, 'folder']);
  await at.noted(1);
  await at.typed(await at.copyCommand());
  const lost = 'is not the newest one';
  expect(await at.type(runOf('companies'))).toMatchObject({ code: 2, stderr: expect.stringContaining(lost) });
  expect((await at.type([...runOf('companies'), '--accept', 'store'])).code).toBe(3);
  expect(await at.bought()).toBe(0);
});
