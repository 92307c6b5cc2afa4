import type { Cell, Db } from './db.ts';
import type { Hit, Person, Where } from './eraser.ts';
import type { BatchId } from './ledger.ts';

/** Where a ledger names a person. Nothing is changed. */

export interface Named {
  /** Those that are erased as a whole. */
  readonly calls: readonly NamedCall[];
  /** Calls about others, about which something was said or answered that names the person. */
  readonly attempts: ReadonlySet<number>;
  /** What is left of answers to them, and of words about them. */
  readonly cuts: readonly { readonly id: number; readonly body: Uint8Array }[];
  readonly notes: readonly { readonly id: number; readonly words: string; readonly facts: string | null }[];
  readonly subjects: ReadonlySet<number>;
  readonly rows: readonly NamedRow[];
  readonly names: readonly NamedText[];
  readonly unsettled: readonly { readonly batch: BatchId; readonly row: number }[];
  readonly hits: readonly Hit[];
  /** The batches whose outputs hold something of it. */
  readonly written: ReadonlySet<BatchId>;
}

interface NamedCall {
  readonly id: number;
  readonly state: string;
  readonly account: number;
  readonly operation: string;
  readonly asked: string;
  readonly batch: BatchId;
  readonly row: number;
  readonly reserved: number;
  readonly subject: number | null;
  readonly name: string | null;
}

interface NamedRow {
  readonly batch: BatchId;
  readonly row: number;
  readonly state: string;
  /** Whether its reason names the person, and not its answer alone. */
  readonly isNamed: boolean;
}

interface NamedText {
  readonly table: string;
  readonly column: string;
  readonly key: number | string;
  readonly text: string;
}

/** Each cell is noted once for each place, however often somebody comes past it. */
class Hits {
  readonly person: Person;
  readonly #hits = new Map<string, Hit>();

  constructor(person: Person) {
    this.person = person;
  }

  has(place: string, text: string | Uint8Array | null, where: Where = 'text'): boolean {
    if (text === null) return false;
    const cells = this.person.cellsIn(typeof text === 'string' ? text : Buffer.from(text), where);
    for (const cell of cells) this.#hits.set(`${place} ${cell}`, { place, cell });
    return cells.length > 0;
  }

