import type { CallKey } from '../core/call-key.ts';
import { present } from '../core/objects.ts';
import type { Call } from '../core/operation.ts';
import type { RowNumber } from '../core/row.ts';
import {
  type AnswerRecord,
  type AttemptRecord,
  answeredCall,
  type CallState,
  type DatedAnswer,
  type Decision,
  type Detail,
  type Doubt,
  type KeyedRequest,
  type Look,
  type NoAnswerKind,
  type OpenAttempt,
  type RawReply,
  type ReadAs,
} from './call-records.ts';
import { type Context, callFrom, type KeptCall, keptKey, keyOf, type Writing } from './context.ts';
import { type Db, each } from './db.ts';
import { unprovenOf } from './moves.ts';
import { type AttemptId, type BatchId, credits, type DecisionId } from './records.ts';
import { isCurrent, isDoubted, isPast, type CallState as KeptState } from './schema.ts';

/** What the rows of `calls`, `replies` and `notes` say of a call. */

// ------------------------------------------------------------------------------------------ what is kept

/** A row of `calls` with what came back. */
export interface KeptAttempt extends KeptCall {
  readonly id: AttemptId;
  readonly state: KeptState;
  readonly kind: 'first' | 'refresh' | 'repeat' | 'retry';
  readonly batch: BatchId;
  readonly row: number;
  readonly reserved: number;
  readonly sent_at: number;
  readonly request: string | null;
  readonly prior: AttemptId | null;
  readonly decision: number | null;
  readonly ended_at: number | null;
  readonly said: ReadAs | null;
  readonly charged: number | null;
  readonly why: string | null;
  readonly dialect: number | null;
  readonly status: number | null;
  readonly replied_at: number | null;
  readonly headers: string | null;
  readonly body: Buffer | null;
}

const ATTEMPT = `c.id, c.state, c.kind, c.operation, c.asked, c.credits_max, c.batch, c.row, c.reserved, c.sent_at, c.request, c.prior,
  c.decision, c.ended_at, c.said, c.charged, c.why, c.dialect, r.status, r.at AS replied_at, r.headers, r.body`;

/** What a person told of it, which is the answer then. */
interface Told {
  readonly told_at: number | null;
  readonly told_why: string | null;
  readonly told: string | null;
}

/** No dialect has read what was told, so of most answers no note is looked for. */
const TOLD = "LEFT JOIN notes n ON n.call = c.id AND n.kind = 'told' AND c.dialect IS NULL";
const TOLD_COLUMNS = 'n.at AS told_at, n.words AS told_why, n.facts AS told';

/** What a note holds beside its columns. Bytes are Base64. */
export interface NoteFacts {
  readonly kind?: Look['kind'];
  readonly status?: number;
  readonly body?: string;
  readonly receivedAtMs?: number;
}

/** Empty where an erasure has emptied them. */
const factsOf = (facts: string | null): NoteFacts => (facts === null ? {} : JSON.parse(facts));
const bytesOf = (body: string | undefined): Buffer => Buffer.from(body ?? '', 'base64');

type KeptAnswer = KeptAttempt & Told;

function answerOf(kept: KeptAnswer): AnswerRecord<ReadAs> {
  const call = callFrom(kept);
  const told = kept.told_at === null ? undefined : factsOf(kept.told);
  const headers = told === undefined && kept.headers !== null ? JSON.parse(kept.headers) : undefined;
  return {
    attempt: kept.id,
    batch: kept.batch,
    kind: kept.said ?? 'found',
    why: kept.told_why ?? kept.why ?? '',
    call,
    charged: credits(kept.charged ?? 0),
    status: told?.status ?? kept.status ?? 0,
    ...present({ headers }),
    body: told?.body === undefined ? (kept.body ?? '') : bytesOf(told.body),
    answeredAtMs: told?.receivedAtMs ?? kept.told_at ?? kept.replied_at ?? 0,
    ...present({ erasedAtMs: call.erasedAtMs }),
    paidRow: kept.row,
    ...present({ dialect: kept.dialect ?? undefined }),
  };
}

