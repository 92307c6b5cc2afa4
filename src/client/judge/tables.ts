import { present } from '../../core/objects.ts';
import type { Call, JsonValue } from '../../core/operation.ts';
import type { RawReply } from '../../ledger/ledger.ts';
import type { AnswerRule, Dialect, DialectOperation } from '../dialect.ts';
import { Asked } from './asked.ts';
import { CHANGES, judgeChange } from './change.ts';
import { publishedIdIn } from './change-facts.ts';
import { type Heard, hear } from './hearing.ts';
import { judgeLookup, LOOKUPS } from './lookup.ts';
import { namesRoute } from './routes.ts';
import { isReadable } from './rules.ts';
import type { Said } from './said.ts';
import { firstOf, is2xx, is3xx, is4xx, isUnfinished, type PlainMeaning, type Row, row } from './table.ts';
import { ACCEPTED } from './values.ts';
import { vocabularyOf } from './vocabulary.ts';

/** Which table reads an answer, and what it says by it. */

export interface Conclusion {
  readonly means: PlainMeaning;
  /** The name of the row that decided. */
  readonly row: string;
  /** Why it is in doubt, as a clause behind the vendor's words. */
  readonly because?: string;
  readonly isPartial?: true;
  readonly shows?: string;
  readonly isWordless?: true;
  /** The answer's texts and codes, as they stand in it. */
  readonly texts: readonly string[];
}

/** An answer and what it means. */
export interface Meant extends Omit<Conclusion, 'row'> {
  /** The vendor's answer; undefined when the service in front of it answered. */
  readonly own: RawReply | undefined;
  readonly said: Said;
  /** The dialect's rules that may read it, in their order. */
  readonly rules: readonly AnswerRule[];
  /** The one that does. Where none does, `row` of a table does. */
  readonly rule: AnswerRule | undefined;
  readonly row?: string;
}

interface Question {
  readonly dialect: Dialect;
  readonly operation: DialectOperation;
  /** Undefined for a free question, which is about no call. */
  readonly call: Call | undefined;
  /** A service answers in front of the vendor, and its answer holds none of the vendor's. */
  readonly isOuter: boolean;
}

export function concluded({ raw, body }: Said, question: Question): Conclusion {
  const { dialect, operation, call, isOuter } = question;
  // A number is JSON by chance.
  if (body.kind !== 'json' || (!is2xx(raw.status) && !isReadable(body))) {
    const found = firstOf(NO_JSON, {
      ...{
        status: raw.status,
        isBlank: body.kind === 'blank',
        isOuter,
        isService: dialect.vendor === 'service',
      },
      isCutOff: body.kind === 'unreadable' && body.why !== undefined,
      isLookup: call !== undefined && call.change === undefined,
      maySayNothing:
        call?.change !== undefined &&
        publishedIdIn(operation, undefined) === 'none' &&
        raw.status !== ACCEPTED,
      namesRoute: namesRoute(raw.body),
    });
    return { ...conclusionOf(found), texts: [] };
  }
  const asked = new Asked(call, operation);
  if (isOuter || call === undefined) return ofQuestion(body.value, raw, asked, question);
  const about = { dialect, operation, call, asked };
  if (call.change === undefined) {
    const { row: found, heard, ...more } = judgeLookup(body.value, raw, about);
    return { ...conclusionOf(found), texts: heard.texts, ...more };
  }
  const { row: found, texts } = judgeChange(body.value, raw, operation, about);
  return { ...conclusionOf(found), texts };
}

const conclusionOf = ({ name, means, because, isWordless }: Row<never>): Omit<Conclusion, 'texts'> => ({
  ...{ row: name, means },
  ...present({ because, isWordless }),
});

// ------------------------------------------------------------------------------------- without JSON

interface NoJson {
  readonly status: number;
  readonly isBlank: boolean;
  readonly isCutOff: boolean;
  readonly isOuter: boolean;
  readonly isLookup: boolean;
  readonly isService: boolean;
  /** It is a change of which nothing is published that its answer says. */
  readonly maySayNothing: boolean;
  readonly namesRoute: boolean;
}

