import { rmSync } from 'node:fs';
import type { Call } from '../core/operation.ts';
import { type Cell, type Db, each, type Sql } from './db.ts';
import { endCall } from './ends.ts';
import { type Cleaning, type Erasable, type ErasureTarget, erasedReason, type Person } from './eraser.ts';
import { type BatchId, credits } from './ledger.ts';
import { findAbout, type Named } from './named-person.ts';
import { isCurrent } from './schema.ts';

/**
 * Erasing empties; nothing is deleted. Amounts, times, states and keys stay, so that budgets add up and who was forgotten is not bought
 * again: a key is an HMAC under the ledger's secret, and names nobody to whom has not the store. What is erased for its age may be bought
 * again, and so may a change of a person, who comes back as somebody who was never known.
 */

/** What a place does about bytes that an erasure leaves. */
export interface Room extends Pick<Erasable, 'requireRoom' | 'owner'> {
  /** Before the first byte is emptied. */
  begin(): void;
  clean(): Promise<Cleaning>;
}

export interface Erasing {
  readonly db: Db;
  readonly worker: number;
  readonly room: Room;
}

export const eraserOver =
  (erasing: Erasing) =>
  (target: ErasureTarget): Promise<Erasable> =>
    target.kind === 'person' ? aboutPerson(erasing, target.person) : olderThan(erasing, target);

/** Where nothing was run yet: a store may have no more than lists. */
export const NOTHING_ERASABLE: Erasable = {
  ...{
    calls: 0,
    cut: 0,
    rows: 0,
    memberships: 0,
    names: 0,
    unsettled: [],
    heldCredits: credits(0),
    hits: [],
  },
  ...{ needed: { calls: 0, by: [] }, inputs: [], files: [], written: new Set() },
  requireRoom() {},
  async erase(files) {
    removeFiles(files);
    return { isDue: false };
  },
};

function removeFiles(paths: readonly string[]): void {
  for (const path of paths) rmSync(path, { force: true });
}

interface Order {
  readonly said: 'person' | 'age';
  readonly files: readonly string[];
  readonly atMs: number;
}

/** In one transaction, with a note that names the files which go with it: the next opening removes those that are still there. */
async function erase(
  { db, worker, room }: Erasing,
  { said, files, atMs }: Order,
  work: (sql: Sql, reason: string) => Promise<void>,
): Promise<Cleaning> {
  room.begin();
  await db.transaction(async (sql) => {
    await sql.rows(
      `INSERT INTO notes (at, kind, said, worker, who, words, facts) VALUES (?, 'erased', ?, ?, 'person', '', ?)`,
      [atMs, said, worker, JSON.stringify(files)],
    );
    await work(sql, erasedReason(atMs));
    const is = `${marked(atMs)}%`;
    await sql.rows(`UPDATE replies SET headers = '{}', body = ? WHERE ${IS_EMPTIED}`, [NOTHING, is]);
    await sql.rows(
      `UPDATE notes SET words = 'erased', facts = CASE WHEN facts IS NOT NULL THEN '{}' END WHERE ${IS_EMPTIED}`,
      [is],
    );
  });
  return finishErasures(db, room);
}

/** What was asked begins so, once it is erased. */
const marked = (atMs: number): string => `{"erasedAtMs":${atMs},`;

const IS_EMPTIED = 'call IN (SELECT id FROM calls WHERE asked LIKE ?)';
const NOTHING = Buffer.alloc(0);

/** What committed erasures have still to do: files, and bytes. The names of files may name a person, and go with the work. */
export async function finishErasures(db: Db, room: Pick<Room, 'clean'>): Promise<Cleaning> {
  const due = `kind = 'erased' AND call IS NULL AND facts IS NOT NULL`;
  const left = await db.rows<{ facts: string }>(`SELECT facts FROM notes WHERE ${due}`);
  if (left.length === 0) return { isDue: false };
  for (const { facts } of left) removeFiles(JSON.parse(facts));
  const cleaning = await room.clean();
  if (!cleaning.isDue) await db.transaction((sql) => sql.rows(`UPDATE notes SET facts = NULL WHERE ${due}`));
  return cleaning;
}