  all(): readonly Hit[] {
    return [...this.#hits.values()];
  }
}

/** @param sql says of which columns a row comes after the last one of the page before. */
async function* pages<Row extends object>(
  db: Db,
  sql: string,
  key: readonly (keyof Row)[],
  first: readonly Cell[],
): AsyncGenerator<Row> {
  for (let after = first; ; ) {
    const page = await db.rows<Row>(`${sql} LIMIT 1000`, after);
    yield* page;
    const last = page.at(-1);
    if (page.length < 1000 || last === undefined) return;
    after = key.map((name) => last[name] as Cell);
  }
}

export async function findAbout(db: Db, person: Person): Promise<Named> {
  const hits = new Hits(person);
  const found = { whole: new Map(), said: new Map(), cuts: new Map() } satisfies Calls as Calls;
  const subjects = await subjectsAbout(db, hits);
  await callsAbout(db, hits, found, subjects);
  const notes = await notesAbout(db, hits, found);
  const { whole, said, cuts } = found;
  for (const id of whole.keys()) [said, cuts].map((others) => others.delete(id));
  // A project with an owner is no person, and neither is the subject of a user's own call.
  for (const { subject, name } of whole.values())
    if (subject !== null && !/^(?:project|call):/.test(name ?? '')) subjects.add(subject);
  const { rows, unfinished, using } = await rowsAbout(db, hits, found);
  const names = await namesIn(db, hits);
  const unsettled = [...(await undecided(db, [...said.values(), ...whole.values()])), ...unfinished];
  const renamed = names.flatMap(({ table, key }) => (table === 'batches' ? [key as BatchId] : []));
  return {
    ...{
      calls: [...whole.values()],
      attempts: new Set(said.keys()),
      subjects,
      rows,
      names,
      hits: hits.all(),
    },
    cuts: [...cuts].map(([id, body]) => ({ id, body })),
    notes: notes.filter(({ call }) => !whole.has(call)),
    unsettled: unsettled.map(({ batch, row }) => ({ batch, row })),
    written: new Set([...rows.map(({ batch }) => batch), ...renamed, ...using]),
  };
}

/** A person who is known by an id alone is found by the address that the last change left. */
async function subjectsAbout(db: Db, hits: Hits): Promise<Set<number>> {
  const found = new Set<number>();
  const sql = 'SELECT id, name, facts FROM subjects WHERE id > ? ORDER BY id';
  for await (const { id, name, facts } of pages<{ id: number; name: string; facts: string | null }>(
    db,
    sql,
    ['id'],
    [-1],
  ))
    if (hits.has('membership', `${name} ${facts ?? ''}`)) found.add(id);
  return found;
}

/** Each is in `whole`, or in `said` and maybe in `cuts`. */
interface Calls {
  readonly whole: Map<number, NamedCall>;
  readonly said: Map<number, NamedCall>;
  readonly cuts: Map<number, Uint8Array>;
}

const CALL = 'c.state, c.account, c.operation, c.asked, c.batch, c.row, c.reserved, c.subject, s.name';

interface Asked extends NamedCall {
  readonly request: string | null;
  readonly why: string | null;
  readonly headers: string | null;
  readonly body: Uint8Array | null;
}

async function callsAbout(
  db: Db,
  hits: Hits,
  { whole, said, cuts }: Calls,
  subjects: ReadonlySet<number>,
): Promise<void> {
  const sql = `SELECT c.id, ${CALL}, c.request, c.why, r.headers, r.body FROM calls c LEFT JOIN subjects s ON s.id = c.subject
    LEFT JOIN replies r ON r.call = c.id WHERE c.id > ? ORDER BY c.id`;
  for await (const { request, why, headers, body, ...call } of pages<Asked>(db, sql, ['id'], [-1])) {
    const isAsked = [
      hits.has('request', call.asked),
      isIn(request, hits),
      subjects.has(call.subject ?? 0),
    ].includes(true);
    const isSaid = [hits.has('words', why), hits.has('answer', headers)].includes(true);
    const left = hits.has('answer', body) ? leftOf(call, body, hits.person) : undefined;
    if (isAsked || left === 'nothing') whole.set(call.id, call);
    else if (left !== undefined) cuts.set(call.id, left);
    if (isSaid || left !== undefined) said.set(call.id, call);
  }
}

function isIn(request: string | null, hits: Hits): boolean {
  const { path = '', body }: { path?: string; body?: string } = JSON.parse(request ?? '{}');
  return [hits.has('request', path, 'name'), hits.has('request', bytesOf(body))].includes(true);
}

const bytesOf = (base64: string | undefined): Uint8Array | null =>
  base64 === undefined ? null : Buffer.from(base64, 'base64');

/** The person whom a change alters was already found by its call; its answer names others beside them. */
function leftOf(
  { operation, subject }: NamedCall,
  body: Uint8Array | null,
  person: Person,
): Uint8Array | 'nothing' {
  if (operation === 'enrich-person') return 'nothing';
  const isAboutOthers = operation === 'enrich-company' || subject !== null;
  return person.cutFrom(Buffer.from(body ?? []), isAboutOthers ? 'company' : 'anything') ?? 'nothing';
}

interface Note extends Omit<NamedCall, 'id'> {
  readonly note: number;
  readonly kind: string;
  readonly words: string;
  readonly facts: string | null;
  readonly call: number;
}

async function notesAbout(db: Db, hits: Hits, { whole, said }: Calls) {
  const notes: { id: number; call: number; words: string; facts: string | null }[] = [];
  const sql = `SELECT n.id AS note, n.kind, n.words, n.facts, n.call, ${CALL}
    FROM notes n JOIN calls c ON c.id = n.call LEFT JOIN subjects s ON s.id = c.subject WHERE n.id > ? ORDER BY n.id`;
  for await (const kept of pages<Note>(db, sql, ['note'], [-1])) {
    const { body: base64, ...others }: { body?: string } = JSON.parse(kept.facts ?? '{}');
    const [inWords, inBody] = [hits.has('words', kept.words), hits.has('answer', bytesOf(base64))];
    if (!inWords && !inBody) continue;
    const call = { ...kept, id: kept.call };
    // What a look found is no answer.
    const left = kept.kind === 'told' ? leftOf(call, bytesOf(base64), hits.person) : NOTHING;
    if (inBody && left === 'nothing') whole.set(call.id, call);
    said.set(call.id, call);
    const body = Buffer.from(left).toString('base64');
    const facts = inBody ? JSON.stringify({ ...others, body }) : kept.facts;
    notes.push({ id: kept.note, call: call.id, words: inWords ? 'erased' : kept.words, facts });
  }
  return notes;
}

const NOTHING = Buffer.alloc(0);

/** What is under way, and doubts about which somebody can still decide: in a batch that risked it or waits for it, and did not skip it. */
async function undecided(db: Db, calls: readonly NamedCall[]): Promise<readonly NamedCall[]> {
  const found: NamedCall[] = [];
  for (const call of calls) {
    const isDoubt =
      call.state === 'doubt' && (await db.rows(DECIDABLE, [call.id, call.id, call.id])).length > 0;
    if (call.state === 'open' || isDoubt) found.push(call);
  }
  return found;
}

const DECIDABLE = `
SELECT b.batch FROM (
  SELECT o.batch FROM calls c JOIN calls o ON o.key = c.key AND o.state IN ('doubt', 'retried') WHERE c.id = ?
  UNION SELECT r.batch FROM rows r WHERE r.call = ? AND r.state = 'in_doubt') b
WHERE coalesce((SELECT n.said FROM notes n WHERE n.call = ? AND n.kind = 'decided' AND n.batch = b.batch ORDER BY n.id DESC LIMIT 1), '') <> 'skip'`;

interface KeptRow extends Omit<NamedRow, 'isNamed'> {
  readonly at: string;
  readonly call: number | null;
  readonly others: string | null;
  readonly reason: string | null;
  readonly work: string | null;
  readonly cells: string | null;
}

/** @returns with them the rows that are planned or listed and have not ended, and the batches that use an answer which is cut. */
async function rowsAbout(db: Db, hits: Hits, { whole, cuts }: Calls) {
  const rows: NamedRow[] = [];
  const unfinished: Pick<NamedRow, 'batch' | 'row'>[] = [];
  const using = new Set<BatchId>();
  const sql = `SELECT r.batch, r.row, r.state, b.state AS at, r.call, r.others, r.reason, r.work, l.cells
    FROM rows r JOIN batches b ON b.id = r.batch LEFT JOIN cells l ON l.batch = r.batch AND l.row = r.row
    WHERE (r.batch, r.row) > (?, ?) ORDER BY r.batch, r.row`;
  for await (const kept of pages<KeptRow>(db, sql, ['batch', 'row'], ['', -1])) {
    const { batch, row, state } = kept;
    const calls: readonly number[] = [
      kept.call ?? 0,
      ...(kept.others === null ? [] : JSON.parse(kept.others)),
    ];
    const [isNamed, isPlanned] = [hits.has('reason', kept.reason), hits.has('plan', kept.work)];
    const isListed = hits.has('plan', kept.cells);
    if (isNamed || isPlanned || calls.some((id) => whole.has(id))) rows.push({ batch, row, state, isNamed });
    const isLeft = kept.at === 'open' && (state === 'pending' || state === 'in_doubt');
    if (isListed || (isPlanned && isLeft)) unfinished.push({ batch, row });
    if (calls.some((id) => cuts.has(id))) using.add(batch);
  }
  return { rows, unfinished, using };
}

/** Every other column that may name somebody: its table, what tells its rows apart, and where a name stands in it. */
const TEXTS: readonly (readonly [table: string, column: string, key: string, where: Where, only?: string])[] =
  [
    ['batches', 'facts', 'id', 'name'],
    ['batches', 'lineage', 'id', 'name'],
    ['batches', 'work_order', 'id', 'name'],
    ['workers', 'command', 'id', 'name'],
    ['workers', 'operator', 'id', 'name'],
    ['accounts', 'ended', 'id', 'text'],
    ['files', 'path', 'path', 'name'],
    ['notes', 'words', 'id', 'text', 'AND call IS NULL'],
    ['notes', 'facts', 'id', 'text', 'AND call IS NULL'],
  ];

async function namesIn(db: Db, hits: Hits): Promise<readonly NamedText[]> {
  const names: NamedText[] = [];
  for (const [table, column, key, where, only = ''] of TEXTS) {
    const sql = `SELECT DISTINCT ${key} AS key, ${column} AS text FROM ${table} WHERE ${column} IS NOT NULL ${only}`;
    for (const { key: at, text } of await db.rows<Pick<NamedText, 'key' | 'text'>>(sql))
      if (hits.has(where === 'name' ? 'name' : 'words', text, where))
        names.push({ table, column, key: at, text });
  }
  return names;
}
