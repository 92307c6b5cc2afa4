/**
 * Goal: a Parquet file and a table of PostgreSQL get in and out by the commands that the guide shows.
 * Method: the guide's own lines, with the real `duckdb` where it is on the path, and with its extension for PostgreSQL where it
 * has that; the tests are skipped elsewhere, and say so by their names.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { postgresServer } from './ledger/stores/postgres-server.ts';
import { inCheckout } from './support/transcripts.ts';

const PAGE = readFileSync(join(import.meta.dirname, '..', 'docs', 'guide', 'scripts.md'), 'utf8');

/** The lines of the page's blocks that name duckdb: from and to Parquet, then out of PostgreSQL. */
const [parquet = [], table = []] = [...PAGE.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
  .map(([, lines = '']) => lines.trim().split('\n'))
  .filter((lines) => lines.some((line) => line.startsWith('duckdb ')));

const duckdb = (sql: string): boolean => spawnSync('duckdb', ['-c', sql]).status === 0;
const isThere = duckdb('SELECT 1');

const LEADS = "SELECT i AS id, 'c' || i || '.example' AS domain, 'x' AS note FROM range(1, 4) t(i)";

test.skipIf(!isThere)('a Parquet file is enriched into another one (needs duckdb)', () => {
  const rows = inCheckout((type, folder) => {
    type(`duckdb -c "COPY (${LEADS}) TO 'leads.parquet' (FORMAT parquet)"`);
    for (const line of parquet)
      type(line.startsWith('rowonce') ? `${line} --account sandbox-provider` : line);
    type(
      `duckdb -c "COPY (SELECT id, domain, employee_count + 0 AS size, technologies FROM 'enriched.parquet') TO 'out.jsonl' (FORMAT json)"`,
    );
    return readFileSync(join(folder, 'out.jsonl'), 'utf8').trim().split('\n');
  });
  expect(rows.map((row) => JSON.parse(row))).toEqual(
    [1, 2, 3].map((id) => ({
      id,
      domain: `c${id}.example`,
      size: expect.any(Number),
      technologies: expect.any(Array),
    })),
  );
});

test.skipIf(!isThere || !duckdb('LOAD postgres'))(
  'a table of PostgreSQL becomes a list (needs duckdb with its extension for PostgreSQL)',
  async () => {
    const server = await postgresServer();
    await server.createDatabase('crm');
    await server.query('crm', "CREATE TABLE leads AS SELECT 1 AS id, 'a.example' AS domain, 'x' AS note");
    const { port, username } = new URL(server.url('crm'));
    const [line = ''] = table;
    const own = line.replace('host=localhost', `host=127.0.0.1 port=${port} user=${username}`);
    const list = inCheckout((type, folder) => {
      type(own);
      return readFileSync(join(folder, 'leads.jsonl'), 'utf8');
    });
    expect(list).toBe('{"id":1,"domain":"a.example"}\n');
  },
);
