import { hostname } from 'node:os';
import type { ErasureTarget, Person } from '../../eraser.ts';
import type { BatchId } from '../../ledger.ts';
import {
  type ErasableRow,
  type ErasureReport,
  type HeldFile,
  Hits,
  leftOf,
  NAMES_OF_BATCH,
  reportOf,
} from '../../rules/found.ts';
import { LOSS_OVER } from '../../rules/moves.ts';
import { oneCell, oneColumn, type Sql } from './connection.ts';
import { type Cut, type Found, inputsIn, olderThan, ROWS } from './old-entries.ts';
import { scanned } from './scanned.ts';

/** Finds the parts of a ledger that are about a person. This file only reads. */

export async function erasureOf(
  sql: Sql,
  target: ErasureTarget,
): Promise<{ readonly found: Found; readonly report: ErasureReport }> {
  const found =
    target.kind === 'person' ? await aboutPerson(sql, target.person) : await olderThan(sql, target);
  const beside = {
    cut: await oneColumn<BatchId>(sql, BATCHES_OF_CUTS, [found.cuts.map(({ of }) => of)]),
    heldCredits: (await oneCell<number>(sql, HELD, [[...found.calls]])) ?? 0,
    inputs: await inputsIn(sql, target),
    written: await sql.rows<HeldFile<BatchId>>(WRITTEN, [hostname()]),
    read: await sql.rows<HeldFile<BatchId>>(READ, [hostname()]),
  };
  const report = reportOf(found, target.kind, beside, (batch) => batch);
  return { found, report };
}

const BATCHES_OF_CUTS = 'SELECT DISTINCT batch FROM rows WHERE answers && $1::bigint[]';

/** What lost attempts hold about which nobody can decide. */
const HELD = `
SELECT coalesce(sum(a.reserved), 0) AS credits FROM entries a JOIN entries l ON l.of = a.of AND l.kind IN ('lost', 'lost_beside')
 WHERE a.call = ANY ($1) AND a.id = a.of AND NOT EXISTS (
   SELECT FROM entries n WHERE n.of = a.of AND n.kind IN (${LOSS_OVER.map((kind) => `'${kind}'`).join(', ')}))`;

const WRITTEN = 'SELECT path, sha256, batch FROM files WHERE host = $1';

/** A job may name a person in what it asks, and is affected by no row. */
const READ = `
SELECT r.path, CASE WHEN r.is_list THEN b.input_sha256 END AS sha256, CASE WHEN r.is_list THEN b.id END AS batch
  FROM reads r JOIN batches b ON b.id = r.batch WHERE r.host = $1`;

/** What is gone through is held against the person here: the database does not know how names are written. */
async function aboutPerson(sql: Sql, person: Person): Promise<Found> {
  const hits = new Hits(person);
  const subjects = await subjectsOf(sql, hits);
  const calls = await callsOf(sql, hits, subjects);
  const { cuts, words } = await saidAbout(sql, { hits, person, calls });
  const attempts = new Set([...cuts.map(({ of }) => of), ...words]);
  for (const id of await oneColumn<number>(sql, SUBJECTS_OF_CALLS, [[...calls]])) subjects.add(id);
  const { batches, names } = await namesOf(sql, hits);
  const rows = await rowsOf(sql, hits, calls);
  const unsettled = await sql.rows<ErasableRow>(UNSETTLED, [[...calls], [...attempts]]);
  const unfinished = [
    ...(await plannedAbout(sql, hits, UNFINISHED)),
    ...(await plannedAbout(sql, hits, LISTED)),
  ];
  return {
    ...{ calls, attempts, cuts, rows, subjects, hits: hits.all(), needed: [], batches, names },
    unsettled: [...unsettled, ...unfinished],
  };
}

async function subjectsOf(sql: Sql, hits: Hits): Promise<Set<number>> {
  const query = 'SELECT s.id, s.name, g.email FROM subjects s LEFT JOIN changes g ON g.subject = s.id';
  const found = new Set<number>();
  for await (const { id, name, email } of scanned<{ id: number; name: string; email: string | null }>(
    sql,
    query,
  ))
    if (hits.note('membership', name, 'text') + hits.note('membership', email, 'text') > 0) found.add(id);
  return found;
}