/** What is left of a question. @param subject of a change, which has no name any more. */
function emptied(asked: string, atMs: number, subject: number | null): string {
  const { project, after, change }: Partial<Call> = JSON.parse(asked);
  const left = change && {
    subject: { project: change.subject.project, name: `erased:${subject}` },
    leaves: { state: change.leaves?.state ?? 'done' },
  };
  return JSON.stringify({ erasedAtMs: atMs, parameters: {}, ifLost: 'hold', project, after, change: left });
}

// --------------------------------------------------------------------------------------------- a person

async function aboutPerson(erasing: Erasing, person: Person): Promise<Erasable> {
  const { db, room } = erasing;
  const found = await findAbout(db, person);
  const { calls, attempts, subjects, rows, names, unsettled, written, hits } = found;
  const held = calls.filter(({ state }) => ['doubt', 'retried', 'lost'].includes(state));
  return {
    ...{
      calls: calls.length,
      cut: attempts.size,
      rows: rows.length,
      memberships: subjects.size,
      hits,
      unsettled,
    },
    names: new Set(names.map(({ table, key }) => `${table} ${key}`)).size,
    heldCredits: credits(held.reduce((sum, { reserved }) => sum + reserved, 0)),
    needed: { calls: 0, by: [] },
    ...(await filesOf(db, written, new Set(rows.map(({ batch }) => batch)))),
    ...{ written, owner: room.owner, requireRoom: room.requireRoom },
    erase(files, at) {
      const atMs = Math.floor(at);
      return erase(erasing, { said: 'person', files, atMs }, (sql, reason) =>
        forget(sql, { ...found, person, reason, atMs, worker: erasing.worker }),
      );
    },
  };
}

interface Forgetting extends Named {
  readonly person: Person;
  readonly reason: string;
  readonly atMs: number;
  readonly worker: number;
}

async function forget(sql: Sql, forgetting: Forgetting): Promise<void> {
  const { calls, attempts, subjects, rows, names, cuts, notes, person, reason, atMs, worker } = forgetting;
  await endDoubts(sql, forgetting);
  const accounts = new Set(calls.map(({ account }) => account));
  await sql.each(
    FORGOT,
    [...accounts].map((account) => ({ account, worker, at: atMs })),
  );
  await sql.each(
    CALL,
    calls.map(({ id, asked, subject }) => ({ id, asked: emptied(asked, atMs, subject) })),
  );
  await sql.each(CUT, cuts);
  for (const statement of WORDS) await sql.each(statement, idsOf(attempts));
  await sql.each(NOTE, notes);
  await sql.each(SUBJECT, idsOf(subjects));
  const plan = JSON.stringify({ kind: 'end', outcome: { kind: 'skipped', reason } });
  const has = ({ isNamed, state }: (typeof rows)[number]): number =>
    isNamed || state !== 'in_doubt' ? 1 : 0;
  await sql.each(
    ROW,
    rows.map((each) => ({ batch: each.batch, row: each.row, reason, plan, has_ended: has(each) })),
  );
  await forgetPieces(sql, new Set(rows.map(({ batch }) => batch)));
  // A file that is no longer known as ours is kept like a user's file.
  for (const { table, column, key, text } of names)
    if (table === 'files') await sql.rows('DELETE FROM files WHERE path = ?', [text]);
    else await sql.rows(`UPDATE ${table} SET ${column} = ? WHERE id = ?`, [person.replacedIn(text), key]);
}

