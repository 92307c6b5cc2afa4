import { type CallKey, callKeyOf } from '../core/call-key.ts';
import { finding, NO_FINDINGS } from '../core/finding.ts';
import { type Findings, findingsIn } from '../core/findings.ts';
import { present } from '../core/objects.ts';
import type { RowNumber } from '../core/row.ts';
import {
  type AnswerRecord,
  type AttemptRecord,
  answeredCall,
  type CallState,
  type Decision,
  type Detail,
  type Doubt,
  type KnownAnswer,
  type Look,
  type NoAnswerKind,
  type ReadAs,
} from './call-records.ts';
import {
  type Context,
  callFrom,
  type KeptCall,
  keptDigits,
  recordFrom,
  type StoredRow,
  withoutNulls,
} from './context.ts';
import { type Db, each } from './db.ts';
import { type Deciding, decisionsFor } from './lists.ts';
import { OF_BATCH } from './money.ts';
import { type AttemptId, type Batch, type BatchId, type Credits, credits } from './records.ts';
import {
  type AttemptState,
  isBeside,
  isCurrent,
  isDoubted,
  isPast,
  isTooOld,
  replyOf,
  unanswered,
} from './schema.ts';
import { unprovenOf } from './transitions.ts';

/** What the rows of `attempts`, `replies` and `notes` say of a call. */

// ------------------------------------------------------------------------------------------ answers

/** What a note holds beside its columns; an erasure empties it. Bytes are Base64. */
interface NoteFacts {
  readonly kind?: Look['kind'];
  readonly status?: number;
  readonly body?: string;
  /** When the doubt began that a person has settled. */
  readonly since?: number | null;
}

const factsOf = (facts: string | null): NoteFacts => (facts === null ? {} : JSON.parse(facts));
const bytesOf = (body: string | undefined): Buffer => Buffer.from(body ?? '', 'base64');

const WITH_REPLY = `LEFT JOIN replies rep ON ${replyOf('rep', 'att')}`;
/**
 * What a person told of an attempt is its answer. Such an answer has no dialect, so notes are looked for only
 * where the dialect is missing.
 */
const TOLD = `LEFT JOIN notes note ON note.attempt = att.id AND note.kind = 'told' AND att.dialect IS NULL`;
const ANSWER_COLUMNS = `att.id AS attempt, att.batch, coalesce(att.said, 'found') AS kind,
  note.words AS told, att.why, att.dialect, att.erased_at AS "erasedAtMs"`;

type AnswerRow = Omit<AnswerRecord<ReadAs>, 'call' | 'body'>;

interface KeptWhy {
  /** What a person said, where the answer is what a person told. */
  readonly told: string | null;
  readonly why: string | null;
}

const whyOf = ({ told, why }: KeptWhy): Findings =>
  told === null ? findingsIn(why) : finding('told', { words: told });

interface KeptAnswer extends KeptCall, KeptWhy, Omit<StoredRow<AnswerRow>, 'erasedAtMs' | 'why'> {
  readonly body: Buffer | null;
  readonly facts: string | null;
}

const ANSWERS = each({ id: 'int' })<KeptAnswer>(`
SELECT ${ANSWER_COLUMNS}, acc.identity AS "accountIdentity",
  att.operation, att.asked, att.credits_max, att.charged, att.row AS "paidRow",
  coalesce(note.at, rep.at, 0) AS "answeredAtMs", coalesce(rep.status, 0) AS status,
  rep.body, note.facts
FROM v JOIN attempts att ON att.id = v.id AND att.charged IS NOT NULL
  JOIN accounts acc ON acc.id = att.account
  ${WITH_REPLY} ${TOLD}`);

/** The answers of those of these attempts that were answered, by the numbers of the attempts. */
export async function answersOf(
  db: Pick<Db, 'each'>,
  ids: readonly number[],
): Promise<ReadonlyMap<number, AnswerRecord<ReadAs>>> {
  if (ids.length === 0) return new Map();
  const found = await db.each(ANSWERS, numbered(ids));
  return new Map(found.map((answerRow) => [answerRow.attempt, answerOf(answerRow)]));
}

