import { stop } from '../core/errors.ts';
import { isLoopback } from './account/accounts-file.ts';

/** What the environment says about the way to a vendor, in the usual variables of other programs. */

type Environment = Readonly<Record<string, string | undefined>>;

/** A proxy, and the variable that names it, so that a user who has to correct it knows where. */
export interface NamedProxy {
  readonly url: URL;
  readonly variable: string;
  /** The header that identifies us to the proxy; blank when the variable holds no password. */
  readonly authorization: string;
}

/**
 * Vendors have `https` addresses, so `HTTP_PROXY` does not apply. Names in small letters are older and are read first.
 */
const VARIABLES = ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'] as const;

/**
 * The proxy for an address. Addresses on this machine are never reached through one.
 * @throws StopError `address` for a variable that names no usable proxy.
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
  // The value itself may hold a password, so it is not shown.
  const what =
    authorization === undefined ? 'no address' : `a proxy that speaks ${url?.protocol.slice(0, -1)}`;
  throw stop(
    'address',
    `${variable} names ${what}, so ${address.host} cannot be reached through it.`,
    `Name a proxy that begins with http:// or https://, or put ${address.hostname} into NO_PROXY.`,
  );
}

/** The URL in a variable; other programs accept a host and a port without a scheme, too. */
function proxyUrl(text: string): URL | undefined {
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  return URL.canParse(whole) ? new URL(whole) : undefined;
}

/** The value of the header with name and password; undefined when the password has wrong percent signs. */
function authorizationOf({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return '';
  try {
    const words = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return `Basic ${Buffer.from(words).toString('base64')}`;
  } catch {
    return undefined;
  }
}

/** Whether the exceptions cover a host: a name covers the names below it, on one port or all; `*` covers every host. */
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
 * Node reads this variable where a program leaves the question open; ours never does. A user who set it believes that
 * it works, and would search for the mistake elsewhere.
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