/** A doubt that a person skipped counts as charged: nobody can tell any more what was asked. The newest is first, and leads the others. */
async function endDoubts(sql: Sql, { calls, atMs, worker }: Forgetting): Promise<void> {
  const doubts = calls.filter(({ state }) => state === 'doubt' || state === 'retried');
  const nothing = { said: 'found', is_at_most: 1, dialect: null, price: null, facts: null, why: 'erased' };
  for (const [at, { id, reserved }] of doubts.toSorted((one, other) => other.id - one.id).entries()) {
    await sql.each(BLANK, [{ id, body: NOTHING, at: atMs }]);
    const end = { ...nothing, call: id, state: 'answered', charged: reserved, at: atMs } as const;
    await endCall(sql, end, worker * 2 ** 32 + at + 1);
  }
}

const idsOf = (ids: Iterable<number>) => [...ids].map((id) => ({ id }));

const ID = each({ id: 'int' });
const BLANK = each({ id: 'int', body: 'bytes', at: 'int' })(
  `INSERT INTO replies (call, status, headers, body, at) SELECT v.id, 200, '{}', v.body, v.at FROM v WHERE 1 = 1 ON CONFLICT DO NOTHING`,
);
/** In these accounts answers about somebody are known by their calls alone. */
const FORGOT = each({ account: 'int', worker: 'int', at: 'int' })(
  `INSERT INTO notes (at, kind, account, worker, who, words) SELECT v.at, 'forgot', v.account, v.worker, 'person', '' FROM v`,
);
const ENDED = `'answered', 'replaced', 'retracted'`;
const EMPTY = `request = NULL, why = CASE WHEN why IS NOT NULL THEN 'erased' END`;
const freed = (where: string): string =>
  `state = CASE WHEN ${where} THEN 'erased' ELSE state END, is_current = CASE WHEN ${where} THEN 0 ELSE is_current END`;
/** A change is never answered from an older one, so its key is free. */
const CALL = each({ id: 'int', asked: 'text' })(`
UPDATE calls SET asked = v.asked, ${EMPTY}, ${freed(`subject IS NOT NULL AND state IN (${ENDED})`)} FROM v WHERE calls.id = v.id`);
const CUT = each({ id: 'int', body: 'bytes' })(
  'UPDATE replies SET body = v.body FROM v WHERE replies.call = v.id',
);
/** Words around an answer that stays. */
const WORDS = [
  ID(`UPDATE replies SET headers = '{}' FROM v WHERE replies.call = v.id`),
  ID(`UPDATE calls SET why = 'erased' FROM v WHERE calls.id = v.id AND calls.why IS NOT NULL`),
];
const NOTE = each({ id: 'int', words: 'text', facts: 'text' })(
  'UPDATE notes SET words = v.words, facts = v.facts FROM v WHERE notes.id = v.id',
);
const SUBJECT = ID(
  `UPDATE subjects SET name = 'erased:' || subjects.id, facts = NULL FROM v WHERE subjects.id = v.id`,
);
/** A row in doubt is settled later, and keeps what it says until then, unless that names the person. */
const ROW = each({ batch: 'text', row: 'int', reason: 'text', plan: 'text', has_ended: 'int' })(`
UPDATE rows SET reason = CASE v.has_ended WHEN 1 THEN v.reason ELSE rows.reason END, input = CASE v.has_ended WHEN 0 THEN rows.input END,
  work = CASE WHEN rows.work IS NOT NULL THEN v.plan END FROM v WHERE rows.batch = v.batch AND rows.row = v.row`);

// --------------------------------------------------------------------------------------------- what is old

type Old = ErasureTarget & { readonly kind: 'old' };

/**
 * Calls that ended before a time, but changes: a membership must be known for as long as it lasts. Not those whose key has something
 * under way or in doubt: what was lost before may come back. Nor what batches would buy again: the ledger does not know what the rows of an open one
 * ask that are not finished yet, so all answers to its operation count; of a finished one, rows in doubt are worked through once more.
 */
