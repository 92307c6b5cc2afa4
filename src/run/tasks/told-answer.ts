import { answerPlaceOf, type Dialect, dialectOperationOf } from '../../client/dialect.ts';
import { leftBy, oddAnswerIn } from '../../client/judge.ts';
import { bodyHolding, bytesOf, merged, objectWith, readBody } from '../../core/answer-body.ts';
import { stop } from '../../core/errors.ts';
import type { SubjectFacts } from '../../core/membership.ts';
import { suggestion } from '../../core/nearest.ts';
import { isObject, present } from '../../core/objects.ts';
import type { Call, JsonObject } from '../../core/operation.ts';
import { counted, foreignWords } from '../../core/plain-text.ts';
import { outputSettings } from '../../job/job-settings.ts';
import type { Batch, Doubt, LedgerReader, RawReply } from '../../ledger/ledger.ts';
import { commandLine } from '../../lib/command-line.ts';
import { dialectFor } from './batch-account.ts';

/** What a person says that the vendor answered, in the shape in which the vendor would have said it. */
export interface Told {
  readonly kind: 'found' | 'no_match';
  readonly reply: RawReply;
  /** The state in which a change left its subject; absent for other calls. */
  readonly left?: SubjectFacts;
}

type Pairs = Readonly<Record<string, string>>;

/**
 * @param pairs `key=value`, or `no_match` of a lookup.
 * @param kept the answer that came and that nobody could read. What it holds besides is part of the told one.
 * @throws StopError `usage` for a pair or a name that the answer cannot have.
 */
export async function toldAnswer(
  batch: Batch,
  { call }: Doubt,
  pairs: readonly string[],
  nowMs: number,
  kept?: RawReply,
): Promise<Told> {
  if (pairs.length === 1 && pairs[0] === NOTHING_FOUND && call.change === undefined)
    return { kind: 'no_match', reply: { ...EMPTY, receivedAtMs: nowMs } };
  const told = Object.fromEntries(pairs.map(pairOf));
  const replyWith = (body: Buffer): RawReply => ({
    ...{ status: 200, headers: {}, receivedAtMs: nowMs },
    // What an error says of itself is no part of the answer.
    body: kept !== undefined && Math.floor(kept.status / 100) === 2 ? mergedBody(kept.body, body) : body,
  });
  if (call.change !== undefined) return toldChange(call, told, await dialectFor(batch), replyWith);
  const { answerPlace, add, operation } = outputSettings(batch.settings);
  if (add !== undefined && operation.resultsFile === undefined) requireRead(told, Object.values(add));
  const fields = Object.entries(told).map(([path, value]) => objectWith(path, value));
  const place = answerPlace.steps?.[call.operation] ?? answerPlace;
  return { kind: 'found', reply: replyWith(bodyHolding(fields.reduce(merged, {}), place)) };
}

function requireRead(told: Pairs, read: readonly string[]): void {
  const unknown = Object.keys(told).find((name) => !read.includes(name));
  if (unknown === undefined) return;
  throw stop('usage', `No column of this batch reads ${foreignWords(unknown)}.`, suggestion(unknown, read));
}

/** Says of a lookup that it found nothing. */
const NOTHING_FOUND = 'no_match';
const EMPTY = { status: 404, headers: {}, body: Buffer.alloc(0) };

/** Both bodies in one where both are objects; else the second. */
function mergedBody(one: Buffer, other: Buffer): Buffer {
  const [kept, told] = [readBody(one), readBody(other)];
  if (kept.kind !== 'json' || told.kind !== 'json' || !isObject(kept.value) || !isObject(told.value))
    return other;
  return bytesOf(merged(kept.value as JsonObject, told.value as JsonObject));
}

function pairOf(pair: string): readonly [string, string] {
  const at = pair.indexOf('=');
  if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)];
  throw stop('usage', `--answer ${pair} is not key=value.`, 'Give it as --answer name=Acme.');
}

