import { decodeHTMLStrict } from 'entities/decode';
import { foreignName } from '../core/plain-text.ts';
import type { KindName } from './kind.ts';
import { identifierReader, LONGEST_CELL, type Read, type Unusable, unusable } from './reading.ts';
import { redirectTarget } from './redirect.ts';

/**
 * A link with words beside its address: a spreadsheet's formula, Markdown, HTML, Slack, Jira, or an address
 * in brackets.
 */
const LINKS = [
  /^=HYPERLINK\(\s*"(?<address>[^"]+)"\s*(?:[,;].*)?\)$/is,
  /^\[[^\]]*\]\((?<address>(?:https?|mailto):.+)\)$/i,
  /^<a\s[^>]*?href\s*=\s*(?<quote>["']?)(?<address>[^>]+?)\k<quote>(?:\s[^>]*)?>(?:(?!<a\s).)*<\/a>$/is,
  /^<(?<address>(?:https?|mailto):[^<>|]+)\|[^<>|]*>$/i,
  /^\[[^[\]|]*\|(?<address>(?:https?|mailto):[^[\]|]+)\]$/i,
  /^[^()<>]*[(<]\s*(?<address>https?:[^<>]+?)\s*[)>]$/i,
];

/** The address behind a cell that shows something else; undefined for any other cell. */
export function behindLink(text: string): string | undefined {
  if (!/[)>\]]$/.test(text) || text.length > LONGEST_CELL) return undefined;
  const address = LINKS.map((link) => link.exec(text)?.groups?.address?.trim()).find(Boolean);
  return address !== undefined && /^<a\s/i.test(text) ? decodeHTMLStrict(address) : address;
}

/**
 * An identifier that is read out of an address may stand behind a word:
 * `=HYPERLINK("https://acme.com","Acme")` is about acme.com.
 */
export const addressReader = (read: Read, kind: KindName): Read =>
  identifierReader((text, terms) => read(behindLink(text) ?? text, terms), kind);

/**
 * One mailbox and nothing around it. This is looser than an e-mail check: it only tells an address from a
 * host.
 */
export const EMAIL_LIKE = /^(?:mailto:)?[^\s@/:]+@(?<host>[^\s@/:]+)$/i;

/**
 * A host name as DNS takes it: labels of letters, digits and hyphens, the last one of letters or punycode.
 */
const HOST = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/;
const LONGEST_HOST = 253;

export interface WebAddress {
  readonly url: URL;
  /** Lower case and punycode, without the dot that closes an absolute name. */
  readonly host: string;
}

const QUOTE = /[“”„‟«»‹›‘’‚"`]/;
const QUOTED_HOST = /^(?:[a-z]+:\/\/)?[^/?#]*[“”„‟«»‹›‘’‚"`]/i;

/**
 * A web address with a public host name, `https://` added when no scheme is given; otherwise what is wrong
 * with it.
 */
export function readAddress(text: string): WebAddress | Unusable {
  // The parser removes line ends and tabs silently, which would join two values into a third, so we look
  // first.
  if (/\s/.test(text)) return unusable('contains_spaces');
  // Quotation marks around an address would become a part of its host.
  if (QUOTE.test(text) && QUOTED_HOST.test(text)) return unusable('not_a_web_address');
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(text)?.[0];
  if (scheme !== undefined && !/^https?:/i.test(scheme)) return unusable('wrong_scheme', scheme);
  const address = /^https?:/i.test(text) ? text : `https://${text}`;
  const url = URL.parse(address);
  if (url === null) return unusable('not_a_web_address');
  if (url.username !== '' || url.password !== '') return unusable('has_user_name');
  // The URL parser makes it lower case and punycode.
  const host = url.hostname.endsWith('.') ? url.hostname.slice(0, -1) : url.hostname;
  return hostProblem(host) ?? { url, host };
}

/** Whether a cell is a link that leads to another address, which stands in it. */
export function isRedirect(cell: string): boolean {
  // Nearly every cell is none.
  if (!/\?|urldefense/i.test(cell)) return false;
  const address = readAddress(cell.trim());
  return 'url' in address && redirectTarget(address.url) !== address.url;
}

/** One cell is often read for two inputs, one after the other. */
let last: { readonly text: string; readonly address: WebAddress | Unusable } | undefined;

/** The same of the address to which a link leads that is a redirect. */
export function readTarget(text: string): WebAddress | Unusable {
  if (text !== last?.text) last = { text, address: targetOf(text) };
  return last.address;
}

function targetOf(text: string): WebAddress | Unusable {
  const address = readAddress(text);
  if ('kind' in address) return address;
  const target = redirectTarget(address.url);
  return target === address.url ? address : readAddress(target.href);
}

export function hostProblem(host: string): Unusable | undefined {
  if (host.startsWith('[') || /^[\d.]+$/.test(host)) return unusable('ip_address');
  if (!host.includes('.')) return unusable('no_dot_in_host');
  return HOST.test(host) && host.length <= LONGEST_HOST
    ? undefined
    : unusable('not_a_domain', foreignName(host));
}

/** Query parameters that say where a visitor came from and never the owner of a page. */
export const TRACKING = /^(?:utm_\w+|gclid|fbclid|msclkid|mc_cid|mc_eid|igshid)$/i;

/**
 * The address without the query parameters that only say where a visitor came from. Every other character
 * stays as it is written, because the rest may have been typed by hand.
 */
export function withoutTracking(text: string): string {
  const [, address = '', query, fragment = ''] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(text) ?? [];
  if (query === undefined) return text;
  const parameters = query.split('&');
  const keptParameters = parameters.filter((parameter) => !TRACKING.test(parameter.split('=', 1)[0] ?? ''));
  if (keptParameters.length === parameters.length) return text;
  return `${address}${keptParameters.length === 0 ? '' : `?${keptParameters.join('&')}`}${fragment}`;
}

/** The cell has no blanks within it, and a dot, because every host name has one. */
export function mayBeAddress(cell: string): boolean {
  return cell.includes('.') && !/\s/.test(cell.trim());
}