const OLD = `
WITH doubtful AS MATERIALIZED (
  SELECT r.batch, r.call FROM batches b JOIN rows r ON r.batch = b.id AND r.state = 'in_doubt' WHERE b.state = 'finished'
  UNION SELECT r.batch, CAST(item.value AS {int}) FROM batches b JOIN rows r ON r.batch = b.id AND r.state = 'in_doubt' AND r.others IS NOT NULL
    CROSS JOIN {list r.others} WHERE b.state = 'finished'),
old AS MATERIALIZED (
  SELECT c.id, c.state, c.batch, c.row, c.reserved,
    CASE WHEN EXISTS (SELECT 1 FROM calls o WHERE o.key = c.key AND ${isCurrent('o')} AND o.state <> 'answered') THEN 1 ELSE 0 END AS is_unsettled,
    coalesce((SELECT min(b.id) FROM batches b WHERE b.state = 'open' AND b.account = c.account AND b.operation = c.operation),
      (SELECT min(d.batch) FROM doubtful d WHERE d.call = c.id)) AS needed_by
  FROM calls c WHERE c.subject IS NULL AND c.sent_at < ? AND coalesce(c.ended_at, 0) < ? AND c.asked NOT LIKE '{"erasedAtMs"%'
    AND (CAST(? AS TEXT) IS NULL OR c.account = (SELECT id FROM accounts WHERE identity = ?))),
gone AS MATERIALIZED (SELECT id FROM old WHERE is_unsettled = 0 AND needed_by IS NULL)`;

const RESTS = `rows.state NOT IN ('pending', 'in_doubt') AND (rows.call IN (SELECT id FROM gone) OR (rows.others IS NOT NULL
  AND EXISTS (SELECT 1 FROM {list rows.others} WHERE CAST(item.value AS {int}) IN (SELECT id FROM gone))))`;

function paramsOf({ beforeMs, accountIdentity }: Old): readonly Cell[] {
  const [before, account] = [Math.floor(beforeMs), accountIdentity ?? null];
  return [before, before, account, account];
}

interface OldSum {
  readonly needed_by: BatchId | null;
  readonly is_unsettled: number;
  readonly n: number;
  readonly held: number;
}

async function olderThan(erasing: Erasing, target: Old): Promise<Erasable> {
  const { db, room } = erasing;
  const params = paramsOf(target);
  const sums = await db.rows<OldSum>(
    `${OLD} SELECT needed_by, is_unsettled, count(*) AS n, CAST(sum(CASE WHEN state IN ('retried', 'lost') THEN reserved ELSE 0 END) AS {int}) AS held
       FROM old GROUP BY 1, 2`,
    params,
  );
  const settled = sums.filter(({ is_unsettled }) => is_unsettled === 0);
  const [gone] = settled.filter(({ needed_by }) => needed_by === null);
  const needed = settled.filter(({ needed_by }) => needed_by !== null);
  const rows = [
    ...(await db.rows<InBatch>(
      `${OLD} SELECT batch, count(*) AS n FROM rows WHERE ${RESTS} GROUP BY 1`,
      params,
    )),
    ...(await invalidRows(db, target)),
  ];
  const written = new Set(rows.map(({ batch }) => batch));
  return {
    ...{ calls: gone?.n ?? 0, cut: 0, rows: sumOf(rows), memberships: 0, names: 0, hits: [], written },
    unsettled: await db.rows(
      `${OLD} SELECT batch, row FROM old WHERE is_unsettled = 1 AND state IN ('open', 'doubt') ORDER BY id`,
      params,
    ),
    heldCredits: credits(gone?.held ?? 0),
    needed: { calls: sumOf(needed), by: needed.map(({ needed_by }) => needed_by as BatchId) },
    ...(await filesOf(db, written, new Set(), target.beforeMs)),
    ...{ owner: room.owner, requireRoom: room.requireRoom },
    erase(files, at) {
      const atMs = Math.floor(at);
      return erase(erasing, { said: 'age', files, atMs }, async (sql, reason) => {
        // Rows come first: they are found by their calls.
        await sql.rows(`${OLD} UPDATE rows SET reason = ?, input = NULL WHERE ${RESTS}`, [...params, reason]);
        for (const { batch } of await invalidRows(sql, target))
          await sql.rows(`UPDATE rows SET reason = ?, input = NULL WHERE ${IS_INVALID}`, [reason, batch]);
        await sql.rows(`${OLD} ${FREED}`, [...params, emptied('{}', atMs, null)]);
        await forgetPieces(sql, written);
      });
    },
  };
}

