import type { Body } from '../core/answer-body.ts';
import type { StopDetail } from '../core/errors.ts';
import { AGAIN, asField, phrase, typing, type Words } from '../core/phrase.ts';
import { foreignWords } from '../core/plain-text.ts';
import type { Reply } from '../ledger/ledger.ts';
import { is3xx } from './answer-rules.ts';
import type { Dialect } from './dialect.ts';

/** What a person is told when an answer stops the account: the fact, and what to do. */

/** The places where the user corrects a wrong key and a wrong address. */
function placesOf(through: Dialect['through'], isOuter: boolean): readonly [key: string, address: Words] {
  if (through === undefined) return ['the account', phrase`the account's ${asField('base_url', 'address')}`];
  if (isOuter) return ['the service account', phrase`the account's ${asField('api_call_url', 'address')}`];
  const connected = `the connected account ${foreignWords(through.connectedAccount)} of the service`;
  return [connected, "the operation's path in the dialect"];
}

const LET_THROUGH = 'If a proxy or a firewall answered this, let this machine through it';

const NOT_FOLLOWED = 'redirects are not followed, because they could repeat a paid request';

export function stopFor(
  means: 'key_dead' | 'credits_used_up' | 'wrong_address',
  words: string,
  {
    raw: { status, headers },
    body,
    isOuter,
  }: { readonly raw: Reply; readonly body: Body; readonly isOuter: boolean },
  { vendor, through }: Dialect,
): StopDetail {
  const name = isOuter ? 'service' : vendor;
  const [keyPlace, addressPlace] = placesOf(through, isOuter);
  if (means === 'credits_used_up') {
    const message = `The ${name} says that the account's credits are used up: ${words}.`;
    return { code: 'vendor_credits', message, next: phrase`Buy credits from the ${name}, then ${AGAIN}.` };
  }
  if (means === 'key_dead') {
    // A 403 may be about what the account may do, such as an API to which it is not subscribed.
    const look =
      status === 403 ? `Check at the ${name} what the account may do; if that is right, put` : 'Put';
    const next =
      body.kind === 'unreadable'
        ? phrase`${LET_THROUGH}; otherwise put a working key into ${keyPlace}. Then ${AGAIN}.`
        : phrase`${look} a working key into ${keyPlace}, then ${AGAIN}.`;
    return { code: 'key', message: `The ${name} refused the key: ${words}.`, next };
  }
  const code = 'address';
  // No vendor answers with this status: it comes from a proxy and is about the proxy.
  if (status === 407) {
    const message = `A proxy between this machine and the ${name} asks for a login: ${words}.`;
    return { code, message, next: phrase`Let this machine through the proxy, or correct ${addressPlace}.` };
  }
  if (is3xx(status)) {
    const message = `The ${name} answered with a redirect to ${foreignWords(headers.location ?? 'nowhere')}: ${words}.`;
    const next = phrase`Correct ${addressPlace}; ${NOT_FOLLOWED}.`;
    return { code, message, next };
  }
  const rule = typing`add a rule to the dialect's \`${asField('answers')}\` that says what this one means`;
  const next = phrase`Correct ${addressPlace}${typing`; if it is right, ${rule}`}.`;
  return { code, message: `The ${name} says that the address is wrong: ${words}.`, next };
}
