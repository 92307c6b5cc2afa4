/**
 * Goal: what a store says is data. Whoever hands one over, or writes into it, has no file written or removed, no command started or shown
 * to be typed, and nothing sent that was not agreed to.
 * Method: the real commands over a store in which texts are forged, one attack after the other, and then every text column. What
 * counts is what happens outside: files, what is printed to be typed, requests. Forged work orders: `cli/worker.test.ts`.
 */
import { hash } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { type Desk, deskBefore, openDesk } from '../cli/desk.ts';
import type { Ended } from '../cli/rowonce.ts';
import { typedAt } from '../cli/typed.ts';
import { proof, some } from '../support/combinations.ts';
import { Served } from '../web/served.ts';
import { openHost } from './database-host.ts';
import { domainsOf, type Workplace } from './workplace.ts';

const MARK = 'touch forged';

/** A desk with a list that a budget has stopped in the middle, and a home in which no one has anything to do. */
async function stoppedDesk(job = 'enrich-company', desk?: Desk): Promise<Desk> {
  const at = desk ?? (await openDesk({ matchRate: 1, concurrency: 1 }));
  for (const folder of ['lists', 'home']) mkdirSync(at.place.path(folder), { recursive: true });
  writeFileSync(at.place.path('home/kept.csv'), 'Domain\npaid.example\n');
  at.place.writeList(domainsOf('own', 4), 'lists/list.csv');
  const ended = await at.type(['run', job, 'lists/list.csv', '--budget', '2', '-o', 'lists/out.csv']);
  expect(ended, ended.stderr).toMatchObject({ code: 4 });
  return at;
}

/** The same, of a job that sweeps an inbox. */
async function stoppedNight(budget = 2): Promise<Desk> {
  const desk = await openDesk({ matchRate: 1, concurrency: 1 });
  mkdirSync(desk.place.path('inbox'));
  const job = `operation: enrich-company\ninbox: ./inbox\nbudget: { credits: ${budget} }\n`;
  await desk.write('night.yaml', job);
  return stoppedDesk('night.yaml', desk);
}

function inStore<T>(desk: Desk, work: (db: Database.Database) => T): T {
  const db = new Database(desk.place.path('store/ledger.db'));
  try {
    return work(db);
  } finally {
    db.close();
  }
}

type Facts = Record<string, unknown> & { settings: Record<string, unknown> };

/** The files of an erasure that was not finished. */
const forgeErasure = (desk: Desk, ...files: readonly string[]): void =>
  inStore(desk, (db) => {
    const erased =
      "INSERT INTO notes (at, kind, said, who, words, facts) VALUES (1, 'erased', 'age', 'person', '', ?)";
    db.prepare(erased).run(JSON.stringify(files));
  });

const forgeFacts = (desk: Desk, forge: (facts: Facts) => void): void =>
  inStore(desk, (db) => {
    for (const { id, facts } of db.prepare('SELECT id, facts FROM batches').all() as {
      id: string;
      facts: string;
    }[]) {
      const forged: Facts = JSON.parse(facts);
      forge(forged);
      db.prepare('UPDATE batches SET facts = ? WHERE id = ?').run(JSON.stringify(forged), id);
    }
  });

const home = (desk: Desk): readonly string[] => readdirSync(desk.place.path('home')).sort();
const UNTOUCHED = ['kept.csv'];

/** What a person is told to type. */
async function toldToType(desk: Desk): Promise<string> {
  const said: unknown[] = [(await desk.json(['status', 'last'])).next];
  for (const words of [
    ['status', 'last'],
    ['resume', 'last'],
  ]) {
    const { stderr } = await desk.type(words);
    said.push(stderr.match(/^.*(?:rowonce|To continue).*$/gm));
  }
  return JSON.stringify(said);
}

