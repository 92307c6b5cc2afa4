import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { messageOf } from '../core/errors.ts';
import { type NamedProxy, proxyFor, refuseUncheckedCertificates } from './proxy.ts';

/**
 * How connections to one address are made: certificates are always checked, whatever the environment says, and a proxy
 * of the environment is used. A proxy only makes a tunnel, so the code above has a connection to the vendor as without
 * one: what it carries, when its first byte leaves and who answers are the same.
 */

/** undici is loaded with the first connection: it is as much code as all of ours, and most commands never connect. */
export const loadUndici = (): typeof import('undici') => createRequire(import.meta.url)('undici');

export type Connector = buildConnector.connector;

export const CONNECT_TIMEOUT_MS = 10_000;

/** A tunnel that could not be made. No byte of any request has left. */
export class NoTunnel extends Error {
  /** Whether the tunnel would fail again in a minute. */
  readonly lasts: boolean;

  constructor({ url, variable }: NamedProxy, why: string, lasts: boolean) {
    super(`the proxy ${url.host} of ${variable} ${why}`);
    this.lasts = lasts;
  }
}

/** @throws StopError `address` when the environment asks for what we refuse to do. */
export function connectorTo(address: URL, env: NodeJS.ProcessEnv = process.env): Connector {
  refuseUncheckedCertificates(address, env);
  const proxy = proxyFor(address, env);
  const connect = loadUndici().buildConnector({
    allowH2: false,
    timeout: CONNECT_TIMEOUT_MS,
    rejectUnauthorized: true,
  });
  if (proxy === undefined) return connect;
  return (options, callback) => {
    tunnel(proxy, address).then(
      (httpSocket) => connect({ ...options, httpSocket }, callback),
      (error) => callback(error, null),
    );
  };
}

/** A new connection through the proxy, on which nothing has been sent. */
function tunnel(proxy: NamedProxy, address: URL): Promise<Socket> {
  const { url, authorization } = proxy;
  const target = `${address.hostname}:${address.port || 443}`;
  const request = url.protocol === 'https:' ? secureRequest : plainRequest;
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
      reject(new NoTunnel(proxy, `answers CONNECT ${target} with status ${statusCode}`, statusCode < 500));
    });
    asking.once('error', (error) => {
      clearTimeout(deadline);
      reject(
        new NoTunnel(proxy, `cannot be reached (${messageOf(error) || codeOf(error)})`, isLasting(error)),
      );
    });
    asking.end();
  });
}

/** A wrong name or a wrong certificate will still be wrong in a minute. */
function isLasting(error: Error): boolean {
  return isUnresolved(error) || isCertificate(error);
}

export function isUnresolved(error: Error): boolean {
  return /^(?:ENOTFOUND|EAI_NONAME)$/.test(codeOf(error));
}

export function isCertificate(error: Error): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS|ERR_SSL|EPROTO/.test(codeOf(error));
}

const codeOf = (error: Error): string => String((error as NodeJS.ErrnoException).code ?? '');