const SUBJECT = `json_build_array(c.account, coalesce(c.terms -> 'change' -> 'subject' ->> 'project', ''), c.terms -> 'change' -> 'subject' ->> 'name')`;
const CHANGES = `calls c JOIN subjects s ON json_build_array(s.account, s.project, s.name)::text = ${SUBJECT}::text`;

/** A project with an owner is no person, and neither is the subject of a user's own call. */
const SUBJECTS_OF_CALLS = `
SELECT DISTINCT s.id FROM ${CHANGES} WHERE c.id = ANY ($1) AND s.name NOT LIKE 'project:%' AND s.name NOT LIKE 'call:%'`;

interface AskedRow {
  readonly call: number;
  readonly parameters: string;
  readonly terms: string | null;
}

interface RequestRow {
  readonly call: number;
  readonly request: { readonly path: string; readonly body?: string };
}

async function callsOf(sql: Sql, hits: Hits, subjects: ReadonlySet<number>): Promise<Set<number>> {
  const calls = new Set<number>();
  const asked = 'SELECT id AS call, parameters::text AS parameters, terms::text AS terms FROM calls';
  for await (const { call, parameters, terms } of scanned<AskedRow>(sql, asked))
    if (hits.note('request', parameters, 'text') + hits.note('request', terms, 'text') > 0) calls.add(call);
  const requests = `SELECT call, facts -> 'request' AS request FROM entries WHERE id = of AND facts -> 'request' IS NOT NULL`;
  for await (const { call, request } of scanned<RequestRow>(sql, requests)) {
    const body = request.body === undefined ? null : Buffer.from(request.body, 'base64');
    if (hits.note('request', request.path, 'name') + hits.note('request', body, 'text') > 0) calls.add(call);
  }
  const changed = `SELECT c.id FROM ${CHANGES} WHERE s.id = ANY ($1)`;
  for (const id of await oneColumn<number>(sql, changed, [[...subjects]])) calls.add(id);
  return calls;
}

interface SaidRow {
  readonly id: number;
  readonly of: number;
  readonly call: number;
  readonly kind: string;
  readonly operation: string;
  readonly isChange: boolean;
  readonly words: string | null;
  readonly headers: string | null;
  readonly body: Buffer | null;
}

const SAID = `
SELECT e.id, e.of, e.call, e.kind, c.operation, c.terms -> 'change' IS NOT NULL AS "isChange", e.words, e.headers::text AS headers, e.body
  FROM entries e JOIN calls c ON c.id = e.call WHERE e.words IS NOT NULL OR e.headers IS NOT NULL OR e.body IS NOT NULL`;

const ANSWERS: ReadonlySet<string> = new Set(['reply', 'late', 'told']);

/** @param calls receives the calls whose answers are about this person and nobody else. */
async function saidAbout(
  sql: Sql,
  { hits, person, calls }: { readonly hits: Hits; readonly person: Person; readonly calls: Set<number> },
): Promise<{ readonly cuts: readonly Cut[]; readonly words: readonly number[] }> {
  const cuts: Cut[] = [];
  const words: { readonly of: number; readonly call: number }[] = [];
  for await (const row of scanned<SaidRow>(sql, SAID)) {
    const { id, of, call, kind, body } = row;
    const inWords = hits.note('words', row.words, 'text') + hits.note('answer', row.headers, 'text') > 0;
    const inBody = hits.note('answer', body, 'text') === 1;
    if (inWords || (inBody && kind === 'look')) words.push({ of, call });
    if (!inBody || body === null || !ANSWERS.has(kind) || calls.has(call)) continue;
    const left = leftOf({ ...row, body }, person);
    if (left === undefined) calls.add(call);
    else cuts.push({ id, of, call, body: left });
  }
  const isOther = ({ call }: { readonly call: number }): boolean => !calls.has(call);
  return { cuts: cuts.filter(isOther), words: words.filter(isOther).map(({ of }) => of) };
}

async function rowsOf(sql: Sql, hits: Hits, calls: ReadonlySet<number>): Promise<readonly ErasableRow[]> {
  const found = new Map<string, ErasableRow>();
  const add = ({ batch, row }: ErasableRow): void => void found.set(`${batch} ${row}`, { batch, row });
  const reasons = 'SELECT batch, row, reason FROM rows WHERE reason IS NOT NULL';
  for await (const each of scanned<ErasableRow & { readonly reason: string }>(sql, reasons))
    if (hits.note('reason', each.reason, 'text') === 1) add(each);
  for (const each of await sql.rows<ErasableRow>(ROWS, [[...calls]])) add(each);
  const planned = 'SELECT batch, row, planned::text AS planned FROM planned';
  for (const each of await plannedAbout(sql, hits, planned)) add(each);
  return [...found.values()];
}