/** Each forges a store and uses it as its owner would. @returns whether something got out of it. */
const ATTACKS: Readonly<Record<string, () => Promise<boolean>>> = {
  async 'an export writes a profile of the shell'() {
    const desk = await stoppedDesk();
    forgeFacts(desk, (facts) => (facts.outputPath = desk.place.path('home/.bash_profile')));
    await desk.type(['export', 'last']);
    return home(desk).length > UNTOUCHED.length;
  },
  async 'a night writes it'() {
    const desk = await stoppedNight(9);
    forgeFacts(desk, (facts) => (facts.outputPath = desk.place.path('home/.bash_profile')));
    await desk.type(['nightly', 'night.yaml']);
    return home(desk).length > UNTOUCHED.length;
  },
  async 'the name of an output leads to another folder'() {
    const desk = await stoppedDesk();
    forgeFacts(desk, (facts) => {
      delete facts.outputPath;
      Object.assign(facts.settings, { output_path: undefined, output_name: '/../../home/x' });
    });
    await desk.type(['export', 'last']);
    return home(desk).length > UNTOUCHED.length;
  },
  async 'an export writes below the folder of a list that the same row names'() {
    const desk = await stoppedDesk();
    const outputPath = desk.place.path('home/CMakeLists.txt');
    forgeFacts(desk, (facts) => Object.assign(facts, { inputPath: '/nowhere.txt', outputPath }));
    await desk.type(['export', 'last']);
    return home(desk).length > UNTOUCHED.length;
  },
  async 'the hash of a list proves its path, which stands in the same row'() {
    const desk = await stoppedDesk();
    const inputPath = desk.place.path('home/kept.csv');
    const inputSha256 = hash('sha256', readFileSync(inputPath), 'hex');
    forgeFacts(desk, (facts) => Object.assign(facts, { inputPath, inputSha256, outputPath: undefined }));
    for (const words of [
      ['export', 'last'],
      ['status', 'last'],
      ['settle', 'last'],
    ]) {
      const { stdout, stderr } = await desk.type(words);
      if (/run enrich-company \S*kept/.test(stdout + stderr)) return true;
    }
    return home(desk).length > UNTOUCHED.length;
  },
  async 'the name of an output hides it among the lists of its folder'() {
    const desk = await stoppedDesk();
    forgeFacts(desk, (facts) => {
      delete facts.outputPath;
      Object.assign(facts.settings, { output_path: undefined, output_name: 'june' });
    });
    await desk.type(['export', 'last']);
    await desk.type(['run', 'enrich-company', 'lists/list.csv', '--budget', '2']);
    return existsSync(desk.place.path('lists/list.june.csv'));
  },
  async 'a file of the user counts as one that was written here'() {
    const desk = await stoppedDesk();
    const path = desk.place.path('lists/list.enriched.csv');
    writeFileSync(path, 'mine\n');
    forgeFacts(desk, (facts) => (facts.outputPath = path));
    inStore(desk, (db) =>
      db
        .prepare("UPDATE OR REPLACE files SET path = ?, sha256 = ? WHERE kind = 'written'")
        .run(path, hash('sha256', 'mine\n', 'hex')),
    );
    await desk.type(['export', 'last']);
    await desk.type(['run', 'enrich-company', 'lists/list.csv', '--budget', '2']);
    return readFileSync(path, 'utf8') !== 'mine\n';
  },
  async 'an erasure removes any file'() {
    const desk = await stoppedDesk();
    const kept = desk.place.path('home/kept.csv');
    forgeErasure(desk, kept, desk.place.path('store/spool/../../home/kept.csv'));
    await desk.type(['run', 'enrich-company', 'lists/list.csv', '--budget', '3']);
    return !existsSync(kept);
  },
  async 'an erasure removes what a link in the store leads to'() {
    const desk = await stoppedDesk();
    symlinkSync(desk.place.path('home'), desk.place.path('store/spool'));
    forgeErasure(desk, desk.place.path('store/spool/kept.csv'));
    await desk.type(['run', 'enrich-company', 'lists/list.csv', '--budget', '3']);
    return !existsSync(desk.place.path('home/kept.csv'));
  },
  async 'a person is told to paste a line'() {
    const desk = await stoppedDesk();
    forgeFacts(desk, (facts) => (facts.command = `rowonce status; ${MARK}`));
    return (await toldToType(desk)).includes(MARK);
  },
  async 'a person is told to work on other files'() {
    const desk = await stoppedDesk();
    const words = `npx rowonce run ${MARK.replace(' ', '-')} home/kept.csv -o home/.bash_profile --formulas raw`;
    forgeFacts(desk, (facts) => {
      Object.assign(facts, { command: words, outputPath: desk.place.path('home/.bash_profile') });
      Object.assign(facts.settings, {
        output_path: facts.outputPath,
        job: `--accept ${MARK}`,
        formulas: 'raw',
      });
    });
    return /forged|bash_profile|raw|--accept/.test(await toldToType(desk));
  },
  async 'the copy of a list leads to another file'() {
    const desk = await stoppedDesk();
    const inputPath = desk.place.path('store/lists/0123456789abcdef/list.csv');
    forgeFacts(desk, (facts) => Object.assign(facts, { inputPath, inputSha256: '/../../../../home/kept' }));
    return (await toldToType(desk)).includes('kept');
  },
  async '"Continue" on the page buys and writes what the store says'() {
    const desk = await stoppedDesk();
    const before = await desk.requests();
    const words = `run enrich-company ${desk.place.path('home/kept.csv')} --budget 9 -o ${desk.place.path('home/x.csv')}`;
    forgeFacts(desk, (facts) => (facts.command = `npx rowonce ${words}`));
    const served = await Served.start([], { cwd: desk.place.folder, env: desk.environment() });
    onTestFinished(async () => void (await served.stop('SIGKILL')));
    const { batch } = await desk.json(['status', 'last']);
    const body = JSON.stringify({ batch });
    const started = await served.tool('/api/tasks', { method: 'POST', body });
    expect(started.status, started.body).toBe(200);
    const { id } = JSON.parse(started.body).work;
    const task = async () => JSON.parse((await served.tool(`/api/tasks/${id}`)).body).work;
    await expect.poll(async () => (await task()).state, { timeout: 20_000 }).toBe('ended');
    return home(desk).length > UNTOUCHED.length || (await desk.requests()) > before;
  },
  async 'a cell becomes a formula'() {
    const { desk } = await deskBefore(() => ({ name: '=cmd()' }));
    await desk.write('list.csv', 'Domain\nacme.example\n');
    await desk.type(desk.run());
    forgeFacts(desk, ({ settings }) => (settings.formulas = 'raw'));
    await desk.type(['export', 'last', '-o', 'again.csv']);
    return /(?:^|,)=cmd/m.test(await desk.read('again.csv'));
  },
  async 'a lost request is another one when it is sent again'() {
    const desk = await openDesk({ way: 'keyed', matchRate: 1 });
    desk.list(1);
    await desk.type(desk.run(), { env: { ROWONCE_CRASH_AT: 'before-keep' } });
    const request = "json_set(request, '$.method', 'POST', '$.path', '/users')";
    const { changes } = inStore(desk, (db) =>
      db.prepare(`UPDATE attempts SET request = ${request} WHERE request IS NOT NULL`).run(),
    );
    expect(changes).toBe(1);
    await desk.type(desk.run());
    return desk.place.vendor.requests().some(({ path }) => path === '/users');
  },
  async 'a night spends more than its job says'() {
    const desk = await stoppedNight();
    const said = { budget: { credits: 9 }, in_doubt: { retry: { extra_credits: 9 } }, formulas: 'raw' };
    forgeFacts(desk, ({ settings }) => (settings.said = said));
    await desk.type(['nightly', 'night.yaml']);
    return (await desk.requests()) > 2;
  },
};

