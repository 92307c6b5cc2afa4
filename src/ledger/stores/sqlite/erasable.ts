import type { Erasable, ErasureTarget, Person } from '../../eraser.ts';
import {
  type ErasableRow as ErasableRowIn,
  type Found as FoundIn,
  foundOld,
  type HeldFile,
  Hits,
  leftOf,
  NAMES_OF_BATCH,
  type OldCall,
  removeFiles,
  reportOf,
} from '../../rules/found.ts';
import type { Connection } from './connection.ts';
import { attemptsOf } from './lookups.ts';
import { BATCHES_OF_INPUTS, OLD_CALLS, OLD_ROWS } from './old-entries.ts';
import { batchId } from './tables.ts';

/** Finds the parts of a ledger that are about a person, or older than a time. This file only reads. */

export type Found = FoundIn<Cut, number>;
export type ErasableRow = ErasableRowIn<number>;

export interface Cut {
  /** The table that holds the answer, and its number there. */
  readonly heldIn: 'replies' | 'notes';
  readonly entry: number;
  readonly attempt: number;
  readonly body: Buffer;
}

export function erasureOf(connection: Connection, target: ErasureTarget) {
  const found =
    target.kind === 'person' ? aboutPerson(connection, target.person) : olderThan(connection, target);
  const cuts = new Set(found.cuts.map(({ attempt }) => attempt));
  const report = reportOf(
    found,
    target.kind,
    {
      cut: ids(connection, BATCHES_OF_CUTS, list(cuts)),
      heldCredits: connection.get<{ credits: number }>(HELD, list(found.calls))?.credits ?? 0,
      inputs: inputsIn(connection, target),
      written: connection.all<HeldFile<number>>(WRITTEN),
      read: connection.all<HeldFile<number>>(READ),
    },
    batchId,
  );
  return { found, report };
}

/** The same where nothing was run yet: a store may have no more than lists. */
export const NOTHING_ERASABLE: Erasable = {
  ...reportOf(
    foundOld<number>([]),
    'old',
    { cut: [], heldCredits: 0, inputs: [], written: [], read: [] },
    batchId,
  ),
  requireRoom() {},
  async erase(files) {
    removeFiles(files);
    return { isDue: false };
  },
};

/** An answer from which a person was cut out is in the outputs of all rows that used it. */
const BATCHES_OF_CUTS = `
SELECT DISTINCT r.batch AS id FROM rows r, json_each(r.answers) j
 WHERE j.value IN (SELECT value FROM json_each(?))`;

const WRITTEN = 'SELECT path, sha256, batch FROM files';

/** A job may name a person in what it asks, and is affected by no row. */
const READ = `
SELECT r.path, iif(r.is_list, b.input_sha256, NULL) AS sha256, iif(r.is_list, b.id, NULL) AS batch
  FROM reads r JOIN batches b ON b.id = r.batch`;

function inputsIn(connection: Connection, target: ErasureTarget): Erasable['inputs'] {
  const before = target.kind === 'old' ? target.beforeMs : null;
  return connection
    .all<{ id: number; path: string; goesOn: 0 | 1; isYoung: 0 | 1 }>(BATCHES_OF_INPUTS, { before })
    .map(({ id, path, goesOn, isYoung }) => ({
      batch: batchId(id),
      path,
      goesOn: goesOn === 1,
      isYoung: isYoung === 1,
    }));
}

const list = (ids: ReadonlySet<number>): string => JSON.stringify([...ids]);

function aboutPerson(connection: Connection, person: Person): Found {
  const hits = new Hits(person);
  connection.define('mentions', (place, text) => hits.note(place, text, 'text'));
  connection.define('named', (place, text) => hits.note(place, text, 'name'));
  const subjects = new Set(ids(connection, SUBJECTS));
  const calls = new Set(ids(connection, CALLS));
  for (const id of ids(connection, CALLS_OF_SUBJECTS, list(subjects))) calls.add(id);
  const { cuts, attempts } = answersAbout(connection, person, calls);
  for (const attempt of ids(connection, WORDS, list(calls))) attempts.add(attempt);
  for (const id of ids(connection, SUBJECTS_OF_CALLS, list(calls))) subjects.add(id);
  const rows = connection.all<ErasableRow>(ROWS, { calls: list(calls) });
  const attached = list(new Set([...attempts, ...ids(connection, ATTEMPTS, list(calls))]));
  const batches = new Set(ids(connection, BATCHES));
  return {
    ...{ calls, attempts, cuts, rows, subjects, hits: hits.all(), needed: [] },
    unsettled: [
      ...connection.all<ErasableRow>(UNSETTLED, { attempts: attached }),
      ...connection.all<ErasableRow>(UNFINISHED),
    ],
    batches,
    names:
      batches.size +
      (connection.get<{ count: number }>(`SELECT ${COUNTED_NAMES.join(' + ')} AS count`)?.count ?? 0),
  };
}

function ids(connection: Connection, sql: string, ...values: readonly string[]): readonly number[] {
  return connection.all<{ id: number }>(sql, ...values).map(({ id }) => id);
}

/** A person who is known by an id alone is found by the e-mail address of the changes that were made for them. */
const SUBJECTS = `
SELECT id FROM subjects WHERE mentions('membership', name)
UNION SELECT subject FROM changes WHERE mentions('membership', email)`;

const CALLS = `
SELECT id FROM calls WHERE mentions('request', parameters) OR (terms IS NOT NULL AND mentions('request', terms))
UNION SELECT a.call FROM requests r JOIN attempts a ON a.id = r.attempt WHERE named('request', r.path) OR mentions('request', r.body)`;

