import { finding, together } from '../core/finding.ts';
import { type Findings, keptFindings } from '../core/findings.ts';
import { isObject, present } from '../core/objects.ts';
import { OUTCOME_KINDS } from '../core/row.ts';
import { stepNames } from '../core/steps.ts';
import type { AnyRecord, Cell, Db } from './db.ts';

/**
 * The tables of earlier Rowonces. Nothing changes a ledger where it stands: `copy.ts` makes another one of
 * it, and this file says how a row of an earlier table becomes one of today's.
 */

/**
 * The number of the tables in `schema.ts`. The database holds the number, so that a program that knows other
 * tables leaves the database alone.
 */
export const LAYOUT = 9;

/** The first layout that can be copied. */
export const FIRST_COPIED = 6;

export async function layoutOf(db: Pick<Db, 'rows'>): Promise<number | undefined> {
  const [last] = await db.rows<{ layout: number | null }>('SELECT max(number) AS layout FROM steps');
  return last?.layout ?? undefined;
}

/** Makes a row of today's table out of one of the ledger that is copied, or none. */
type Conversion = (table: string, row: AnyRecord) => AnyRecord | readonly AnyRecord[];

/** How the rows of today's tables are made out of those of another layout. */
interface Conversions {
  /** The table that has what today's table has. */
  sourceOf(table: string): string;
  /** @param row of that table. */
  convert(table: string, row: AnyRecord): readonly AnyRecord[];
}

/** @param from a ledger of a layout that a copy can be made of. */
export async function conversionOf(from: Db): Promise<Conversions> {
  const layout = (await layoutOf(from)) ?? LAYOUT;
  const conversions: readonly Conversion[] = [
    ...(layout <= 7 ? [withFindings] : []),
    ...(layout <= 6 ? [await withOwnIds(from)] : []),
    ...(layout <= 8 ? [withNumbers, await withLearned(from), withFills] : []),
  ];
  const converted = (table: string, row: AnyRecord): readonly AnyRecord[] =>
    conversions.reduce<readonly AnyRecord[]>(
      (made, each) => made.flatMap<AnyRecord>((one) => each(table, one)),
      [row],
    );
  const isInRows = (table: string): boolean => layout <= 8 && table === 'uses';
  return {
    sourceOf: (table) => (isInRows(table) ? 'rows' : table),
    convert: (table, row) =>
      isInRows(table) ? converted('rows', row).flatMap(usesIn) : converted(table, row),
  };
}

// --------------------------------------------------------------------------------------- up to layout 8

/** Until then a comma in the name of its operation told the steps of a batch, and a text named a budget. */
function withNumbers(table: string, row: AnyRecord): AnyRecord {
  if (table === 'batches') return { ...row, steps: stepNames(String(row.operation)).length };
  if (table !== 'budgets') return row;
  const { scope, ...others } = row;
  const [kind = '', of = '', last = '0'] = String(scope).split(':');
  const isOfBatch = kind !== 'day' && kind !== 'month';
  const [batch, account, period] = isOfBatch ? [of, Number(last), 0] : ['', Number(of), Number(last)];
  return { ...others, kind, batch, account, period };
}

const withFills: Conversion = (table, row) =>
  table === 'rows' ? { ...row, has_fills: (row.fills ?? null) === null ? 0 : 1 } : row;

/**
 * Until then a row said itself what it rests on: on its attempt behind a list of others. One that is in doubt
 * and had no attempt waited for the last of the others.
 */
function usesIn({
  batch = null,
  row = null,
  state,
  attempt = null,
  ...lists
}: AnyRecord): readonly AnyRecord[] {
  const [others, fills] = [numbersIn(lists.others), numbersIn(lists.fills)];
  if (others.length === 0 && lists.has_fills === 0) return [];
  const all = [...new Set(attempt === null ? others : [...others, Number(attempt)])];
  const waitsFor = state === 'in_doubt' && attempt === null ? all.at(-1) : undefined;
  return all.map((id, nth) => ({
    ...{ batch, row, nth, attempt: id },
    is_filling: fills.includes(id) ? 1 : 0,
    waits: id === waitsFor ? 1 : 0,
  }));
}

const numbersIn = (list: Cell = null): readonly number[] =>
  typeof list === 'string' ? JSON.parse(list) : [];

const NOTED = `SELECT id, subject, after, row, asked, erased_at FROM attempts
  WHERE operation = 'note-person'`;

/**
 * Until then what a list said of a person was an attempt that was never sent, with the word of a person. An
 * attempt that a crash had left without that word is none: the next run of its list notes it.
 */
