import type { HttpBindings } from '@hono/node-server';
import type { Context, HonoRequest, Next } from 'hono';
import { commandLine } from '../../lib/command-line.ts';
import { type Address, type Door, entryPath } from './address.ts';
import type { Admission } from './admission.ts';
import { HttpRefusal } from './answers.ts';
import type { BareEntry } from './bare-entry.ts';
import { closedPage, removingWorker } from './closed.ts';
import type { Places } from './places.ts';

/**
 * Who may ask. Any page in the user's browser can send requests to this server, and so can a foreign name that resolves to
 * 127.0.0.1; a cookie would come along with both, so there is none.
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

/** What the adapter for Node says of a request. */
interface Connected {
  Bindings: HttpBindings;
}

export interface Guarded {
  readonly address: Address;
  readonly admission: Admission;
  readonly bareEntry: BareEntry;
  readonly places: Places;
}

/** The middleware before everything else. A download has a ticket of its own in the place of the token. */
export function guard(guarded: Guarded) {
  return async (context: Context<Connected>, next: Next): Promise<Response | undefined> => {
    for (const [name, value] of Object.entries(HEADERS)) context.header(name, value);
    const { req } = context;
    const host = req.header('host') ?? '';
    const door = guarded.address.doorOf(host);
    const elsewhere = answerElsewhere(context, door, guarded);
    if (elsewhere !== undefined) return elsewhere;
    // A foreign name that resolves to this machine would otherwise be of the same origin as the page behind it.
    if (door === undefined) throw refused(`The host "${host.slice(0, 100)}" is not this page's.`);
    // By this picture the file that opens the browser learns whether the name is found.
    if (req.path === PICTURE) context.header('cross-origin-resource-policy', 'cross-origin');
    else requireNoOtherPage(req, host);
    requireEntry(context, door, guarded);
    await next();
    return undefined;
  };
}

/** The answer where the page is not, and to workers, of which it has none: another program that served here has left them. */
function answerElsewhere(context: Context, door: Door | undefined, guarded: Guarded): Response | undefined {
  const { req } = context;
  if (req.header('service-worker') !== undefined) {
    if (door === 'bare') guarded.bareEntry.noteWorker();
    return removingWorker(context);
  }
  const isView = isRead(req) && !isApi(req);
  return isView && !isShownAt(door, req, guarded) ? closedPage(context) : undefined;
}

const PICTURE = '/icon.svg';

/** At the bare address are downloads of tools and a way in; the page itself only once a browser came in by that. */
function isShownAt(door: Door | undefined, req: HonoRequest, { bareEntry }: Guarded): boolean {
  const isThere =
    bareEntry.isOpen || ['/downloads/', entryPath('')].some((path) => req.path.startsWith(path));
  return door === 'named' || (door === 'bare' && isThere);
}

const isRead = ({ method }: HonoRequest): boolean => method === 'GET' || method === 'HEAD';

/** A tab asks these before it has a token, or before it shows it. */
const WITHOUT_TOKEN: ReadonlySet<string> = new Set(['/api/session', '/api/proof']);

const isApi = ({ path }: HonoRequest): boolean => path.startsWith('/api/');

/** Browsers say where a request comes from. A person may open the page from anywhere; nothing else crosses over. */
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
 * A tool shows the token that only this user can read. A tab shows its own, and its browser says that the page itself
 * asks; what says nothing of the kind is no browser that is known to say it always.
 */
function requireEntry({ req, env }: Context<Connected>, door: Door, { admission, places }: Guarded): void {
  if (!isApi(req)) return;
  const given = /^Bearer (?<token>\S{1,200})$/.exec(req.header('authorization') ?? '')?.groups?.token;
  const holder = given === undefined ? undefined : admission.holderOf(given, door);
  if (holder !== undefined) places.keep(env.incoming.socket);
  if (holder === 'tool') return;
  if (holder === undefined && !WITHOUT_TOKEN.has(req.path))
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
