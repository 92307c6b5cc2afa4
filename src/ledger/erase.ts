import { rmSync } from 'node:fs';
import { isoTime } from '../core/clock.ts';
import { describedCall } from '../core/described.ts';
import { finding } from '../core/finding.ts';
import { type Finding, type Findings, findingsIn, keptFindings } from '../core/findings.ts';
import { isTaking } from '../core/given.ts';
import type { SubjectFacts } from '../core/membership.ts';
import type { Call } from '../core/operation.ts';
import { WITH_LISTS, wayBelow } from '../core/paths.ts';
import type { RowNumber } from '../core/row.ts';
import { flat } from '../lib/parts.ts';
import type { Person } from '../operations/lookup/person.ts';
import { forgottenMark, oneRow } from './context.ts';
import { type Db, each, partsOf, type Sql } from './db.ts';
import { takeNumbers } from './gather.ts';
import { writeNote } from './notes.ts';
import type { BatchId } from './records.ts';
import { hasFirst, isCurrent, replyOf } from './schema.ts';
import { metaOf } from './site.ts';
import type { SoleAccess } from './store.ts';
import { endAttempt, movesTo, NO_ID } from './transitions.ts';

/**
 * Erasing empties; nothing is deleted but the cells of lists. Amounts, times, states and keys stay, so that
 * budgets add up, and no forgotten person is bought again. A key is a hash with the ledger's secret: it tells
 * nothing to a person without the store. An answer that is erased for its age may be bought again. A person
 * who was erased may be changed again, like a person who was never known.
 */

export type ErasureTarget =
  | { readonly kind: 'person'; readonly person: Person }
  /** Without an account, the calls of all accounts. */
  | { readonly kind: 'old'; readonly beforeMs: number; readonly accountIdentity?: string | undefined }
  /** The rows of the list at a path, and the answers on which no row of another list rests. */
  | { readonly kind: 'list'; readonly path: string };

/** What a ledger holds of a target. Nothing is changed yet. */
export interface Erasable {
  readonly calls: number;
  /** Number of answers about others from which one person is removed, and of texts that name the person. */
  readonly cut: number;
  readonly rows: number;
  /**
   * Number of other places that name the person: memberships, commands, names of lists and outputs, reasons
   * of pauses.
   */
  readonly names: number;
  /** Where the person is invited or a member, as far as is known: an erasure ends none of it. */
  readonly memberships: readonly Membership[];
  /**
   * Rows whose call is under way or in doubt: a person is erased only when there are none, and of what is old
   * these stay.
   */
  readonly unsettled: readonly { readonly batch: BatchId; readonly row: RowNumber }[];
  /** Of a list: what its calls have cost that go, and how many stay for rows of other lists. */
  readonly ofList?: { readonly credits: number; readonly shared: number };
  /** Calls that stay because a row in doubt, or of an open batch, rests on them. */
  readonly needed: { readonly calls: number; readonly by: readonly BatchId[] };
  /**
   * Lists that batches read. goesOn: its batch is open, or has a row in doubt, so it is read once more.
   * isYoung: its batch is too young for the list to be erased for its age.
   */
  readonly inputs: readonly {
    readonly batch: BatchId;
    readonly path: string;
    readonly goesOn: boolean;
    readonly isYoung: boolean;
  }[];
  /** Files that were written or read; affected: rows of what is erased are in it. */
  readonly files: readonly { readonly path: string; readonly isAffected: boolean }[];
  /**
   * Erases all of that for good, and removes the files. After a crash it has not begun, or the next opening
   * for spending finishes it.
   * @returns what is still to be overwritten, as `SoleAccess.clean`.
   */
  erase(files: readonly string[], atMs: number): Promise<string | undefined>;
}

export interface Membership extends SubjectFacts {
  readonly project: string;
  /** The name of the account that made it so. */
  readonly account: string;
}

/** Why a row has no answer any more. */
export const erasedOn = (atMs: number): Findings =>
  finding('erased_on', { date: isoTime(atMs).slice(0, 10) });

interface ErasableRows extends Omit<Erasable, 'erase'> {
  readonly reason: 'person' | 'age' | 'list';
  empty(sql: Sql, atMs: number): Promise<void>;
}

