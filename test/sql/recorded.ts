/**
 * The statements of the ledger as they are run: each by the name that it has in the source, in its final text for both databases, with
 * values that it was run with. Worlds of the simulation run them, so no statement is described here. The program has no line for this.
 */
import { globSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Connection } from '../../src/ledger/db/sqlite.ts';
import type { AnyRecord, Cell, Statement } from '../../src/ledger/db.ts';

const LEDGER = join(import.meta.dirname, '..', '..', 'src', 'ledger');
const LEDGER_URL = pathToFileURL(LEDGER).href;

/** Each file of the ledger tells what its constants are, also those that it keeps to itself. */
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!url.startsWith(LEDGER_URL)) return loaded;
    const names = Array.from(
      String(loaded.source).matchAll(/^(?:export )?const (\w+)/gm),
      ([, name]) => name,
    );
    return {
      ...loaded,
      source: `${loaded.source}\nexport const constantsHere = () => ({ ${names.join(', ')} });`,
    };
  },
});

await import('../simulate/doors/load.ts');
const { Stage, loadProgram } = await import('../simulate/stage.ts');
const { default: fc } = await import('fast-check');
const runCommandLine = await loadProgram();
const onSqlite = await import('../../src/ledger/db/sqlite.ts');
const onPostgres = await import('../../src/ledger/db/postgres.ts');

/** A name of the source, and all texts that are made there. */
export interface Recorded {
  /** The constant that has the text, or the function that makes it, behind its file: `transitions.endAttempts`. */
  readonly name: string;
  /** Undefined where that database does not run it. */
  readonly sqlite: string | undefined;
  readonly postgres: string | undefined;
  /** No world runs it, so NULL stands for each value. */
  readonly isUnrun: boolean;
}

/** What is run: over records, or as it stands with parameters. */
type Key = Statement | string;

interface Run {
  readonly key: Key;
  /** Of a statement over records. */
  readonly records: readonly AnyRecord[];
  /** Of a text. */
  readonly params: readonly Cell[];
  /** Who asked for it. */
  readonly stack: string;
}

/** In this order, the first time that each was run. */
const runs = new Map<Key, Run>();

/** What keeps order, and is no statement of the ledger's own. */
const KEEPS_ORDER = /^(?:BEGIN|COMMIT|ROLLBACK|PRAGMA|VACUUM)\b/;

/** No one reads more. */
const MOST_RECORDS = 3;
const MOST_FRAMES = 40;

function note(key: Key, records: readonly AnyRecord[], params: readonly Cell[] = []): void {
  if (runs.has(key) || (typeof key === 'string' && KEEPS_ORDER.test(key))) return;
  const { stack = '' } = new Error();
  runs.set(key, { key, records: records.slice(0, MOST_RECORDS), params, stack });
}

Error.stackTraceLimit = MOST_FRAMES;
const { rows, each, whole } = onSqlite.Connection.prototype;
Object.assign(onSqlite.Connection.prototype, {
  rows(this: Connection, sql: string, params: readonly Cell[] = []) {
    note(sql, [], params);
    return rows.call(this, sql, params);
  },
  each(this: Connection, statement: Statement, records: readonly AnyRecord[]) {
    if (records.length > 0) note(statement, records);
    return each.call(this, statement, records);
  },
  whole(this: Connection, statement: Statement, records: readonly AnyRecord[]) {
    note(statement, records);
    return whole.call(this, statement, records);
  },
});

// -------------------------------------------------------------------------------------------- what plays

/** Each runs statements that no one before it runs. */
const WORLDS = {
  lists: [245, 230, 240, 120, 210],
  histories: [106, 36, 16, 141, 176, 31],
  team: [227, 117],
  fill: [113, 173, 103, 228],
  page: [174],
} as const;

/** @param isEnough asked after each world. */
async function play(isEnough: () => boolean): Promise<void> {
  for (const [name, seeds] of Object.entries(WORLDS)) {
    const { default: kind } = await import(`../simulate/worlds/${name}.ts`);
    for (const seed of seeds) {
      if (isEnough()) return;
      const property = fc.asyncProperty(kind.history, async (history) => {
        const stage = new Stage(seed, runCommandLine);
        try {
          await kind.play(stage, history);
        } finally {
          stage.close();
        }
      });
      await fc.assert(property, { seed, numRuns: 1, endOnFailure: true });
    }
  }
}

// ----------------------------------------------------------------------------------------------- its name

const FILES = globSync('**/*.ts', { cwd: LEDGER }).sort();

const isStatement = (value: unknown): value is Statement =>
  typeof value === 'object' && value !== null && 'sql' in value && 'columns' in value;

const BEGINS_STATEMENT = /^\s*(?:WITH|SELECT|INSERT|UPDATE|DELETE)\b/;

/** The constants that are statements, or lists of them, and the texts that one may be or begin with. */
const constants = new Map<Key, string>();
for (const path of FILES) {
  const { constantsHere: declared } = await import(join(LEDGER, path));
  for (const [name, value] of Object.entries(declared()))
    for (const key of [value].flat())
      if (isStatement(key) || (typeof key === 'string' && BEGINS_STATEMENT.test(key)))
        if (!constants.has(key)) constants.set(key, `${path.replace(/\.ts$/, '')}.${name}`);
}
const beginnings = [...constants.keys()]
  .filter((key) => typeof key === 'string')
  .sort((a, b) => b.length - a.length);

