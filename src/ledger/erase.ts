import { rmSync } from 'node:fs';
import type { Call } from '../core/operation.ts';
import { type Db, each, type Sql } from './db.ts';
import { endCall } from './ends.ts';
import {
  type Cleaning,
  type Erasable,
  type ErasureTarget,
  erasedReason,
  type Hit,
  type Person,
  type Where,
} from './eraser.ts';
import { rowsOf } from './pages.ts';
import { type BatchId, credits } from './records.ts';
import { isCurrent } from './schema.ts';

/**
 * Erasing empties; nothing is deleted but cells. Amounts, times, states and keys stay, so that budgets add up and who was forgotten is not
 * bought again: a key is an HMAC under the ledger's secret, and names nobody to whom has not the store. What is erased for its age may be
 * bought again, and so may a change of a person, who comes back as somebody who was never known.
 */

export interface Erasing {
  readonly db: Db;
  readonly worker: number;
  /** Rids the place of bytes that an erasure leaves. */
  clean(): Promise<Cleaning>;
}

interface Found extends Omit<Erasable, 'erase'> {
  readonly said: 'person' | 'age';
  empty(sql: Sql, atMs: number): Promise<void>;
}

export async function findErasable(erasing: Erasing, target: ErasureTarget): Promise<Erasable> {
  const { db, worker } = erasing;
  const { said, empty, ...found } =
    target.kind === 'person' ? await findPerson(erasing, target.person) : await findOld(db, target);
  return {
    ...found,
    async erase(files, at) {
      const atMs = Math.floor(at);
      await db.transaction(async (sql) => {
        // The next opening removes the files that are still there.
        await sql.rows(
          `INSERT INTO notes (at, kind, said, worker, who, words, facts) VALUES (?, 'erased', ?, ?, 'person', '', ?)`,
          [atMs, said, worker, JSON.stringify(files)],
        );
        await empty(sql, atMs);
        for (const statement of EMPTY_BESIDE) await sql.rows(statement, [`{"erasedAtMs":${atMs},%`]);
      });
      return finishErasures(erasing);
    },
  };
}

async function findPerson({ db, worker }: Erasing, person: Person): Promise<Found> {
  const search = new PersonSearch(db, person);
  await search.find();
  return { ...(await search.found()), said: 'person', empty: (sql, atMs) => search.empty(sql, atMs, worker) };
}

/** What committed erasures have still to do: files, and bytes. The names of files may name a person, and go with the work. */
export async function finishErasures({ db, clean }: Pick<Erasing, 'db' | 'clean'>): Promise<Cleaning> {
  const due = `kind = 'erased' AND call IS NULL AND facts IS NOT NULL`;
  const left = await db.rows<{ facts: string }>(`SELECT facts FROM notes WHERE ${due}`);
  if (left.length === 0) return { isDue: false };
  for (const { facts } of left) removeFiles(JSON.parse(facts));
  const cleaning = await clean();
  if (!cleaning.isDue) await db.transaction((sql) => sql.rows(`UPDATE notes SET facts = NULL WHERE ${due}`));
  return cleaning;
}

function removeFiles(paths: readonly string[]): void {
  for (const path of paths) rmSync(path, { force: true });
}

const NOTHING_FOUND = {
  ...{ calls: 0, cut: 0, rows: 0, memberships: 0, names: 0, heldCredits: credits(0) },
  ...{ unsettled: [], hits: [], needed: { calls: 0, by: [] }, inputs: [], files: [] },
  written: new Set<BatchId>(),
};

/** Where nothing was run yet: a store may have no more than lists. */
export const NOTHING_ERASABLE: Erasable = {
  ...NOTHING_FOUND,
  async erase(files) {
    removeFiles(files);
    return { isDue: false };
  },
};

const EMPTY = `request = NULL, why = CASE WHEN why IS NOT NULL THEN 'erased' END`;
const EMPTY_BESIDE = [
  `UPDATE replies SET headers = '{}', body = CAST('' AS {bytes})`,
  `UPDATE notes SET words = 'erased', facts = CASE WHEN facts IS NOT NULL THEN '{}' END`,
].map((what) => `${what} WHERE call IN (SELECT id FROM calls WHERE asked LIKE ?)`);