/** Translates our names into the vendor's, so that the next run reads the told answer like one from the vendor. */
function toldChange(call: Call, told: Pairs, dialect: Dialect, replyWith: (body: Buffer) => RawReply): Told {
  const places = new Map(Object.entries(dialectOperationOf(dialect, call).answer_fields ?? {}));
  requireTellable(call, told, [...places.keys()]);
  const parts = Object.entries(told).map(([name, value]) =>
    objectWith(places.get(name) ?? name, name === ACCEPTED && value === 'true' ? true : value),
  );
  const fields = parts.reduce<JsonObject>((all, part) => merged(all, part), {});
  const reply = replyWith(bodyHolding(fields, answerPlaceOf(dialect)));
  const left = leftBy(call, 'found', reply, dialect);
  return { kind: 'found', reply, ...present({ left: left && acceptedIfTold(left, told) }) };
}

/** Refuses names that are not read from the answer. Where none is read, any name is taken and only says "done". */
function requireTellable({ operation, change }: Call, told: Pairs, read: readonly string[]): void {
  const known = change?.leaves.state === 'invited' ? [...new Set([...read, 'user_id', ACCEPTED])] : read;
  const unknown = known.length === 0 ? undefined : Object.keys(told).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const fact = `The answer to ${operation} has no ${unknown}.`;
  throw stop('usage', fact, suggestion(unknown, known));
}

const OWN_TO_A_ROW: readonly string[] = ['invite_code', 'user_id', 'project_id'];

/**
 * What `--answer` may say of many alike calls at once: that each was done, or that each person has accepted; undefined where an
 * answer is nothing without what it holds for its row.
 */
function tellableOfAll({ operation, change }: Call, { operations }: Dialect): string | undefined {
  if (change?.leaves.state === 'invited') return `${ACCEPTED}=true`;
  const reads = Object.keys(operations[operation]?.answer_fields ?? {}).length > 0;
  return change === undefined || reads ? undefined : 'done=yes';
}

/** @throws StopError `usage` where one answer for several calls says what differs from row to row. */
export function requireTellableOfAll(
  batch: Batch,
  [first, ...others]: readonly Doubt[],
  pairs: readonly string[],
  dialect: Dialect,
): void {
  if (first === undefined || others.length === 0 || pairs.join() === NOTHING_FOUND) return;
  const reads = Object.keys(dialect.operations[first.call.operation]?.answer_fields ?? {});
  const own = pairs.map((pair) => pairOf(pair)[0]).find((name) => [...reads, ...OWN_TO_A_ROW].includes(name));
  if (own === undefined) return;
  const ofAll = tellableOfAll(first.call, dialect);
  const settle = commandLine(['settle', batch.id, String(first.row), '--answer']);
  throw stop(
    'usage',
    `${own} differs from row to row, so one answer cannot give it for ${counted(others.length + 1, 'row')}.`,
    `Give it for one row at a time, with ${settle} ${own}=…${ofAll === undefined ? '' : `, or of all of them --answer ${ofAll}`}.`,
  );
}

/** Says of an invite that the person is in the project at once. */
const ACCEPTED = 'accepted';

/** A person with a user id has accepted the invite, also where the dialect cannot tell that. */
function acceptedIfTold(left: SubjectFacts, { user_id: userId, accepted }: Pairs): SubjectFacts {
  if (left.state !== 'invited' || (userId === undefined && accepted !== 'true')) return left;
  return { ...left, state: 'member', ...present({ userId }) };
}

/**
 * All doubts of the batch whose answers are like that of this row.
 * @throws StopError `usage` when that row is not in doubt, or no answer came for it.
 */
export async function doubtsLike(
  ledger: Pick<LedgerReader, 'doubts'>,
  batch: Pick<Batch, 'id'>,
  row: string,
  dialect: Dialect,
): Promise<readonly Doubt[]> {
  const shapeOf = ({ reply, call, why }: Doubt) => reply && (oddAnswerIn(reply, dialect, call)?.shape ?? why);
  const all = await ledger.doubts(batch.id);
  const like = all.find((doubt) => String(doubt.row) === row);
  const shape = like && shapeOf(like);
  if (shape !== undefined) return all.filter((doubt) => shapeOf(doubt) === shape);
  const fact = `Row ${row} of batch ${batch.id} is not in doubt, or got no answer, so no other row is like it.`;
  throw stop('usage', fact, `See what is in doubt with ${commandLine(['settle', batch.id])}`);
}