const numbered = (ids: readonly number[]) => [...new Set(ids)].map((id) => ({ id }));

function answerOf(answerRow: KeptAnswer): AnswerRecord<ReadAs> {
  const { attempt, batch, accountIdentity, kind, answeredAtMs, charged, paidRow } = answerRow;
  const { dialect, erasedAtMs } = answerRow;
  const noteFacts = factsOf(answerRow.facts);
  return {
    attempt,
    batch,
    accountIdentity,
    kind,
    why: whyOf(answerRow),
    answeredAtMs,
    call: callFrom(answerRow),
    charged,
    status: noteFacts.status ?? answerRow.status,
    body: noteFacts.body === undefined ? (answerRow.body ?? '') : bytesOf(noteFacts.body),
    paidRow,
    ...withoutNulls({ dialect, erasedAtMs }),
  };
}

// --------------------------------------------------------------------------------------- where a call stands

/**
 * The answer or the doubt that stands for a key, and the attempt that is under way in its place, with its
 * decision.
 */
type KnownAnswerRow = StoredRow<Omit<KnownAnswer<ReadAs>, 'attempt' | 'isTooOld' | 'why'>> &
  KeptWhy & {
    readonly nth: number;
    readonly old: 1 | null;
    /** Null where nothing stands. */
    readonly attempt: AttemptId | null;
    readonly state: AttemptState | null;
    readonly open: AttemptId | null;
    readonly used: number | null;
  };

/**
 * While an attempt is under way, the attempt that it replaces still stands. An answer that turned out to be
 * none stands where nothing else does.
 */
const findSql = (old: string, replies: string): string => `
SELECT v.nth, att_now.id AS open, att_now.decision AS used, att.state, ${ANSWER_COLUMNS}, ${old} AS old
FROM v LEFT JOIN attempts att_now ON att_now.key = {hex v.key} AND ${isCurrent('att_now')}
  LEFT JOIN attempts att ON att.id = CASE att_now.state
    WHEN 'open' THEN att_now.prior WHEN 'accepted' THEN att_now.id WHEN 'answered' THEN att_now.id
      WHEN 'doubt' THEN att_now.id ELSE
    (${unanswered('{hex v.key}')} ORDER BY att_past.sent_at DESC, att_past.id DESC LIMIT 1) END
  ${replies} ${TOLD}
WHERE att_now.id IS NOT NULL OR att.id IS NOT NULL`;

const FIND = each({ nth: 'int', key: 'text' })<KnownAnswerRow>(findSql('NULL', ''));

/** For a batch that has cut-offs. To look for the age of each answer takes a third longer. */
const FIND_FRESH = each({
  nth: 'int',
  key: 'text',
  batch: 'text',
  found: 'int',
  no_match: 'int',
})<KnownAnswerRow>(
  findSql(
    `CASE WHEN ${isTooOld({ id: 'v.batch', found: 'v.found', noMatch: 'v.no_match' })} THEN 1 END`,
    WITH_REPLY,
  ),
);

const UNKNOWN: CallState<never> = { kind: 'unknown' };

/** It is not known what came of the call: it is in doubt, or it was in doubt and is being sent again. */
const isDoubtful = ({ state }: KnownAnswerRow): boolean => state === 'doubt' || state === 'retried';

type DecisionOf = Awaited<ReturnType<typeof decisionsFor>>;

/** @param doubts those that were read whole, as @param answers and @param records */
function stateOf(
  { nth: _, old, open, used, state, attempt, told, why, ...others }: KnownAnswerRow,
  decisionOf: DecisionOf,
  answers: ReadonlyMap<number, AnswerRecord<ReadAs>>,
  doubts: ReadonlyMap<number, Doubt>,
  records: ReadonlyMap<number, AttemptRecord>,
): CallState<Detail> {
  if (attempt === null) return { kind: 'in_flight' };
  if (state === 'accepted')
    return { kind: state, accepted: records.get(attempt) ?? { attempt, batch: others.batch } };
  if (state === 'doubt' || state === 'retried') {
    const doubt = doubts.get(attempt);
    const decision = doubt && decisionOf(doubt);
    return {
      kind: 'in_doubt',
      doubt: doubt ?? { attempt, batch: others.batch },
      ...present({
        decision: decision?.id === used ? undefined : decision,
        sentAgainAs: open === null || open === attempt ? undefined : (open as AttemptId),
      }),
    };
  }
  const answer = answers.get(attempt) ?? {
    ...recordFrom<Omit<KnownAnswer<ReadAs>, 'isTooOld' | 'why'>>({ ...others, attempt }),
    why: whyOf({ told, why }),
  };
  return answeredCall(old === 1 ? { ...answer, isTooOld: true } : answer);
}

