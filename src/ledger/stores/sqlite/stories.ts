import { present } from '../../../core/objects.ts';
import type { Call, JsonObject } from '../../../core/operation.ts';
import {
  type AnswerKind,
  type AnswerRecord,
  type AttemptId,
  type AttemptRecord,
  CHARGED_ONCE,
  type Closure,
  credits,
  type Decision,
  type DecisionId,
  type KeyedRequest,
  type Look,
  type RawReply,
  type ReadAs,
  type Reading,
} from '../../ledger.ts';
import type { Kind } from '../../rules/moves.ts';
import { AlteredRow, type Connection } from './connection.ts';
import { statusWords } from './entries.ts';
import { isAbout } from './lookups.ts';
import type { ReadRow } from './table.ts';
import { batchId, CALLS_TABLE, CONTENTS_TABLE, ENTRIES_TABLE, keyText, REQUESTS_TABLE } from './tables.ts';

/**
 * What the book says of one attempt: the entry that began it, and those about it in their order. Each row is checked against its
 * sum here, so no altered one gets further.
 */

export type CallRow = ReadRow<typeof CALLS_TABLE> & {
  readonly state: 'free' | 'answered' | 'doubt';
  readonly stands: number | null;
  readonly open: number | null;
};

type Columns = Omit<ReadRow<typeof ENTRIES_TABLE>, 'kind'> & { readonly kind: Kind };

/** An entry with what it holds. `words` and what follows are NULL where it holds nothing. */
export type EntryRow = Columns & {
  readonly entry: number | null;
  readonly headers: string | null;
  readonly words: string | null;
  readonly body: Buffer | null;
  readonly content_sum: number | null;
};

export const ENTRY = `SELECT e.*, c.entry, c.headers, c.words, c.body, c.sum AS content_sum
  FROM entries e LEFT JOIN contents c ON c.entry = e.id`;

const ONE = `${ENTRY} WHERE e.id = ?`;
const ABOUT = `${ENTRY} WHERE ${isAbout('e', '+:attempt')} ORDER BY e.id`;

export function checkedEntry(row: EntryRow): EntryRow {
  ENTRIES_TABLE.checked(row);
  const { entry, headers, words, body, content_sum: sum } = row;
  if (entry !== null && sum !== null) CONTENTS_TABLE.checked({ entry, headers, words, body, sum });
  return row;
}

export function callFrom(row: CallRow): Call {
  const { operation, credits_most: creditsMost, question } = CALLS_TABLE.checked(row);
  const asked = JSON.parse(question) as JsonObject;
  return { operation, ...asked, ...present({ creditsMost: creditsMost ?? undefined }) } as unknown as Call;
}

/** @throws AlteredRow when there is no such entry. */
export function entryNumbered(connection: Connection, id: number): EntryRow {
  const row = connection.get<EntryRow>(ONE, id);
  if (row === undefined) throw new AlteredRow(`entry ${id} is missing`);
  return checkedEntry(row);
}

export function storyOf(connection: Connection, attempt: number): Story {
  const begun = entryNumbered(connection, attempt);
  if (begun.of !== begun.id) throw new AlteredRow(`attempt ${attempt} is missing`);
  return new Story(connection, begun, connection.all<EntryRow>(ABOUT, { attempt }).map(checkedEntry));
}

/** Who decided, as a decision and what was told have it. */
interface DecisionFacts {
  readonly by: Decision['by'];
  readonly received_at?: number;
}

const factsOf = <Facts>({ facts }: EntryRow): Facts => JSON.parse(facts ?? '{}') as Facts;

export class Story {
  readonly begun: EntryRow;
  readonly #about: readonly EntryRow[];
  readonly #connection: Connection;

  constructor(connection: Connection, begun: EntryRow, about: readonly EntryRow[]) {
    this.#connection = connection;
    this.begun = begun;
    this.#about = about;
  }

  get id(): AttemptId {
    return this.begun.id as AttemptId;
  }

