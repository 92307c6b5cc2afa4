import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { messageOf, stop } from '../../core/errors.ts';
import { codeOf } from '../../lib/system-errors.ts';

/** The system's errors where there is no IPv6. Nobody else can listen at ::1 there either. */
const NO_IPV6: ReadonlySet<string | undefined> = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT']);

/**
 * Listens at 127.0.0.1 and at ::1. Browsers try ::1 first for a name below `localhost`, so another user who
 * listened there would get the page's word.
 * @param wanted 0: any port.
 * @returns the port.
 * @throws StopError `usage` when either half of the port is taken, by any program.
 */
export async function listenOn(wanted: number, [first, second]: readonly [Server, Server]): Promise<number> {
  let port = wanted;
  try {
    await listening(first, port, '127.0.0.1');
    port = (first.address() as AddressInfo).port;
    await listening(second, port, '::1').catch((error: unknown) => {
      if (!NO_IPV6.has(codeOf(error))) throw error;
    });
    return port;
  } catch (error) {
    first.close();
    const fact = `Port ${port} cannot be used: ${messageOf(error)}.`;
    throw stop('usage', fact, 'Name another one with --port, or 0 for any.');
  }
}

const listening = (server: Server, port: number, host: string): Promise<unknown> =>
  once(server.listen(port, host), 'listening');
