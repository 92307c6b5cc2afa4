import { randomBytes } from 'node:crypto';
import { invariant } from '../../../core/errors.ts';
import { type ErasureTarget, erasedReason, type Person } from '../../eraser.ts';
import type { BatchId } from '../../ledger.ts';
import { draftDecision, toldErased } from '../../rules/drafts.ts';
import { type ErasableRow, type Erasing, erasedPlan, NAMES_OF_BATCH } from '../../rules/found.ts';
import { hiddenKey, keyCheck } from '../../rules/hidden-keys.ts';
import { emptiedTerms, type Terms } from '../../rules/kept-call.ts';
import { oneCell, oneColumn, type Sql } from './connection.ts';
import { movedBy, write } from './entries.ts';
import { NAMES } from './erasable.ts';
import { lockedHistory } from './histories.ts';
import { bookMoved } from './money.ts';
import type { Found } from './old-entries.ts';
import { noteErasure } from './people.ts';
import { wholeMs } from './session.ts';

/**
 * Empties what was found, in one transaction: first an erasure and what it covers, then the content. Amounts, times and kinds stay.
 */
export async function erase(sql: Sql, { target, found, atMs, secret, by }: Erasing<Found>): Promise<void> {
  const at = wholeMs(atMs);
  const calls = [...found.calls];
  await lock(sql, calls);
  if (target.kind === 'person') for (const call of calls) await endDoubt(sql, call, at);
  const erasure = await cover(sql, found, { kind: target.kind, at, secret });
  if (by !== undefined) await noteErasure(sql, erasure, by);
  await sql.rows(EMPTY_CALLS_ENTRIES, [calls]);
  for (const call of calls) await eraseCall(sql, call, { at, secret, subjects: found.subjects });
  const attempts = [...found.attempts];
  await sql.rows(EMPTY_ATTEMPTS, [attempts]);
  for (const { of, id, body } of found.cuts) await sql.rows(CUT, [of, id, body]);
  const subjects = [...found.subjects];
  await sql.rows(`UPDATE subjects SET name = 'erased:' || id WHERE id = ANY ($1)`, [subjects]);
  await sql.rows(EMPTY_CHANGES, [subjects]);
  const person = target.kind === 'person' ? target.person : undefined;
  await eraseRows(sql, found.rows, erasedReason(at), person);
  if (person !== undefined) await replaceNames(sql, person);
}

/** What has begun since it was looked for is not erased under the hands of who waits for it. */
async function lock(sql: Sql, calls: readonly number[]): Promise<void> {
  const text = 'SELECT open FROM calls WHERE id = ANY ($1) ORDER BY key FOR UPDATE';
  const open = await oneColumn<number | null>(sql, text, [calls]);
  invariant(
    open.every((attempt) => attempt === null),
    'what may have been charged is erased only after it is settled',
  );
}

async function endDoubt(sql: Sql, call: number, atMs: number): Promise<void> {
  const text = `SELECT stands FROM calls WHERE id = $1 AND state = 'doubt'`;
  const attempt = await oneCell<number>(sql, text, [call]);
  const history = attempt === undefined ? undefined : await lockedHistory(sql, { attempt });
  const told = history && toldErased(history, atMs);
  if (history === undefined || told === undefined) return;
  const drafts = draftDecision(history, told, history.call.account);
  await write(sql, history, drafts);
  await bookMoved(sql, movedBy(history, drafts));
}

interface Covering {
  readonly kind: ErasureTarget['kind'];
  readonly at: number;
  readonly secret: Buffer | undefined;
}

async function cover(sql: Sql, found: Found, { kind, at, secret }: Covering): Promise<number> {
  const erasure = await oneCell<number>(
    sql,
    'INSERT INTO erasures (kind, at, key_check) VALUES ($1, $2, $3) RETURNING id',
    [kind === 'person' ? 'person' : 'age', at, secret === undefined ? null : keyCheck(secret)],
  );
  invariant(erasure !== undefined, 'an erasure has a number');
  const numbered = { call: found.calls, attempt: found.attempts, subject: found.subjects };
  for (const [what, ids] of Object.entries(numbered))
    await sql.rows(
      'INSERT INTO erased (what, id, row, erasure) SELECT $1, unnest($2::bigint[]), 0, $3 ON CONFLICT DO NOTHING',
      [what, [...ids], erasure],
    );
  await sql.rows(COVER_ROWS, [...columnsOf(found.rows), erasure]);
  return erasure;
}

