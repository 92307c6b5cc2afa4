import { randomInt } from 'node:crypto';
import { hostname } from 'node:os';
import { isAbsolute } from 'node:path';
import { invariant } from '../../../core/errors.ts';
import type { Batch, BatchId, BatchLine, BatchSpec, BatchStart, Ledger, PlannedRow } from '../../ledger.ts';
import { oneCell, oneColumn, onlyOne, type Sql } from './connection.ts';
import { ERASE_ENDED } from './listed.ts';
import { noteAct } from './people.ts';
import { json, present, type Session, wholeMs } from './session.ts';

/** Batches with the pauses that a person asked for. One that changes something at a service was made elsewhere, and its plan is read. */

const LINE = `id, state, account AS "accountIdentity", account_name AS "accountName", sandbox, operation,
  input_path AS "inputPath", created_at AS "createdAtMs", output_sha256 AS "outputSha256"`;

const WHOLE = `${LINE}, key, generation, lineage, vendor, input_sha256 AS "inputSha256", input_rows AS "inputRows", settings,
  output_path AS "outputPath", command, rows_beyond AS "rowsBeyond", nullif(planned_rows, 0) AS "plannedRows", CASE WHEN coalesce(fresh_found, fresh_no_match) IS NOT NULL
    THEN json_strip_nulls(json_build_object('foundMs', fresh_found, 'noMatchMs', fresh_no_match)) END AS "freshSince"`;

const LINES = `SELECT ${LINE}, EXISTS (SELECT FROM rows r WHERE r.batch = b.id AND r.outcome = 'in_doubt') AS "hasDoubts"
  FROM batches b ORDER BY ordinal DESC`;

const METRICS = `
SELECT coalesce(sum(requests), 0) AS requests, coalesce(sum(calls), 0) AS calls FROM tallies WHERE batch = $1`;

const OPEN = `
SELECT count(*) AS count FROM calls c JOIN entries a ON a.of = c.open AND a.id = c.open WHERE c.open IS NOT NULL AND a.batch = $1`;

export const batches = ({ database, ...session }: Session) =>
  ({
    async batches() {
      const found = await database.rows<object>(`SELECT ${WHOLE} FROM batches ORDER BY ordinal DESC`);
      return found.map((row) => present(row) as Batch);
    },
    async batchLines() {
      return (await database.rows<object>(LINES)).map((row) => present(row) as BatchLine);
    },
    batch: (id) => batchWhere(database, 'id = $1', id),
    batchByKey: (key) =>
      batchWhere(
        database,
        `key = $1 AND state IN ('open', 'finished') ORDER BY generation DESC LIMIT 1`,
        key,
      ),
    async metrics(batch) {
      const found = await database.row<{ requests: number; calls: number }>(METRICS, [batch]);
      return found ?? { requests: 0, calls: 0 };
    },
    openRequests: async (batch) => (await oneCell<number>(database, OPEN, [batch])) ?? 0,
    async plannedRows(batch, fromRow, limit) {
      const sql = 'SELECT row, planned FROM planned WHERE batch = $1 AND row >= $2 ORDER BY row LIMIT $3';
      const found = await database.rows<{ row: number; planned: object }>(sql, [batch, fromRow, limit]);
      return found.map(({ row, planned }) => ({ row, ...planned }) as PlannedRow);
    },
    heldSince: (batch) => oneCell<number>(database, 'SELECT held_since FROM batches WHERE id = $1', [batch]),
    async beginBatch(spec, renew = false, plan = []) {
      invariant(plan.length === 0, 'a store for lookups keeps no plan of changes');
      return database.write(async (sql) => {
        const started = await beginBatch(sql, spec, renew);
        await noteAct(sql, session, started.start === 'new' ? 'begun' : 'gone_on', started.batch.id);
        return started;
      });
    },
    async changeBatch(batch, { state, budget, extraCredits, settings, ...names }) {
      const { outputPath, outputSha256, command, inputPath } = names;
      const cells = [state, budget !== undefined, budget, extraCredits, json(settings)];
      await database.write(async (sql) => {
        const values = [batch, ...cells, outputPath, outputSha256, command, inputPath];
        const changed = await sql.row(CHANGE, values);
        invariant(changed !== undefined, `there is no batch ${batch} that may become ${state}`);
        if (inputPath !== undefined) await noteReads(sql, batch, inputPath);
        if (state === 'cancelled') await noteAct(sql, session, 'cancelled', batch);
      });
    },
    async noteHold(batch, held, atMs) {
      await database.write(async (sql) => {
        const changed = await sql.row(HOLD, [batch, held, wholeMs(atMs)]);
        if (changed !== undefined) await noteAct(sql, session, held ? 'paused' : 'resumed', batch);
      });
    },
  }) satisfies Partial<Ledger>;

