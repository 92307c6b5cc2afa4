import { present } from '../../../core/objects.ts';
import {
  type AttemptId,
  answeredCall,
  type BatchId,
  type CallState,
  type Detail,
  type Doubt,
  type Ledger,
  type OpenAttempt,
} from '../../ledger.ts';
import { hiddenKey } from '../../rules/hidden-keys.ts';
import {
  answerOf,
  doubtOf,
  lostRefreshes,
  openIn,
  recordIn,
  standing,
  unusedDecision,
} from '../../rules/history.ts';
import { appending } from './append.ts';
import { recordsOf } from './attempt-records.ts';
import { oneColumn, type Sql } from './connection.ts';
import { historiesOf, type PaidHistory } from './histories.ts';
import { joined } from './joined.ts';
import { keyBytes, type Session } from './session.ts';
import { neverSent } from './unknown-commits.ts';

export const calls = (session: Session) => {
  const { database } = session;
  const append = appending(session);
  const looking = joined((looks: readonly Look[]) => lookAll(session, looks), LOOKS_AT_ONCE);
  return {
    append,
    async find<Level extends Detail = 'whole'>(
      keys: readonly string[],
      { detail, batch }: { readonly detail?: Level; readonly batch?: BatchId | undefined } = {},
    ) {
      const [key] = keys;
      const isLook = key !== undefined && keys.length === 1 && (detail ?? 'whole') === 'whole';
      const states = isLook
        ? [await looking.ask({ key, batch })]
        : await statesOf(session, keys, detail ?? 'whole', batch);
      return states as readonly CallState<Level>[];
    },
    doubts: (batch, { withSkipped } = { withSkipped: false }) => doubtsOf(database, batch, withSkipped),
    async history(batch, row) {
      const used = await oneColumn<number>(database, USED, [batch, row]);
      return (await historiesOf(database, 'calls', used))
        .flatMap((history) => history.attempts.map((attempt) => recordIn(history, attempt)))
        .sort((a, b) => a.attempt - b.attempt);
    },
    attempts: (ids) => recordsOf(database, ids),
    async lostRefresh(answer) {
      const [history] = await historiesOf(database, 'attempts', [answer], false);
      const times = history === undefined ? [] : lostRefreshes(history, answer);
      return times.length === 0 ? undefined : Math.max(...times);
    },
    openAttempts: () => openAttempts(session, append),
  } satisfies Partial<Ledger>;
};

const USED = `
SELECT call FROM entries WHERE id = of AND batch = $1 AND row = $2
UNION SELECT a.call FROM rows r JOIN entries a ON a.of = ANY (r.answers) AND a.id = a.of WHERE r.batch = $1 AND r.row = $2`;

/** Rows look at their calls one by one, and many at once when a request of another has ended. */
interface Look {
  readonly key: string;
  readonly batch: BatchId | undefined;
}

const LOOKS_AT_ONCE = 500;

async function lookAll(session: Session, looks: readonly Look[]): Promise<readonly CallState[]> {
  const states = new Map<Look, CallState>();
  for (const [batch, own] of Map.groupBy(looks, (look) => look.batch)) {
    const keys = own.map(({ key }) => key);
    const found = (await statesOf(session, keys, 'whole', batch)) as readonly CallState[];
    for (const [at, look] of own.entries()) states.set(look, found[at] as CallState);
  }
  return looks.map((look) => states.get(look) as CallState);
}

async function statesOf(
  { database: sql, secret }: Session,
  keys: readonly string[],
  detail: Detail,
  batch: BatchId | undefined,
): Promise<readonly CallState<Detail>[]> {
  const isWhole = detail === 'whole';
  const histories = [...(await historiesOf(sql, 'keys', keys.map(keyBytes), isWhole))];
  const known = new Map<string, PaidHistory>(histories.map((history) => [history.call.key, history]));
  if (secret !== undefined) histories.push(...(await hiddenAmong(sql, secret, { keys, known, isWhole })));
  return keys.map((key) => {
    const history = known.get(key);
    return history === undefined ? { kind: 'unknown' } : stateOf(history, { detail, batch });
  });
}

interface Unknown {
  readonly keys: readonly string[];
  /** Receives what is found, under the key that was asked for. */
  readonly known: Map<string, PaidHistory>;
  readonly isWhole: boolean;
}

/** Calls of forgotten people have other keys. */
async function hiddenAmong(
  sql: Sql,
  secret: Buffer,
  { keys, known, isWhole }: Unknown,
): Promise<readonly PaidHistory[]> {
  const hidden = new Map(
    keys
      .filter((key) => !known.has(key))
      .map((key) => [hiddenKey(secret, keyBytes(key)).toString('hex'), key]),
  );
  const histories = await historiesOf(sql, 'keys', [...hidden.keys()].map(keyBytes), isWhole);
  for (const history of histories) known.set(hidden.get(history.call.key) ?? '', history);
  return histories;
}

