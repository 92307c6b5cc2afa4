import { lookup } from 'node:dns/promises';
import { messageOf, StopError, stop } from '../core/errors.ts';
import { connectorTo } from './connector.ts';
import { proxyFor } from './proxy.ts';

/** What lies between this machine and a vendor. */
export interface Reached {
  /** Numeric addresses of the host name; empty when a proxy resolves it. */
  readonly addresses: readonly string[];
  /** Host and port of the proxy; undefined without one. */
  readonly proxy: string | undefined;
}

/**
 * Resolves the address, connects as a run does and disconnects without sending a request, so that nothing can be
 * charged.
 * @throws StopError `address`.
 */
export async function checkAddress(url: URL): Promise<Reached> {
  const proxy = proxyFor(url)?.url.host;
  const addresses = proxy === undefined ? await resolveName(url.hostname.replace(/^\[|\]$/g, '')) : [];
  try {
    await connectOnce(url);
  } catch (error) {
    if (error instanceof StopError) throw error;
    const fact = `${url.origin} does not take a connection: ${reasonOf(error)}`;
    throw stop('address', fact, 'Check base_url of the account, and the network.');
  }
  return { addresses, proxy };
}

function connectOnce(url: URL): Promise<void> {
  const { hostname, host, protocol, port } = url;
  const connect = connectorTo(url);
  return new Promise((resolve, reject) => {
    connect({ hostname: hostname.replace(/^\[|\]$/g, ''), host, protocol, port }, (error, socket) => {
      socket?.destroy();
      if (error === null) resolve();
      else reject(error);
    });
  });
}

/** For a host name with several addresses Node collects the errors in one error without a message. */
function reasonOf(error: unknown): string {
  return error instanceof AggregateError ? error.errors.map(messageOf).join('; ') : messageOf(error);
}

async function resolveName(host: string): Promise<readonly string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch (error) {
    const fact = `The name ${host} does not resolve: ${messageOf(error)}`;
    throw stop('address', fact, 'Check base_url of the account, and the network.');
  }
}