/** A superseded or cancelled batch never resumes. */
const CHANGE = `
WITH changed AS (
UPDATE batches SET state = coalesce($2, state), budget = CASE WHEN $3 THEN $4 ELSE budget END,
    extra_credits = coalesce($5, extra_credits), settings = coalesce($6, settings), output_path = coalesce($7, output_path),
    output_sha256 = coalesce($8, output_sha256), command = coalesce($9, command), input_path = coalesce($10, input_path)
 WHERE id = $1 AND (state IN ('open', 'finished') OR coalesce($2, state) = state) RETURNING id, state
), erased AS (${ERASE_ENDED})
SELECT id FROM changed`;

const HOLD = `
UPDATE batches SET held_since = CASE WHEN $2 THEN $3::bigint END WHERE id = $1 AND (held_since IS NULL) = $2 RETURNING id`;

async function batchWhere(sql: Sql, where: string, value: string): Promise<Batch | undefined> {
  const found = await sql.row<object>(`SELECT ${WHOLE} FROM batches WHERE ${where}`, [value]);
  return found && (present(found) as Batch);
}

async function beginBatch(sql: Sql, spec: BatchSpec, renew: boolean): Promise<BatchStart> {
  // Many processes may begin the same, or one the other's lineage, at once.
  await onlyOne(sql, 'deciding');
  const superseded = await oneColumn<BatchId>(sql, SUPERSEDE, [spec.lineage, spec.key]);
  const newest = await sql.row<Pick<Batch, 'id' | 'generation' | 'state'>>(
    'SELECT id, generation, state FROM batches WHERE key = $1 ORDER BY generation DESC LIMIT 1',
    [spec.key],
  );
  const goesOn = newest?.state === 'open' || (newest?.state === 'finished' && !renew);
  const id = goesOn ? newest.id : await insertBatch(sql, spec, (newest?.generation ?? 0) + 1);
  if (goesOn) {
    // The same content may have been moved, and the account renamed, since the last run: the newest names are kept.
    const names = 'UPDATE batches SET lineage = $2, input_path = $3, account_name = $4 WHERE id = $1';
    await sql.rows(names, [id, spec.lineage, spec.inputPath, spec.accountName]);
  }
  await noteReads(sql, id, spec.inputPath, spec.settings.job);
  const batch = await batchWhere(sql, 'id = $1', id);
  invariant(batch !== undefined, `batch ${id} was just read or written`);
  return { batch, start: !goesOn ? 'new' : newest.state === 'open' ? 'resumed' : 'finished', superseded };
}

const SUPERSEDE = `
WITH changed AS (
  UPDATE batches SET state = 'superseded' WHERE lineage = $1 AND key <> $2 AND state = 'open' RETURNING id, state
), erased AS (${ERASE_ENDED})
SELECT id FROM changed`;

/** A person who is forgotten may be in a copy of the list, or of the job, that another run has read. */
async function noteReads(sql: Sql, batch: BatchId, list: string, job?: unknown): Promise<void> {
  // An operation that was named instead of a job is no path.
  const read = typeof job === 'string' && isAbsolute(job) ? [list, job] : [list];
  await sql.rows(READS, [hostname(), read, batch, list]);
}

const READS = `
INSERT INTO reads (host, path, batch, is_list) SELECT $1, path, $3, path = $4 FROM unnest($2::text[]) u (path) ON CONFLICT DO NOTHING`;

async function insertBatch(sql: Sql, spec: BatchSpec, generation: number): Promise<BatchId> {
  await sql.rows('INSERT INTO accounts (identity) VALUES ($1) ON CONFLICT DO NOTHING', [
    spec.accountIdentity,
  ]);
  const { key, lineage, accountIdentity, accountName, sandbox, vendor, operation, inputPath } = spec;
  const { inputSha256, inputRows, settings, createdAtMs, freshSince } = spec;
  const written = await oneCell<BatchId>(sql, INSERT, [
    ...[randomId(), key, generation, lineage, accountIdentity, accountName, sandbox, vendor, operation],
    ...[inputPath, inputSha256, inputRows, json(settings), wholeMs(createdAtMs)],
    ...[cutOff(freshSince?.foundMs), cutOff(freshSince?.noMatchMs)],
  ]);
  return written ?? insertBatch(sql, spec, generation);
}

/** No row comes back where another batch has the id already. */
const INSERT = `
INSERT INTO batches (id, key, generation, lineage, state, account, account_name, sandbox, vendor, operation, input_path,
    input_sha256, input_rows, settings, created_at, fresh_found, fresh_no_match)
  VALUES ($1, $2, $3, $4, 'open', $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) ON CONFLICT (id) DO NOTHING RETURNING id`;

const cutOff = (ms: number | undefined): number | null => (ms === undefined ? null : wholeMs(ms));

/** It is random, so that nobody mistakes a batch of one store for one of another. */
const randomId = (): string =>
  randomInt(2 ** 31)
    .toString(16)
    .padStart(8, '0');