test('nothing gets out of a store in which single texts are forged', async () => {
  const out: string[] = [];
  for (const [name, attack] of Object.entries(ATTACKS)) {
    const got = await attack().catch((error: unknown) => String(error));
    if (got !== false) out.push(got === true ? name : `${name}: ${got}`);
  }
  expect(out).toEqual([]);
}, 120_000);

test('an output goes where this host has written it, whatever the store says; what the store alone says goes where one stands, which is said', async () => {
  const desk = await stoppedDesk();
  const elsewhere = desk.place.path('home/out.csv');
  await desk.type(['run', 'enrich-company', 'lists/list.csv', '--budget', '4', '-o', elsewhere]);
  const exported = async (...more: readonly string[]) => {
    const { code, stdout, stderr } = await desk.type(['export', 'last', ...more]);
    expect(code, stderr).toBe(0);
    return { path: stdout.split('\n')[0], stderr };
  };
  expect((await exported()).path).toBe(elsewhere);
  expect((await desk.json(['status', 'last'])).output).toBe(elsewhere);
  rmSync(desk.place.path('state'), { recursive: true });
  writeFileSync(desk.place.path('list.enriched.csv'), 'mine');
  const { batch } = await desk.json(['status', 'last']);
  const named = await exported('--copy', '-o', desk.place.path('copy.csv'));
  expect(named.stderr, 'a place that is named is no question').toBe('');
  const here = await exported();
  expect(here.path).toBe(desk.place.path(`list.enriched.${batch}.csv`));
  expect(here.stderr).toContain(`${elsewhere} is what the store has for the output`);
  expect(here.stderr).toContain(`so it is written to ${here.path}.`);
  expect((await exported()).path, 'the same place again').toBe(here.path);
  // The file of before is one that this host knows nothing of any more, and it may hold what a person wrote.
  appendFileSync(elsewhere, 'mine\n');
  expect((await exported('-o', elsewhere)).path).toBe(desk.place.path('home/out (2).csv'));
});

