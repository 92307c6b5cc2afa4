import type { Context, HonoRequest, Next } from 'hono';
import { commandLine } from '../../lib/command-line.ts';
import type { Address } from './address.ts';
import type { Admission } from './admission.ts';
import { HttpRefusal } from './answers.ts';

/**
 * Decides which requests the server answers. Any page in the user's browser can send requests to this server,
 * and so can a foreign name that resolves to 127.0.0.1. Both would send a cookie along, so there is none.
 */

/** No script runs but our own. Nobody frames the page, or is told its address. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
} as const;

export interface GuardContext {
  readonly address: Address;
  readonly admission: Admission;
}

/** The middleware before everything else. A download has a ticket of its own instead of the token. */
export function guard({ address, admission }: GuardContext) {
  return async (context: Context, next: Next): Promise<Response | undefined> => {
    for (const [name, value] of Object.entries(HEADERS)) context.header(name, value);
    const { req } = context;
    const host = req.header('host') ?? '';
    const isApi = /^\/(?:api\/|(?:healthz|metrics)$)/.test(req.path);
    const isPage = address.isPage(host);
    // At the address for tools, an earlier program may have left a service worker, so the page is not served
    // there.
    const isShown = isPage || (address.isForTools(host) && req.path.startsWith('/downloads/'));
    if (!isApi && !isShown && isRead(req)) return context.text(elsewhere(), 403);
    // Without this check, a foreign name that resolves to this machine would be of the same origin as the
    // page behind it.
    if (!isPage && !address.isForTools(host))
      throw refused(`The host "${host.slice(0, 100)}" is not this page's.`);
    requireNoOtherPage(req, host);
    if (isApi) requireToken(req, isPage, admission);
    await next();
    return undefined;
  };
}

/** The text for a bookmark of an earlier start, which had another name. */
const elsewhere = (): string =>
  `The page is not at this address. To open it, type: ${commandLine(['serve'])}`;

const isRead = ({ method }: HonoRequest): boolean => method === 'GET' || method === 'HEAD';

/**
 * Browsers say from where a request comes. A person may open the page from anywhere; every other request has
 * to come from the page itself.
 */
function requireNoOtherPage(req: HonoRequest, host: string): void {
  const isOpened = req.header('sec-fetch-mode') === 'navigate' && req.header('sec-fetch-dest') === 'document';
  const site = req.header('sec-fetch-site') ?? 'same-origin';
  if (site !== 'same-origin' && !(isRead(req) && (isOpened || site === 'none')))
    throw refused('The request comes from another page.');
  const origin = req.header('origin');
  if (origin !== undefined && origin !== `http://${host}`)
    throw refused(`The origin "${origin.slice(0, 100)}" is not this page's.`);
}

/**
 * A tool shows the token that only this user can read. A tab shows its own token, at the page's name alone,
 * and its browser says that the request comes from the page. Every known browser says so always.
 */
function requireToken(req: HonoRequest, isPage: boolean, admission: Admission): void {
  const token = /^Bearer (?<token>\S{1,200})$/.exec(req.header('authorization') ?? '')?.groups?.token;
  if (token !== undefined && admission.isTool(token)) return;
  // A tab that asks for its token shows the word of its address instead.
  const isEntering = req.path === '/api/session';
  if (!isPage || !(isEntering || (token !== undefined && admission.isTab(token))))
    throw new HttpRefusal(
      401,
      'The request has no valid token.',
      `Open the page again: ${commandLine(['serve'])}`,
    );
  const isOfPage = req.header('sec-fetch-site') === 'same-origin';
  if (!isOfPage || (!isRead(req) && req.header('origin') === undefined))
    throw refused('The request does not say that it comes from this page.');
}

function refused(fact: string): HttpRefusal {
  return new HttpRefusal(403, fact, 'Open the page by the address that was printed when it was started.');
}