export async function findErasable(alone: SoleAccess, target: ErasureTarget): Promise<Erasable> {
  const { db, worker, requireSame } = alone;
  const { reason, empty, ...found } = await findIn(db, worker, target);
  return {
    ...found,
    async erase(files, at) {
      const atMs = Math.floor(at);
      await db.transaction(async (sql) => {
        await requireSame(sql);
        // The next opening removes the files that are still there.
        const facts = JSON.stringify(files);
        await writeNote(sql, { at: atMs, kind: 'erased', said: reason, worker, who: 'person', facts });
        await empty(sql, atMs);
        for (const statement of EMPTY_BESIDE) await sql.rows(statement, [atMs]);
      });
      return finishErasures(alone);
    },
  };
}

function findIn(db: Db, worker: number, target: ErasureTarget): Promise<ErasableRows> {
  if (target.kind === 'person') return findPerson(db, worker, target.person);
  return target.kind === 'list' ? findListed(db, target.path) : findOld(db, target);
}

/**
 * What committed erasures still have to do: files are removed, and bytes are overwritten. The names of the
 * files are erased as well, because they may name a person. A file is removed only in the store's own folders
 * of lists, whatever the note says.
 */
export async function finishErasures({
  db,
  folder,
  clean,
}: Pick<SoleAccess, 'db' | 'folder' | 'clean'>): Promise<string | undefined> {
  const due = `kind = 'erased' AND attempt IS NULL AND facts IS NOT NULL`;
  const dueNotes = await db.rows<{ facts: string }>(`SELECT facts FROM notes WHERE ${due}`);
  if (dueNotes.length === 0) return undefined;
  for (const path of dueNotes.flatMap(({ facts }) => JSON.parse(facts) as string[]))
    if (WITH_LISTS.includes(wayBelow(folder, path)?.[0] ?? '')) rmSync(path, { force: true }); // rule 20
  const isDue = await clean();
  if (isDue === undefined)
    await db.transaction((sql) => sql.rows(`UPDATE notes SET facts = NULL WHERE ${due}`));
  return isDue;
}

const EMPTY = `asked = ?, erased_at = ?, request = NULL, vendor_id = NULL,
  why = CASE WHEN why IS NOT NULL THEN '${keptFindings(finding('erased', {}))}' END`;
const EMPTY_BESIDE = [
  `UPDATE replies SET headers = '{}', body = CAST('' AS {bytes})`,
  `UPDATE notes SET words = 'erased', facts = CASE WHEN facts IS NOT NULL THEN '{}' END`,
].map((what) => `${what} WHERE attempt IN (SELECT id FROM attempts WHERE erased_at = ?)`);

/** What is left of a call. @param subject of a change, which has no name any more. */
function emptied(callText: string, subject: number | null): string {
  const { project, after, change }: Partial<Call> = JSON.parse(callText);
  const erasedChange = change && {
    subject: { project: change.subject.project, name: `erased:${subject}` },
    leaves: { state: change.leaves?.state ?? 'done' },
  };
  return JSON.stringify({ parameters: {}, ifLost: 'hold', project, after, change: erasedChange });
}

/** An answer that is erased for good may be bought again. */
const freed = (where: string): string =>
  movesTo(
    `CASE WHEN ${where} AND state IN ('answered', 'replaced', 'retracted') THEN 'erased' ELSE state END`,
  );

// --------------------------------------------------------------------------------------------- a person

/**
 * Columns with texts in which a name is replaced. What was asked and rows are erased whole, and answers are
 * cut.
 */
const NAMING: readonly {
  readonly table: string;
  readonly columns: readonly string[];
  readonly key?: string;
  readonly where?: string;
  /** The column with the attempt that it is about. */
  readonly attempt?: string;
}[] = [
  { table: 'attempts', columns: ['why', 'vendor_id'], attempt: 'id' },
  // An attempt has two replies at most.
  ...[0, 1].map((number) => ({
    table: 'replies',
    columns: ['headers'],
    key: 'attempt',
    attempt: 'attempt',
    where: ` AND number = ${number}`,
  })),
  { table: 'notes', columns: ['words', 'facts'], attempt: 'attempt' },
  { table: 'batches', columns: ['facts', 'lineage', 'work_order'] },
  { table: 'workers', columns: ['command', 'operator'] },
  { table: 'accounts', columns: ['facts'] },
  { table: 'files', columns: ['path'], key: 'path' },
];

/** A text in which the name is replaced. */
interface NamingText {
  readonly table: string;
  readonly key: string;
  readonly where?: string;
  readonly column: string;
  readonly id: number | string;
  readonly attempt: number | null;
  readonly text: string;
}

interface NamedAttempt {
  readonly id: number;
  readonly state: string;
  readonly account: number;
  readonly operation: string;
  readonly asked: string;
  readonly batch: BatchId;
  readonly row: number;
  readonly subject: number | null;
  readonly name: string | null;
}