/** All attempts at the call of an attempt, and what each may have cost without an answer. */
const ALIKE = each({ id: 'int' })<{
  readonly like: AttemptId;
  readonly id: AttemptId;
  readonly held: number;
  readonly repeated: number;
}>(
  [isCurrent('att'), isPast('att')]
    .map(
      (which) => `SELECT v.id AS "like", att.id, CASE
        WHEN ${isDoubted('att')} THEN att.reserved ELSE 0 END AS held,
  CASE WHEN att.kind = 'repeat'
    AND (att.state = 'released' OR ${isDoubted('att')}) THEN 1 ELSE 0 END AS repeated
FROM v JOIN attempts att_other ON att_other.id = v.id
  JOIN attempts att ON att.key = att_other.key AND ${which}`,
    )
    .join(' UNION ALL '),
);

/** These attempts as doubts, with all other doubts about their calls. */
async function doubtsOf(db: Db, ids: readonly number[]): Promise<ReadonlyMap<number, Doubt>> {
  if (ids.length === 0) return new Map();
  const alike = Map.groupBy(await db.each(ALIKE, numbered(ids)), ({ like }) => like);
  const doubts = (await recordsOf(db, ids)).map((record): Doubt => {
    const { attempt, end } = record;
    const all = alike.get(attempt) ?? [];
    return {
      ...record,
      why: end?.why ?? NO_FINDINGS,
      atRisk: credits(all.reduce((sum, { held }) => sum + held, 0)),
      repeats: all.reduce((sum, { repeated }) => sum + repeated, 0),
      ...present({ isUnproven: end?.kind === 'answered' || undefined }),
    };
  });
  return new Map(doubts.map((doubt) => [doubt.attempt, doubt]));
}

// --------------------------------------------------------------------------------- everything about attempts

type Plain = Pick<
  AttemptRecord,
  | 'attempt'
  | 'accountIdentity'
  | 'batch'
  | 'row'
  | 'operator'
  | 'reserved'
  | 'sentAtMs'
  | 'replaces'
  | 'vendorId'
>;

interface KeptAttempt extends KeptCall, StoredRow<Plain> {
  readonly state: AttemptState;
  readonly request: string | null;
  readonly ended_at: number | null;
  readonly said: ReadAs | null;
  readonly shares_id: number;
  readonly charged: Credits | null;
  readonly why: string | null;
  readonly status: number | null;
  readonly receivedAtMs: number;
  readonly headers: string;
  readonly body: Buffer;
}

/** A reply with status 0 never came: a person told the answer. */
const ATTEMPTS = each({ id: 'int' })<KeptAttempt>(`
SELECT att.id AS attempt, acc.identity AS "accountIdentity", att.batch, att.row, worker.operator,
  att.reserved, att.sent_at AS "sentAtMs",
  CASE att.kind WHEN 'refresh' THEN att.prior END AS replaces,
  att.operation, att.asked, att.credits_max, att.erased_at AS "erasedAtMs",
  att.state, att.request, att.ended_at, att.said, att.vendor_id AS "vendorId", att.shares_id,
  att.charged, att.why, rep.status, rep.at AS "receivedAtMs", rep.headers, rep.body
FROM v JOIN attempts att ON att.id = v.id JOIN accounts acc ON acc.id = att.account
  LEFT JOIN workers worker ON worker.id = att.worker
  LEFT JOIN replies rep ON ${replyOf('rep', 'att')} AND rep.status <> 0`);

