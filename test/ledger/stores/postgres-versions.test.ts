/**
 * Goal: a ledger in PostgreSQL that an earlier version laid out is refused by one sentence, until its owner brings it up to date by one
 * command; what is in it stays. One that cannot be brought up to date, or is newer, stays as it is.
 * Method: the real command over a real server, and the tables as they were laid out by an earlier commit, with an account in them.
 */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { layOutTopics, SCHEMA_VERSION } from '../../../src/ledger/stores/postgres/schema-laid-out.ts';
import { openDesk } from '../../cli/desk.ts';
import { typedAt } from '../../cli/typed.ts';
import { postgresServer, type Server } from './postgres-server.ts';

const EARLIER = readFileSync(join(import.meta.dirname, 'fixtures', 'postgres-schema-1.sql'), 'utf8');

let server: Server;
beforeAll(async () => {
  server = await postgresServer();
});

/** A database with the tables of that commit, and one account with a budget. */
async function earlier(name: string): Promise<string> {
  await server.createDatabase(name);
  await server.query(name, `CREATE SCHEMA rowonce; SET search_path = rowonce; ${EARLIER}`);
  await server.query(name, `INSERT INTO rowonce.accounts (identity, per_day) VALUES ('kept', 77)`);
  return server.url(name);
}

/** Columns with their types and defaults, constraints and indexes. */
const RULES = `
SELECT format('%s.%s %s%s %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
    CASE WHEN a.attnotnull THEN ' NOT NULL' END, pg_get_expr(d.adbin, d.adrelid)) AS rule
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
 WHERE c.relnamespace = 'rowonce'::regnamespace AND c.relkind IN ('r', 'v') AND a.attnum > 0 AND NOT a.attisdropped
UNION ALL
SELECT format('%s: %s', o.conrelid::regclass, pg_get_constraintdef(o.oid)) FROM pg_constraint o
 WHERE o.connamespace = 'rowonce'::regnamespace
UNION ALL
SELECT indexdef FROM pg_indexes WHERE schemaname = 'rowonce' ORDER BY 1`;

test('an earlier ledger is refused by what reads and what spends, and stays as it is', async () => {
  const store = await earlier('versions_refused');
  const before = await server.everyRow('versions_refused');
  const desk = await openDesk();
  desk.list(1);
  for (const words of [['status'], desk.run(), ['serve'], ['store', 'caps', store]]) {
    const { code, stderr } = await desk.type([...words, ...(words[0] === 'store' ? [] : ['--store', store])]);
    expect({ code, stderr }, words.join(' ')).toEqual({
      code: 2,
      stderr: expect.stringMatching(/set up by an earlier Rowonce \(schema 1; .*rowonce store init/s),
    });
  }
  expect(await server.everyRow('versions_refused')).toEqual(before);
  expect(await desk.requests()).toBe(0);
});

test('its owner brings it up to date by one command, also twice at once, and what is in it stays', async () => {
  const store = await earlier('versions_migrated');
  const results = await Promise.all([typedAt(['store', 'init', store]), typedAt(['store', 'init', store])]);
  for (const { code, stderr } of results) expect(code, stderr).toBe(0);
  const [kept] = await server.query('versions_migrated', 'SELECT * FROM rowonce.accounts');
  expect(kept).toMatchObject({ identity: 'kept', per_day: '77', limits: null });
  await server.createDatabase('versions_fresh');
  expect(await typedAt(['store', 'init', server.url('versions_fresh')])).toMatchObject({ code: 0 });
  expect(await server.query('versions_migrated', RULES)).toEqual(await server.query('versions_fresh', RULES));
  const desk = await openDesk();
  desk.list(3);
  const { code, stderr } = await desk.type([...desk.run(), '--store', store]);
  expect(code, stderr).toBe(0);
  expect(await desk.requests()).toBe(3);
});

test('a ledger on which somebody works is not changed under them', async () => {
  const store = await earlier('versions_busy');
  const beats = `INSERT INTO rowonce.workers (host, pid, command, beat) VALUES ('far', 7, 'worker', now())`;
  await server.query('versions_busy', beats);
  const { code, stderr } = await typedAt(['store', 'init', store]);
  expect({ code, stderr }).toEqual({ code: 76, stderr: expect.stringContaining('process 7 on far') });
  expect(await server.query('versions_busy', `SELECT to_regclass('rowonce.notices') AS more`)).toEqual([
    { more: null },
  ]);
});

test('what cannot be brought up to date stays as it was, and so does a newer one', async () => {
  const old = await earlier('versions_unknown');
  await server.query('versions_unknown', 'ALTER TABLE rowonce.rows DROP COLUMN outcome CASCADE');
  const before = await server.everyRow('versions_unknown');
  const refused = await typedAt(['store', 'init', old]);
  expect({ code: refused.code, stderr: refused.stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining('cannot be updated'),
  });
  expect(await server.everyRow('versions_unknown')).toEqual(before);

  await server.createDatabase('versions_newer');
  const newer = server.url('versions_newer');
  expect(await typedAt(['store', 'init', newer])).toMatchObject({ code: 0 });
  await server.query('versions_newer', 'UPDATE rowonce.ledger SET version = 99');
  for (const words of [
    ['status', '--store', newer],
    ['store', 'init', newer],
  ])
    expect(await typedAt(words)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('set up by a newer Rowonce (schema 99'),
    });
});

test('the tables are those of this version (else: raise SCHEMA_VERSION, add to CHANGES what the text of the tables cannot, and note this here)', async () => {
  const said: string[] = [];
  await layOutTopics({
    rows: async () => [],
    row: async () => undefined,
    script: async (text) => void said.push(text.replaceAll(/^--.*$/gm, '')),
  });
  expect([SCHEMA_VERSION, hash('sha256', said.join(''), 'hex').slice(0, 16)]).toEqual([
    3,
    '35ca8536ed60a292',
  ]);
});