const ANSWERS = each({ id: 'int' })<KeptAnswer>(`
SELECT ${ATTEMPT}, ${TOLD_COLUMNS} FROM v JOIN calls c ON c.id = v.id AND c.charged IS NOT NULL LEFT JOIN replies r ON r.call = c.id ${TOLD}`);

/** Those of these calls that were answered, by their numbers. */
export async function answersOf(
  db: Pick<Db, 'each'>,
  ids: readonly number[],
): Promise<ReadonlyMap<number, AnswerRecord<ReadAs>>> {
  const found = await db.each(
    ANSWERS,
    [...new Set(ids)].map((id) => ({ id })),
  );
  return new Map(found.map((kept) => [kept.id, answerOf(kept)]));
}

const replyOf = ({ status, headers, body, replied_at }: KeptAttempt): RawReply | undefined =>
  // Status 0: nothing came, and a person told.
  status === null || status === 0 || replied_at === null
    ? undefined
    : {
        ...{ status, headers: JSON.parse(headers ?? '{}') },
        ...{ body: body ?? Buffer.alloc(0), receivedAtMs: replied_at },
      };

export function requestFrom(text: string | null): KeyedRequest | undefined {
  if (text === null) return undefined;
  const { body, ...request } = JSON.parse(text) as Omit<KeyedRequest, 'body'> & { readonly body?: string };
  return { ...request, ...present({ body: body === undefined ? undefined : bytesOf(body) }) };
}

// ------------------------------------------------------------------------------------------ where a call stands

/** What stands of a key, and the call that is under way in its place, if one is. */
interface Found {
  readonly place: number;
  readonly open: AttemptId | null;
  /** By which decision that one was sent. */
  readonly used: number | null;
}

const NO_ANSWERS = `('not_sent', 'paused', 'stopped', 'in_doubt')`;

/** A call under way leaves what it was sent in place of where it stands. What turned out to be no answer stands where nothing else does. */
const findSql = (columns: string): string => `
SELECT v.place, o.id AS open, o.decision AS used, ${columns}, ${TOLD_COLUMNS}
FROM v LEFT JOIN calls o ON o.key = v.key AND ${isCurrent('o')}
  LEFT JOIN calls c ON c.id = CASE o.state WHEN 'open' THEN o.prior WHEN 'answered' THEN o.id WHEN 'doubt' THEN o.id ELSE
    (SELECT x.id FROM calls x WHERE x.key = v.key AND ${isPast('x')} AND x.state = 'retracted' AND x.said IN ${NO_ANSWERS}
     ORDER BY x.sent_at DESC, x.id DESC LIMIT 1) END
  LEFT JOIN replies r ON r.call = c.id ${TOLD}
WHERE o.id IS NOT NULL OR c.id IS NOT NULL`;

interface Short
  extends Pick<KeptAttempt, 'state' | 'batch' | 'said' | 'why' | 'dialect' | 'replied_at'>,
    Pick<Told, 'told_at' | 'told_why' | 'told'> {
  /** Null where nothing stands. */
  readonly id: AttemptId | null;
  readonly erased: string | null;
}

const SHORT = `c.id, c.state, c.batch, c.said, c.why, c.dialect, r.at AS replied_at, CASE WHEN c.asked LIKE '{"erasedAtMs"%' THEN c.asked END AS erased`;

const KEYS = { place: 'int', key: 'bytes' } as const;
const FIND_SHORT = each(KEYS)<Found & Short>(findSql(SHORT));
const FIND_WHOLE = each(KEYS)<Found & KeptAnswer>(findSql(ATTEMPT));

/** Every call that was ever made of a key. */
const OF_KEY = each(KEYS)<
  { readonly place: number } & Pick<KeptAttempt, 'id' | 'state' | 'kind' | 'reserved'>
>(`
SELECT v.place, c.id, c.state, c.kind, c.reserved FROM v JOIN calls c ON c.key = v.key AND ${isCurrent('c')}
UNION ALL SELECT v.place, c.id, c.state, c.kind, c.reserved FROM v JOIN calls c ON c.key = v.key AND ${isPast('c')}`);