const NAMED_COLUMNS = `att.id, att.state, att.account, att.operation, att.asked,
  att.batch, att.row, att.subject, sub.name`;

const ALL_SUBJECTS = `SELECT sub.id, sub.project,
  sub.name || ' ' || coalesce(sub.facts, '') AS text, sub.facts, bat.facts AS batch
  FROM subjects sub LEFT JOIN batches bat ON bat.id = sub.batch WHERE sub.id > ? ORDER BY sub.id`;
const ALL_LEARNED = 'SELECT id, subject, facts FROM notes WHERE subject IS NOT NULL AND id > ? ORDER BY id';
const ALL_ATTEMPTS = `SELECT ${NAMED_COLUMNS}, rep.body FROM attempts att
  LEFT JOIN subjects sub ON sub.id = att.subject LEFT JOIN replies rep ON ${replyOf('rep', 'att')}
  WHERE att.id > ? ORDER BY att.id`;
const NOTES_WITH_BODY = `SELECT note.id AS note, note.kind, note.facts, ${NAMED_COLUMNS}
  FROM notes note JOIN attempts att ON att.id = note.attempt
  LEFT JOIN subjects sub ON sub.id = att.subject
    WHERE note.id > ? AND note.facts LIKE '%"body":%' ORDER BY note.id`;
const ALL_ROWS = `SELECT row.batch, row.row, row.state, row.attempt, row.findings, row.work, cell.cells,
  (SELECT CAST({json_list}(use.attempt) AS TEXT) FROM uses use
    WHERE use.batch = row.batch AND use.row = row.row) AS uses
  FROM rows row LEFT JOIN cells cell ON cell.batch = row.batch AND cell.row = row.row
  WHERE (row.batch, row.row) > (?, ?) ORDER BY row.batch, row.row`;

/** What the rows rest on beside an attempt, of the same operation. */
const USED_BESIDE = each({ id: 'int' })<NamedAttempt>(`SELECT DISTINCT ${NAMED_COLUMNS}
  FROM v JOIN attempts att_other ON att_other.id = v.id
    JOIN uses use_other ON use_other.attempt = att_other.id
  JOIN uses use ON use.batch = use_other.batch AND use.row = use_other.row
  JOIN attempts att ON att.id = use.attempt AND att.operation = att_other.operation
  LEFT JOIN subjects sub ON sub.id = att.subject`);

type NamedRow = { batch: BatchId; row: number; state: string; attempt: number | null } & Record<
  'uses' | 'findings' | 'work' | 'cells',
  string | null
>;

const restsOn = ({ attempt, uses }: NamedRow): readonly number[] => [
  ...(JSON.parse(uses ?? '[]') as number[]),
  ...(attempt === null ? [] : [attempt]),
];

/** What names a person. */
class Found {
  /** Those that are erased as a whole. */
  readonly attempts = new Map<number, NamedAttempt>();
  /** What is left of answers about others. */
  readonly cuts = new Map<number, Buffer>();
  readonly texts: NamingText[] = [];
  readonly subjects = new Set<number>();
  readonly memberships: Membership[] = [];
  readonly rows: NamedRow[] = [];
  /** Rows that name the person by nothing but the cells of the list. */
  readonly listed: NamedRow[] = [];
  /** Those of the rows that are in doubt, and name the person by their cells. */
  readonly inDoubt: NamedRow[] = [];
  /** The batches that have something of it in their outputs. */
  readonly written = new Set<BatchId>();
}

/** Each step goes by what the steps before it found. */
async function findPerson(db: Db, worker: number, person: Person): Promise<ErasableRows> {
  const named = new Found();
  await findSubjects(db, person, named);
  await findTexts(db, person, named);
  await findAttempts(db, person, named);
  await findNoted(db, person, named);
  await findTaken(db, named);
  await findRows(db, person, named);
  const { attempts, cuts, texts, subjects, rows, listed, inDoubt, written } = named;
  const whole = [...attempts.values()];
  // A project with an owner is no person, and neither is the subject of a user's own call.
  for (const { subject, name } of whole)
    if (subject !== null && !/^(?:project|call):/.test(name ?? '')) subjects.add(subject);
  const about = texts.flatMap(({ attempt }) => (attempt === null || attempts.has(attempt) ? [] : [attempt]));
  const names = texts.filter(({ attempt }) => attempt === null).map(({ table, id }) => `${table} ${id}`);
  const unsettled = [...whole.filter(({ state }) => state === 'open' || state === 'doubt'), ...inDoubt];
  return {
    reason: 'person',
    ...(await filesOf(db, written)),
    calls: attempts.size,
    cut: new Set([...about, ...cuts.keys()]).size,
    rows: rows.length + listed.length,
    names: subjects.size + new Set(names).size,
    memberships: named.memberships,
    unsettled: unsettled.map(({ batch, row }) => ({ batch, row })),
    needed: { calls: 0, by: [] },
    async empty(sql, atMs) {
      await emptyPerson(sql, named, atMs, worker);
      const mark = forgottenMark((await metaOf(db, 'secret')) ?? '', person.email ?? '');
      if (person.email !== undefined)
        await writeNote(sql, { at: atMs, kind: 'forgot', worker, who: 'person', words: mark });
    },
  };
}

