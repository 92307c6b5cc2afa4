import type { Body } from '../core/answer-body.ts';
import type { StopDetail } from '../core/errors.ts';
import { foreignWords } from '../core/plain-text.ts';
import type { Reply } from '../ledger/ledger.ts';
import { is3xx } from './answer-rules.ts';
import type { Dialect } from './dialect.ts';

/** What a person is told when an answer stops the account: the fact, and what to do. */

/** The places where the user corrects a wrong key and a wrong address. */
function placesOf(through: Dialect['through'], isOuter: boolean): readonly [key: string, address: string] {
  if (through === undefined) return ['the account', "the account's base_url"];
  if (isOuter) return ['the service account', "the account's api_call_url"];
  const connected = `the connected account ${foreignWords(through.connectedAccount)} of the service`;
  return [connected, "the operation's path in the dialect"];
}

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
  const again = 'run the same command again';
  const name = isOuter ? 'service' : vendor;
  const [keyPlace, addressPlace] = placesOf(through, isOuter);
  if (means === 'credits_used_up') {
    const message = `The ${name} says that the account's credits are used up: ${words}.`;
    return { code: 'vendor_credits', message, next: `Buy credits from the ${name}, then ${again}.` };
  }
  if (means === 'key_dead') {
    // A 403 may be about what the account may do, such as an API to which it is not subscribed.
    const look =
      status === 403 ? `Look at the ${name} what the account may do; if that is right, put` : 'Put';
    const next =
      body.kind === 'unreadable'
        ? 'If a proxy or a firewall answered this, let this machine through it; ' +
          `otherwise put a working key into ${keyPlace}. Then ${again}.`
        : `${look} a working key into ${keyPlace}, then ${again}.`;
    return { code: 'key', message: `The ${name} refused the key: ${words}.`, next };
  }
  const code = 'address';
  // No vendor answers with this status: it comes from a proxy and is about the proxy.
  if (status === 407) {
    const message = `A proxy between this machine and the ${name} asks for a login: ${words}.`;
    return { code, message, next: `Let this machine through the proxy, or correct ${addressPlace}.` };
  }
  if (is3xx(status)) {
    const message = `The ${name} answered with a redirect to ${foreignWords(headers.location ?? 'nowhere')}: ${words}.`;
    const next = `Correct ${addressPlace}; redirects are not followed, because they could repeat a paid request.`;
    return { code, message, next };
  }
  const next =
    `Correct ${addressPlace}; if it is right, ` +
    "add a rule to the dialect's `answers` that says what this one means.";
  return { code, message: `The ${name} says that the address is wrong: ${words}.`, next };
}
