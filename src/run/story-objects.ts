import { isoTime } from '../core/clock.ts';
import { subjectWords } from '../core/membership.ts';
import { present } from '../core/objects.ts';
import { sentParameters } from '../core/operation.ts';
import type { Batch, Closure, Decision, Look, RawReply } from '../ledger/ledger.ts';
import type { Retries } from './retries.ts';
import type { AttemptStory, RowStory } from './row-story.ts';
import type { DoubtList, ListedDoubt } from './settle.ts';

/** What is told of a row and of what is in doubt, for programs: as `--json` prints it, and as the page gets it. */

export function rowObject({ batch, row, outcome, since, planned, attempts, fields }: RowStory): object {
  return {
    batch: batch.id,
    row,
    outcome: outcome ?? null,
    ...present({ since }),
    ...(fields.length === 0 ? {} : { fields }),
    planned: planned ?? null,
    attempts: attempts.map(attemptObject),
  };
}

function attemptObject(story: AttemptStory): object {
  const { record, requestId, decided } = story;
  const { attempt, batch, call, reserved, intentAtMs, decision, replaces, request, looks, released } = record;
  return {
    attempt,
    batch,
    operation: call.operation,
    parameters: sentParameters(call),
    project: call.project ?? null,
    subject: call.change === undefined ? null : subjectWords(call.change.subject),
    after: call.after ?? null,
    reserved,
    intent_at: isoTime(intentAtMs),
    replaces: replaces ?? null,
    idempotency_key: request?.idempotencyKey ?? null,
    decision: decision === undefined ? null : decisionObject(decision),
    decided: decided === undefined ? null : decisionObject(decided),
    reply: record.reply === undefined ? null : replyObject(record.reply, requestId),
    closure: record.closure === undefined ? null : closureObject(record.closure, story),
    looks: looks.map(lookObject),
    ...readingObjects(story),
    released: released === undefined ? null : { why: released.why, at: isoTime(released.atMs) },
  };
}

/** The later readings for `--json`; no members when there is none. */
function readingObjects({ record, today }: AttemptStory): object {
  const readings = record.readings.map(({ answer, charged, why, atMs }) => ({
    answer,
    charged,
    why,
    at: isoTime(atMs),
  }));
  return {
    ...(readings.length === 0 ? {} : { readings }),
    ...(today === undefined
      ? {}
      : { today: { answer: today.answer, charged: today.charged, why: today.why } }),
  };
}

function decisionObject({ kind, by, why, atMs }: Decision): object {
  return { kind, by, why, at: isoTime(atMs) };
}

function replyObject(reply: RawReply, requestId: string | undefined): object {
  return {
    status: reply.status,
    headers: reply.headers,
    body: reply.body.toString('utf8'),
    received_at: isoTime(reply.receivedAtMs),
    request_id: requestId ?? null,
  };
}

function closureObject(
  { closedAtMs, ...closure }: Closure & { readonly closedAtMs: number },
  { isExact: exact }: AttemptStory,
): object {
  return { ...closure, ...(closure.kind === 'settled' ? { exact } : {}), closed_at: isoTime(closedAtMs) };
}

/** The question for `--json`. A status of 0 means that no answer came. */
function lookObject({ kind, said, why, status, body, atMs }: Look): object {
  return { kind, said, why, status, body: body.toString('utf8'), at: isoTime(atMs) };
}

export function doubtListObject(
  batch: Batch,
  { doubts, alike, waiting, open, atRisk, retries, undecidable }: DoubtList,
): object {
  return {
    batch: batch.id,
    at_risk: atRisk,
    undecidable,
    open,
    retries: retriesObject(retries),
    in_doubt: doubts.map(doubtObject),
    ...(alike.length === 0 ? {} : { alike }),
    ...(waiting.length === 0 ? {} : { waiting }),
  };
}

/** What is to be sent again; `enough` is there where the extra credits do not cover it. */
function retriesObject({ calls, credits, extra, enough }: Retries): object {
  const { most, used } = extra;
  return { calls, credits, extra_credits: { most: most ?? null, used }, ...present({ enough }) };
}

/** The same where something is to be sent again; undefined otherwise. */
export function retriesObjectIfAny(retries: Retries | undefined): object | undefined {
  return retries === undefined || retries.calls === 0 ? undefined : retriesObject(retries);
}

function doubtObject({ doubt, looks, decision }: ListedDoubt): object {
  const { row, call, atRisk, why, sentAtMs, repeats, request } = doubt;
  return {
    row,
    operation: call.operation,
    parameters: sentParameters(call),
    project: call.project ?? null,
    subject: call.change === undefined ? null : subjectWords(call.change.subject),
    at_stake: call.change?.atStake ?? null,
    credits: atRisk,
    why,
    since: isoTime(sentAtMs),
    repeats,
    idempotency_key: request?.idempotencyKey ?? null,
    looks: looks.map(lookObject),
    decision: decision === undefined ? null : decisionObject(decision),
  };
}
