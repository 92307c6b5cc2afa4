import { createHash, createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import type { Context, HonoRequest, Next } from 'hono';
import { type Clock, systemClock } from '../../core/clock.ts';
import { commandLine, programWords } from '../../lib/command-line.ts';
import type { Challenge, Opening, Proof } from '../api.ts';
import { HttpRefusal } from './answers.ts';

/**
 * Decides which requests the server answers. Any page in the user's browser can send requests to this server,
 * and so can a foreign name that resolves to 127.0.0.1. Both would send a cookie along, so there is none.
 *
 * The page has a name at which no other program served when it was made. So nothing that a browser keeps for
 * an address, such as a service worker, can be there before the page. Browsers resolve every name below
 * `localhost` to this machine. Tools do not, so they come to the bare address, with a token that only this
 * user can read.
 */
export class Guard {
  /** The token in `serve.json`, for tools of this user, and their address. */
  readonly tool = newSecret();
  readonly forTools: string;
  /** Each word of an address that was not used yet, and until when it opens the page. */
  readonly #words = new Map<string, number>();
  readonly #clock: Clock;
  readonly #name: string;
  readonly #port: number;
  readonly #tab: string;

  constructor({ name, port, secret }: PageAddress, clock: Clock = systemClock) {
    this.#name = `${name}.localhost`;
    this.#port = port;
    this.#tab = secret;
    this.forTools = `http://127.0.0.1:${port}`;
    this.#clock = clock;
  }

  /** An address that opens the page once, within a minute. Browsers send the text after the `#` to no one. */
  opening(): Opening {
    const word = newSecret();
    this.#words.set(word, this.#clock.monotonicMs() + OPENS_MS);
    return { address: `http://${this.#name}:${this.#port}/#open=${word}` };
  }

  /** @returns the token of tabs; undefined for a word that was used, is too old or was never given. */
  admit(word: string): string | undefined {
    const untilMs = this.#words.get(word) ?? 0;
    this.#words.delete(word);
    return this.#clock.monotonicMs() < untilMs ? this.#tab : undefined;
  }

  /**
   * Proves to a tab that this server has the secret of tabs, which the tab sends to no one before. A number
   * that no tab used before has another proof, and so has another path.
   */
  prove({ number, path }: Challenge): Proof {
    return { proof: createHmac('sha256', this.#tab).update(`${number} ${path}`).digest('hex') };
  }

  async check(context: Context, next: Next): Promise<Response | undefined> {
    for (const [name, value] of Object.entries(HEADERS)) context.header(name, value);
    const { req } = context;
    const host = req.header('host') ?? '';
    // The end of a tunnel may have another port; the name is ours at any port.
    const isPage = host.replace(/:\d{1,5}$/, '') === this.#name;
    const isForTools = `http://${host}` === this.forTools;
    const isApi = req.path.startsWith('/api/');
    // At the address for tools, an earlier program may have left a service worker, so the page is not served
    // there. A bookmark of an earlier start has another name.
    const elsewhere = `The page is not at this address. To open it, type: ${programWords()} serve`;
    if (!isApi && !isPage && isRead(req)) return context.text(elsewhere, 403);
    // Else a foreign name that resolves to this machine would be of one origin with the page behind it.
    if (!isPage && !isForTools) throw refused(`The host "${host.slice(0, 100)}" is not this page's.`);
    requireNoOtherPage(req, host);
    if (isApi) this.#requireToken(req, isPage);
    await next();
    return undefined;
  }

  /**
   * A tool shows the token that only this user can read. A tab shows its own token, at the page's name alone,
   * and its browser says that the request comes from the page. Every known browser says so always.
   */
  #requireToken(req: HonoRequest, isPage: boolean): void {
    const token = /^Bearer (?<token>\S{1,200})$/.exec(req.header('authorization') ?? '')?.groups?.token ?? '';
    if (isSame(token, this.tool)) return;
    // A tab that asks for its token shows the word of its address instead. One that asks for a proof shows
    // nothing: it does not know yet whom it asks.
    const next = `Open the page again: ${commandLine(['serve'])}`;
    if (!isPage || !(WITHOUT_TOKEN.has(req.path) || isSame(token, this.#tab)))
      throw new HttpRefusal(401, 'The request has no valid token.', next);
    const isOfPage = req.header('sec-fetch-site') === 'same-origin';
    if (!isOfPage || (!isRead(req) && req.header('origin') === undefined))
      throw refused('The request does not say that it comes from this page.');
  }
}

const WITHOUT_TOKEN: ReadonlySet<string> = new Set(['/api/session', '/api/proof']);

const OPENS_MS = 60_000;

/** No script runs but our own. No one frames the page, or is told its address. */
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

const isRead = ({ method }: HonoRequest): boolean => method === 'GET' || method === 'HEAD';

/** The page may be opened from anywhere. Every other request has to come from it, as browsers say. */
function requireNoOtherPage(req: HonoRequest, host: string): void {
  const isOpened = req.header('sec-fetch-mode') === 'navigate' && req.header('sec-fetch-dest') === 'document';
  const site = req.header('sec-fetch-site') ?? 'same-origin';
  if (site !== 'same-origin' && !(isRead(req) && (isOpened || site === 'none')))
    throw refused('The request comes from another page.');
  const origin = req.header('origin');
  if (origin !== undefined && origin !== `http://${host}`)
    throw refused(`The origin "${origin.slice(0, 100)}" is not this page's.`);
}

const refused = (fact: string): HttpRefusal =>
  new HttpRefusal(403, fact, 'Open the page by the address that was printed when it was started.');

/** Where tabs find the page, and the secret that tabs and server share: the token of tabs. */
export interface PageAddress {
  /** 26 letters, without `.localhost`. */
  readonly name: string;
  readonly port: number;
  readonly secret: string;
}

/** An address at which no tab was ever open. */
export const newAddress = (port: number): PageAddress => ({ name: newName(), port, secret: newSecret() });

/** 256 random bits, safe in addresses and headers. */
const newSecret = (): string => randomBytes(32).toString('base64url');

/** 122 random bits in letters, which alone a name of a host may have. */
const newName = (): string =>
  Array.from({ length: 26 }, () => String.fromCharCode('a'.charCodeAt(0) + randomInt(26))).join('');

/** Compares in a time that does not depend on where two secrets differ. */
function isSame(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
