import type { Call } from '../../core/operation.ts';
import type { RawReply } from '../../ledger/ledger.ts';
import type { AnswerRule, Dialect, DialectOperation } from '../dialect.ts';
import { Asked } from './asked.ts';
import { CHANGES, judgeChange, publishedIdIn } from './changes.ts';
import { Heard } from './heard.ts';
import { judgeLookup, LOOKUPS, questionOf } from './lookups.ts';
import { isReadable } from './rules.ts';
import type { Said } from './said.ts';
import {
  ACCEPTED,
  BY_STATUS,
  type Conclusion,
  firstOf,
  is2xx,
  is3xx,
  is4xx,
  namesRoute,
  type PlainMeaning,
  type Row,
  row,
  wordless,
} from './table.ts';
import { vocabularyOf } from './words.ts';

/** Which table reads an answer, and what it says by it. */

/** An answer and what it means. */
export interface Meant {
  /** The vendor's answer; undefined when the service in front of it answered. */
  readonly own: RawReply | undefined;
  readonly said: Said;
  readonly means: PlainMeaning;
  /** The dialect's rules that may read it, in their order. */
  readonly rules: readonly AnswerRule[];
  /** The one that does. Where none does, a table does. */
  readonly rule: AnswerRule | undefined;
  readonly table: Conclusion | undefined;
}

/**
 * @param call undefined for a free question, which is about no call.
 * @param isOuter a service answers in front of the vendor, and its answer holds none of the vendor's.
 */
export function concluded(
  { raw, body }: Said,
  dialect: Dialect,
  operation: DialectOperation,
  call: Call | undefined,
  isOuter: boolean,
): Conclusion {
  const { status } = raw;
  // A number is JSON by chance.
  if (body.kind !== 'json' || (!is2xx(status) && !isReadable(body))) {
    const maySayNothing = call?.change !== undefined && publishedIdIn(operation, undefined) === 'none';
    const found = firstOf(NO_JSON, {
      ...{ status, isOuter, isBlank: body.kind === 'blank' },
      isCutOff: body.kind === 'unreadable' && body.why !== undefined,
      isLookup: call !== undefined && call.change === undefined,
      maySayNothing: maySayNothing && status !== ACCEPTED,
      isOfRoute: namesRoute(raw.body),
    });
    return { row: found, texts: [] };
  }
  if (call !== undefined && !isOuter) {
    const question = questionOf(dialect, operation, call);
    return call.change === undefined
      ? judgeLookup(body.value, raw, question)
      : judgeChange(body.value, raw, question);
  }
  const heard = new Heard(new Asked(call, operation), vocabularyOf(dialect.words), !is2xx(status)).listen(
    body.value,
  );
  const by = is2xx(status) ? (heard.status ?? status) : status;
  // A service of whose own answer it is has projects; one in front of a vendor has a key.
  const found = firstOf(QUESTIONS, {
    heard,
    by,
    isOuter,
    isService: dialect.vendor === 'service' && !isOuter,
  });
  return { row: found, texts: heard.texts };
}

// ------------------------------------------------------------------------------------- without JSON

interface NoJson {
  readonly status: number;
  readonly isBlank: boolean;
  readonly isCutOff: boolean;
  readonly isOuter: boolean;
  readonly isLookup: boolean;
  /** It is a change of which nothing is published that its answer says. */
  readonly maySayNothing: boolean;
  readonly isOfRoute: boolean;
}

/** Without JSON it is not the vendor's own word: a proxy may have sent it after the vendor had charged. */
const NO_JSON: readonly Row<NoJson>[] = [
  row('the status is 429', 'rate_limited', (it) => it.status === 429),
  row('it is a redirect', 'wrong_address', (it) => is3xx(it.status) || it.status === 407),
  row('the service has no such step', 'wrong_address', (it) => it.isOuter && NO_STEP.includes(it.status)),
  row('the status refuses the key', 'key_dead', (it) => it.status === 401 || it.status === 403),
  row('the status is 402', 'credits_used_up', (it) => it.status === 402),
  row('it is about its path', 'wrong_address', (it) => is4xx(it.status) && it.isOfRoute),
  row('the status is 204', 'no_match', (it) => it.isLookup && it.isBlank && it.status === 204),
  wordless(
    'it is empty, and nothing is published of it',
    (it) => is2xx(it.status) && it.isBlank && it.maySayNothing,
  ),
  row('it is too deep', 'in_doubt', (it) => it.isCutOff),
  row('it has no body', 'in_doubt', (it) => it.isBlank && is2xx(it.status), 'without a body'),
  row('it is not JSON', 'in_doubt', (it) => is2xx(it.status), 'which is not JSON'),
  row('it is no word of the vendor', 'in_doubt', () => true),
];

/** So a service says that it has no such step. */
const NO_STEP: readonly number[] = [404, 405, 410];

// ------------------------------------------------------------------- free questions, and a service in front

interface Asking {
  readonly heard: Heard;
  readonly by: number;
  readonly isOuter: boolean;
  readonly isService: boolean;
}

/** A free question has no answer of a certain shape, and a service without the vendor's answer says nothing of it. */
const QUESTIONS: readonly Row<Asking>[] = [
  row('it says too fast', 'rate_limited', (it) => it.heard.says.has('rate_limited') && it.by !== 402),
  row('the service has no such step', 'wrong_address', (it) => it.isOuter && NO_STEP.includes(it.by)),
  ...BY_STATUS,
  row('the service has no answer of the vendor', 'in_doubt', (it) => it.isOuter),
  row('it says no', 'in_doubt', (it) => it.heard.no || it.heard.isError, 'which names an error'),
  row('it was accepted', 'in_doubt', (it) => it.by === ACCEPTED, 'which is no answer yet'),
  row('it is an answer', 'found', () => true),
];

/** All of them, as their page shows them. */
export const TABLES: readonly {
  readonly about: string;
  readonly rows: readonly Pick<Row<never>, 'name' | 'means'>[];
}[] = [
  { about: 'A lookup', rows: LOOKUPS },
  { about: 'A change', rows: CHANGES },
  { about: 'Without JSON', rows: NO_JSON },
  { about: 'A free question, or a service in front of the vendor', rows: QUESTIONS },
];
