import { type Body, valueAt } from '../../core/answer-body.ts';
import { type StopDetail, unreachable } from '../../core/errors.ts';
import type { JsonValue } from '../../core/operation.ts';
import { foreignWords } from '../../core/plain-text.ts';
import type { RawReply } from '../../ledger/ledger.ts';
import type { AnswerRule, BodyTest, Dialect, RateHintNames } from '../dialect.ts';
import { valueText } from './rules.ts';

/** An answer that is judged: who sent it, its words, and the stop of a run when it concerns the whole account. */

/** An answer that is judged, and who sent it. */
export interface Said {
  readonly raw: RawReply;
  readonly body: Body;
  readonly by: Speaker;
}

/** The vendor itself, the vendor through a service, or that service. */
interface Speaker {
  readonly name: Dialect['vendor'];
  readonly rateHints: RateHintNames | undefined;
  /** Where the user corrects a wrong key and a wrong address. */
  readonly keyPlace: string;
  readonly addressPlace: string;
}

export function speakerOf(
  { vendor, through, rate_hints: rateHints }: Dialect,
  own: RawReply | undefined,
): Speaker {
  if (through === undefined) {
    return { name: vendor, rateHints, keyPlace: 'the account', addressPlace: "the account's base_url" };
  }
  if (own === undefined) {
    return {
      name: 'service',
      rateHints: undefined,
      keyPlace: 'the service account',
      addressPlace: "the account's api_call_url",
    };
  }
  const keyPlace = `the connected account ${foreignWords(through.connectedAccount)} of the service`;
  return { name: vendor, rateHints, keyPlace, addressPlace: "the operation's path in the dialect" };
}

/**
 * The vendor's own explanation, made safe to show and shortened: `status 422, "abn must have 11 digits"`.
 * @param texts what the answer says of itself.
 * @param quotesAll an answer without a text is quoted as a whole.
 */
export function vendorWords({ raw, body }: Said, texts: readonly string[] = [], quotesAll = false): string {
  if (body.kind === 'unreadable' && body.why !== undefined) return `status ${raw.status}, ${body.why}`;
  const shown = foreignWords(explanationOf(body, texts[0]));
  if (shown !== '') return `status ${raw.status}, "${shown}"`;
  const whole = quotesAll && body.kind === 'json' ? `, ${foreignWords(JSON.stringify(body.value))}` : '';
  return `status ${raw.status}${whole}`;
}

function explanationOf(body: Body, text = ''): string {
  if (body.kind === 'blank') return '';
  return body.kind === 'json' ? explanationIn(body.value) || text : body.text;
}

/** What an answer should have had, where the rule is about an answer without it: `, without "invite_code"`. */
export function missingWords(tests: AnswerRule['body'] = []): string {
  const [{ is, path, equals } = {}] = [tests].flat() as readonly BodyTest[];
  if (is === 'blank') return ', without a body';
  if (path === undefined) return '';
  if (equals !== undefined) return `, "${foreignWords(path)}" is ${foreignWords(String(equals))}`;
  return is === 'empty' ? `, without "${foreignWords(path)}"` : '';
}

function explanationIn(value: JsonValue): string {
  if (typeof value === 'string') return value;
  for (const path of ['error.message', 'error', 'message', 'detail', 'title', 'reason']) {
    const said = valueAt(value, path);
    const text = typeof said === 'boolean' ? '' : valueText(said);
    if (text !== '') return text;
  }
  return '';
}

export function stopFor(
  means: 'key_dead' | 'credits_used_up' | 'wrong_address',
  words: string,
  { raw, body, by }: Said,
): StopDetail {
  switch (means) {
    case 'key_dead':
      return {
        code: 'key',
        message: `The ${by.name} refused the key: ${words}.`,
        next:
          body.kind === 'unreadable'
            ? `If a proxy or a firewall said this, let this machine through it; otherwise put a working key into ${by.keyPlace}. Then run the same command again.`
            : `Put a working key into ${by.keyPlace}, then run the same command again.`,
      };
    case 'credits_used_up':
      return {
        code: 'vendor_credits',
        message: `The ${by.name} says that the account's credits are used up: ${words}.`,
        next: `Buy credits from the ${by.name}, then run the same command again.`,
      };
    case 'wrong_address':
      return wrongAddress(raw, words, by);
    default:
      return unreachable(means);
  }
}

/** No vendor answers with this status: it comes from a proxy and is about the proxy. */
const PROXY_AUTHENTICATION = 407;

function wrongAddress(
  { status, headers }: RawReply,
  words: string,
  { name, addressPlace }: Speaker,
): StopDetail {
  const correct = `Correct ${addressPlace}`;
  if (status === PROXY_AUTHENTICATION) {
    return {
      code: 'address',
      message: `A proxy between this machine and the ${name} asks for a login: ${words}.`,
      next: `Let this machine through the proxy, or correct ${addressPlace}.`,
    };
  }
  if (Math.floor(status / 100) !== 3) {
    return {
      code: 'address',
      message: `The ${name} says that the address is wrong: ${words}.`,
      next: `${correct}; if it is right, add a rule to the dialect's \`answers\` that says what this one means.`,
    };
  }
  return {
    code: 'address',
    message: `The ${name} answered with a redirect to ${foreignWords(headers.location ?? 'nowhere')}: ${words}.`,
    next: `${correct}; redirects are not followed, because they could repeat a paid request.`,
  };
}