type KeptNote = StoredRow<Omit<Decision, 'key' | 'kind'>> & {
  readonly of: AttemptId;
  readonly attempt: AttemptId;
  readonly kind: Decision['kind'] | 'looked';
  readonly said: Look['said'];
  readonly facts: string | null;
};

const noteSql = (from: string): string => `
SELECT v.id AS "of", note.id, note.attempt, note.at AS "atMs",
  CASE note.kind WHEN 'decided' THEN note.said ELSE note.kind END AS kind, note.said, note.batch,
  note.who AS "by", note.words AS why, note.facts, worker.operator
FROM ${from} LEFT JOIN workers worker ON worker.id = note.worker`;

/** What was said about an attempt, and the decision by which it was sent. */
const NOTES = each({ id: 'int' })<KeptNote>(`
${noteSql(`v JOIN notes note ON note.attempt = v.id AND note.kind IN ('decided', 'told', 'looked')`)}
UNION ALL ${noteSql('v JOIN attempts att ON att.id = v.id JOIN notes note ON note.id = att.decision')}`);

/** The attempts with these numbers, in their order. */
export async function recordsOf(db: Db, ids: readonly number[]): Promise<readonly AttemptRecord[]> {
  const notes = Map.groupBy(await db.each(NOTES, numbered(ids)), ({ of }) => of);
  const attemptRows = await db.each(ATTEMPTS, numbered(ids));
  const records = new Map<number, AttemptRecord>(
    attemptRows.map((each) => [each.attempt, recordOf(each, notes.get(each.attempt) ?? [])]),
  );
  return ids.flatMap((id) => records.get(id) ?? []);
}

function recordOf(attemptRow: KeptAttempt, notes: readonly KeptNote[]): AttemptRecord {
  const { attempt, accountIdentity, batch, row, reserved, sentAtMs, operator, replaces, vendorId } =
    attemptRow;
  const { status, headers, body, receivedAtMs, state, ended_at: atMs } = attemptRow;
  const why = findingsIn(attemptRow.why);
  const call = callFrom(attemptRow);
  const key = callKeyOf(accountIdentity, call);
  const about = notes.filter((note) => note.attempt === attempt).sort((one, other) => one.id - other.id);
  const decisions = about.flatMap((note) => decisionFrom(key, note) ?? []);
  const toldDecision = decisions.findLast(({ kind }) => kind === 'told');
  const since = factsOf(about.findLast(({ kind }) => kind === 'told')?.facts ?? null).since ?? atMs;
  const sentBy = notes.find((note) => note.attempt !== attempt);
  return {
    attempt,
    key,
    accountIdentity,
    batch,
    row,
    call,
    reserved,
    sentAtMs,
    decisions,
    ...withoutNulls({ operator, replaces, vendorId }),
    ...present({
      reply: status === null ? undefined : { status, headers: JSON.parse(headers), body, receivedAtMs },
      end:
        since === null
          ? undefined
          : { ...endedAs(attemptRow, toldDecision !== undefined), why, endedAtMs: since },
      toldAnswer: toldDecision && answerIn(attemptRow),
      sharesId: attemptRow.shares_id === 1 ? true : undefined,
      decision: toldDecision ?? (sentBy && decisionFrom(key, sentBy)),
      request: attemptRow.request === null ? undefined : JSON.parse(attemptRow.request),
      released: state === 'released' && atMs !== null ? { why, atMs } : undefined,
    }),
    looks: about.flatMap((note) => lookFrom(note) ?? []),
  };
}

/** @param isTold no answer to it ever came: a person said what it was. */
function endedAs(attemptRow: KeptAttempt, isTold: boolean) {
  if (attemptRow.state === 'accepted') return { kind: attemptRow.state };
  const answer = answerIn(attemptRow);
  if (answer === undefined) return { kind: (attemptRow.said ?? 'in_doubt') as NoAnswerKind };
  return isTold ? { kind: 'in_doubt' as const } : { kind: 'answered' as const, ...answer };
}

const answerIn = ({ said, charged }: KeptAttempt) =>
  charged === null ? undefined : { answer: said ?? 'found', charged };

function decisionFrom(key: CallKey, note: KeptNote): Decision | undefined {
  const { of: _, attempt: __, said: ___, facts: ____, kind, ...made } = note;
  return kind === 'looked' ? undefined : recordFrom<Decision>({ ...made, key, kind });
}

