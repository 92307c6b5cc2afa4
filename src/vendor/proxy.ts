import { stop } from '../core/errors.ts';
import { isLoopback } from './account/accounts-file.ts';

/** What the environment says about the way to a vendor, in the variables that other programs read too. */

type Environment = Readonly<Record<string, string | undefined>>;

/** A proxy, and the variable that names it, so that whoever has to correct it knows where. */
export interface NamedProxy {
  readonly url: URL;
  readonly variable: string;
  /** By which the proxy knows who asks, as a header; blank when the variable holds no password. */
  readonly authorization: string;
}

/** Vendors have `https` addresses, so `HTTP_PROXY` is never theirs. The small letters are older, and come first. */
const VARIABLES = ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'] as const;

/**
 * The proxy that leads to an address. What is on this machine is never asked through one.
 * @throws StopError `address` for a variable that names none which can be used.
 */
export function proxyFor(address: URL, env: Environment = process.env): NamedProxy | undefined {
  if (isLoopback(address.hostname)) return undefined;
  const variable = VARIABLES.find((name) => (env[name] ?? '') !== '');
  if (variable === undefined || isExcepted(address, env.no_proxy || env.NO_PROXY || '')) return undefined;
  const url = proxyUrl(env[variable] ?? '');
  const authorization = url === undefined ? undefined : authorizationOf(url);
  if (url !== undefined && authorization !== undefined && /^https?:$/.test(url.protocol)) {
    return { url, variable, authorization };
  }
  // The text itself may hold a password.
  const what =
    authorization === undefined ? 'no address' : `a proxy that speaks ${url?.protocol.slice(0, -1)}`;
  throw stop(
    'address',
    `${variable} names ${what}, so ${address.host} cannot be reached through it.`,
    `Name a proxy that begins with http:// or https://, or put ${address.hostname} into NO_PROXY.`,
  );
}

/** Other programs take a name and a port for an address, too. */
function proxyUrl(text: string): URL | undefined {
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  return URL.canParse(whole) ? new URL(whole) : undefined;
}

/** As the header that says it; undefined when percent signs in the password stand for nothing. */
function authorizationOf({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return '';
  try {
    const words = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return `Basic ${Buffer.from(words).toString('base64')}`;
  } catch {
    return undefined;
  }
}

/** Names and the names below them, each with a port or for every port; `*` stands for all there are. */
function isExcepted({ hostname, port }: URL, exceptions: string): boolean {
  const host = hostname.toLowerCase();
  return exceptions
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      const { name = '', only } = /^\*?\.?(?<name>.*?)(?::(?<only>\d+))?$/.exec(entry)?.groups ?? {};
      if (entry === '*') return true;
      if (name === '' || (only !== undefined && only !== (port || '443'))) return false;
      return host === name || host === `[${name}]` || host.endsWith(`.${name}`);
    });
}

/**
 * Node heeds this variable where a program leaves the question open; ours never does. Who set it believes that it holds,
 * and would look for the mistake anywhere else.
 * @throws StopError `address`.
 */
export function refuseUncheckedCertificates(address: URL, env: Environment = process.env): void {
  if (address.protocol !== 'https:' || env.NODE_TLS_REJECT_UNAUTHORIZED !== '0') return;
  throw stop(
    'address',
    `NODE_TLS_REJECT_UNAUTHORIZED=0 stands in the environment, and with certificates unchecked anybody on the way to ${address.host} could take the key.`,
    'Unset it; for an authority of your own name its certificate in NODE_EXTRA_CA_CERTS.',
  );
}