test('a store from which an earlier build has spent here goes on as before, and is taken at its word that once', async () => {
  const desk = await stoppedDesk();
  const { next } = await desk.json(['status', 'last']);
  expect(next).toContain('lists/list.csv -o lists/out.csv');
  // Such a build noted the newest request of the store, and nothing else.
  rmSync(desk.place.path('state/rowonce-ledgers/known'), { recursive: true });
  expect((await desk.json(['status', 'last'])).next).toBe(next);
  await desk.type(['run', 'enrich-company', 'lists/list.csv', '--budget', '3', '-o', 'lists/out.csv']);
  expect((await desk.type(['export', 'last'])).stdout.split('\n')[0]).toBe(desk.place.path('lists/out.csv'));
  expect(existsSync(desk.place.path('lists/out (2).csv'))).toBe(false);
  forgeFacts(desk, (facts) => (facts.outputPath = desk.place.path('home/out.csv')));
  await desk.type(['export', 'last']);
  expect(home(desk)).toEqual(UNTOUCHED);
});

/** Every text of the store, and of the JSON in it, but for what a list says, keys of rows, and words that the tables know. */
const KNOWN = /^(?:meta|budgets|cells)\.|\.(?:state|kind|id|batch|key|key_hash)$/;

/** The same value with a text in the place of each. */
function forged(value: unknown, text: string): unknown {
  if (typeof value === 'string') return text;
  if (Array.isArray(value)) return value.map((each) => forged(each, text));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, forged(each, text)]));
}

function forgedText(kept: string, text: string): string {
  try {
    return JSON.stringify(forged(JSON.parse(kept), text));
  } catch {
    return text;
  }
}

/** A store of which each text can be forged, and the folder of its owner. */
interface Forgeable {
  readonly place: Workplace;
  type(words: readonly string[]): Promise<Pick<Ended, 'stdout' | 'stderr'>>;
  columns(): Promise<readonly (readonly [table: string, column: string])[]>;
  /** Begins with the store as it was kept. @returns whether anything is forged now. */
  forge(table: string, column: string, text: string): Promise<boolean>;
}

