/**
 * Has an earlier Rowonce run the lists of `desk.ts`, and writes what it leaves into this folder: its tables as SQL, and its outputs.
 *
 *     node test/ledger/stores/earlier/make.ts 8 FOLDER/src/bin.js
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { Vendor } from '../../../faults/vendor.ts';
import { postgresServer, type Server } from '../postgres-server.ts';
import { environmentOf, NAMES, runOf, vendorOfThen, writeFolder } from './desk.ts';

const [, , layout = '', program = ''] = process.argv;

/** @param database where the ledger is to be; left out: in the folder. */
async function made(names: readonly (typeof NAMES)[number][], database?: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'rowonce-earlier-'));
  const store = database ?? join(folder, 'store');
  await using vendor = await vendorOfThen();
  await using team = await Vendor.start(folder);
  await writeFolder(folder, vendor.url, team.url);
  const type = async (...words: readonly string[]): Promise<void> => {
    const env = { PATH: process.env.PATH, ...environmentOf(folder, store) };
    const child = spawn(process.execPath, [program, ...words], {
      cwd: folder,
      env,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    console.log(words.join(' '), (await once(child, 'close'))[0]);
  };
  if (database !== undefined) await type('store', 'init', database);
  for (const name of names) await type(...runOf(name));
  await type('forget', 'gus@ember-works.com', '--yes', '--as', 'Ann');
  for (const name of names) await type(...runOf(name));
  console.log(`${vendor.requests.length} requests`);
  return folder;
}

/** A ledger as SQL: its tables, their rows, then what refuses rows that do not begin as they are. */
function dumped(path: string): string {
  const database = new Database(path, { readonly: true });
  const laid = database
    .prepare('SELECT name, type, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid')
    .all() as readonly { name: string; type: string; sql: string }[];
  const tables = laid.filter(({ type }) => type === 'table');
  const rows = tables.flatMap(({ name }) => {
    const columns = database.pragma(`table_info(${name})`) as readonly { name: string }[];
    const values = columns.map(({ name: column }) => `quote("${column}")`).join(` || ', ' || `);
    const all = database.prepare(`SELECT ${values} FROM ${name}`).pluck().all() as readonly string[];
    return all.map((row) => `INSERT INTO ${name} VALUES (${row});`);
  });
  const rules = laid.filter(({ type }) => type !== 'table');
  return [
    'PRAGMA foreign_keys = OFF;',
    `PRAGMA application_id = ${database.pragma('application_id', { simple: true })};`,
    ...tables.map(({ sql }) => `${sql};`),
    ...rows,
    ...rules.map(({ sql }) => `${sql};`),
    '',
  ].join('\n');
}

/** The same of a database: the tables as that program lays them out, since no `pg_dump` comes with the server. */
async function dumpedFrom(server: Server, name: string): Promise<string> {
  const [ledger, at] = [join(dirname(program), 'ledger'), 'SET search_path = rowonce_ledger;'];
  const { layAll } = await import(join(ledger, 'schema.ts'));
  const { inWordsOf } = await import(join(ledger, 'db.ts'));
  const scripts: string[] = [];
  await layAll({
    name: 'postgres',
    script: async (sql: string) => void scripts.push(sql),
    rows: async () => [],
  });
  const laid: string = inWordsOf('postgres', scripts.join('\n'));
  const [tables = '', rules = ''] = laid.split(/(?=CREATE FUNCTION refuse)/);
  const rows: string[] = [];
  for (const [, table = ''] of tables.matchAll(/CREATE TABLE (\w+) \(/g)) {
    const columns = await server.query(
      name,
      `SELECT column_name AS c FROM information_schema.columns WHERE table_schema = 'rowonce_ledger'
        AND table_name = '${table}' ORDER BY ordinal_position`,
    );
    const values = columns.map(({ c }) => `quote_nullable(CAST("${c}" AS TEXT))`).join(` || ', ' || `);
    for (const { row } of await server.query(name, `${at} SELECT ${values} AS row FROM ${table} ORDER BY 1`))
      rows.push(`INSERT INTO ${table} VALUES (${row});`);
  }
  return [`CREATE SCHEMA rowonce_ledger; ${at}`, tables, ...rows, rules].join('\n');
}

/** Nothing of this machine is in it. */
const anywhere = (sql: string, folder: string): string =>
  sql
    .replaceAll(`${process.execPath} ${program}`, 'rowonce')
    .replaceAll(folder, '/home/ann')
    .replaceAll(`'${hostname()}'`, `'desk'`);

const here = (name: string): string => join(import.meta.dirname, `layout-${layout}`, name);
mkdirSync(here('.'), { recursive: true });
/** @param kind such as `sqlite`. */
function keep(kind: string, sql: string, folder: string, names: readonly string[]): void {
  writeFileSync(here(`${kind}.sql`), anywhere(sql, folder));
  for (const name of names) copyFileSync(join(folder, `${name}-out.csv`), here(`${kind}-${name}-out.csv`));
}

const folder = await made(NAMES);
keep('sqlite', dumped(join(folder, 'store', 'ledger.db')), folder, NAMES);

const server = await postgresServer();
await server.createDatabase('earlier');
const lookups = ['companies', 'people'] as const;
const beside = await made(lookups, server.url('earlier'));
keep('postgres', await dumpedFrom(server, 'earlier'), beside, lookups);
process.exit();