/** A person who is known by an id alone is found by the address that the last change left, or a list said. */
async function findSubjects(db: Db, person: Person, { subjects, memberships }: Found): Promise<void> {
  type Subject = { id: number; project: string; text: string; facts: string | null; batch: string | null };
  for await (const { id, project, text, facts, batch } of flat(partsOf<Subject>(db, ALL_SUBJECTS, ['id']))) {
    if (!person.in(text)) continue;
    subjects.add(id);
    const known: SubjectFacts | undefined = JSON.parse(facts ?? 'null') ?? undefined;
    if (known !== undefined && ['invited', 'member', 'accepted_or_deleted'].includes(known.state))
      memberships.push({ ...known, project, account: JSON.parse(batch ?? '{}').accountName });
  }
  type Learned = { id: number; subject: number; facts: string };
  for await (const { subject, facts } of flat(partsOf<Learned>(db, ALL_LEARNED, ['id'])))
    if (person.in(facts)) subjects.add(subject);
}

async function findTexts(db: Db, person: Person, { texts }: Found): Promise<void> {
  for (const { table, columns, key = 'id', where = '', attempt = 'NULL' } of NAMING) {
    const sql = `SELECT ${key} AS id, CAST(${attempt} AS {int}) AS attempt, ${columns.join(', ')}
      FROM ${table} WHERE ${key} > ?${where} ORDER BY ${key}`;
    type Kept = { id: number | string; attempt: number | null } & Record<string, string | null>;
    const first = ['batches', 'files'].includes(table) ? '' : -1;
    for await (const record of flat(partsOf<Kept>(db, sql, ['id'], [first])))
      for (const column of columns) {
        const text = withoutName(person, column, record[column] ?? null);
        const of = { id: record.id, attempt: record.attempt };
        if (text !== undefined) texts.push({ table, key, where, column, ...of, text });
      }
  }
}

/** A text of a column without the name; undefined where it does not have the name. */
function withoutName(person: Person, column: string, text: string | null): string | undefined {
  if (column === 'why') return unnamedIn(person, text);
  return text !== null && person.in(text) ? person.replacedIn(text) : undefined;
}

async function findAttempts(db: Db, person: Person, { attempts, cuts, subjects }: Found): Promise<void> {
  type Kept = NamedAttempt & { body: Uint8Array | null };
  // A row may rest on nothing before the row has ended, so what was taken for the row is known by its number.
  const rows = new Set<string>();
  for await (const { body, ...attempt } of flat(partsOf<Kept>(db, ALL_ATTEMPTS, ['id']))) {
    const { id, asked, subject } = attempt;
    const row = `${attempt.batch} ${attempt.row} ${attempt.operation}`;
    const isAsked = person.in(asked) || subjects.has(subject ?? 0);
    if (isAsked) rows.add(row);
    if (isAsked || (rows.has(row) && takes(attempt))) attempts.set(id, attempt);
    const answer = Buffer.from(body ?? []);
    if (!person.in(answer)) continue;
    const remainingAnswer = leftOf(person, attempt, answer);
    if (remainingAnswer === undefined) attempts.set(id, attempt);
    else cuts.set(id, remainingAnswer);
  }
}

// rule 18b
const takes = ({ operation, asked }: NamedAttempt): boolean => isTaking({ operation, ...JSON.parse(asked) });

/**
 * A call that takes by an id names no one. A row that has ended rests on that call and on the call that led
 * to the id, whichever lists bought the two, so the first goes with the second. The values of an answer do
 * not tell what was taken, because an answer may list the ids of others.
 */
async function findTaken(db: Db, { attempts }: Found): Promise<void> {
  const leading = [...attempts.keys()].map((id) => ({ id }));
  for (const attempt of await db.each(USED_BESIDE, leading))
    if (takes(attempt)) attempts.set(attempt.id, attempt);
}