/** What is left of a question. @param subject of a change, which has no name any more. */
function emptied(asked: string, atMs: number, subject: number | null): string {
  const { project, after, change }: Partial<Call> = JSON.parse(asked);
  const left = change && {
    subject: { project: change.subject.project, name: `erased:${subject}` },
    leaves: { state: change.leaves?.state ?? 'done' },
  };
  return JSON.stringify({ erasedAtMs: atMs, parameters: {}, ifLost: 'hold', project, after, change: left });
}

/** An answer that is erased for good may be bought again. */
const freed = (where: string): string => {
  const is = `${where} AND state IN ('answered', 'replaced', 'retracted')`;
  return `state = CASE WHEN ${is} THEN 'erased' ELSE state END, is_current = CASE WHEN ${is} THEN 0 ELSE is_current END`;
};

// --------------------------------------------------------------------------------------------- a person

interface NamedCall {
  readonly id: number;
  readonly state: string;
  readonly is_unsettled: number;
  readonly account: number;
  readonly operation: string;
  readonly asked: string;
  readonly batch: BatchId;
  readonly row: number;
  readonly reserved: number;
  readonly subject: number | null;
  readonly name: string | null;
}

/** A doubt is settled once it is skipped in every list that waits for it. */
const CALL = `c.state, c.account, c.operation, c.asked, c.batch, c.row, c.reserved, c.subject, s.name,
  CASE WHEN c.state = 'open' OR (c.state = 'doubt' AND (EXISTS (SELECT 1 FROM rows r WHERE r.call = c.id AND r.state = 'in_doubt')
    OR NOT EXISTS (SELECT 1 FROM notes d WHERE d.call = c.id AND d.kind = 'decided' AND d.said = 'skip'))) THEN 1 ELSE 0 END AS is_unsettled`;

const SUBJECTS = 'SELECT id, name, facts FROM subjects WHERE id > ? ORDER BY id';
const CALLS = `SELECT c.id, ${CALL}, c.why, p.headers, p.body FROM calls c LEFT JOIN subjects s ON s.id = c.subject
  LEFT JOIN replies p ON p.call = c.id WHERE c.id > ? ORDER BY c.id`;
const NOTES = `SELECT n.id AS note, n.kind, n.words, n.facts, n.call AS id, ${CALL} FROM notes n LEFT JOIN calls c ON c.id = n.call
  LEFT JOIN subjects s ON s.id = c.subject WHERE n.id > ? ORDER BY n.id`;
const ROWS = `SELECT r.batch, r.row, r.state, r.call, r.others, r.reason, r.work, l.cells
  FROM rows r LEFT JOIN cells l ON l.batch = r.batch AND l.row = r.row WHERE (r.batch, r.row) > (?, ?) ORDER BY r.batch, r.row`;

/** Columns of small tables in which a name is replaced. */
const NAMES = {
  batches: ['facts', 'lineage', 'work_order'],
  workers: ['command', 'operator'],
  accounts: ['facts'],
  files: ['path'],
} as const;

/** A row of a table, and the call that it is about. */
interface Place {
  readonly table: string;
  readonly key: number | string;
  readonly call?: number | null;
}

type Texts = Readonly<Record<string, string | null>>;
type Body = Uint8Array;

/** Reads everything that may name a person, once. Each step goes by what the steps before it found. */
class PersonSearch {
  readonly #db: Db;
  readonly #person: Person;
  readonly #hits = new Map<string, Hit>();
  readonly #subjects = new Set<number>();
  /** Calls that are erased as a whole. */
  readonly #whole = new Map<number, NamedCall>();
  /** What is left of answers about others. */
  readonly #cuts = new Map<number, Body>();
  /** Columns in whose texts the name is replaced. */
  readonly #texts: (Place & { readonly column: string; readonly text: string })[] = [];
  readonly #rows: { batch: BatchId; row: number }[] = [];
  readonly #inDoubt: { batch: BatchId; row: number }[] = [];
  /** Batches that use an answer which is cut. */
  readonly #using = new Set<BatchId>();