interface Note {
  readonly id: number;
  readonly call: AttemptId;
  readonly at: number;
  readonly kind: 'decided' | 'told' | 'looked';
  readonly said: string | null;
  readonly batch: BatchId;
  readonly who: Decision['by'];
  readonly words: string;
  readonly facts: string | null;
  readonly operator: string | null;
}

const NOTE = 'n.id, n.call, n.at, n.kind, n.said, n.batch, n.who, n.words, n.facts, m.operator';
const MAKER = 'LEFT JOIN workers m ON m.id = n.worker';

function decisionFrom(key: CallKey, { id, batch, kind, said, who, words, at, operator }: Note): Decision {
  return {
    ...{ id: id as DecisionId, key, batch, kind: kind === 'told' ? 'told' : (said as Decision['kind']) },
    ...{ by: who, why: words, atMs: at, ...present({ operator: operator ?? undefined }) },
  };
}

/** The last decision of a batch about a doubt. */
const DECIDED = each({ call: 'int', batch: 'text' })<Note>(`
SELECT ${NOTE} FROM v JOIN notes n ON n.id =
  (SELECT max(d.id) FROM notes d WHERE d.call = v.call AND d.batch = v.batch AND d.kind IN ('decided', 'told')) ${MAKER}`);

const isHeld = ({ state }: Pick<KeptAttempt, 'state'>): boolean =>
  state === 'doubt' || state === 'retried' || state === 'lost';

/** A key as it is asked for, where that is known, and as it is kept. */
interface Asked {
  readonly key?: CallKey;
  readonly kept: Uint8Array;
}

interface DoubtFound {
  readonly doubt: Doubt;
  readonly decision: Decision | undefined;
  readonly isUsed: boolean;
}

/** The doubts among what was found, each with the batch's last decision about it. */
async function doubtsIn(
  db: Db,
  asked: readonly Asked[],
  found: readonly (Found & KeptAnswer)[],
  batch: BatchId | undefined,
  unproven: ReadonlySet<number> = new Set(),
): Promise<ReadonlyMap<number, DoubtFound>> {
  const doubtful = found.filter((kept) => isDoubtful(kept) || unproven.has(kept.id));
  if (doubtful.length === 0) return new Map();
  const keys = doubtful.map(({ place }) => ({ place, key: (asked[place] as Asked).kept }));
  const family = Map.groupBy(await db.each(OF_KEY, keys), ({ place }) => place);
  const decided =
    batch === undefined
      ? []
      : await db.each(
          DECIDED,
          doubtful.map(({ id: call }) => ({ call, batch })),
        );
  const notes = new Map(decided.map((note) => [note.call, note]));
  const accounts = await identitiesOf(
    db,
    doubtful.map(({ id }) => id),
  );
  return new Map(
    doubtful.map((kept) => {
      const { place, id, batch: by, row, why, sent_at, request, used, open } = kept;
      const call = callFrom(kept);
      const key = asked[place]?.key ?? keyOf(accounts.get(id) ?? '', kept);
      const all = family.get(place) ?? [];
      const note = notes.get(id);
      const doubt: Doubt = {
        ...{ key, call, attempt: id, batch: by, row, why: why ?? '', sentAtMs: sent_at },
        atRisk: credits(all.filter(isHeld).reduce((sum, { reserved }) => sum + reserved, 0)),
        repeats: all.filter(
          ({ kind, state }) => kind === 'repeat' && (isHeld({ state }) || state === 'released'),
        ).length,
        ...present({ request: requestFrom(request), isUnproven: unproven.has(id) || undefined }),
      };
      const decision = note && decisionFrom(key, note);
      return [place, { doubt, decision, isUsed: open !== id && used === note?.id }];
    }),
  );
}

/** Nobody knows what came of it: it is in doubt, or it was and is being sent again. */
const isDoubtful = ({ id, state }: Pick<Found & Short, 'id' | 'state'>): boolean =>
  id !== null && (state === 'doubt' || state === 'retried');