const COVER_ROWS = `
INSERT INTO erased (what, batch, row, erasure) SELECT 'row', batch, row, $3 FROM unnest($1::text[], $2::bigint[]) u (batch, row)
  ON CONFLICT DO NOTHING`;

const columnsOf = (rows: readonly ErasableRow[]): readonly unknown[] => [
  rows.map(({ batch }) => batch),
  rows.map(({ row }) => row),
];

const WORDS = `words = CASE WHEN e.words IS NOT NULL THEN '"erased"'::json END,
    headers = CASE WHEN e.headers IS NOT NULL THEN '{}'::json END`;

/** Of a request under an idempotency key the key stays, by which the vendor knew it. */
const EMPTY_CALLS_ENTRIES = `
UPDATE entries e SET ${WORDS}, body = CASE WHEN e.body IS NOT NULL THEN ''::bytea END,
    facts = CASE WHEN e.facts -> 'request' IS NULL THEN e.facts
      ELSE jsonb_set(e.facts::jsonb #- '{request,body}', '{request,path}', '"erased"')::json END
  FROM entries a WHERE a.call = ANY ($1) AND a.id = a.of AND e.of = a.of`;

/** What a look found names the person as well, although it is no answer. */
const EMPTY_ATTEMPTS = `
UPDATE entries e SET ${WORDS}, body = CASE WHEN e.kind = 'look' THEN ''::bytea ELSE e.body END WHERE e.of = ANY ($1)`;

const CUT = 'UPDATE entries SET body = $3 WHERE of = $1 AND id = $2';

const EMPTY_CHANGES = `
UPDATE changes SET email = NULL, invite_code = NULL, user_id = NULL WHERE subject = ANY ($1)`;

interface CallRow {
  readonly key: Buffer;
  readonly account: string;
  readonly terms: Terms | null;
}

/**
 * A person's call gets its hidden key, so that it is recognised when it is asked again. Two kinds of calls get a random key: a change,
 * which is never answered from an older one, and a call whose hidden key an earlier one has already.
 */
async function eraseCall(
  sql: Sql,
  id: number,
  { at: erasedAtMs, secret, subjects }: Pick<Covering, 'at' | 'secret'> & Pick<Found, 'subjects'>,
): Promise<void> {
  const row = await sql.row<CallRow>('SELECT key, account, terms FROM calls WHERE id = $1', [id]);
  invariant(row !== undefined, `there is no call ${id}`);
  const { change } = row.terms ?? {};
  const hidden = secret === undefined || change !== undefined ? undefined : hiddenKey(secret, row.key);
  const isTaken =
    hidden !== undefined && (await sql.row('SELECT 1 FROM calls WHERE key = $1', [hidden])) !== undefined;
  const key = hidden === undefined || isTaken ? randomBytes(32) : hidden;
  const named = change && (await subjectOf(sql, row.account, change));
  const name = named !== undefined && subjects.has(named) ? `erased:${named}` : undefined;
  const terms = emptiedTerms(row.terms ?? {}, erasedAtMs, name);
  await sql.rows(ERASE_CALL, [id, key, JSON.stringify(terms)]);
}

const ERASE_CALL = `UPDATE calls SET kind = 'erased', key = $2, parameters = '{}', terms = $3 WHERE id = $1`;

function subjectOf(
  sql: Sql,
  account: string,
  { subject: { project = '', name } }: NonNullable<Terms['change']>,
): Promise<number | undefined> {
  const named = 'SELECT id FROM subjects WHERE account = $1 AND project = $2 AND name = $3';
  return oneCell(sql, named, [account, project, name]);
}