/** Without JSON it is not the vendor's own word: a proxy may have sent it after the vendor had charged. */
const NO_JSON: readonly Row<NoJson>[] = [
  row('the status is 429', 'rate_limited', ({ status }) => status === 429),
  row('it is a redirect', 'wrong_address', ({ status }) => is3xx(status) || status === 407),
  row(
    'the service has no such step',
    'wrong_address',
    ({ status, isOuter }) => isOuter && [404, 405, 410].includes(status),
  ),
  row('the status refuses the key', 'key_dead', ({ status }) => status === 401 || status === 403),
  row('the status is 402', 'credits_used_up', ({ status }) => status === 402),
  row('it is about its path', 'wrong_address', ({ status, namesRoute: isOf }) => is4xx(status) && isOf),
  row(
    'the status is 204',
    'no_match',
    ({ status, isBlank, isLookup }) => isLookup && isBlank && status === 204,
  ),
  row(
    'it is empty, and nothing is published of it',
    'found',
    ({ status, isBlank, maySayNothing }) => is2xx(status) && isBlank && maySayNothing,
    { isWordless: true },
  ),
  row('it is too deep', 'in_doubt', ({ isCutOff }) => isCutOff),
  row('it has no body', 'in_doubt', ({ isBlank, status }) => isBlank && is2xx(status), {
    because: 'without a body',
  }),
  row('it is not JSON', 'in_doubt', ({ status }) => is2xx(status), { because: 'which is not JSON' }),
  row('it is no word of the vendor', 'in_doubt', () => true),
];

// ------------------------------------------------------------------- free questions, and a service in front

interface Asking {
  readonly heard: Heard;
  readonly by: number;
  readonly isOuter: boolean;
  readonly isService: boolean;
  readonly isReadable: boolean;
}

const QUESTIONS: readonly Row<Asking>[] = [
  row(
    'it says too fast',
    'rate_limited',
    ({ heard: { says }, by }) => (says.has('rate_limited') && by !== 402) || by === 429 || by === 420,
  ),
  row('it is a redirect', 'wrong_address', ({ by }) => is3xx(by) || by === 407),
  row(
    'the service has no such step',
    'wrong_address',
    ({ by, isOuter }) => isOuter && [404, 405, 410].includes(by),
  ),
  row('the status is 401', 'key_dead', ({ by }) => by === 401),
  row('the status is 403', 'key_dead', ({ by, isOuter, isService }) => by === 403 && (isOuter || !isService)),
  row('the status is 403', 'project_refused', ({ by }) => by === 403),
  row('the status is 402', 'credits_used_up', ({ by }) => by === 402),
  row('the status is 404', 'no_match', ({ by, isReadable: is }) => by === 404 && is),
  row('it broke off, or something behind did', 'in_doubt', ({ by }) => isUnfinished(by)),
  row('the status is a 4xx', 'refused', ({ by, isReadable: is }) => is4xx(by) && is),
  row('the service has no answer of the vendor', 'in_doubt', ({ isOuter }) => isOuter),
  row('it says no', 'in_doubt', ({ heard: { no, isError } }) => no || isError, {
    because: 'which names an error',
  }),
  row('it was accepted', 'in_doubt', ({ by }) => by === ACCEPTED, { because: 'which is no answer yet' }),
  row('it is an answer', 'found', ({ by }) => is2xx(by)),
  row('nobody can read it', 'in_doubt', () => true),
];

/** A free question has no answer of a certain shape, and a service without the vendor's answer says nothing of it. */
function ofQuestion(body: JsonValue, { status }: RawReply, asked: Asked, question: Question): Conclusion {
  const { dialect, isOuter } = question;
  const heard = hear(body, { asked, vocabulary: vocabularyOf(dialect.words), isAlone: !is2xx(status) });
  const found = firstOf(QUESTIONS, {
    ...{ heard, isOuter, isService: dialect.vendor === 'service' },
    by: is2xx(status) ? (heard.status ?? status) : status,
    isReadable: isReadable({ kind: 'json', value: body }),
  });
  return { ...conclusionOf(found), texts: heard.texts };
}

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
