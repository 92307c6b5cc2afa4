import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { messageOf, stop } from '../../errors.ts';

/** A vendor that does not take a connection in this time is not there; a slow network takes a second or two. */
const CONNECT_TIMEOUT_MS = 10_000;

const DEFAULT_PORT: Readonly<Record<string, number>> = { 'https:': 443, 'http:': 80 };

/**
 * Resolves the address, connects and says good-bye without sending a request, so that nothing can be charged.
 * Returns the numeric addresses of the name.
 * @throws StopError `address`.
 */
export async function checkAddress(url: URL): Promise<readonly string[]> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = await resolveName(host);
  const port = Number(url.port) || (DEFAULT_PORT[url.protocol] ?? 0);
  const secure = url.protocol === 'https:';
  const servername = isIP(host) === 0 ? { servername: host } : {};
  const socket = secure ? connectTls({ host, port, ...servername }) : connect({ host, port });
  try {
    await connected(socket, secure ? 'secureConnect' : 'connect');
  } catch (error) {
    const fact = `${url.origin} does not take a connection: ${reasonOf(error)}`;
    throw stop('address', fact, 'Check base_url of the account, and the network.');
  } finally {
    socket.destroy();
  }
  return addresses;
}

/** Of a name with several addresses Node collects the errors in one without words. */
function reasonOf(error: unknown): string {
  return error instanceof AggregateError ? error.errors.map(messageOf).join('; ') : messageOf(error);
}

async function resolveName(host: string): Promise<readonly string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch (error) {
    const fact = `the name ${host} does not resolve: ${messageOf(error)}`;
    throw stop('address', fact, 'Check base_url of the account, and the network.');
  }
}

async function connected(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  const deadline = AbortSignal.timeout(CONNECT_TIMEOUT_MS);
  try {
    await once(socket, event, { signal: deadline });
  } catch (error) {
    throw deadline.aborted ? new Error(`no answer within ${CONNECT_TIMEOUT_MS / 1000} seconds`) : error;
  }
}