async function withLearned(from: Db): Promise<Conversion> {
  const attempts = new Map((await from.rows<AnyRecord>(NOTED)).map((noted) => [noted.id, noted]));
  return (table, row) => {
    if (table === 'rows') return withoutNoted(row, attempts);
    const noted = attempts.get((table === 'attempts' ? row.id : row.attempt) ?? null);
    if (table === 'notes') return noted ? learnedOf(row, noted) : { ...row, subject: null, after: null };
    return noted === undefined ? row : [];
  };
}

/** A row in doubt about what was never sent waits for its run. */
function withoutNoted(row: AnyRecord, noted: ReadonlyMap<Cell | undefined, AnyRecord>): AnyRecord {
  const others = numbersIn(row.others);
  const unnotedAttempts = others.filter((id) => !noted.has(id));
  const isOn = noted.has(row.attempt ?? null);
  if (!isOn && unnotedAttempts.length === others.length) return row;
  const state = row.state === 'in_doubt' ? 'pending' : (row.state ?? null);
  return {
    ...row,
    state,
    others: JSON.stringify(unnotedAttempts),
    attempt: isOn ? null : (row.attempt ?? null),
  };
}

function learnedOf(note: AnyRecord, noted: AnyRecord): AnyRecord | readonly AnyRecord[] {
  const { subject = null, after = null, row, asked, erased_at = null } = noted;
  const { leaves } = JSON.parse(String(asked)).change;
  const facts = JSON.stringify({ row, ...(erased_at === null && { leaves }) });
  const learned = { kind: 'learned', said: null, attempt: null, subject, after, facts };
  return note.kind === 'told' ? { ...note, ...learned } : [];
}

/** Until then its key was another one, so it is copied at once. */
export const hadOtherKey = (table: string): boolean => table === 'budgets';

// --------------------------------------------------------------------------------------- up to layout 7

/**
 * Until then the ledger kept sentences. Here the facts that decide something are read out of them, once. An
 * answer is still to come; a vendor said this of a change; a row was sold, left out or erased; or a cell is
 * to be corrected.
 */
function findingsBefore(words: string): Findings {
  const [, later] = /^not yet: (.*)$/s.exec(words) ?? [];
  if (later !== undefined) return together(finding('not_yet', {}), findingsBefore(later));
  const [, date] = /^erased on (\d{4}-\d\d-\d\d)$/.exec(words) ?? [];
  if (date !== undefined) return finding('erased_on', { date });
  const [, by, column, cell] = /^(only_if|unless) leaves it out, because (.*) is (.*)$/s.exec(words) ?? [];
  if ((by === 'only_if' || by === 'unless') && column !== undefined && cell !== undefined)
    return finding('left_out', { by, column: unquoted(column), cell: unquoted(cell.replace(/^blank$/, '')) });
  const [, filled] = /^(.*) (?:is|are) filled, so the row would get nothing$/s.exec(words) ?? [];
  if (filled !== undefined) return finding('nothing_to_fill', { columns: [unquoted(filled)], filled: true });
  const [, keptColumn] =
    /^on_existing: keep leaves (.*) as the list has them, so the row would get nothing$/s.exec(words) ?? [];
  if (keptColumn !== undefined)
    return finding('nothing_to_fill', { columns: [unquoted(keptColumn)], filled: false });
  const correct = /, so correct it(?:; |$)/.test(words) ? (true as const) : undefined;
  return answerBefore(words) ?? finding('said_before', { words, ...present({ correct }) });
}

const unquoted = (text: string): string => /^"(.*)"$/s.exec(text)?.[1] ?? text;

const SOLD = /^status (\d+), in the place of the ([a-z_]+) stands (.*)$/s;
const ANSWER = /^status (\d+)(?:, (.*?))?(, so nothing had to change|, without a word)?$/s;

function answerBefore(text: string): Findings | undefined {
  const [, status, name, value] = SOLD.exec(text) ?? [];
  if (name !== undefined)
    return finding('none_of_its_kind', { status: Number(status), name, value: unquoted(value ?? '') });
  const [, code, shown, behind] = ANSWER.exec(text) ?? [];
  if (code === undefined) return undefined;
  const so = behind === undefined ? undefined : behind.endsWith('word') ? 'without_a_word' : 'already';
  const isQuoted = shown?.startsWith('"') === true;
  const answerFacts = isQuoted ? { words: unquoted(shown) } : { body: shown };
  return finding('answer', { status: Number(code), ...present({ ...answerFacts, so } as const) });
}

const saidBefore = (words: Cell): string | null =>
  typeof words === 'string' ? keptFindings(findingsBefore(words)) : null;