async function plannedAbout(sql: Sql, hits: Hits, query: string): Promise<readonly ErasableRow[]> {
  const found: ErasableRow[] = [];
  for await (const { batch, row, planned } of scanned<ErasableRow & { readonly planned: string }>(sql, query))
    if (hits.note('plan', planned, 'text') === 1) found.push({ batch, row });
  return found;
}

const UNFINISHED = `
SELECT p.batch, p.row, p.planned::text AS planned FROM planned p JOIN batches b ON b.id = p.batch AND b.state = 'open'
  LEFT JOIN rows r ON r.batch = p.batch AND r.row = p.row WHERE r.outcome IS NULL OR r.outcome = 'in_doubt'`;

/** Rows of submitted lists that have no final outcome: one that has it has no cells any more. */
const LISTED = 'SELECT batch, row, cells::text AS planned FROM listed';

/**
 * What is under way, and doubts about which somebody can still decide: in a batch that risked them or waits for them, and did not skip
 * them. A doubt about a change is settled where changes are made.
 */
const UNSETTLED = `
SELECT a.batch, a.row FROM entries a JOIN calls c ON c.id = a.call
 WHERE a.id = a.of AND (a.call = ANY ($1) OR a.of = ANY ($2)) AND (c.open = a.of OR (c.state = 'doubt' AND c.stands = a.of AND (
   c.terms -> 'change' IS NOT NULL OR EXISTS (
     SELECT FROM (
       SELECT i.batch FROM entries i JOIN entries l ON l.of = i.of AND l.kind IN ('lost', 'lost_beside')
        WHERE i.call = c.id AND i.id = i.of
       UNION SELECT r.batch FROM rows r CROSS JOIN unnest(r.answers) u (attempt)
         JOIN entries i ON i.of = u.attempt AND i.id = i.of WHERE r.outcome = 'in_doubt' AND i.call = c.id) b
      WHERE (SELECT k.said FROM entries k WHERE k.of = c.stands AND k.kind = 'decided' AND k.batch = b.batch
              ORDER BY k.id DESC LIMIT 1) IS DISTINCT FROM 'skip'))))`;

/** What else beside the book names a person: by table, what tells a row from others, and what may name somebody. */
export const NAMES = {
  files: { key: 'path', text: 'path', where: 'name', place: 'name' },
  reads: { key: 'path', text: 'path', where: 'name', place: 'name' },
  pauses: { key: 'id', text: "why #>> '{}'", where: 'text', place: 'words' },
  accounts: { key: 'identity', text: "misses_place #>> '{}'", where: 'name', place: 'name' },
  acts: { key: 'id', text: 'operator', where: 'name', place: 'name' },
  orders: { key: 'batch', text: 'job::text', where: 'name', place: 'name' },
  workers: { key: 'id', text: 'command', where: 'name', place: 'name' },
  paces: { key: 'account', text: 'json_build_array(pause, ended)::text', where: 'name', place: 'words' },
} as const;

async function namesOf(
  sql: Sql,
  hits: Hits,
): Promise<{ readonly batches: ReadonlySet<BatchId>; readonly names: number }> {
  const batches = new Set<BatchId>();
  const texts = NAMES_OF_BATCH.map((name) => `${name}::text`).join(', ');
  const ofBatches = `SELECT id, ARRAY[${texts}] AS texts FROM batches`;
  for await (const { id, texts: found } of scanned<{ id: BatchId; texts: readonly (string | null)[] }>(
    sql,
    ofBatches,
  ))
    if (found.filter((text) => hits.note('name', text, 'name') === 1).length > 0) batches.add(id);
  let others = 0;
  for (const [table, { text, where, place }] of Object.entries(NAMES))
    for await (const each of scanned<{ text: string | null }>(sql, `SELECT ${text} AS text FROM ${table}`))
      others += hits.note(place, each.text, where);
  return { batches, names: batches.size + others };
}
