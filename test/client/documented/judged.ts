import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  answerPlaceOf,
  type Dialect,
  dialectOperationOf,
  laterOperationOf,
} from '../../../src/client/dialect.ts';
import provider from '../../../src/client/dialects/provider.ts';
import service from '../../../src/client/dialects/service.ts';
import { judge, type Verdict } from '../../../src/client/judge.ts';
import type { SubjectState } from '../../../src/core/membership.ts';
import type { Call, JsonObject, JsonValue } from '../../../src/core/operation.ts';
import { saidIn } from '../../../src/values/answer-fields.ts';

/** Answers as public references of data vendors and governance services show them, with what they mean, and what the judge says. */

interface Documented {
  readonly vendor?: string;
  readonly operation: string;
  readonly asked: JsonObject;
  /** It answers the question that follows an accepted call. */
  readonly poll?: true;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  readonly wanted: string;
  /** Other readings that are right as well. */
  readonly also: readonly string[];
  /** By the vendor's own book; null: not known. */
  readonly charged?: number | null;
  /** What the answer gives, by our names. */
  readonly gives?: JsonObject;
  /** Only a rule of the vendor's own dialect can tell. */
  readonly own?: true;
}

export interface Judged extends Documented {
  readonly got: string;
  readonly booked: number;
  readonly given: JsonValue | undefined;
  readonly isRight: boolean;
  /** It was read as found, or done, and was not. */
  readonly isBelieved: boolean;
}

const linesOf = (name: string): readonly Documented[] =>
  readFileSync(join(import.meta.dirname, name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Documented);

const STOPS: Readonly<Record<string, string>> = { key: 'stop_key', address: 'wrong_address' };

function wordFor(verdict: Verdict): string {
  if (verdict.kind === 'answered') return verdict.answer;
  if (verdict.kind === 'paused') return 'rate_limited';
  if (verdict.kind === 'stopped') return STOPS[verdict.stop.code] ?? 'stop_credits';
  const isLater = verdict.kind === 'accepted' || (verdict.kind === 'in_doubt' && verdict.isNotYet === true);
  return isLater ? 'pending' : verdict.kind;
}

function verdictOn(each: Documented, call: Call, dialect: Dialect): Verdict {
  const { status, headers = {}, body, poll } = each;
  const raw = { status, headers, body: Buffer.from(body), receivedAtMs: 0 };
  const operation = poll ? laterOperationOf(dialect, call) : dialectOperationOf(dialect, call);
  return judge({ kind: 'answered', raw }, dialect, operation, call);
}

/** An answer that comes later is in doubt, and may be a pause. */
const isLater = (wanted: string, got: string): boolean =>
  (wanted === 'pending' && ['in_doubt', 'rate_limited'].includes(got)) ||
  (wanted === 'in_doubt' && got === 'pending');

export const documentedAnswers = (): readonly Documented[] => linesOf('vendors.jsonl');

/** Answers that the dialect cannot know, such as to operations that it lacks, are left out. */
export function judgedVendors(dialectOf: (vendor: string) => Dialect = () => provider): readonly Judged[] {
  return documentedAnswers().flatMap((each) => {
    const dialect = dialectOf(each.vendor ?? '');
    if (dialect.operations[each.operation] === undefined || (each.own && dialect === provider)) return [];
    const call: Call = { ifLost: 'hold', operation: each.operation, parameters: each.asked };
    const verdict = verdictOn(each, call, dialect);
    const given = saidIn(Buffer.from(each.body), answerPlaceOf(dialect, each.operation)).ours;
    const got = wordFor(verdict);
    const isRight = [each.wanted, ...each.also].some((wanted) => wanted === got || isLater(wanted, got));
    const booked = verdict.kind === 'answered' ? verdict.charged : 0;
    return { ...each, got, booked, given, isRight, isBelieved: !isRight && got === 'found' };
  });
}

const LEAVES: Readonly<Record<string, SubjectState>> = {
  'create-invite': 'invited',
  'update-user': 'member',
};
const EMAIL = 'jo@acme.example';

export function judgedServices(): readonly Judged[] {
  return linesOf('services.jsonl').map((written) => {
    const id = written.operation === 'delete-invite' ? 'IC-1' : 'u-17';
    const about = (text: string): string => text.replaceAll('$ID', id).replaceAll('$EMAIL', EMAIL);
    const each = { ...written, body: about(written.body) };
    const parameters = JSON.parse(about(JSON.stringify(written.asked))) as JsonObject;
    const leaves = { state: LEAVES[each.operation] ?? 'gone' };
    const change = { subject: { project: 'proj-1', name: EMAIL }, leaves };
    const call: Call = {
      ifLost: 'hold',
      operation: each.operation,
      parameters,
      project: 'proj-1',
      after: 0,
      change,
    };
    const got = wordFor(verdictOn(each, call, service));
    const right = [each.wanted, ...each.also].map((word) => (word === 'done' ? 'found' : word));
    const isDone = got === 'found';
    const isRight =
      each.wanted === 'not_done'
        ? !isDone
        : right.some((wanted) => wanted === got || isLater(wanted, got) || wanted === 'unchanged');
    return { ...each, got, booked: 0, given: undefined, isRight, isBelieved: isDone && !isRight };
  });
}