interface Beside {
  readonly detail: Detail;
  readonly batch: BatchId | undefined;
}

function stateOf(history: PaidHistory, { detail, batch }: Beside): CallState<Detail> {
  const { state, open } = history.call;
  const stood = standing(history);
  if (stood === undefined)
    return open === null ? { kind: 'unknown' } : { kind: 'in_flight', attempt: open as AttemptId };
  if (state === 'doubt') {
    if (detail !== 'whole')
      return {
        kind: 'in_doubt',
        doubt: { attempt: stood.id as AttemptId, batch: stood.begun.batch as BatchId },
      };
    const decision = batch === undefined ? undefined : unusedDecision(history, batch);
    return { kind: 'in_doubt', doubt: doubtOf(history, stood), ...(decision && { decision }) };
  }
  const answer = answerOf(history, stood, { paidRow: history.paidRows.get(stood.id) ?? null });
  if (answer === undefined)
    throw new Error(`Rowonce has a bug: the answer of call ${history.call.key} is not whole`);
  if (detail === 'whole') return answeredCall(answer) as CallState<Detail>;
  const { attempt, batch: by, kind, why, dialect, erasedAtMs, answeredAtMs } = answer;
  const short = { attempt, batch: by, kind, why, ...present({ dialect, erasedAtMs }) };
  return answeredCall(detail === 'kind' ? short : { ...short, answeredAtMs }) as CallState<Detail>;
}

/** Those of own attempts, and those of other batches for which a row waits. */
const DOUBTS = `
SELECT c.id FROM calls c
 WHERE c.state = 'doubt' AND (
   EXISTS (SELECT FROM entries a JOIN entries l ON l.of = a.id AND l.kind IN ('lost', 'lost_beside')
            WHERE a.call = c.id AND a.id = a.of AND a.batch = $1)
   OR c.id IN (SELECT a.call FROM rows r JOIN entries a ON a.of = ANY (r.answers) AND a.id = a.of
                WHERE r.batch = $1 AND r.outcome = 'in_doubt'))`;

async function doubtsOf(sql: Sql, batch: BatchId, withSkipped: boolean): Promise<readonly Doubt[]> {
  const found = await oneColumn<number>(sql, DOUBTS, [batch]);
  if (found.length === 0) return [];
  return (await historiesOf(sql, 'calls', found, false))
    .flatMap((history) => {
      const stood = standing(history);
      const last = stood?.notes.findLast(({ kind, batch: by }) => kind === 'decided' && by === batch);
      if (stood === undefined || (!withSkipped && last?.said === 'skip')) return [];
      return [{ id: history.call.id, doubt: doubtOf(history, stood) }];
    })
    .sort((a, b) => a.doubt.row - b.doubt.row || a.id - b.id)
    .map(({ doubt }) => doubt);
}

const EVERY = 'SELECT open FROM calls WHERE open IS NOT NULL ORDER BY open';

/** By their age, or because who made them closed the ledger. */
const OVER = `
SELECT c.open, a.worker = $1 AS "isUnheard" FROM calls c JOIN entries a ON a.of = c.open AND a.id = c.open
 WHERE c.open IS NOT NULL AND c.open <> ALL ($2::bigint[])
   AND (c.over_at < clock() OR NOT EXISTS (SELECT FROM workers w WHERE w.id = a.worker)) ORDER BY c.open`;

interface Left {
  readonly open: AttemptId;
  /** It is of this worker, which never heard that it was admitted. */
  readonly isUnheard?: boolean;
}

async function openAttempts(session: Session, append: Ledger['append']): Promise<readonly OpenAttempt[]> {
  const { database, isAlone, worker, own, given } = session;
  const left = isAlone
    ? await database.rows<Left>(EVERY)
    : await database.rows<Left>(OVER, [worker, [...own]]);
  const [unheard, others] = [left.filter((each) => each.isUnheard), left.filter((each) => !each.isUnheard)];
  const atMs = session.clock?.wallMs() ?? 0;
  await append(unheard.map(({ open }) => neverSent(open, atMs)));
  const ids = others.map(({ open }) => open);
  const histories = await historiesOf(database, 'attempts', ids);
  for (const id of ids) given.add(id);
  return histories.flatMap((history) => {
    const open = openIn(history);
    return open !== undefined && given.has(open.attempt) ? [open] : [];
  });
}