const FREED = `
UPDATE calls SET asked = ?, ${EMPTY}, ${freed(`state IN (${ENDED})`)} WHERE id IN (SELECT id FROM gone)`;

interface InBatch {
  readonly batch: BatchId;
  readonly n: number;
}

const sumOf = (parts: readonly { readonly n: number }[]): number => parts.reduce((sum, { n }) => sum + n, 0);

const IS_INVALID = `batch = ? AND state = 'invalid' AND reason NOT LIKE 'erased on ____-__-__'`;

/** The reason of a row that was never sent quotes its cells. */
async function invalidRows(sql: Pick<Sql, 'rows'>, target: Old): Promise<readonly InBatch[]> {
  const [before, , account] = paramsOf(target);
  const batches = await sql.rows<{ batch: BatchId; facts: string; n: number }>(
    `SELECT b.id AS batch, b.facts, count(*) AS n FROM batches b JOIN accounts a ON a.id = b.account
       JOIN rows r ON r.batch = b.id AND r.state = 'invalid' AND r.reason NOT LIKE 'erased on ____-__-__'
      WHERE b.state <> 'open' AND b.created_at < ? AND a.identity = coalesce(?, a.identity) GROUP BY b.id, b.facts`,
    [before ?? 0, account ?? null],
  );
  return batches.filter(({ facts }) => JSON.parse(facts).vendor === 'provider');
}

// --------------------------------------------------------------------------------------------- files

/** Of every list in which a row is erased, whichever batch remembers them. */
async function forgetPieces(sql: Sql, batches: ReadonlySet<BatchId>): Promise<void> {
  const all = await sql.rows<{ id: BatchId; facts: string }>('SELECT id, facts FROM batches');
  const lists = new Map(all.map(({ id, facts }) => [id, JSON.parse(facts).inputSha256 as string]));
  const erased = new Set([...batches].map((id) => lists.get(id)));
  for (const [id, list] of lists)
    if (erased.has(list)) await sql.rows('DELETE FROM pieces WHERE batch = ?', [id]);
}

/** @param read the batches in whose lists something of it stands. */
async function filesOf(
  db: Db,
  written: ReadonlySet<BatchId>,
  read: ReadonlySet<BatchId>,
  beforeMs = Number.POSITIVE_INFINITY,
): Promise<Pick<Erasable, 'inputs' | 'files'>> {
  const batches = await db.rows<{ id: BatchId; facts: string; created_at: number; goes_on: number }>(
    `SELECT b.id, b.facts, b.created_at, CASE WHEN b.state = 'open' OR (b.state = 'finished'
      AND EXISTS (SELECT 1 FROM rows r WHERE r.batch = b.id AND r.state = 'in_doubt')) THEN 1 ELSE 0 END AS goes_on FROM batches b`,
  );
  const known = await db.rows<{ path: string; kind: string; sha256: string; batch: BatchId | null }>(
    'SELECT path, kind, sha256, batch FROM files',
  );
  // A job may name a person in what it asks, and is affected by no row.
  const affected = { written, list: read, job: new Set<BatchId>() };
  return {
    inputs: batches.map(({ id, facts, created_at, goes_on }) => {
      const { inputPath: path } = JSON.parse(facts);
      return { batch: id, path, goesOn: goes_on === 1, isYoung: created_at >= beforeMs };
    }),
    files: known.map(({ path, kind, sha256, batch }) => {
      const isAffected = batch !== null && affected[kind as keyof typeof affected].has(batch);
      return { path, sha256: sha256 === '' ? null : sha256, isAffected };
    }),
  };
}