/** What is left of an answer that names the person; undefined: all of the call goes. */
function leftOf(person: Person, { operation }: NamedAttempt, body: Buffer): Buffer | undefined {
  const { erased } = describedCall(operation);
  return erased === 'whole' ? undefined : person.cutFrom(body, erased);
}

/**
 * An answer that a person told stands in a note. The result of a look stands in one as well; such a result is
 * no answer and goes as a whole.
 */
async function findNoted(db: Db, person: Person, { attempts, texts }: Found): Promise<void> {
  type Noted = NamedAttempt & { note: number; kind: string; facts: string };
  for await (const { note, kind, facts, ...attempt } of flat(partsOf<Noted>(db, NOTES_WITH_BODY, ['note']))) {
    const { body = '', ...others }: { body?: string } = JSON.parse(facts);
    const answer = Buffer.from(body, 'base64');
    if (!person.in(answer)) continue;
    const remainingAnswer = kind === 'told' ? leftOf(person, attempt, answer) : Buffer.alloc(0);
    if (remainingAnswer === undefined) attempts.set(attempt.id, attempt);
    const text = person.replacedIn(
      JSON.stringify({ ...others, body: remainingAnswer?.toString('base64') ?? '' }),
    );
    texts.push({ table: 'notes', key: 'id', column: 'facts', id: note, attempt: attempt.id, text });
  }
}

async function findRows(db: Db, person: Person, named: Found): Promise<void> {
  for await (const row of flat(partsOf<NamedRow>(db, ALL_ROWS, ['batch', 'row'], ['', -1]))) {
    const isListed = person.in(`${row.work} ${row.cells}`);
    if (isListed && row.state === 'in_doubt') named.inDoubt.push(row);
    const on = restsOn(row);
    if (isAbout(person, row, isListed) || on.some((id) => named.attempts.has(id))) named.rows.push(row);
    else if (isListed) named.listed.push(row);
    else if (!on.some((id) => named.cuts.has(id))) continue;
    named.written.add(row.batch);
  }
}

/** Findings are looked through value by value: their text writes a quote of a name as `\\"`. */
const isNamedIn = (person: Person, json: string | null): boolean => unnamedIn(person, json) !== undefined;

/** The findings without the name; undefined where they do not name the person. */
function unnamedIn(person: Person, json: string | null): string | undefined {
  let isNamed = false;
  const findings = findingsIn(json).map((each) => {
    const without = JSON.parse(JSON.stringify(each), (_, value) => {
      if (typeof value !== 'string' || !person.in(value)) return value;
      isNamed = true;
      return person.replacedIn(value);
    });
    return without as Finding;
  });
  return isNamed ? (keptFindings(findings) ?? undefined) : undefined;
}

/** A row that waits would be asked with its cells. A row that was planned is about the person it names. */
const isAbout = (person: Person, { findings, state, work }: NamedRow, isListed: boolean): boolean =>
  isNamedIn(person, findings) || (isListed && (state === 'pending' || work !== null));

async function emptyPerson(sql: Sql, named: Found, atMs: number, worker: number): Promise<void> {
  const { attempts, cuts, texts, subjects, rows, listed } = named;
  for (const { id, state } of attempts.values()) if (state === 'accepted') await giveUp(sql, id, atMs);
  // A file that is no longer known as ours is kept like a user's file.
  for (const { table, column, key, where = '', id, text } of texts)
    if (table === 'files') await sql.rows('DELETE FROM files WHERE path = ?', [id]);
    else await sql.rows(`UPDATE ${table} SET ${column} = ? WHERE ${key} = ?${where}`, [text, id]);
  // In the accounts of these notes, answers about a forgotten person are known by their calls alone. A note
  // without an account holds the mark of an address: the mark tells a person in a team.
  for (const account of new Set([...attempts.values()].map(({ account }) => account)))
    await writeNote(sql, { at: atMs, kind: 'forgot', account, worker, who: 'person' });
  for (const { id, asked, subject } of attempts.values())
    await sql.rows(ABOUT, [emptied(asked, subject), atMs, id]);
  for (const [id, body] of cuts) await sql.rows(CUT, [body, id]);
  for (const id of subjects) for (const statement of EMPTY_SUBJECT) await sql.rows(statement, [id]);
  const outcome = { kind: 'skipped', findings: erasedOn(atMs) };
  const plan = JSON.stringify({ kind: 'end', outcome });
  const findings = keptFindings(outcome.findings);
  const record = ({ batch, row }: NamedRow) => ({ batch, row, findings, plan });
  await sql.each(EMPTY_ROW, rows.map(record));
  await sql.each(CELLS_GO, [...rows, ...listed].map(record));
}

