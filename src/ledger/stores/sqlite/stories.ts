import { present } from '../../../core/objects.ts';
import type { Call, JsonObject } from '../../../core/operation.ts';
import {
  type AnswerKind,
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
import { AlteredRow, type Connection } from './connection.ts';
import { statusWords } from './entries.ts';
import type { ReadRow } from './table.ts';
import {
  ATTEMPTS_TABLE,
  batchId,
  CALLS_TABLE,
  ENDS_TABLE,
  keyText,
  NOTES_TABLE,
  REPLIES_TABLE,
  REQUESTS_TABLE,
} from './tables.ts';

/**
 * What the book says of one attempt: its reply, its end and the notes about it. Each row is checked against its
 * sum here, so no altered one gets further.
 */

export type CallRow = ReadRow<typeof CALLS_TABLE> & {
  readonly state: 'free' | 'answered' | 'doubt';
  readonly stands: number | null;
  readonly open: number | null;
};

export type AttemptRow = ReadRow<typeof ATTEMPTS_TABLE>;
export type ReplyRow = ReadRow<typeof REPLIES_TABLE>;
export type EndRow = ReadRow<typeof ENDS_TABLE>;
export type NoteRow = ReadRow<typeof NOTES_TABLE>;

const ATTEMPT = 'SELECT * FROM attempts WHERE id = ?';
const REPLY = 'SELECT * FROM replies WHERE of = ?';
const END = 'SELECT * FROM ends WHERE of = ?';
const NOTES = 'SELECT * FROM notes WHERE of = +? ORDER BY id';

export function callFrom(row: CallRow): Call {
  const { operation, credits_most: creditsMost, question } = CALLS_TABLE.checked(row);
  return callOf(operation, creditsMost, question);
}

/** The call of which these are the columns. One that does not say what is done when it is lost is held back. */
export function callOf(operation: string, creditsMost: number | null, question: string): Call {
  const asked = JSON.parse(question) as JsonObject;
  const most = creditsMost === null ? {} : { creditsMost };
  return { operation, ifLost: 'hold', ...asked, ...most } as unknown as Call;
}

/** @throws AlteredRow when there is no such note. */
function noteNumbered(connection: Connection, id: number): NoteRow {
  const row = connection.get<NoteRow>('SELECT * FROM notes WHERE id = ?', id);
  if (row === undefined) throw new AlteredRow(`note ${id} is missing`);
  return NOTES_TABLE.checked(row);
}

/** @throws AlteredRow when there is no such attempt. */
export function storyOf(connection: Connection, attempt: number): Story {
  const begun = connection.get<AttemptRow>(ATTEMPT, attempt);
  if (begun === undefined) throw new AlteredRow(`attempt ${attempt} is missing`);
  return new Story(connection, ATTEMPTS_TABLE.checked(begun));
}

/** Who decided, as a decision and what was told have it. */
interface DecisionFacts {
  readonly by: Decision['by'];
  readonly received_at?: number;
}

const factsOf = <Facts>({ facts }: NoteRow): Facts => JSON.parse(facts ?? '{}') as Facts;

export class Story {
  readonly begun: AttemptRow;
  readonly #connection: Connection;
  readonly #end: EndRow | undefined;
  readonly #notes: readonly NoteRow[];

  constructor(connection: Connection, begun: AttemptRow) {
    this.#connection = connection;
    this.begun = begun;
    const end = connection.get<EndRow>(END, begun.id);
    this.#end = end && ENDS_TABLE.checked(end);
    this.#notes = connection.all<NoteRow>(NOTES, begun.id).map((note) => NOTES_TABLE.checked(note));
  }

  get id(): AttemptId {
    return this.begun.id as AttemptId;
  }

  #the(kind: string): NoteRow | undefined {
    return this.#notes.find((note) => note.kind === kind);
  }

  get reply(): RawReply | undefined {
    const row = this.#connection.get<ReplyRow>(REPLY, this.id);
    if (row === undefined) return undefined;
    const { status, headers, body, at: receivedAtMs } = REPLIES_TABLE.checked(row);
    return { status, headers: JSON.parse(headers) as RawReply['headers'], body, receivedAtMs };
  }

  get closure(): NonNullable<AttemptRecord['closure']> | undefined {
    const end = this.#end;
    if (end === undefined) return undefined;
    const [why, closedAtMs] = [wordsOf(end), end.at];
    if (end.kind === 'answered') {
      const answer = end.said as AnswerKind;
      return { kind: 'answered', answer, charged: credits(end.spent), why, closedAtMs };
    }
    const kind = end.kind === 'unsold' ? (end.said as Exclude<Closure['kind'], 'answered'>) : 'in_doubt';
    return { kind, why, closedAtMs } as NonNullable<AttemptRecord['closure']>;
  }

  /** What a person told: about this attempt, or about a later loss with which this one was counted. */
  get told(): NoteRow | undefined {
    const told = this.#the('told');
    if (told !== undefined) return told;
    const counted = this.#the('counted')?.sees ?? undefined;
    return counted === undefined ? undefined : noteNumbered(this.#connection, counted);
  }

  get readings(): readonly (Reading & { readonly id: number })[] {
    let charged = this.#end?.spent ?? 0;
    return this.#notes.flatMap((note) => {
      if (note.kind !== 'reading' && note.kind !== 'read') return [];
      charged += note.spent;
      const { id, said, dialect, at: atMs } = note;
      const read = {
        answer: said as ReadAs,
        charged: credits(charged),
        why: wordsOf(note),
        dialect: dialect ?? 0,
      };
      return [{ id, attempt: this.id, ...read, atMs }];
    });
  }

  get looks(): readonly Look[] {
    return this.#notes.flatMap((entry) => {
      if (entry.kind !== 'look') return [];
      const { kind } = factsOf<Pick<Look, 'kind'>>(entry);
      const { said, status, body, at: atMs } = entry;
      const seen = {
        kind,
        said: said as Look['said'],
        why: wordsOf(entry),
        status: status ?? 0,
        body: body ?? EMPTY,
      };
      return [{ attempt: this.id, ...seen, atMs }];
    });
  }

  /** Decisions of a batch about this loss, oldest first. */
  decisionsOf(batch: number, key: Buffer): readonly Decision[] {
    return this.#notes.flatMap((entry) =>
      entry.batch === batch && (entry.kind === 'decided' || entry.kind === 'told')
        ? [decisionFrom(entry, key)]
        : [],
    );
  }

  get released(): AttemptRecord['released'] {
    const released = this.#the('released');
    if (released !== undefined) return { why: wordsOf(released), atMs: released.at };
    const freed = this.#the('freed');
    if (freed === undefined) return undefined;
    const sql = "SELECT * FROM notes WHERE id = ? AND kind = 'released'";
    const by = this.#connection.get<NoteRow>(sql, freed.sees);
    return by === undefined
      ? { why: CHARGED_ONCE, atMs: freed.at }
      : { why: wordsOf(NOTES_TABLE.checked(by)), atMs: by.at };
  }

  get request(): KeyedRequest | undefined {
    const sql = 'SELECT * FROM requests WHERE attempt = ?';
    const row = this.#connection.get<ReadRow<typeof REQUESTS_TABLE>>(sql, this.id);
    if (row === undefined) return undefined;
    const {
      idempotency_key: idempotencyKey,
      path,
      body,
      first_sent_at: firstSentAtMs,
    } = REQUESTS_TABLE.checked(row);
    const method = row.method as KeyedRequest['method'];
    return { idempotencyKey, method, path, ...present({ body: body ?? undefined }), firstSentAtMs };
  }

  /** What a person told about the attempt; otherwise the decision that allowed it. */
  decision(key: Buffer): Decision | undefined {
    const { kind, sees } = this.begun;
    const allowed = kind === 'repeat' || kind === 'retry' ? (sees ?? undefined) : undefined;
    const entry = this.told ?? (allowed === undefined ? undefined : noteNumbered(this.#connection, allowed));
    return entry && decisionFrom(entry, key);
  }

  /** Everything that is known about the attempt. */
  record(row: CallRow): AttemptRecord {
    const { begun } = this;
    return {
      attempt: this.id,
      batch: batchId(begun.batch),
      row: begun.row,
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

  /** What its answer was read from, after all that is known of it was checked. */
  checkedBody(): Buffer | null {
    const { body } = this.told ?? this.reply ?? { body: null };
    callNumbered(this.#connection, this.begun.call);
    return body;
  }
}

/** @throws AlteredRow when there is no such call. */
export function callNumbered(connection: Connection, id: number): CallRow {
  const row = connection.get<CallRow>('SELECT * FROM calls WHERE id = ?', id);
  if (row === undefined) throw new AlteredRow(`call ${id} is missing`);
  return CALLS_TABLE.checked(row);
}

const EMPTY = Buffer.alloc(0);

/** What an entry says in words. */
export function wordsOf({
  words,
  status,
}: {
  readonly words: string | null;
  readonly status: number | null;
}): string {
  return words ?? statusWords(status);
}

function decisionFrom(entry: NoteRow, key: Buffer): Decision {
  const { by } = factsOf<DecisionFacts>(entry);
  const decided = { kind: entry.said as Decision['kind'], by, why: wordsOf(entry), atMs: entry.at };
  return { id: entry.id as DecisionId, key: keyText(key), batch: batchId(entry.batch ?? 0), ...decided };
}