const CALLS_OF_SUBJECTS = 'SELECT id FROM calls WHERE subject IN (SELECT value FROM json_each(?))';

/** A project with an owner is no person, and neither is the subject of a user's own call. */
const SUBJECTS_OF_CALLS = `
SELECT DISTINCT s.id FROM calls c JOIN subjects s ON s.id = c.subject
 WHERE c.id IN (SELECT value FROM json_each(?)) AND s.name NOT LIKE 'project:%' AND s.name NOT LIKE 'call:%'`;

const ATTEMPTS = `SELECT a.id FROM json_each(?) j CROSS JOIN attempts a ON a.id IN ${attemptsOf('j.value')}`;

/** Everything that was said about attempts of other calls, but bodies of answers: those are cut. */
const WORDS = `
SELECT a.id FROM attempts a WHERE a.call NOT IN (SELECT value FROM json_each(?)) AND a.id IN (
  SELECT of FROM replies WHERE mentions('answer', headers)
  UNION SELECT of FROM ends WHERE mentions('words', words)
  UNION SELECT of FROM notes WHERE mentions('words', words) OR mentions('answer', headers)
     OR (kind = 'look' AND mentions('answer', body)))`;

const ROWS = `
SELECT batch, row FROM rows WHERE mentions('reason', reason)
UNION SELECT r.batch, r.row FROM rows r, json_each(r.answers) j JOIN attempts a ON a.id = j.value
 WHERE a.call IN (SELECT value FROM json_each(:calls))
UNION SELECT batch, row FROM planned WHERE mentions('plan', planned)`;

const BATCHES = `SELECT id FROM batches WHERE ${NAMES_OF_BATCH.map((name) => `named('name', ${name})`).join(' OR ')}`;

export const NAMES = {
  files: "named('name', path)",
  reads: "named('name', path)",
  pauses: "mentions('words', why)",
  accounts: "named('name', misses_place)",
  acts: "named('name', operator)",
} as const;

const COUNTED_NAMES = Object.entries(NAMES).map(
  ([table, where]) => `(SELECT count(*) FROM ${table} WHERE ${where})`,
);

/** Whether somebody can still decide about the call: in a batch that risked it or waits for it, and did not skip it. */
const IS_DECIDABLE = `EXISTS (
  SELECT 1 FROM (
    SELECT i.batch FROM losses l JOIN attempts i ON i.id = l.attempt WHERE l.call = c.id
    UNION
    SELECT r.batch FROM rows r, json_each(r.answers) j JOIN attempts i ON i.id = j.value
     WHERE r.outcome = 'in_doubt' AND i.call = c.id) b
   WHERE (
     SELECT k.said FROM notes k WHERE k.of = c.stands AND k.kind = 'decided' AND k.batch = b.batch
      ORDER BY k.id DESC LIMIT 1) IS NOT 'skip')`;

const UNSETTLED = `
SELECT a.batch, a.row FROM attempts a JOIN calls c ON c.id = a.call
 WHERE a.id IN (SELECT value FROM json_each(:attempts))
   AND (c.open = a.id OR (c.state = 'doubt' AND c.stands = a.id AND ${IS_DECIDABLE}))`;

/** What lost attempts hold about which nobody can decide. */
const HELD = `
SELECT coalesce(sum(holds), 0) AS credits FROM losses
 WHERE ended IS NULL AND call IN (SELECT value FROM json_each(?))`;

const UNFINISHED = `
SELECT p.batch, p.row FROM planned p JOIN batches b ON b.id = p.batch AND b.state = 'open'
  LEFT JOIN rows r ON r.batch = p.batch AND r.row = p.row
 WHERE (r.outcome IS NULL OR r.outcome = 'in_doubt') AND mentions('plan', p.planned)`;

interface AnswerRow {
  readonly heldIn: Cut['heldIn'];
  readonly entry: number;
  readonly attempt: number;
  readonly call: number;
  readonly operation: string;
  readonly isChange: 0 | 1;
  readonly body: Buffer;
}

/** @param calls receives the calls whose answers are about this person and nobody else. */
function answersAbout(connection: Connection, person: Person, calls: Set<number>) {
  const found: (Cut & { readonly call: number })[] = [];
  const rows = connection.all<AnswerRow>(
    `SELECT e.held_in AS heldIn, e.id AS entry, e.of AS attempt, e.call, c.operation, c.subject IS NOT NULL AS isChange, e.body
       FROM (
         SELECT 'replies' AS held_in, of AS id, of, call, body FROM replies
         UNION ALL SELECT 'notes', id, of, call, body FROM notes WHERE kind = 'told') e
       JOIN calls c ON c.id = e.call WHERE mentions('answer', e.body)`,
  );
  for (const { heldIn, entry, attempt, call, operation, isChange, body } of rows) {
    if (calls.has(call)) continue;
    const left = leftOf({ operation, isChange: isChange === 1, body }, person);
    if (left === undefined) calls.add(call);
    else found.push({ heldIn, entry, attempt, call, body: left });
  }
  const cuts = found.filter(({ call }) => !calls.has(call));
  return { cuts, attempts: new Set(cuts.map(({ attempt }) => attempt)) };
}

/** Answers that were bought, but no changes: a membership must be known for as long as it lasts. */
function olderThan(
  connection: Connection,
  { beforeMs, accountIdentity }: ErasureTarget & { kind: 'old' },
): Found {
  const values = { before: beforeMs, account: accountIdentity ?? null };
  const found = foundOld(connection.all<OldCall<number>>(OLD_CALLS, values));
  const rows = connection.all<ErasableRow>(OLD_ROWS, { ...values, calls: list(found.calls) });
  return { ...found, rows };
}