/** The person is cut out of an answer. A reply that came before the answer is emptied. */
const CUT = `UPDATE replies SET body = CASE number
  WHEN (SELECT coalesce(att.reply, 0) FROM attempts att WHERE att.id = attempt) THEN CAST(? AS {bytes})
  ELSE CAST('' AS {bytes}) END WHERE attempt = ?`;

/** No one asks for the answer of an accepted call any more, which may have cost what is held for it. */
async function giveUp(sql: Sql, attempt: number, at: number): Promise<void> {
  await sql.rows(
    `INSERT INTO replies (attempt, number, status, headers, body, at)
     VALUES (?, 1, 0, '{}', CAST('' AS {bytes}), ?)`,
    [attempt, at],
  );
  const { reserved } = await oneRow<{ reserved: number }>(sql, RESERVED, [attempt]);
  const answer = { state: 'answered', said: 'no_match', charged: reserved, is_at_most: reserved > 0 ? 1 : 0 };
  const end = {
    ...answer,
    attempt,
    at,
    why: keptFindings(finding('given_up', {})),
    dialect: null,
    price: null,
    facts: null,
  };
  await endAttempt(sql, { ...end, ...NO_ID }, await takeNumbers(sql, 1));
}

const RESERVED = 'SELECT reserved FROM attempts WHERE id = ?';

/** A change is never answered from an older one, so its key is free. */
const ABOUT = `UPDATE attempts SET ${EMPTY}, ${freed('subject IS NOT NULL')} WHERE id = ?`; // rule 18a
const EMPTY_SUBJECT = [
  `UPDATE subjects SET name = 'erased:' || id, facts = NULL WHERE id = ?`,
  `UPDATE notes SET words = 'erased', facts = '{"row":' || {said facts row} || '}' WHERE subject = ?`,
];
const OF_ROW = each({ batch: 'text', row: 'int', findings: 'text', plan: 'text' });
/**
 * A row that waits is never asked. One in doubt is worked through once more when it is settled, and keeps its
 * cells until then.
 */
const EMPTY_ROW = OF_ROW(`
UPDATE rows SET state = CASE rows.state WHEN 'pending' THEN 'skipped' ELSE rows.state END,
  findings = v.findings, work = CASE WHEN rows.work IS NOT NULL THEN v.plan END
FROM v WHERE rows.batch = v.batch AND rows.row = v.row`);
const CELLS_GO = OF_ROW(`
DELETE FROM cells WHERE (batch, row) IN (SELECT row.batch, row.row
  FROM v JOIN rows row ON row.batch = v.batch AND row.row = v.row WHERE row.state <> 'in_doubt')`);

// --------------------------------------------------------------------------------------------- what is old

/**
 * Attempts that ended before a time, but changes: a membership must be known for as long as it lasts. Not
 * those whose key has something under way or in doubt: an earlier doubt may be answered. Nor those on which
 * a row of an open batch rests, whose output is still to be written, or a row in doubt. Once a batch has
 * ended, the reasons of its invalid rows go as well, because they quote cells.
 */
const OLD = `
WITH resting AS MATERIALIZED (
  SELECT row.batch, row.row, row.attempt FROM batches bat JOIN rows row ON row.batch = bat.id
  WHERE bat.state = 'open' OR (bat.state = 'finished' AND row.state = 'in_doubt')),
needed AS MATERIALIZED (
  SELECT attempt, min(batch) AS batch FROM (SELECT attempt, batch FROM resting
    UNION ALL SELECT use.attempt, use.batch FROM resting
      JOIN uses use ON use.batch = resting.batch AND use.row = resting.row) needed
  WHERE attempt IS NOT NULL GROUP BY attempt),
old AS MATERIALIZED (
  SELECT att.id, att.state, att.batch, att.row, needed.batch AS needed_by,
    CASE WHEN EXISTS (SELECT 1 FROM attempts att_now
      WHERE att_now.key = att.key AND ${isCurrent('att_now')}
        AND att_now.state <> 'answered') THEN 1 ELSE 0 END AS is_unsettled
  FROM attempts att JOIN accounts acc ON acc.id = att.account LEFT JOIN needed ON needed.attempt = att.id
  WHERE coalesce(att.ended_at, att.sent_at) < CAST(? AS {int})
    AND acc.identity = coalesce(CAST(? AS TEXT), acc.identity)
    AND att.subject IS NULL AND att.erased_at IS NULL),
gone AS MATERIALIZED (SELECT id FROM old WHERE is_unsettled = 0 AND needed_by IS NULL),
ended AS MATERIALIZED (
  SELECT bat.id FROM batches bat JOIN batch_accounts share ON share.batch = bat.id
    JOIN accounts acc ON acc.id = share.account
  WHERE bat.state <> 'open' AND bat.created_at < CAST(? AS {int})
    AND acc.identity = coalesce(CAST(? AS TEXT), acc.identity))`;