/** A row in doubt is settled later, and keeps what it says until then, unless that names the person. */
async function eraseRows(
  sql: Sql,
  rows: readonly ErasableRow[],
  reason: string,
  person: Person | undefined,
): Promise<void> {
  const doubts = await sql.rows<ErasableRow & { readonly reason: string | null }>(DOUBTS, columnsOf(rows));
  const kept = new Set(
    doubts
      .filter(({ reason: said }) => person === undefined || !person.in(said ?? ''))
      .map(({ batch, row }) => `${batch} ${row}`),
  );
  const erased = rows.filter(({ batch, row }) => !kept.has(`${batch} ${row}`));
  await sql.rows(ERASE_ROWS, [...columnsOf(erased), JSON.stringify(reason)]);
  await sql.rows(ERASE_PLANNED, [...columnsOf(rows), erasedPlan(reason)]);
  await sql.rows(REMOVE_PIECES, [[...new Set(rows.map(({ batch }) => batch))]]);
}

const GIVEN = 'unnest($1::text[], $2::bigint[]) u (batch, row)';
const DOUBTS = `
SELECT r.batch, r.row, r.reason FROM rows r JOIN ${GIVEN} USING (batch, row) WHERE r.outcome = 'in_doubt'`;
const ERASE_ROWS = `UPDATE rows r SET reason = $3, input = NULL FROM ${GIVEN} WHERE r.batch = u.batch AND r.row = u.row`;
const ERASE_PLANNED = `UPDATE planned p SET planned = $3 FROM ${GIVEN} WHERE p.batch = u.batch AND p.row = u.row`;

/** Of every list in which a row is erased, whichever batch remembers them. */
const REMOVE_PIECES = `
DELETE FROM pieces WHERE batch IN (
  SELECT same.id FROM batches b JOIN batches same ON same.input_sha256 = b.input_sha256 WHERE b.id = ANY ($1))`;

async function replaceNames(sql: Sql, person: Person): Promise<void> {
  const texts = NAMES_OF_BATCH.map((name) => `${name}::text AS ${name}`).join(', ');
  type Row = Readonly<Record<(typeof NAMES_OF_BATCH)[number], string | null>> & { readonly id: BatchId };
  for (const row of await sql.rows<Row>(`SELECT id, ${texts} FROM batches`)) {
    const names = NAMES_OF_BATCH.map((name) => row[name]);
    const renamed = names.map((text) =>
      text === null || !person.in(text, 'name') ? text : person.replacedIn(text),
    );
    if (renamed.some((text, at) => text !== names[at])) await sql.rows(RENAME, [row.id, ...renamed]);
  }
  for (const [table, { key, text, where }] of Object.entries(NAMES)) {
    const rows = await sql.rows<{ key: string | number; text: string | null }>(
      `SELECT ${key} AS key, ${text} AS text FROM ${table}`,
    );
    const named = rows.filter((each) => each.text !== null && person.in(each.text, where));
    const values = [named.map((each) => each.key), named.map((each) => person.replacedIn(each.text ?? ''))];
    await sql.rows(RENAMED[table as keyof typeof NAMES], values);
  }
}

const removed = (table: keyof typeof NAMES): string => `
DELETE FROM ${table} t USING unnest($1::text[], $2::text[]) u (key, renamed) WHERE t.${NAMES[table].key}::text = u.key`;

const altered = (table: keyof typeof NAMES, cells: string): string => `
UPDATE ${table} t SET ${cells} FROM unnest($1::text[], $2::text[]) u (key, renamed) WHERE t.${NAMES[table].key}::text = u.key`;

const RENAMED: Readonly<Record<keyof typeof NAMES, string>> = {
  // A file that is no longer known as ours is kept like a user's file.
  files: removed('files'),
  reads: removed('reads'),
  pauses: removed('pauses'),
  accounts: altered('accounts', 'misses_place = NULL'),
  acts: altered('acts', 'operator = u.renamed'),
  orders: altered('orders', 'job = u.renamed::json'),
  workers: altered('workers', 'command = u.renamed'),
  // What was said goes on holding, in other words.
  paces: altered(
    'paces',
    "pause = nullif(u.renamed::jsonb -> 0, 'null'), ended = nullif(u.renamed::jsonb -> 1, 'null')",
  ),
};

const RENAME = `UPDATE batches SET ${NAMES_OF_BATCH.map((name, at) => `${name} = $${at + 2}`).join(', ')} WHERE id = $1`;