function withFindings(table: string, row: AnyRecord): AnyRecord {
  if (table === 'attempts') return { ...row, why: saidBefore(row.why ?? null) };
  if (table !== 'rows') return row;
  const { reason = null, work = null, ...others } = row;
  return { ...others, work: plannedSince(work), findings: saidBefore(reason) };
}

/** A planned row: how it ends, or what is done for it, in each of its projects. */
function plannedSince(work: Cell): string | null {
  if (typeof work !== 'string') return null;
  return JSON.stringify(JSON.parse(work), (name, value) => {
    if ((name === 'repaired' || name === 'made') && typeof value === 'string') return findingsBefore(value);
    if (!isObject(value) || typeof value.kind !== 'string') return value;
    const { reason, ...others } = value;
    const isOutcome = typeof reason === 'string' || isOutcomeKind(value.kind);
    if (!isOutcome) return value;
    return { ...others, findings: typeof reason === 'string' ? findingsBefore(reason) : [] };
  });
}

const isOutcomeKind = (kind: string): boolean => (OUTCOME_KINDS as readonly string[]).includes(kind);

// --------------------------------------------------------------------------------------- up to layout 6

const MAY_COST = `('accepted', 'doubt', 'retried', 'doubt_beside')`;

/** The attempts with an id of the vendor that also stands for another call of their account. */
const SHARED_IDS = `
WITH taken AS (
  SELECT vendor_id, account, operation FROM attempts WHERE vendor_id IS NOT NULL AND state IN ${MAY_COST}
  GROUP BY vendor_id, account, operation HAVING count(DISTINCT key) > 1),
sharing AS (
  SELECT att.id, att.batch, att.row, att.state, att.prior, att.vendor_id FROM attempts att
    JOIN taken ON taken.vendor_id = att.vendor_id AND taken.account = att.account
      AND taken.operation = att.operation
   WHERE att.state IN ${MAY_COST})`;

const SHARING_ATTEMPTS = `${SHARED_IDS}
SELECT sharing.id, sharing.state, sharing.vendor_id, att_prior.id AS prior, att_prior.state AS before
  FROM sharing LEFT JOIN attempts att_prior ON att_prior.id = sharing.prior`;

/** A row of several steps is held by its walk, which comes with the next run. */
const THEIR_ROWS = `${SHARED_IDS}
SELECT row.batch, row.row, bat.operation, max(sharing.id) AS attempt, max(sharing.vendor_id) AS vendor_id
  FROM sharing JOIN rows row ON row.batch = sharing.batch AND row.row = sharing.row
    JOIN batches bat ON bat.id = row.batch
 WHERE row.state = 'pending' AND sharing.state <> 'retried' GROUP BY row.batch, row.row, bat.operation`;

const sharesId = (id: Cell): string | null =>
  keptFindings([...finding('not_yet', {}), ...finding('id_given_twice', { id: String(id) })]);

/**
 * Since layout 7 an id of an account leads to the answer of one call. Where two calls of an operation have
 * the same one, both are in doubt in the copy, and so are the rows that asked for them.
 */
async function withOwnIds(from: Db): Promise<Conversion> {
  const attempts = new Map<Cell, AnyRecord>();
  const sharing = await from.rows<AnyRecord>(SHARING_ATTEMPTS);
  for (const { id = null, state, vendor_id = null, prior = null, before } of sharing) {
    const isBeside = before === 'replaced';
    const doubt = {
      state: isBeside ? 'doubt_beside' : 'doubt',
      is_current: isBeside ? 0 : 1,
      why: sharesId(vendor_id),
    };
    attempts.set(id, { shares_id: 1, ...(state === 'accepted' ? doubt : {}) });
    if (state === 'accepted' && isBeside) attempts.set(prior, { state: 'answered', is_current: 1 });
  }
  const rows = new Map<string, AnyRecord>();
  for (const { batch, row, operation, attempt = null, vendor_id = null } of await from.rows<AnyRecord>(
    THEIR_ROWS,
  ))
    if (stepNames(String(operation)).length === 1)
      rows.set(`${batch} ${row}`, { state: 'in_doubt', attempt, findings: sharesId(vendor_id) });
  return (table, row) => {
    if (table === 'rows') return { ...row, ...rows.get(`${row.batch} ${row.row}`) };
    if (table !== 'attempts') return row;
    const { id = null, vendor_id = null, operation = null } = row;
    // Until then a later answer was asked for by the entry of the dialect that is called as the operation.
    const later_path = vendor_id === null ? null : operation;
    return { ...row, later_path, shares_id: 0, ...attempts.get(id) };
  };
}