const OLD_ROWS = `rows.state <> 'in_doubt' AND (rows.attempt IN (SELECT id FROM gone)
    OR EXISTS (SELECT 1 FROM uses use JOIN gone ON gone.id = use.attempt
      WHERE use.batch = rows.batch AND use.row = rows.row)
    OR (rows.state = 'invalid' AND (${hasFirst('rows.findings', 'erased_on')}) IS NOT TRUE
      AND rows.batch IN (SELECT id FROM ended)))`;

/** What is pending in a batch that has ended is never worked on. */
const OLD_CELLS = `cells.batch IN (SELECT id FROM ended)
  AND NOT EXISTS (SELECT 1 FROM rows row WHERE row.batch = cells.batch AND row.row = cells.row
    AND row.state = 'in_doubt')`;

async function findOld(
  db: Db,
  { beforeMs, accountIdentity }: Extract<ErasureTarget, { kind: 'old' }>,
): Promise<ErasableRows> {
  const before = [Math.floor(beforeMs), accountIdentity ?? null];
  const old = [...before, ...before];
  const ask = <Row>(of: string): Promise<readonly Row[]> => db.rows<Row>(`${OLD} ${of}`, old);
  const found = await ask<{ needed_by: BatchId | null; n: number }>(
    'SELECT needed_by, count(*) AS n FROM old WHERE is_unsettled = 0 GROUP BY 1',
  );
  const needed = found.filter(({ needed_by }) => needed_by !== null);
  const rows = await ask<{ batch: BatchId; n: number }>(
    `SELECT batch, count(*) AS n FROM rows WHERE ${OLD_ROWS} GROUP BY 1`,
  );
  const written = new Set(rows.map(({ batch }) => batch));
  const [cells] = await ask<{ n: number }>(`SELECT count(*) AS n FROM cells WHERE ${OLD_CELLS}`);
  return {
    reason: 'age',
    calls: sumOf(found) - sumOf(needed),
    rows: Math.max(sumOf(rows), cells?.n ?? 0),
    cut: 0,
    names: 0,
    memberships: [],
    unsettled: await ask(
      `SELECT batch, row FROM old
       WHERE is_unsettled = 1 AND state IN ('open', 'accepted', 'doubt') ORDER BY id`,
    ),
    needed: { calls: sumOf(needed), by: needed.map(({ needed_by }) => needed_by as BatchId) },
    ...(await filesOf(db, written, beforeMs)),
    async empty(sql, atMs) {
      // Rows come first: they are found by their attempts.
      await sql.rows(`${OLD} UPDATE rows SET findings = ? WHERE ${OLD_ROWS}`, [
        ...old,
        keptFindings(erasedOn(atMs)),
      ]);
      await sql.rows(`${OLD} DELETE FROM cells WHERE ${OLD_CELLS}`, old);
      await sql.rows(
        `${OLD} UPDATE attempts SET ${EMPTY}, ${freed('1 = 1')} WHERE id IN (SELECT id FROM gone)`,
        [...old, emptied('{}', null), atMs],
      );
    },
  };
}

// --------------------------------------------------------------------------------------------- a list

/**
 * The attempts of a list, and those on which its rows rest, but changes. One on which a row of another list
 * rests stays, and so does one whose key has something under way or in doubt.
 */