function lookFrom({ attempt, facts, kind: of, said, why, atMs }: KeptNote): Look | undefined {
  const { kind = 'read_back', status = 0, body } = factsOf(facts);
  return of === 'looked' ? { attempt, kind, said, why, status, body: bytesOf(body), atMs } : undefined;
}

// ------------------------------------------------------------------------------------------ the readers

/**
 * The doubts of a batch: those of its own requests, those on which its rows rest, and those that it is to
 * send again. The fourth `?` is another state of the rows that rest on a doubt.
 */
const DOUBTS_OF_BATCH = `
SELECT key FROM attempts
WHERE ${OF_BATCH} AND ${isDoubted('attempts')} AND state <> 'doubt_beside'
UNION SELECT att.key FROM rows row JOIN rows row_same ON row_same.batch = row.batch AND row_same.row = row.row
  JOIN attempts att ON att.id = row_same.attempt
WHERE row.batch = ? AND row.state IN ('in_doubt', CAST(? AS TEXT))
UNION SELECT att.key FROM notes note JOIN attempts att ON att.id = note.attempt AND att.state = 'doubt'
WHERE note.kind = 'decided' AND note.batch = ? AND note.said = 'retry'`;

const USED_BY_ROW = `
SELECT id FROM attempts WHERE batch = ? AND row = ?
UNION SELECT attempt FROM rows WHERE batch = ? AND row = ? AND attempt IS NOT NULL
UNION SELECT attempt FROM uses WHERE batch = ? AND row = ?`;

type AskingBatch = Partial<Pick<Batch, 'id' | 'freshSince'>>;

export interface FindOptions<Level> extends Deciding {
  readonly detail?: Level;
  readonly freshFor?: AskingBatch;
}

function findIn(
  db: Db,
  keys: readonly string[],
  { id, freshSince }: AskingBatch = {},
): Promise<readonly KnownAnswerRow[]> {
  const numberedKeys = keys.map((key, nth) => ({ nth, key }));
  if (freshSince === undefined) return db.each(FIND, numberedKeys);
  const { foundMs: found = null, noMatchMs: no_match = null } = freshSince;
  const asking = { batch: id ?? null, found, no_match };
  const dated = numberedKeys.map((each) => ({ ...each, ...asking }));
  return db.each(FIND_FRESH, dated);
}

const undecided: DecisionOf = () => undefined;

const isOf = ({ batch, list }: Deciding): boolean => batch !== undefined || list !== undefined;

/** It was answered, and that turned out to be none, or it was booked without an answer. */
const isWithoutAnswer = ({ state }: KnownAnswerRow): boolean => state === 'retracted';

async function acceptedFor(db: Db, batch: BatchId): Promise<readonly Doubt[]> {
  const rows = await db.rows<{ id: AttemptId }>(
    `SELECT id FROM attempts WHERE batch = ? AND state = 'accepted' ORDER BY row, id`,
    [batch],
  );
  const accepted = await doubtsOf(
    db,
    rows.map(({ id }) => id),
  );
  return [...accepted.values()].map((doubt) => ({
    ...doubt,
    atRisk: credits(doubt.atRisk + doubt.reserved),
    isAccepted: true,
  }));
}

/** One attempt of each call stands for all that the call holds beside its answer. */
async function besideFor(db: Db, batch: BatchId): Promise<readonly Doubt[]> {
  const rows = await db.rows<{ id: AttemptId }>(
    `SELECT min(id) AS id FROM attempts WHERE ${OF_BATCH} AND ${isBeside('attempts')} AND reserved > 0
     GROUP BY key ORDER BY min(row), min(id)`,
    [batch, batch],
  );
  const beside = await doubtsOf(
    db,
    rows.map(({ id }) => id),
  );
  return [...beside.values()].map((doubt) => ({ ...doubt, isBeside: true }));
}

const numbersOf = (found: readonly KnownAnswerRow[]): readonly AttemptId[] =>
  found.flatMap(({ attempt }) => attempt ?? []);