function shortOf({ id, batch, said, why, dialect, erased, ...kept }: Found & Short): DatedAnswer<ReadAs> {
  const erasedAtMs = erased === null ? undefined : (JSON.parse(erased) as Partial<Call>).erasedAtMs;
  const told = factsOf(kept.told);
  return {
    ...{ attempt: id as AttemptId, batch, kind: said ?? 'found', why: kept.told_why ?? why ?? '' },
    ...present({ dialect: dialect ?? undefined, erasedAtMs }),
    answeredAtMs: told.receivedAtMs ?? kept.told_at ?? kept.replied_at ?? 0,
  };
}

const UNKNOWN: CallState<never> = { kind: 'unknown' };

async function statesOf(
  db: Db,
  asked: readonly Asked[],
  detail: Detail,
  batch: BatchId | undefined,
): Promise<readonly CallState<Detail>[]> {
  const records = asked.map(({ kept }, place) => ({ place, key: kept }));
  const states = new Array<CallState<Detail>>(asked.length).fill(UNKNOWN);
  if (detail === 'kind') {
    for (const found of await db.each(FIND_SHORT, records)) states[found.place] = shortState(found);
    return states;
  }
  const all = await db.each(FIND_WHOLE, records);
  const doubts = await doubtsIn(db, asked, all, batch);
  for (const found of all) states[found.place] = wholeState(found, doubts.get(found.place));
  return states;
}

function shortState(found: Found & Short): CallState<Detail> {
  const { id, open, batch } = found;
  if (id === null) return { kind: 'in_flight', attempt: open as AttemptId };
  if (isDoubtful(found)) return { kind: 'in_doubt', doubt: { attempt: id, batch } };
  return answeredCall(shortOf(found)) as CallState<Detail>;
}

function wholeState(found: Found & KeptAnswer, doubted: DoubtFound | undefined): CallState<Detail> {
  if ((found.id as AttemptId | null) === null) return { kind: 'in_flight', attempt: found.open as AttemptId };
  if (doubted === undefined) return answeredCall(answerOf(found)) as CallState<Detail>;
  const { doubt, decision, isUsed } = doubted;
  return { kind: 'in_doubt', doubt, ...present({ decision: isUsed ? undefined : decision }) };
}

// ------------------------------------------------------------------------------------------ everything about attempts

type Recorded = KeptAttempt & { readonly identity: string; readonly operator: string | null };

const RECORDED = `${ATTEMPT}, a.identity, w.operator`;
const BESIDE =
  'JOIN accounts a ON a.id = c.account LEFT JOIN workers w ON w.id = c.id / 4294967296 LEFT JOIN replies r ON r.call = c.id';

const RECORDS = each({ id: 'int' })<Recorded>(`
SELECT ${RECORDED} FROM v JOIN calls c ON c.id = v.id ${BESIDE}`);

const NOTES_ABOUT = each({ id: 'int' })<Note>(
  `SELECT ${NOTE} FROM v JOIN notes n ON n.call = v.id ${MAKER} WHERE n.kind IN ('decided', 'told', 'looked')`,
);

const NOTES = each({ id: 'int' })<Note>(`SELECT ${NOTE} FROM v JOIN notes n ON n.id = v.id ${MAKER}`);

const identitiesOf = async (db: Db, ids: readonly number[]): Promise<ReadonlyMap<number, string>> =>
  new Map(
    (
      await db.each(
        IDENTITIES,
        ids.map((id) => ({ id })),
      )
    ).map(({ id, identity }) => [id, identity]),
  );

const IDENTITIES = each({ id: 'int' })<{ id: number; identity: string }>(
  'SELECT c.id, a.identity FROM v JOIN calls c ON c.id = v.id JOIN accounts a ON a.id = c.account',
);

/** The attempts with these numbers, in their order. */
export async function recordsOf(db: Db, numbers: readonly number[]): Promise<readonly AttemptRecord[]> {
  const ids = [...new Set(numbers)].map((id) => ({ id }));
  const kept = await db.each(RECORDS, ids);
  const about = Map.groupBy(await db.each(NOTES_ABOUT, ids), ({ call }) => call);
  const used = kept.flatMap(({ decision }) => (decision === null ? [] : [{ id: decision }]));
  const decisions = new Map((await db.each(NOTES, used)).map((note) => [note.id, note]));
  const records = new Map(
    kept.map((each) => {
      const notes = (about.get(each.id) ?? []).sort((a, b) => a.id - b.id);
      return [each.id as number, recordOf(each, notes, decisions.get(each.decision ?? 0))];
    }),
  );
  return numbers.flatMap((id) => records.get(id) ?? []);
}