const LISTED = `
WITH mine AS MATERIALIZED (
  SELECT bat.id, bat.state FROM batches bat WHERE {said bat.facts inputPath} = CAST(? AS TEXT)),
resting AS MATERIALIZED (
  SELECT row.attempt FROM mine JOIN rows row ON row.batch = mine.id WHERE row.attempt IS NOT NULL
  UNION SELECT use.attempt FROM mine JOIN uses use ON use.batch = mine.id
  UNION SELECT att.id FROM mine JOIN attempts att ON att.batch = mine.id),
listed AS MATERIALIZED (
  SELECT att.id, att.state, att.batch, att.row, coalesce(att.charged, 0) AS charged,
    CASE WHEN EXISTS (SELECT 1 FROM rows row_other
        WHERE row_other.attempt = att.id AND row_other.batch NOT IN (SELECT id FROM mine))
      OR EXISTS (SELECT 1 FROM uses use_other
        WHERE use_other.attempt = att.id AND use_other.batch NOT IN (SELECT id FROM mine))
      THEN 1 ELSE 0 END AS is_shared,
    CASE WHEN EXISTS (SELECT 1 FROM attempts att_now
      WHERE att_now.key = att.key AND ${isCurrent('att_now')}
        AND att_now.state <> 'answered') THEN 1 ELSE 0 END AS is_unsettled
  FROM resting JOIN attempts att ON att.id = resting.attempt
  WHERE att.subject IS NULL AND att.erased_at IS NULL),
gone AS MATERIALIZED (SELECT id FROM listed WHERE is_unsettled = 0 AND is_shared = 0)`;

async function findListed(db: Db, path: string): Promise<ErasableRows> {
  const ask = <Row>(of: string): Promise<readonly Row[]> => db.rows<Row>(`${LISTED} ${of}`, [path]);
  const parts = await ask<{ is_shared: number; n: number; charged: number }>(
    `SELECT is_shared, count(*) AS n, sum(charged) AS charged FROM listed WHERE is_unsettled = 0 GROUP BY 1`,
  );
  const [unshared, shared] = [0, 1].map((is) => parts.filter(({ is_shared }) => is_shared === is));
  const batches = await ask<{ id: BatchId; state: string }>('SELECT id, state FROM mine ORDER BY id');
  const [rows] = await ask<{ n: number }>(
    'SELECT count(*) AS n FROM cells WHERE batch IN (SELECT id FROM mine)',
  );
  return {
    reason: 'list',
    calls: sumOf(unshared ?? []),
    rows: rows?.n ?? 0,
    cut: 0,
    names: 0,
    memberships: [],
    unsettled: await ask(
      `SELECT row.batch, row.row FROM mine JOIN rows row ON row.batch = mine.id
       WHERE row.state = 'in_doubt' ORDER BY row.batch, row.row`,
    ),
    ofList: {
      credits: (unshared ?? []).reduce((sum, { charged }) => sum + charged, 0),
      shared: sumOf(shared ?? []),
    },
    needed: { calls: 0, by: batches.flatMap(({ id, state }) => (state === 'open' ? [id] : [])) },
    ...(await filesOf(db, new Set(batches.map(({ id }) => id)))),
    async empty(sql, atMs) {
      // What rows say of their cells goes with these. A planned row says whom it was about.
      await sql.rows(
        `${LISTED} UPDATE rows SET findings = ? WHERE batch IN (SELECT id FROM mine) AND state <> 'pending'`,
        [path, keptFindings(erasedOn(atMs))],
      );
      await sql.rows(`${LISTED} DELETE FROM cells WHERE batch IN (SELECT id FROM mine)`, [path]);
      await sql.rows(
        `${LISTED} UPDATE attempts SET ${EMPTY}, ${freed('1 = 1')} WHERE id IN (SELECT id FROM gone)`,
        [path, emptied('{}', null), atMs],
      );
      // A later start of the same content would go on with rows that have nothing any more.
      await sql.rows(
        `${LISTED} UPDATE batches SET state = 'superseded'
         WHERE id IN (SELECT id FROM mine) AND state = 'finished'`,
        [path],
      );
    },
  };
}

const sumOf = (parts: readonly { readonly n: number }[]): number => parts.reduce((sum, { n }) => sum + n, 0);

// --------------------------------------------------------------------------------------------- files

/**
 * @param written the batches that may have something of it in their lists and outputs; by age the lists are
 * not told.
 */
async function filesOf(
  db: Db,
  written: ReadonlySet<BatchId>,
  beforeMs = Number.POSITIVE_INFINITY,
): Promise<Pick<Erasable, 'inputs' | 'files'>> {
  const batches = await db.rows<{ id: BatchId; facts: string; created_at: number; goes_on: number }>(
    `SELECT bat.id, bat.facts, bat.created_at, CASE WHEN bat.state = 'open' OR (bat.state = 'finished'
      AND EXISTS (SELECT 1 FROM rows row WHERE row.batch = bat.id AND row.state = 'in_doubt'))
       THEN 1 ELSE 0 END AS goes_on
     FROM batches bat`,
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
      const isTold = kind === 'written' || (kind === 'list' && beforeMs === Number.POSITIVE_INFINITY);
      return { path, isAffected: batch !== null && isTold && written.has(batch) };
    }),
  };
}
