import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { messageOf, type StopError, stop } from '../../core/errors.ts';

/**
 * The listeners of the page. Browsers try ::1 before 127.0.0.1 for a name below `localhost`, so another user
 * who listened at ::1 would get the page's word. Therefore we listen at both before an address is printed.
 */
interface Listeners {
  readonly port: number;
  readonly servers: readonly Server[];
}

/** The system's errors where there is no IPv6. Nobody else can listen at ::1 there either. */
const NO_IPV6: ReadonlySet<string | undefined> = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT']);

/**
 * @param wanted 0: any port.
 * @throws StopError `usage` when either half of the port is taken, by any program.
 */
export async function listenOn(wanted: number, create: () => Server): Promise<Listeners> {
  const first = create();
  const port = await bound(first, wanted, '127.0.0.1').catch((error: unknown) => {
    throw unusable(wanted, error);
  });
  const second = create();
  try {
    await bound(second, port, '::1');
    return { port, servers: [first, second] };
  } catch (error) {
    if (NO_IPV6.has((error as NodeJS.ErrnoException).code)) return { port, servers: [first] };
    first.close();
    throw unusable(port, error);
  }
}

async function bound(server: Server, port: number, host: string): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function unusable(port: number, error: unknown): StopError {
  const fact = `Port ${port} cannot be used: ${messageOf(error)}.`;
  return stop('usage', fact, 'Name another one with --port, or 0 for any.');
}