const COMMANDS = [
  ['status', 'last', '--json'],
  ['status', 'last'],
  ['status'],
  ['resume', 'last'],
  ['export', 'last'],
  ['run', 'enrich-company', 'lists/list.csv', '--budget', '4'],
  ['settle', 'last'],
  ['nightly', 'night.yaml'],
  ['undo', 'last', '--dry-run'],
  ['forget', 'nobody@example.org', '--yes'],
] as const satisfies readonly (readonly string[])[];

/** The names of ours for an output of the list, wherever it may be. */
const MADE =
  /(?:\.enriched(?:\.[0-9a-f]{8})?|\bout)(?: \(\d+\))?(?:\.so-far)?(?:\.needs-attention|\.report)?(?: \(\d+\))?\.(?:csv|txt|html)$/;

const FOLDERS = ['', 'home', 'lists', 'inbox', 'project'];

/** What is in the folders of the owner, but for the books of the vendor. */
const filesOf = (place: Workplace): readonly string[] =>
  FOLDERS.flatMap((folder) =>
    readdirSync(place.path(folder), { withFileTypes: true }).flatMap((each) =>
      each.isFile() && !each.name.startsWith('vendor-') ? [join(place.path(folder), each.name)] : [],
    ),
  );

/** Forges a column, and types what its owner would. @returns what got out. */
async function outOf(
  store: Forgeable,
  table: string,
  column: string,
  text: string,
): Promise<readonly string[]> {
  const { place } = store;
  const there = new Map(filesOf(place).map((file) => [file, readFileSync(file, 'utf8')]));
  const before = place.vendor.requests().length;
  if (!(await store.forge(table, column, text))) return [];
  const said: string[] = [];
  for (const words of COMMANDS) {
    const { stdout, stderr } = await store.type(words);
    const told =
      words.at(-1) === '--json'
        ? stdout.match(/"next":"[^"]*"/g)
        : (stdout + stderr).match(/^.*(?:npx rowonce|To continue).*$/gm);
    said.push(...(told ?? []));
  }
  const paths = place.vendor
    .requests()
    .slice(before)
    .map((request) => request.path);
  const now = filesOf(place);
  const made = now.filter((file) => !there.has(file));
  const stands = place.path('');
  // What we write has a name of ours, beside the list or where one stands, and everything else is as it was.
  const isAllowed = (file: string): boolean =>
    MADE.test(file) && [place.path('lists'), stands.replace(/\/$/, '')].includes(dirname(file));
  const touched = [...there].filter(
    ([file, content]) => !MADE.test(file) && (!existsSync(file) || readFileSync(file, 'utf8') !== content),
  );
  for (const file of made) rmSync(file);
  return [
    ...[...said, ...paths].filter((each) => each.includes('forged')),
    ...made.filter((file) => !isAllowed(file)),
    ...touched.map(([file]) => `${file} is another`),
  ].map((each) => `${table}.${column}: ${each}`);
}

function keep({ folder }: Workplace, ...names: readonly string[]): void {
  for (const name of names) cpSync(join(folder, name), join(folder, `kept-${name}`), { recursive: true });
}

function restore({ folder }: Workplace, ...names: readonly string[]): void {
  for (const name of names) {
    rmSync(join(folder, name), { recursive: true });
    cpSync(join(folder, `kept-${name}`), join(folder, name), { recursive: true });
  }
}

/** A project of the owner's, in which no one has anything to do. */
function withProject(place: Workplace): void {
  mkdirSync(place.path('project'));
  writeFileSync(place.path('project/CMakeLists.txt'), 'project(forged)\n');
}

const textsFor = (place: Workplace): readonly string[] => [
  place.path('home/forged.csv'),
  place.path('project/CMakeLists.txt'),
  '../home/.forged',
  `--forged; ${MARK}`,
];

