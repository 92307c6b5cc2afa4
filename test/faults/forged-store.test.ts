/**
 * Goal: what a store says is data. Whoever hands one over, or writes into it, has no file written or removed, no command started or shown
 * to be typed, and nothing sent that was not agreed to.
 * Method: the real commands over a store in which texts are forged, one attack after the other, and then every text column. What
 * counts is what happens outside: files, what is printed to be typed, requests. Forged work orders: `cli/worker.test.ts`.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { type Desk, deskBefore, openDesk } from '../cli/desk.ts';
import { Served } from '../web/served.ts';
import { domainsOf } from './workplace.ts';

const MARK = 'touch forged';

/** A desk with a list that a budget has stopped in the middle, and a home in which nobody has anything to do. */
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
    await desk.type(desk.run(), { env: { ROWONCE_CRASH_AT: 'before-record' } });
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

test('an output that was written elsewhere goes beside the list from then on, which is said; -o names the other place again', async () => {
  const desk = await stoppedDesk();
  const elsewhere = desk.place.path('home/out.csv');
  await desk.type(['run', 'enrich-company', 'lists/list.csv', '--budget', '4', '-o', elsewhere]);
  const { code, stdout, stderr } = await desk.type(['export', 'last']);
  expect([code, stdout.split('\n')[0]], stderr).toEqual([0, desk.place.path('lists/list.enriched.csv')]);
  expect(stderr).toContain(`${elsewhere} is what the store has for the output`);
  const named = await desk.type(['export', 'last', '-o', elsewhere]);
  expect([named.code, named.stdout.split('\n')[0]], named.stderr).toEqual([0, elsewhere]);
});

/** Every text of the store, and of the JSON in it, but for what a list says, keys of rows, and words that the tables know. */
const KNOWN =
  /^(?:meta|budgets|cells)\.|\.(?:state|kind|id|batch|scope|key|key_hash|sha256|said|host|identity)$/;

const textColumns = (desk: Desk): readonly (readonly [string, string])[] =>
  inStore(desk, (db) => {
    const columns =
      "SELECT m.name AS t, c.name AS c FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' AND c.type = 'TEXT'";
    const all = db.prepare(columns).all() as { t: string; c: string }[];
    return all.flatMap(({ t, c }) => (KNOWN.test(`${t}.${c}`) ? [] : [[t, c] as const]));
  });

/** The same value with a text in the place of each. */
function forged(value: unknown, text: string): unknown {
  if (typeof value === 'string') return text;
  if (Array.isArray(value)) return value.map((each) => forged(each, text));
  if (value === null || typeof value !== 'object') return value;
  const members = Object.entries(value);
  // Where a list is can only be heard from the store: beside it an output may be.
  return Object.fromEntries(
    members.map(([name, each]) => [name, name === 'inputPath' ? each : forged(each, text)]),
  );
}

function forgedText(kept: string, text: string): string {
  try {
    return JSON.stringify(forged(JSON.parse(kept), text));
  } catch {
    return text;
  }
}

const COMMANDS = [
  ['status', 'last'],
  ['status'],
  ['resume', 'last'],
  ['export', 'last'],
  ['run', 'enrich-company', 'lists/list.csv', '--budget', '4'],
  ['settle', 'last'],
  ['nightly', 'night.yaml'],
  ['undo', 'last', '--dry-run'],
  ['forget', 'nobody@example.org', '--yes'],
] as const;

/** Forges a column in a copy of the store, and types what its owner would. @returns what got out. */
async function outOf(desk: Desk, table: string, column: string, text: string): Promise<readonly string[]> {
  for (const each of home(desk)) if (!UNTOUCHED.includes(each)) rmSync(desk.place.path(`home/${each}`));
  const store = desk.place.path('store');
  rmSync(store, { recursive: true });
  cpSync(desk.place.path('kept-store'), store, { recursive: true });
  const before = desk.place.vendor.requests().length;
  const { changes } = inStore(desk, (db) => {
    db.function('forged', (kept) => forgedText(String(kept), text));
    const all = `UPDATE ${table} SET ${column} = forged(${column}) WHERE ${column} IS NOT NULL`;
    try {
      return db.prepare(all).run();
    } catch {
      // What the tables themselves refuse.
      return { changes: 0 };
    }
  });
  if (changes === 0) return [];
  const { next } = await desk.json(['status', 'last']).catch(() => ({ next: null }));
  const said: string[] = [String(next)];
  for (const words of COMMANDS) {
    const { stdout, stderr } = await desk.type(words);
    said.push(...((stdout + stderr).match(/^.*(?:npx rowonce|To continue).*$/gm) ?? []));
  }
  const paths = desk.place.vendor
    .requests()
    .slice(before)
    .map(({ path }) => path);
  const files = [...home(desk), ...readdirSync(desk.place.path('lists'))];
  return [
    ...[...said, ...paths, ...files].filter((each) => each.includes('forged')),
    ...(existsSync(desk.place.path('home/kept.csv')) ? [] : ['a file is gone']),
  ].map((each) => `${table}.${column}: ${each}`);
}

test('no text column leads out of the store, whatever stands in it', async () => {
  const desk = await stoppedNight();
  await desk.type(['pause', 'last']);
  await desk.type(['resume', 'last']);
  cpSync(desk.place.path('store'), desk.place.path('kept-store'), { recursive: true });
  const columns = textColumns(desk);
  expect(columns.length).toBeGreaterThan(20);
  const out: string[] = [];
  for (const [table, column] of columns)
    for (const text of [desk.place.path('home/forged.csv'), '../home/.forged', `--forged; ${MARK}`])
      out.push(...(await outOf(desk, table, column, text)));
  expect(out).toEqual([]);
}, 600_000);
