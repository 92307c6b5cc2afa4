import { type Body, valueAt } from '../../core/answer-body.ts';
import type { StopDetail } from '../../core/errors.ts';
import { foreignWords } from '../../core/plain-text.ts';
import type { RawReply } from '../../ledger/ledger.ts';
import type { AnswerRule, BodyTest, Dialect, RateHintNames } from '../dialect.ts';
import { is3xx, textOf } from './rules.ts';

/** An answer that is judged: who sent it, its words, and the stop of a run when it concerns the whole account. */

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

/** @param own the vendor's own answer; undefined where a service in front of it answered. */
export function speakerOf({ vendor, through, rate_hints: rateHints }: Dialect, own?: RawReply): Speaker {
  if (through === undefined)
    return { name: vendor, rateHints, keyPlace: 'the account', addressPlace: "the account's base_url" };
  if (own === undefined) {
    const places = { keyPlace: 'the service account', addressPlace: "the account's api_call_url" };
    return { name: 'service', rateHints: undefined, ...places };
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
  const status = `status ${raw.status}`;
  if (body.kind === 'unreadable' && body.why !== undefined) return `${status}, ${body.why}`;
  const shown = foreignWords(explanationIn(body) || (texts[0] ?? ''));
  if (shown !== '') return `${status}, "${shown}"`;
  const isQuoted = quotesAll && body.kind === 'json';
  return isQuoted ? `${status}, ${foreignWords(JSON.stringify(body.value))}` : status;
}

function explanationIn(body: Body): string {
  if (body.kind !== 'json') return body.kind === 'blank' ? '' : body.text;
  if (typeof body.value === 'string') return body.value;
  const said = ['error.message', 'error', 'message', 'detail', 'title', 'reason'].map((path) =>
    valueAt(body.value, path),
  );
  return (
    said.map((each) => (typeof each === 'boolean' ? '' : textOf(each))).find((text) => text !== '') ?? ''
  );
}

/** What an answer should have had, where the rule is about an answer without it: `, without "invite_code"`. */
export function missingWords(tests: AnswerRule['body'] = []): string {
  const [{ is, path, equals } = {}] = [tests].flat() as readonly BodyTest[];
  if (is === 'blank') return ', without a body';
  if (path === undefined) return '';
  if (equals !== undefined) return `, "${foreignWords(path)}" is ${foreignWords(String(equals))}`;
  return is === 'empty' ? `, without "${foreignWords(path)}"` : '';
}

/** No vendor answers with this status: it comes from a proxy and is about the proxy. */
const PROXY_AUTHENTICATION = 407;

export function stopFor(
  means: 'key_dead' | 'credits_used_up' | 'wrong_address',
  words: string,
  { raw: { status, headers }, body, by: { name, keyPlace, addressPlace } }: Said,
): StopDetail {
  const again = 'run the same command again';
  if (means === 'credits_used_up') {
    const message = `The ${name} says that the account's credits are used up: ${words}.`;
    return { code: 'vendor_credits', message, next: `Buy credits from the ${name}, then ${again}.` };
  }
  if (means === 'key_dead') {
    const message = `The ${name} refused the key: ${words}.`;
    const next =
      body.kind === 'unreadable'
        ? `If a proxy or a firewall said this, let this machine through it; otherwise put a working key into ${keyPlace}. Then ${again}.`
        : `Put a working key into ${keyPlace}, then ${again}.`;
    return { code: 'key', message, next };
  }
  const code = 'address';
  if (status === PROXY_AUTHENTICATION) {
    const message = `A proxy between this machine and the ${name} asks for a login: ${words}.`;
    return { code, message, next: `Let this machine through the proxy, or correct ${addressPlace}.` };
  }
  if (is3xx(status)) {
    const message = `The ${name} answered with a redirect to ${foreignWords(headers.location ?? 'nowhere')}: ${words}.`;
    const next = `Correct ${addressPlace}; redirects are not followed, because they could repeat a paid request.`;
    return { code, message, next };
  }
  const next = `Correct ${addressPlace}; if it is right, add a rule to the dialect's \`answers\` that says what this one means.`;
  return { code, message: `The ${name} says that the address is wrong: ${words}.`, next };
}