export const readCalls = ({ db, secret }: Context) => ({
  /**
   * The states of calls, in the order of the keys and `whole` where nothing else is asked for; decisions are
   * those of `batch` and its list, or of the list at the path `list`.
   * @param freshFor says of answers whether they are too old for it. It has no id when a plan is about a
   * batch that does not exist yet.
   */
  async find<Level extends Detail = 'whole'>(
    keys: readonly CallKey[],
    { detail, freshFor, ...deciding }: FindOptions<Level> = {},
  ): Promise<readonly CallState<Level>[]> {
    const states = new Array<CallState<Detail>>(keys.length).fill(UNKNOWN);
    const keptKeys = keys.map((key) => keptDigits(secret, key));
    const found = await findIn(db, keptKeys, freshFor);
    const whole = detail === 'kind' ? [] : found;
    const accepted = whole.filter(({ state }) => state === 'accepted');
    const ids = numbersOf(accepted);
    const records = new Map((await recordsOf(db, ids)).map((record) => [record.attempt, record]));
    const answers = await answersOf(db, numbersOf(whole.filter((each) => !isDoubtful(each))));
    const doubts = await doubtsOf(db, numbersOf(whole.filter(isDoubtful)));
    const without = isOf(deciding) ? await recordsOf(db, numbersOf(found.filter(isWithoutAnswer))) : [];
    const decisionOf = doubts.size + without.length > 0 ? await decisionsFor(db, deciding) : undecided;
    const leftOut = without.filter((record) => decisionOf(record)?.kind === 'skip');
    const skipped = new Set(leftOut.map(({ attempt }) => attempt));
    for (const each of found) {
      const state = stateOf(each, decisionOf, answers, doubts, records);
      const isSkipped = state.kind === 'unanswered' && skipped.has(state.answer.attempt);
      states[each.nth] = isSkipped ? { ...state, isSkipped } : state;
    }
    return states as readonly CallState<Level>[];
  },

  /**
   * The calls in doubt that rows of this batch wait for; `withSkipped`: also those for which rows were to
   * wait no longer.
   */
  async doubts(batch: BatchId, { withSkipped } = { withSkipped: false }): Promise<readonly Doubt[]> {
    const more = withSkipped ? 'skipped' : 'in_doubt';
    const rows = await db.rows<{ key: Uint8Array }>(DOUBTS_OF_BATCH, [batch, batch, batch, more, batch]);
    const unproven = await unprovenOf(db, batch);
    const keys = rows.map(({ key }) => Buffer.from(key).toString('hex'));
    const found = await findIn(db, keys);
    const doubtful = found.filter((each) => isDoubtful(each) || unproven.has(each.attempt ?? 0));
    const decisionOf = await decisionsFor(db, { batch });
    return [...(await doubtsOf(db, numbersOf(doubtful))).values()]
      .filter((doubt) => withSkipped || decisionOf(doubt)?.kind !== 'skip')
      .sort((a, b) => a.row - b.row || a.sentAtMs - b.sentAtMs || a.attempt - b.attempt);
  },

  /** What the vendor has accepted for this batch and not answered: a person may decide about it as well. */
  accepted: (batch: BatchId): Promise<readonly Doubt[]> => acceptedFor(db, batch),

  /**
   * What this batch has sent that is in doubt beside an answer, and holds credits. A person may say that it
   * was not done.
   */
  beside: (batch: BatchId): Promise<readonly Doubt[]> => besideFor(db, batch),

  /** Every attempt of the calls that this row used, oldest first. */
  async history(batch: BatchId, row: RowNumber): Promise<readonly AttemptRecord[]> {
    const used = await db.rows<{ id: AttemptId }>(USED_BY_ROW, [batch, row, batch, row, batch, row]);
    const ids = (await db.each(ALIKE, used)).map(({ id }) => id);
    const records = await recordsOf(db, [...new Set(ids)]);
    return records.toSorted((a, b) => a.sentAtMs - b.sentAtMs || a.attempt - b.attempt);
  },

  /** The attempts with these numbers, in the order of the numbers. */
  attempts: (ids: readonly AttemptId[]): Promise<readonly AttemptRecord[]> => recordsOf(db, ids),
});
