import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { messageOf, stop } from '../core/errors.ts';
import { isLoopback } from './account/accounts-file.ts';

/**
 * Makes the connections to one address. Certificates are always checked, whatever the environment says, and a
 * proxy of the environment is used. A proxy only makes a tunnel, so to the code above a connection is the
 * same with and without one: in its content, in when its first byte leaves, and in who answers.
 */

export type Undici = Pick<typeof import('undici'), 'buildConnector' | 'Pool'>;

/**
 * undici is loaded with the first client, because most commands never connect. Only these parts of it are
 * loaded, because all of it, with a fetch and stubs for tests, takes twice as long. The parts are not public
 * names, so `package.json` pins one version.
 */
export function loadUndici(): Undici {
  const require = createRequire(import.meta.url);
  return {
    buildConnector: require('undici/lib/core/connect.js'),
    Pool: require('undici/lib/dispatcher/pool.js'),
  };
}

export type Connector = buildConnector.connector;

export const CONNECT_TIMEOUT_MS = 10_000;

/** The timeout while a person waits to see whether an address is right: three tries end in ten seconds. */
export const FIRST_CONNECT_TIMEOUT_MS = 3_000;

/** A tunnel that could not be made. No byte of any request has left. */
export class TunnelError extends Error {
  readonly lasts: boolean;

  constructor({ url, variable }: NamedProxy, why: string, lasts: boolean) {
    super(`the proxy ${url.host} of ${variable} ${why}`);
    this.lasts = lasts;
  }
}

/** @throws StopError `address` when the environment asks for something that we refuse to do. */
export function connectorTo(
  { buildConnector }: Undici,
  address: URL,
  env: NodeJS.ProcessEnv = process.env,
  timeoutMs = CONNECT_TIMEOUT_MS,
): Connector {
  const proxy = proxyFor(address, env);
  const connect = buildConnector({ allowH2: false, timeout: timeoutMs, rejectUnauthorized: true });
  if (proxy === undefined) return connect;
  return (options, callback) => {
    tunnel(proxy, address).then(
      (httpSocket) => connect({ ...options, httpSocket }, callback),
      (error) => callback(error, null),
    );
  };
}

function tunnel(proxy: NamedProxy, address: URL): Promise<Socket> {
  const { url, authorization } = proxy;
  const target = `${address.hostname}:${address.port || 443}`;
  // This is not imported at the top, because that loads all of Node's fetch, and few people have a proxy.
  const { request } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http');
  return new Promise((resolve, reject) => {
    const asking = request({
      method: 'CONNECT',
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port,
      path: target,
      headers: { host: target, ...(authorization === '' ? {} : { 'proxy-authorization': authorization }) },
      agent: false,
      rejectUnauthorized: true,
    });
    const hangUp = (): void => {
      asking.destroy(new Error(`no answer within ${CONNECT_TIMEOUT_MS / 1000} seconds`));
    };
    const deadline = setTimeout(hangUp, CONNECT_TIMEOUT_MS);
    asking.once('connect', ({ statusCode = 0 }, socket: Socket, early) => {
      clearTimeout(deadline);
      if (statusCode === 200 && early.length === 0) return resolve(socket);
      socket.destroy();
      // A 5xx says that the proxy failed this time; a 4xx says that it refuses us.
      reject(new TunnelError(proxy, `answers CONNECT ${target} with status ${statusCode}`, statusCode < 500));
    });
    asking.once('error', (error) => {
      clearTimeout(deadline);
      // A wrong name or a wrong certificate will still be wrong in a minute.
      const lasts = isUnresolved(error) || isCertificate(error);
      reject(new TunnelError(proxy, `cannot be reached: ${messageOf(error) || codeOf(error)}`, lasts));
    });
    asking.end();
  });
}

export function isUnresolved(error: Error): boolean {
  return /^(?:ENOTFOUND|EAI_NONAME)$/.test(codeOf(error));
}

export function isCertificate(error: Error): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS|ERR_SSL|EPROTO/.test(codeOf(error));
}

const codeOf = (error: Error): string => String((error as NodeJS.ErrnoException).code ?? '');

// --------------------------------------- what the environment says, in the usual variables of other programs

/** A proxy, and the variable that names it, so that a user who has to correct the proxy knows where. */
interface NamedProxy {
  readonly url: URL;
  readonly variable: string;
  /** The header that identifies us to the proxy; blank when the variable holds no password. */
  readonly authorization: string;
}

/**
 * Vendors have `https` addresses, so `HTTP_PROXY` does not apply. The name in small letters is older and is
 * read first.
 */
const VARIABLES = ['https_proxy', 'HTTPS_PROXY'] as const;

/**
 * The proxy for an address. Addresses on this machine are never reached through a proxy.
 * @throws StopError `address` for a variable that names no usable proxy.
 */
export function proxyFor(address: URL, env: NodeJS.ProcessEnv = process.env): NamedProxy | undefined {
  if (isLoopback(address.hostname)) return undefined;
  const variable = VARIABLES.find((name) => (env[name] ?? '') !== '');
  if (variable === undefined || isExcepted(address, env.no_proxy || env.NO_PROXY || '')) return undefined;
  const proxy = proxyAt(env[variable] ?? '');
  if (proxy !== undefined && /^https?:$/.test(proxy.url.protocol)) return { ...proxy, variable };
  // The value itself may hold a password, so it is not shown.
  const what = proxy === undefined ? 'no address' : `a proxy that speaks ${proxy.url.protocol.slice(0, -1)}`;
  const fact = `${variable} names ${what}, so ${address.host} cannot be reached through it.`;
  const next = `Name a proxy that begins with http:// or https://, or put ${address.hostname} into NO_PROXY.`;
  throw stop('address', fact, next);
}

/**
 * The URL in a variable. Like other programs, this accepts a host and a port without a scheme. If a password
 * has a slash that is not percent-encoded, its beginning would read as the port and be shown, so the URL is
 * then undefined. It is also undefined where its percent signs are wrong.
 */
function proxyAt(text: string): Omit<NamedProxy, 'variable'> | undefined {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  if (url === null || `${url.pathname}${url.search}${url.hash}`.includes('@')) return undefined;
  if (url.username === '' && url.password === '') return { url, authorization: '' };
  try {
    const words = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    return { url, authorization: `Basic ${Buffer.from(words).toString('base64')}` };
  } catch {
    return undefined;
  }
}

/**
 * Whether the exceptions cover a host: a name covers the names below it, on one port or all; `*` covers every
 * host.
 */
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