function recordOf(kept: Recorded, notes: readonly Note[], sentBy: Note | undefined): AttemptRecord {
  const key = keyOf(kept.identity, kept);
  const told = notes.findLast(({ kind }) => kind === 'told');
  const by = told ?? sentBy;
  const reply = replyOf(kept);
  return {
    ...{ attempt: kept.id, key, batch: kept.batch, row: kept.row, call: callFrom(kept) },
    ...present({ operator: kept.operator ?? undefined }),
    ...{ reserved: credits(kept.reserved), intentAtMs: kept.sent_at },
    ...present({
      reply,
      closure: closureOf(kept, told !== undefined),
      decision: by && decisionFrom(key, by),
      replaces: kept.kind === 'refresh' ? (kept.prior ?? undefined) : undefined,
      request: requestFrom(kept.request),
      released: kept.state === 'released' ? { why: kept.why ?? '', atMs: kept.ended_at ?? 0 } : undefined,
    }),
    decisions: notes
      .filter(({ kind }) => kind === 'decided' || kind === 'told')
      .map((note) => decisionFrom(key, note)),
    looks: notes.filter(({ kind }) => kind === 'looked').map(lookFrom),
  };
}

/** @param isTold no answer to it ever came: a person said what it was. */
function closureOf(
  { ended_at, said, charged, why: words }: KeptAttempt,
  isTold: boolean,
): AttemptRecord['closure'] {
  if (ended_at === null) return undefined;
  const [why, closedAtMs] = [words ?? '', ended_at];
  if (charged === null || isTold) {
    const kind = charged === null ? ((said ?? 'in_doubt') as NoAnswerKind) : 'in_doubt';
    return { kind, why, closedAtMs };
  }
  return { kind: 'answered', answer: said ?? 'found', charged: credits(charged), why, closedAtMs };
}

function lookFrom({ call: attempt, facts, said, words: why, at: atMs }: Note): Look {
  const { kind = 'read_back', status = 0, body } = factsOf(facts);
  return { attempt, kind, said: said as Look['said'], why, status, body: bytesOf(body), atMs };
}

// ------------------------------------------------------------------------------------------ the readers

/** Doubts of a batch's own requests, on which its rows rest, and that it is to send again; the third `?` is another state of such rows. */
const DOUBTED = `
SELECT c.key FROM batches b JOIN calls c ON c.account = b.account AND c.batch = b.id AND ${isDoubted('c')} AND c.state <> 'lost'
WHERE b.id = ?
UNION SELECT c.key FROM rows d JOIN rows w ON w.batch = d.batch AND w.row = d.row JOIN calls c ON c.id = w.call
WHERE d.batch = ? AND d.state IN ('in_doubt', CAST(? AS TEXT))
UNION SELECT c.key FROM notes n JOIN calls c ON c.id = n.call AND c.state = 'doubt' WHERE n.kind = 'decided' AND n.batch = ? AND n.said = 'retry'`;

const USED = `
SELECT c.id, c.key FROM calls c WHERE c.batch = ? AND c.row = ?
UNION SELECT c.id, c.key FROM rows w JOIN calls c ON c.id = w.call WHERE w.batch = ? AND w.row = ?`;

const KEPT_KEYS = each({ id: 'int' })<{ key: Uint8Array }>('SELECT c.key FROM v JOIN calls c ON c.id = v.id');

