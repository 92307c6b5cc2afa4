import type { Context, HonoRequest, Next } from 'hono';
import { commandLine } from '../../lib/command-line.ts';
import type { Address } from './address.ts';
import type { Admission } from './admission.ts';
import { HttpRefusal } from './answers.ts';

/**
 * Who may ask. Any page in the user's browser can send requests to this server, and so can a foreign name
 * that resolves to 127.0.0.1; a cookie would come along with both, so there is none.
 */

/** Nothing but our own files runs, and nobody frames the page or is told where it is. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
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

/** The middleware before everything else. A download has a ticket of its own in the place of the token. */
export function guard({ address, admission }: GuardContext) {
  return async (context: Context, next: Next): Promise<Response | undefined> => {
    for (const [name, value] of Object.entries(HEADERS)) context.header(name, value);
    const { req } = context;
    const host = req.header('host') ?? '';
    const isApi = /^\/(?:api\/|(?:healthz|metrics)$)/.test(req.path);
    const isPage = address.isPage(host);
    // At the address for tools a program that served here before may have left a service worker, so there is
    // no page.
    const isShown = isPage || (address.isForTools(host) && req.path.startsWith('/downloads/'));
    if (!isApi && !isShown && isRead(req)) return context.text(elsewhere(), 403);
    // A foreign name that resolves to this machine would otherwise be of the same origin as the page behind
    // it.
    if (!isPage && !address.isForTools(host))
      throw refused(`The host "${host.slice(0, 100)}" is not this page's.`);
    requireNoOtherPage(req, host);
    if (isApi) requireToken(req, isPage, admission);
    await next();
    return undefined;
  };
}

/** What a bookmark of an earlier start shows, whose name was another. */
const elsewhere = (): string =>
  `The page is not at this address. To open it, type: ${commandLine(['serve'])}`;

const isRead = ({ method }: HonoRequest): boolean => method === 'GET' || method === 'HEAD';

/**
 * Browsers say where a request comes from. A person may open the page from anywhere; nothing else crosses
 * over.
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
 * A tool shows the token that only this user can read. A tab shows its own, at the page's name alone, and its
 * browser says that the page itself asks; what says nothing of the kind is no browser that is known to say it
 * always.
 */
function requireToken(req: HonoRequest, isPage: boolean, admission: Admission): void {
  const token = /^Bearer (?<token>\S{1,200})$/.exec(req.header('authorization') ?? '')?.groups?.token;
  if (token !== undefined && admission.isTool(token)) return;
  // A tab asks for its token with the word of its address.
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