  constructor(db: Db, person: Person) {
    this.#db = db;
    this.#person = person;
  }

  async find(): Promise<void> {
    await this.#findSubjects();
    await this.#findCalls();
    await this.#findNotes();
    await this.#findRows();
    for (const [table, columns] of Object.entries(NAMES))
      for (const row of await this.#db.rows<Texts>(`SELECT * FROM ${table}`))
        for (const column of columns)
          this.#name({ table, key: row.id ?? row.path ?? '' }, 'name', { [column]: row[column] ?? null });
  }

  /** A person who is known by an id alone is found by the address that the last change left. */
  async #findSubjects(): Promise<void> {
    type Subject = { id: number; name: string; facts: string | null };
    for await (const { id, name, facts } of rowsOf<Subject>(this.#db, SUBJECTS, ['id']))
      if (this.#isIn('membership', `${name} ${facts ?? ''}`)) this.#subjects.add(id);
  }

  async #findCalls(): Promise<void> {
    type Asked = NamedCall & { why: string | null; headers: string | null; body: Body | null };
    for await (const { why, headers, body, ...call } of rowsOf<Asked>(this.#db, CALLS, ['id'])) {
      const { id, subject } = call;
      const isAsked = this.#isIn('request', call.asked) || this.#subjects.has(subject ?? 0);
      if (isAsked) this.#whole.set(id, call);
      this.#name({ table: 'calls', key: id, call: id }, 'words', { why });
      this.#name({ table: 'replies', key: id, call: id }, 'answer', { headers });
      if (!this.#isIn('answer', body)) continue;
      const left = this.#leftOf(call, body);
      if (left === undefined) this.#whole.set(id, call);
      else this.#cuts.set(id, left);
    }
  }

  /** The person whom a change alters was already found by its call; its answer names others beside them. */
  #leftOf({ operation, subject }: NamedCall, body: Body | null): Body | undefined {
    if (operation === 'enrich-person') return undefined;
    const isAboutOthers = operation === 'enrich-company' || subject !== null;
    return this.#person.cutFrom(Buffer.from(body ?? []), isAboutOthers ? 'company' : 'anything');
  }

  async #findNotes(): Promise<void> {
    type Note = NamedCall & { note: number; kind: string; words: string; facts: string | null };
    for await (const { note, kind, words, facts, ...call } of rowsOf<Note>(this.#db, NOTES, ['note'])) {
      const at = { table: 'notes', key: note, call: call.id };
      this.#name(at, 'words', { words, facts });
      const { body: base64, ...others }: { body?: string } = JSON.parse(facts ?? '{}');
      const body = Buffer.from(base64 ?? '', 'base64');
      if (!this.#isIn('answer', body)) continue;
      // What a look found is no answer.
      const left = kind === 'told' ? this.#leftOf(call, body) : Buffer.alloc(0);
      if (left === undefined) this.#whole.set(call.id, call);
      const text = JSON.stringify({ ...others, body: Buffer.from(left ?? []).toString('base64') });
      this.#texts.push({ ...at, column: 'facts', text: this.#person.replacedIn(text) });
    }
  }

  async #findRows(): Promise<void> {
    type Row = { batch: BatchId; row: number; state: string; call: number | null } & Record<
      'others' | 'reason' | 'work' | 'cells',
      string | null
    >;
    for await (const kept of rowsOf<Row>(this.#db, ROWS, ['batch', 'row'], ['', -1])) {
      const { batch, row, state } = kept;
      const calls = callsOf(kept);
      const isListed = this.#isIn('plan', kept.work) || this.#isIn('plan', kept.cells);
      if (isListed && state === 'in_doubt') this.#inDoubt.push({ batch, row });
      if (this.#isIn('reason', kept.reason) || isListed || calls.some((id) => this.#whole.has(id)))
        this.#rows.push({ batch, row });
      if (calls.some((id) => this.#cuts.has(id))) this.#using.add(batch);
    }
  }

  #name(at: Place, place: string, texts: Texts): void {
    for (const [column, text] of Object.entries(texts))
      if (this.#isIn(place, text, place === 'name' ? 'name' : 'text'))
        this.#texts.push({ ...at, column, text: this.#person.replacedIn(text ?? '') });
  }

  #isIn(place: string, text: string | Body | null, where?: Where): boolean {
    if (text === null) return false;
    const cells = this.#person.cellsIn(typeof text === 'string' ? text : Buffer.from(text), where);
    for (const cell of cells) this.#hits.set(`${place} ${cell}`, { place, cell });
    return cells.length > 0;
  }

  async found(): Promise<Omit<Found, 'said' | 'empty'>> {
    const calls = [...this.#whole.values()];
    // A project with an owner is no person, and neither is the subject of a user's own call.
    for (const { subject, name } of calls)
      if (subject !== null && !/^(?:project|call):/.test(name ?? '')) this.#subjects.add(subject);
    const held = calls.filter(({ state }) => ['doubt', 'retried', 'lost'].includes(state));
    const open = calls.filter(({ is_unsettled }) => is_unsettled === 1);
    const about = this.#texts.flatMap(({ call }) => (call == null || this.#whole.has(call) ? [] : [call]));
    const names = this.#texts.filter(({ call }) => call == null);
    const listed = new Set(this.#rows.map(({ batch }) => batch));
    const written = new Set([...listed, ...this.#using]);
    return {
      ...NOTHING_FOUND,
      ...{ calls: calls.length, rows: this.#rows.length, memberships: this.#subjects.size },
      cut: new Set([...about, ...this.#cuts.keys()]).size,
      names: new Set(names.map(({ table, key }) => `${table} ${key}`)).size,
      heldCredits: credits(held.reduce((sum, { reserved }) => sum + reserved, 0)),
      unsettled: [...open.map(({ batch, row }) => ({ batch, row })), ...this.#inDoubt],
      ...{ hits: [...this.#hits.values()], written },
      ...(await filesOf(this.#db, written, listed)),
    };
  }

  async empty(sql: Sql, atMs: number, worker: number): Promise<void> {
    const calls = [...this.#whole.values()];
    // Nobody can tell any more what was asked in a doubt that was skipped, so it counts as charged.
    const how = { said: 'found', is_at_most: 1, why: 'erased', dialect: null, price: null, facts: null };
    const ended = { ...how, state: 'answered' } as const;
    for (const [at, { id, reserved }] of calls.filter(({ state }) => state === 'doubt').entries()) {
      await sql.rows(BLANK, [id, atMs]);
      await endCall(sql, { ...ended, call: id, charged: reserved, at: atMs }, worker * 2 ** 32 + at + 1);
    }
    // A file that is no longer known as ours is kept like a user's file.
    for (const { table, column, key, text } of this.#texts) {
      const id = table === 'replies' ? 'call' : 'id';
      if (table === 'files') await sql.rows('DELETE FROM files WHERE path = ?', [key]);
      else await sql.rows(`UPDATE ${table} SET ${column} = ? WHERE ${id} = ?`, [text, key]);
    }
    for (const account of new Set(calls.map((call) => call.account)))
      await sql.rows(FORGOT, [atMs, account, worker]);
    for (const { id, asked, subject } of calls) await sql.rows(ABOUT, [emptied(asked, atMs, subject), id]);
    for (const [id, body] of this.#cuts)
      await sql.rows('UPDATE replies SET body = ? WHERE call = ?', [body, id]);
    for (const id of this.#subjects)
      await sql.rows(`UPDATE subjects SET name = 'erased:' || id, facts = NULL WHERE id = ?`, [id]);
    const reason = erasedReason(atMs);
    const plan = JSON.stringify({ kind: 'end', outcome: { kind: 'skipped', reason } });
    const rows = this.#rows.map((each) => ({ ...each, reason, plan }));
    for (const statement of ROW) await sql.each(statement, rows);
  }
}

const callsOf = ({ call, others }: { call: number | null; others: string | null }): readonly number[] => [
  call ?? 0,
  ...JSON.parse(others ?? '[]'),
];

const BLANK = `
INSERT INTO replies (call, status, headers, body, at) VALUES (?, 200, '{}', CAST('' AS {bytes}), ?) ON CONFLICT DO NOTHING`;
/** In these accounts answers about somebody are known by their calls alone. */
const FORGOT = `
INSERT INTO notes (at, kind, account, worker, who, words) VALUES (?, 'forgot', ?, ?, 'person', '')`;
/** A change is never answered from an older one, so its key is free. */
const ABOUT = `UPDATE calls SET asked = ?, ${EMPTY}, ${freed('subject IS NOT NULL')} WHERE id = ?`;
const OF_ROW = each({ batch: 'text', row: 'int', reason: 'text', plan: 'text' });
/** A row that waits is never asked. One in doubt is worked through once more when it is settled, and keeps its cells until then. */
const ROW = [
  OF_ROW(`UPDATE rows SET state = CASE rows.state WHEN 'pending' THEN 'skipped' ELSE rows.state END,
    reason = v.reason, input = NULL, work = CASE WHEN rows.work IS NOT NULL THEN v.plan END FROM v WHERE rows.batch = v.batch AND rows.row = v.row`),
  OF_ROW(`DELETE FROM cells WHERE (batch, row) IN (SELECT r.batch, r.row FROM v JOIN rows r ON r.batch = v.batch AND r.row = v.row
    WHERE r.state <> 'in_doubt')`),
];

// --------------------------------------------------------------------------------------------- what is old

/**
 * Calls that ended before a time, but changes: a membership must be known for as long as it lasts. Not those whose key has something
 * under way or in doubt: what was lost before may come back. Nor those on which a row of an open batch rests, whose output is still to be
 * written, or a row in doubt. Of a batch that has ended the reasons of invalid rows go as well, because they quote cells.
 */
const OLD = `
WITH resting AS MATERIALIZED (
  SELECT r.call, r.others, r.batch FROM batches b JOIN rows r ON r.batch = b.id AND r.call IS NOT NULL
  WHERE b.state = 'open' OR (b.state = 'finished' AND r.state = 'in_doubt')),
needed AS MATERIALIZED (
  SELECT call, min(batch) AS batch FROM (SELECT call, batch FROM resting UNION ALL
    SELECT CAST(item.value AS {int}), batch FROM resting CROSS JOIN {list resting.others} WHERE others IS NOT NULL) n GROUP BY call),
old AS MATERIALIZED (
  SELECT c.id, c.state, c.batch, c.row, c.reserved, n.batch AS needed_by,
    CASE WHEN EXISTS (SELECT 1 FROM calls o WHERE o.key = c.key AND ${isCurrent('o')} AND o.state <> 'answered') THEN 1 ELSE 0 END AS is_unsettled
  FROM calls c JOIN accounts a ON a.id = c.account LEFT JOIN needed n ON n.call = c.id
  WHERE coalesce(c.ended_at, c.sent_at) < CAST(? AS {int}) AND a.identity = coalesce(CAST(? AS TEXT), a.identity)
    AND c.subject IS NULL AND c.asked NOT LIKE '{"erasedAtMs"%'),
gone AS MATERIALIZED (SELECT id FROM old WHERE is_unsettled = 0 AND needed_by IS NULL),
ended AS MATERIALIZED (
  SELECT b.id FROM batches b JOIN accounts a ON a.id = b.account
  WHERE b.state <> 'open' AND b.created_at < CAST(? AS {int}) AND a.identity = coalesce(CAST(? AS TEXT), a.identity))`;

const OLD_ROWS = `rows.state NOT IN ('pending', 'in_doubt') AND (rows.call IN (SELECT id FROM gone)
    OR (rows.others IS NOT NULL AND EXISTS (SELECT 1 FROM {list rows.others} WHERE CAST(item.value AS {int}) IN (SELECT id FROM gone)))
    OR (rows.state = 'invalid' AND rows.reason NOT LIKE 'erased on ____-__-__' AND rows.batch IN (SELECT id FROM ended)))`;

interface OldSum {
  readonly needed_by: BatchId | null;
  readonly is_unsettled: number;
  readonly n: number;
  readonly held: number;
}

async function findOld(
  db: Db,
  {
    beforeMs,
    accountIdentity = null,
  }: { readonly beforeMs: number; readonly accountIdentity?: string | null | undefined },
): Promise<Found> {
  const old = [Math.floor(beforeMs), accountIdentity, Math.floor(beforeMs), accountIdentity];
  const sums = await db.rows<OldSum>(
    `${OLD} SELECT needed_by, is_unsettled, count(*) AS n, CAST(sum(CASE WHEN state IN ('retried', 'lost') THEN reserved ELSE 0 END) AS {int}) AS held
       FROM old GROUP BY 1, 2`,
    old,
  );
  const settled = sums.filter(({ is_unsettled }) => is_unsettled === 0);
  const gone = settled.find(({ needed_by }) => needed_by === null);
  const needed = settled.filter(({ needed_by }) => needed_by !== null);
  const rows = await db.rows<{ batch: BatchId; n: number }>(
    `${OLD} SELECT batch, count(*) AS n FROM rows WHERE ${OLD_ROWS} GROUP BY 1`,
    old,
  );
  const written = new Set(rows.map(({ batch }) => batch));
  return {
    ...NOTHING_FOUND,
    ...{
      said: 'age',
      calls: gone?.n ?? 0,
      rows: sumOf(rows),
      heldCredits: credits(gone?.held ?? 0),
      written,
    },
    unsettled: await db.rows(
      `${OLD} SELECT batch, row FROM old WHERE is_unsettled = 1 AND state IN ('open', 'doubt') ORDER BY id`,
      old,
    ),
    needed: { calls: sumOf(needed), by: needed.map(({ needed_by }) => needed_by as BatchId) },
    ...(await filesOf(db, written, new Set(), beforeMs)),
    async empty(sql, atMs) {
      // Rows come first: they are found by their calls.
      await sql.rows(`${OLD} UPDATE rows SET reason = ?, input = NULL WHERE ${OLD_ROWS}`, [
        ...old,
        erasedReason(atMs),
      ]);
      await sql.rows(
        `${OLD} UPDATE calls SET asked = ?, ${EMPTY}, ${freed('1 = 1')} WHERE id IN (SELECT id FROM gone)`,
        [...old, emptied('{}', atMs, null)],
      );
    },
  };
}

const sumOf = (parts: readonly { readonly n: number }[]): number => parts.reduce((sum, { n }) => sum + n, 0);

// --------------------------------------------------------------------------------------------- files

/** @param written the batches whose outputs hold something of it. @param listed those in whose lists something of it stands. */
async function filesOf(
  db: Db,
  written: ReadonlySet<BatchId>,
  listed: ReadonlySet<BatchId>,
  beforeMs = Number.POSITIVE_INFINITY,
): Promise<Pick<Erasable, 'inputs' | 'files'>> {
  const batches = await db.rows<{ id: BatchId; facts: string; created_at: number; goes_on: number }>(
    `SELECT b.id, b.facts, b.created_at, CASE WHEN b.state = 'open' OR (b.state = 'finished'
      AND EXISTS (SELECT 1 FROM rows r WHERE r.batch = b.id AND r.state = 'in_doubt')) THEN 1 ELSE 0 END AS goes_on FROM batches b`,
  );
  const known = await db.rows<{ path: string; kind: string; batch: BatchId | null }>(
    'SELECT path, kind, batch FROM files',
  );
  return {
    inputs: batches.map(({ id, facts, created_at, goes_on }) => {
      const { inputPath: path } = JSON.parse(facts);
      return { batch: id, path, goesOn: goes_on === 1, isYoung: created_at >= beforeMs };
    }),
    // A job may name a person in what it asks, and is affected by no row.
    files: known.map(({ path, kind, batch }) => {
      const affected = kind === 'written' ? written : listed;
      return { path, isAffected: batch !== null && kind !== 'job' && affected.has(batch) };
    }),
  };
}
