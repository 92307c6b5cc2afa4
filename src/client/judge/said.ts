import { type Body, valueAt } from '../../core/answer-body.ts';
import type { StopDetail } from '../../core/errors.ts';
import { foreignWords } from '../../core/plain-text.ts';
import type { RawReply } from '../../ledger/ledger.ts';
import type { Dialect } from '../dialect.ts';
import { is3xx, textOf } from './rules.ts';

/** An answer that is judged, its words, and the stop of a run when it concerns the whole account. */
export interface Said {
  readonly raw: RawReply;
  readonly body: Body;
  /** A service gave it in front of the vendor, and it holds none of the vendor's. */
  readonly isOuter: boolean;
}

/** Where an answer explains itself. */
const EXPLAINED = ['error.message', 'error', 'message', 'detail', 'title', 'reason'];

/**
 * The vendor's own explanation, made safe to show and shortened: `status 422, "abn must have 11 digits"`.
 * @param quotesAll an answer without a text is quoted as a whole.
 */
export function vendorWords(
  { raw, body }: Said,
  heard: { readonly texts: readonly string[] } | undefined,
  quotesAll: boolean,
): string {
  const status = `status ${raw.status}`;
  if (body.kind === 'blank') return status;
  if (body.kind === 'unreadable')
    return body.why === undefined ? `${status}, "${foreignWords(body.text)}"` : `${status}, ${body.why}`;
  const { value } = body;
  const told = EXPLAINED.map((path) => valueAt(value, path)).map((each) =>
    each === true ? '' : textOf(each),
  );
  const texts = [typeof value === 'string' ? value : '', ...told, heard?.texts[0] ?? ''];
  const shown = foreignWords(texts.find((text) => text !== '' && text !== 'false') ?? '');
  if (shown !== '') return `${status}, "${shown}"`;
  return quotesAll ? `${status}, ${foreignWords(JSON.stringify(value))}` : status;
}

/** Where the user corrects a wrong key and a wrong address. */
function placesOf(through: Dialect['through'], isOuter: boolean): readonly [key: string, address: string] {
  if (through === undefined) return ['the account', "the account's base_url"];
  if (isOuter) return ['the service account', "the account's api_call_url"];
  const connected = `the connected account ${foreignWords(through.connectedAccount)} of the service`;
  return [connected, "the operation's path in the dialect"];
}

export function stopFor(
  means: 'key_dead' | 'credits_used_up' | 'wrong_address',
  words: string,
  { raw: { status, headers }, body, isOuter }: Said,
  { vendor, through }: Dialect,
): StopDetail {
  const again = 'run the same command again';
  const name = isOuter ? 'service' : vendor;
  const [keyPlace, addressPlace] = placesOf(through, isOuter);
  if (means === 'credits_used_up') {
    const message = `The ${name} says that the account's credits are used up: ${words}.`;
    return { code: 'vendor_credits', message, next: `Buy credits from the ${name}, then ${again}.` };
  }
  if (means === 'key_dead') {
    const next =
      body.kind === 'unreadable'
        ? `If a proxy or a firewall said this, let this machine through it; otherwise put a working key into ${keyPlace}. Then ${again}.`
        : `Put a working key into ${keyPlace}, then ${again}.`;
    return { code: 'key', message: `The ${name} refused the key: ${words}.`, next };
  }
  const code = 'address';
  // No vendor answers so: it comes from a proxy and is about the proxy.
  if (status === 407) {
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