  #the(...kinds: readonly Kind[]): EntryRow | undefined {
    return this.#about.find(({ kind }) => kinds.includes(kind));
  }

  get reply(): RawReply | undefined {
    const entry = this.#the('reply');
    return entry && saidIn(entry);
  }

  get closure(): NonNullable<AttemptRecord['closure']> | undefined {
    const entry = this.#the('answered', 'lost', 'lost_beside', 'unsold');
    if (entry === undefined) return undefined;
    const [why, closedAtMs] = [wordsOf(entry), entry.at];
    if (entry.kind === 'answered') {
      const answer = entry.said as AnswerKind;
      return { kind: 'settled', answer, charged: credits(entry.spent), why, closedAtMs };
    }
    const kind = entry.kind === 'unsold' ? (entry.said as Exclude<Closure['kind'], 'settled'>) : 'in_doubt';
    return { kind, why, closedAtMs } as NonNullable<AttemptRecord['closure']>;
  }

  /** What a person told: about this attempt, or about a later loss with which this one was counted. */
  get told(): EntryRow | undefined {
    const told = this.#the('told');
    if (told !== undefined) return told;
    const counted = this.#the('counted')?.sees ?? undefined;
    return counted === undefined ? undefined : entryNumbered(this.#connection, counted);
  }

  get readings(): readonly (Reading & { readonly id: number })[] {
    let charged = this.#the('answered')?.spent ?? 0;
    return this.#about.flatMap((entry) => {
      if (entry.kind !== 'reading' && entry.kind !== 'read') return [];
      charged += entry.spent;
      const { id, said, dialect, at: atMs } = entry;
      const read = { answer: said as ReadAs, charged: credits(charged), why: wordsOf(entry), dialect: dialect ?? 0 };
      return [{ id, attempt: this.id, ...read, atMs }];
    });
  }

  get looks(): readonly Look[] {
    return this.#about.flatMap((entry) => {
      if (entry.kind !== 'look') return [];
      const { kind } = factsOf<Pick<Look, 'kind'>>(entry);
      const { said, status, body, at: atMs } = entry;
      const seen = { kind, said: said as Look['said'], why: wordsOf(entry), status: status ?? 0, body: body ?? EMPTY };
      return [{ attempt: this.id, ...seen, atMs }];
    });
  }

  /** Decisions of a batch about this loss, oldest first. */
  decisionsOf(batch: number, key: Buffer): readonly Decision[] {
    return this.#about.flatMap((entry) =>
      entry.batch === batch && (entry.kind === 'decided' || entry.kind === 'told') ? [decisionFrom(entry, key)] : [],
    );
  }

  get released(): AttemptRecord['released'] {
    const entry = this.#the('released', 'freed');
    if (entry === undefined) return undefined;
    if (entry.kind === 'released') return { why: wordsOf(entry), atMs: entry.at };
    const by = entryNumbered(this.#connection, entry.sees ?? 0);
    return { why: by.kind === 'released' ? wordsOf(by) : CHARGED_ONCE, atMs: by.at };
  }

  get request(): KeyedRequest | undefined {
    const sql = 'SELECT * FROM requests WHERE attempt = ?';
    const row = this.#connection.get<ReadRow<typeof REQUESTS_TABLE>>(sql, this.id);
    if (row === undefined) return undefined;
    const { idempotency_key: idempotencyKey, path, body, first_sent_at: firstSentAtMs } = REQUESTS_TABLE.checked(row);
    const method = row.method as KeyedRequest['method'];
    return { idempotencyKey, method, path, ...present({ body: body ?? undefined }), firstSentAtMs };
  }

  /** What a person told about the attempt; otherwise the decision that allowed it. */
  decision(key: Buffer): Decision | undefined {
    const { kind, sees } = this.begun;
    const allowed = kind === 'repeat' || kind === 'retry' ? (sees ?? undefined) : undefined;
    const entry = this.told ?? (allowed === undefined ? undefined : entryNumbered(this.#connection, allowed));
    return entry && decisionFrom(entry, key);
  }

  /** Everything that is known about the attempt. */
  record(row: CallRow): AttemptRecord {
    const { begun } = this;
    return {
      attempt: this.id,
      batch: batchId(begun.batch ?? 0),
      row: begun.row ?? 0,
      call: callFrom(row),
      reserved: credits(begun.reserved),
      intentAtMs: begun.at,
      ...present({ reply: this.reply, closure: this.closure, decision: this.decision(row.key) }),
      ...(begun.kind === 'refresh' ? { replaces: begun.sees as AttemptId } : {}),
      ...present({ request: this.request }),
      looks: this.looks,
      readings: this.readings.map(({ id: _, ...reading }) => reading),
      ...present({ released: this.released }),
    };
  }

  /**
   * The answer, which may be none by its newest reading; undefined for an attempt that brought none.
   * @param readTo the newest reading that counts; without it all of them count.
   */
  answer(row: CallRow, { readTo = Number.MAX_SAFE_INTEGER, withHeaders = false }: AnswerOptions = {}) {
    const call = callFrom(row);
    const { told, begun } = this;
    const common = {
      attempt: this.id,
      batch: batchId(begun.batch ?? 0),
      call,
      ...present({ erasedAtMs: call.erasedAtMs }),
      paidRow: paidRow(this.#connection, begun),
    };
    if (told !== undefined) {
      const { received_at: answeredAtMs = told.at } = factsOf<DecisionFacts>(told);
      const said = { status: told.status ?? 0, body: told.body ?? EMPTY, answeredAtMs };
      const answer = { ...common, kind: 'found', why: wordsOf(told), charged: credits(begun.reserved), ...said };
      return answer as AnswerRecord<ReadAs>;
    }
    const entry = this.#the('answered');
    const readings = this.readings;
    const reading = readings.findLast(({ id }) => readTo !== null && id <= readTo);
    const closure = entry === undefined ? undefined : this.closure;
    const taken = reading ?? (closure?.kind === 'settled' ? closure : undefined);
    const { reply } = this;
    if (taken === undefined || reply === undefined) return undefined;
    const { receivedAtMs: answeredAtMs, headers, ...said } = reply;
    const dialect = reading?.dialect ?? entry?.dialect ?? undefined;
    const { charged } = readings.at(-1) ?? taken;
    const whole = { ...common, kind: taken.answer, why: taken.why, charged, ...said, answeredAtMs };
    return { ...whole, ...(withHeaders ? { headers } : {}), ...present({ dialect }) } as AnswerRecord<ReadAs>;
  }
}

interface AnswerOptions {
  readonly readTo?: number | null;
  readonly withHeaders?: boolean;
}

const EMPTY = Buffer.alloc(0);

/** The lowest row of the batch that used the answer. */
function paidRow(connection: Connection, { id, row }: EntryRow): number {
  return connection.get<{ row: number }>('SELECT row FROM payers WHERE attempt = ?', id)?.row ?? row ?? 0;
}

/** What an entry says in words. */
export function wordsOf({ words, status }: Pick<EntryRow, 'words' | 'status'>): string {
  return words ?? statusWords(status);
}

/** @throws AlteredRow for an entry that has lost what it held. */
function saidIn({ id, headers, body, status, at: receivedAtMs }: EntryRow): RawReply {
  if (headers === null || body === null || status === null) throw new AlteredRow(`the reply of entry ${id} is missing`);
  return { status, headers: JSON.parse(headers) as RawReply['headers'], body, receivedAtMs };
}

function decisionFrom(entry: EntryRow, key: Buffer): Decision {
  const { by } = factsOf<DecisionFacts>(entry);
  const decided = { kind: entry.said as Decision['kind'], by, why: wordsOf(entry), atMs: entry.at };
  return { id: entry.id as DecisionId, key: keyText(key), batch: batchId(entry.batch ?? 0), ...decided };
}
