import { bodyHolding, merged, objectWith } from '../core/answer-body.ts';
import { stop } from '../core/errors.ts';
import type { SubjectFacts } from '../core/membership.ts';
import { suggestion } from '../core/nearest.ts';
import type { Call, JsonObject } from '../core/operation.ts';
import { outputSettings } from '../job/job-settings.ts';
import type { Batch, Doubt, RawReply } from '../ledger/ledger.ts';
import { sandboxAccount } from '../vendor/account/account.ts';
import type { Dialect } from '../vendor/dialect.ts';
import { answerPlaceOf, dialectOf, dialectOperationOf } from '../vendor/dialect.ts';
import { leftBy } from '../vendor/judge.ts';
import { accountOfBatch } from './batch-account.ts';

/** What a person says that the vendor answered, in the shape in which the vendor would have said it. */
export interface Told {
  readonly reply: RawReply;
  /** The state in which a change left its subject; absent for other calls. */
  readonly left?: SubjectFacts;
}

type Pairs = Readonly<Record<string, string>>;

/** @param pairs `key=value`. @throws StopError `usage` for a pair or a name that the answer cannot have. */
export async function toldAnswer(
  batch: Batch,
  { call }: Doubt,
  pairs: readonly string[],
  nowMs: number,
): Promise<Told> {
  const told = Object.fromEntries(pairs.map(pairOf));
  if (call.change !== undefined) return toldChange(call, told, await dialectFor(batch), nowMs);
  return { reply: replyWith(bodyHolding(told, outputSettings(batch.settings).answerPlace), nowMs) };
}

function pairOf(pair: string): readonly [string, string] {
  const at = pair.indexOf('=');
  if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)];
  throw stop('usage', `--answer ${pair} is not key=value.`, 'Give it as --answer name=Acme.');
}

function replyWith(body: Buffer, receivedAtMs: number): RawReply {
  return { status: 200, headers: {}, body, receivedAtMs };
}

/** The account's dialect. That of a removed account is not known, so the built-in one is taken. */
async function dialectFor(batch: Batch): Promise<Dialect> {
  return dialectOf((await accountOfBatch(batch)) ?? sandboxAccount(batch.vendor));
}

/** Translates our names into the vendor's, so that the next run reads the told answer like one from the vendor. */
function toldChange(call: Call, told: Pairs, dialect: Dialect, nowMs: number): Told {
  const places = new Map(Object.entries(dialectOperationOf(dialect, call).answer_fields ?? {}));
  requireTellable(call, told, [...places.keys()]);
  const fields = Object.entries(told).reduce<JsonObject>(
    (all, [name, value]) => merged(all, objectWith(places.get(name) ?? name, value)),
    {},
  );
  const reply = replyWith(bodyHolding(fields, answerPlaceOf(dialect)), nowMs);
  const left = leftBy(call, 'found', reply, dialect);
  return left === undefined ? { reply } : { reply, left: acceptedIfTold(left, told) };
}

/** Refuses names that are not read from the answer. Where none is read, any name is taken and only says "done". */
function requireTellable({ operation, change }: Call, told: Pairs, read: readonly string[]): void {
  const known = change?.leaves.state === 'invited' ? [...new Set([...read, 'user_id'])] : read;
  const unknown = known.length === 0 ? undefined : Object.keys(told).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const fact = `The answer to ${operation} has no ${unknown}.`;
  throw stop('usage', fact, suggestion(unknown, known));
}

/** A person with a user id has accepted the invite, even where the dialect cannot tell that. */
function acceptedIfTold(left: SubjectFacts, { user_id: userId }: Pairs): SubjectFacts {
  return left.state === 'invited' && userId !== undefined ? { ...left, state: 'member', userId } : left;
}