test('no text column leads out of the store, whatever stands in it', async () => {
  const desk = await stoppedNight();
  const { place } = desk;
  withProject(place);
  await desk.type(['pause', 'last']);
  await desk.type(['resume', 'last']);
  keep(place, 'state', 'store');
  const store: Forgeable = {
    place,
    type: (words) => desk.type(words),
    columns: async () =>
      inStore(desk, (db) => {
        const columns =
          "SELECT m.name AS t, c.name AS c FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' AND c.type = 'TEXT'";
        return (db.prepare(columns).all() as { t: string; c: string }[]).map(({ t, c }) => [t, c]);
      }),
    async forge(table, column, text) {
      restore(place, 'state', 'store');
      return inStore(desk, (db) => {
        db.function('forged', (kept) => forgedText(String(kept), text));
        try {
          return (
            db.prepare(`UPDATE ${table} SET ${column} = forged(${column}) WHERE ${column} IS NOT NULL`).run()
              .changes > 0
          );
        } catch {
          // What the tables themselves refuse.
          return false;
        }
      });
    },
  };
  await expectNothingOut(store);
}, 600_000);

proof(
  'nor out of a database',
  async () => {
    const { place, server, store: url, query } = await openHost({ matchRate: 1, concurrency: 1 });
    for (const folder of ['lists', 'home', 'inbox']) mkdirSync(place.path(folder));
    withProject(place);
    writeFileSync(place.path('home/kept.csv'), 'Domain\npaid.example\n');
    writeFileSync(
      place.path('night.yaml'),
      'operation: enrich-company\ninbox: ./inbox\nbudget: { credits: 2 }\n',
    );
    place.writeList(domainsOf('own', 4), 'lists/list.csv');
    const type = (words: readonly string[]) =>
      typedAt(words, { cwd: place.folder, env: { ...place.environment, ROWONCE_STORE: url } });
    const out = place.path('lists/out.csv');
    const stopped = await type(['run', 'night.yaml', 'lists/list.csv', '--budget', '2', '-o', out]);
    expect(stopped, stopped.stderr).toMatchObject({ code: 4 });
    keep(place, 'state');
    const database = new URL(url).pathname.slice(1);
    await server.createDatabase(`${database}_kept`, database);
    const ask = (sql: string) => server.query(database, `SET search_path = rowonce_ledger; ${sql}`);
    const store: Forgeable = {
      place,
      type,
      columns: async () => {
        const all = await query(
          "SELECT table_name AS t, column_name AS c FROM information_schema.columns WHERE table_schema = 'rowonce_ledger' AND data_type = 'text'",
        );
        return all.map(({ t, c }) => [String(t), String(c)]);
      },
      async forge(table, column, text) {
        restore(place, 'state');
        await server.query(`${database}_kept`, `DROP DATABASE ${database} WITH (FORCE)`);
        await server.createDatabase(database, `${database}_kept`);
        const rows = await ask(
          `SELECT ctid::text AS at, ${column} AS kept FROM ${table} WHERE ${column} IS NOT NULL`,
        );
        let changes = 0;
        for (const { at, kept: was } of rows) {
          const said = forgedText(String(was), text).replaceAll("'", "''");
          await ask(`UPDATE ${table} SET ${column} = '${said}' WHERE ctid = '${at}'`).then(
            () => (changes += 1),
            // What the tables themselves refuse.
            () => {},
          );
        }
        return changes > 0;
      },
    };
    await expectNothingOut(store, [place.path('home/forged.csv')]);
  },
  600_000,
);

async function expectNothingOut(store: Forgeable, texts = some(textsFor(store.place), 2)): Promise<void> {
  const columns = (await store.columns()).filter(([table, column]) => !KNOWN.test(`${table}.${column}`));
  expect(columns.length).toBeGreaterThan(20);
  const out: string[] = [];
  for (const [table, column] of columns)
    for (const text of texts) out.push(...(await outOf(store, table, column, text)));
  expect(out).toEqual([]);
}