function nameOf({ key, stack }: Run): string {
  const beginning = typeof key === 'string' ? beginnings.find((text) => key.startsWith(text)) : key;
  return (beginning && constants.get(beginning)) ?? functionIn(stack);
}

const FRAME =
  /at (?:async )?(?:(?:\w+\.)*(\w+) \()?file:.*\/src\/ledger\/((?:stores\/|sqlite\/)?[\w-]+)\.ts:(\d+):/g;
const MEMBER = /^(?:export )?(?:async )?(?:const|function\*?) (\w+)|^ {2}(?:async )?(\w+)(?:\(|: )/;

/** The first function that is none of the door to the databases; of one without a name, that which it is in. */
function functionIn(stack: string): string {
  const frames = [...stack.matchAll(FRAME)];
  const [, called, file = '', line] =
    frames.find(([, called, file]) => called !== 'oneRow' && file !== 'db') ?? [];
  const above = readFileSync(join(LEDGER, `${file}.ts`), 'utf8')
    .split('\n')
    .slice(0, Number(line));
  const member = MEMBER.exec(above.findLast((text) => MEMBER.test(text)) ?? '');
  return `${file}.${called ?? member?.[1] ?? member?.[2]}`;
}

// --------------------------------------------------------------------------------------------- its texts

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

function onSqliteSaid(cell: Cell | undefined): string {
  if (cell === undefined || cell === null) return 'NULL';
  if (typeof cell === 'number') return String(cell);
  return typeof cell === 'string' ? quoted(cell) : `X${quoted(Buffer.from(cell).toString('hex'))}`;
}

function onPostgresSaid(cell: Cell | undefined): string {
  if (cell === undefined || cell === null) return 'NULL';
  return quoted(typeof cell === 'object' ? `\\x${Buffer.from(cell).toString('hex')}` : String(cell));
}

function sqliteText({ key, records, params }: Run): string {
  if (typeof key === 'string') {
    let at = 0;
    return onSqlite.withParameters(key).replaceAll('?', () => onSqliteSaid(params[at++]));
  }
  const { text, names } = onSqlite.overRecords(key, records.length);
  const cells = records.map((record) => names.map((name) => record[name]));
  if (key.whole) return text.replace('json_each(?)', () => `json_each(${quoted(JSON.stringify(cells))})`);
  let at = 0;
  return text.replaceAll('?', () => onSqliteSaid(cells.flat()[at++]));
}

/** What it gets, and what reads again the rows that this gave. */
function postgresTexts({ key, records, params }: Run): readonly string[] {
  if (typeof key === 'string') return [withValues(onPostgres.textOf(key).text, params)];
  const query = onPostgres.queryOf(key, records);
  const asked = [query, key.again === undefined ? undefined : query?.again];
  return asked.flatMap((each) => (each === undefined ? [] : [withValues(each.text, each.values)]));
}

const withValues = (text: string, values: readonly Cell[]): string =>
  text.replaceAll(/\$(\d+)/g, (_, at) => onPostgresSaid(values[at - 1]));

/** What only one of them runs. No world is over PostgreSQL, and the line of an account and its queue are there alone. */
function ownerOf(name: string, { key }: Run, isUnrun: boolean): 'sqlite' | 'postgres' | undefined {
  if (name.startsWith('stores/sqlite.')) return 'sqlite';
  const isLine = isUnrun && name.startsWith('spenders.');
  const isQueue = typeof key === 'string' && key.includes('rowonce_queue.');
  return isLine || isQueue || name.startsWith('stores/postgres.') ? 'postgres' : undefined;
}

function recorded(run: Run, isUnrun: boolean): readonly Recorded[] {
  const name = nameOf(run);
  const own = ownerOf(name, run, isUnrun);
  const sqlite = own === 'postgres' ? undefined : sqliteText(run);
  const [postgres, again] = own === 'sqlite' ? [] : postgresTexts(run);
  const itself = { name, sqlite, postgres, isUnrun };
  // Read by PostgreSQL alone, where an answer of a COMMIT was lost.
  return again === undefined ? [itself] : [itself, { ...itself, sqlite: undefined, postgres: again }];
}

/** With NULL for each value. A text that others are made of is no statement by itself, nor is one that reads again. */
function unrun(): readonly Run[] {
  const source = FILES.map((path) => readFileSync(join(LEDGER, path), 'utf8')).join('\n');
  const again = new Set(
    [...constants.keys()].map((key) => (typeof key === 'string' ? undefined : key.again?.sql)),
  );
  const isPart = (text: string, name: string): boolean =>
    source.includes(`\${${name.split('.')[1]}}`) || again.has(text);
  return [...constants]
    .filter(([key, name]) => !runs.has(key) && !(typeof key === 'string' && isPart(key, name)))
    .map(([key]) => ({ key, records: [{}], params: [], stack: '' }));
}

const isNamed = (name: string, asked: string): boolean => name === asked || name.endsWith(`.${asked}`);

/** @param asked the names of those that are wanted; all, where there is none. */
export async function statements(asked: readonly string[] = []): Promise<readonly Recorded[]> {
  const isWanted = (run: Run): boolean =>
    asked.length === 0 || asked.some((name) => isNamed(nameOf(run), name));
  const wanted = (): readonly Run[] => [...runs.values()].filter(isWanted);
  const isMet = (name: string): boolean => [...runs.values()].some((run) => isNamed(nameOf(run), name));
  await play(() => asked.length > 0 && asked.every(isMet));
  const left = unrun().filter(isWanted);
  return [...wanted().flatMap((run) => recorded(run, false)), ...left.flatMap((run) => recorded(run, true))];
}