export const readCalls = ({ db, secret }: Context) => ({
  /** The states of calls, in the order of the keys and `whole` where nothing else is asked for; decisions are those of `batch`. */
  async find<Level extends Detail = 'whole'>(
    keys: readonly CallKey[],
    { detail, batch }: { readonly detail?: Level; readonly batch?: BatchId | undefined } = {},
  ): Promise<readonly CallState<Level>[]> {
    const asked = keys.map((key) => ({ key, kept: keptKey(secret, key) }));
    return (await statesOf(db, asked, detail ?? 'whole', batch)) as readonly CallState<Level>[];
  },

  /** Calls in doubt that rows of this batch wait for; `withSkipped`: or for which they were to wait no longer. */
  async doubts(batch: BatchId, { withSkipped } = { withSkipped: false }): Promise<readonly Doubt[]> {
    const more = withSkipped ? 'skipped' : 'in_doubt';
    const keys = await db.rows<{ key: Uint8Array }>(DOUBTED, [batch, batch, more, batch]);
    const asked = keys.map(({ key }) => ({ kept: key }));
    const records = asked.map(({ kept }, place) => ({ place, key: kept }));
    const whole = await db.each(FIND_WHOLE, records);
    const found = await doubtsIn(db, asked, whole, batch, await unprovenOf(db, batch));
    return [...found.values()]
      .flatMap(({ decision, doubt }) => (withSkipped || decision?.kind !== 'skip' ? [doubt] : []))
      .sort((a, b) => a.row - b.row || a.sentAtMs - b.sentAtMs || a.attempt - b.attempt);
  },

  /** Every attempt of the calls that this row used, oldest first. */
  async history(batch: BatchId, row: RowNumber): Promise<readonly AttemptRecord[]> {
    const used = await db.rows<{ key: Uint8Array }>(USED, [batch, row, batch, row]);
    const [kept] = await db.rows<{ others: string | null }>(
      'SELECT others FROM rows WHERE batch = ? AND row = ?',
      [batch, row],
    );
    const others = othersIn(kept?.others ?? null).map((id) => ({ id }));
    const keys = [...used, ...(await db.each(KEPT_KEYS, others))].map(({ key }) => Buffer.from(key));
    const distinct = [...new Map(keys.map((key) => [key.toString('hex'), key])).values()];
    const calls = await db.each(
      OF_KEY,
      distinct.map((key, place) => ({ place, key })),
    );
    const records = await recordsOf(
      db,
      calls.map(({ id }) => id),
    );
    return records.toSorted((a, b) => a.intentAtMs - b.intentAtMs || a.attempt - b.attempt);
  },

  /** The attempts with these numbers, in the order of the numbers. */
  attempts: (ids: readonly AttemptId[]): Promise<readonly AttemptRecord[]> => recordsOf(db, ids),

  /** When the last attempt to buy this answer again got lost; undefined when none did. */
  async lostRefresh(answer: AttemptId): Promise<number | undefined> {
    const sql = `SELECT max(sent_at) AS at FROM calls WHERE prior = ? AND kind = 'refresh' AND state = 'lost'`;
    return (await db.rows<{ at: number | null }>(sql, [answer]))[0]?.at ?? undefined;
  },
});

/** The answers of a row before its last one. */
export const othersIn = (others: string | null): readonly AttemptId[] =>
  others === null ? [] : JSON.parse(others);

/** One process spends: whoever left it open has ended. Many do: it is over by its age, or its worker has closed the ledger. */
const LEFT_OPEN = { sqlite: '', postgres: 'AND (c.over_at < {now} OR w.ended_at IS NOT NULL)' } as const;

/** Attempts of all accounts for which nobody waits any more. Of what this process has under way none is among them. */
export async function openAttempts({
  db,
  worker,
}: Pick<Writing, 'db' | 'worker'>): Promise<readonly OpenAttempt[]> {
  const open = await db.rows<Recorded>(
    `SELECT ${RECORDED} FROM calls c ${BESIDE}
     WHERE c.state = 'open' AND c.id / 4294967296 <> CAST(? AS {int}) ${LEFT_OPEN[db.name]} ORDER BY c.sent_at, c.id`,
    [worker],
  );
  return open.map((kept): OpenAttempt => {
    const { id: attempt, identity: accountIdentity, batch, row, reserved } = kept;
    const asked = { key: keyOf(accountIdentity, kept), call: callFrom(kept) };
    return {
      ...{ attempt, accountIdentity, ...asked, batch, row, reserved: credits(reserved) },
      ...present({ reply: replyOf(kept) }),
    };
  });
}
