import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { CERTIFICATE, CERTIFICATE_KEY } from './certificate.ts';

/** A vendor with a certificate, and a proxy on the way to it: real sockets, each with a record of its own. */

export interface SecureVendor {
  readonly port: number;
  readonly requests: readonly { readonly body: string; readonly headers: IncomingMessage['headers'] }[];
  /** Connections on which a request came. */
  readonly connections: ReadonlySet<Socket>;
}

/** @param answer left out: every request is answered with "to " and its body. */
export async function secureVendor(
  answer: (body: string, response: ServerResponse) => void = (body, response) => response.end(`to ${body}`),
): Promise<SecureVendor> {
  const requests: SecureVendor['requests'][number][] = [];
  const connections = new Set<Socket>();
  const server = createSecureServer(
    { cert: CERTIFICATE, key: CERTIFICATE_KEY },
    async (request, response) => {
      connections.add(request.socket);
      const body = await text(request);
      requests.push({ body, headers: request.headers });
      answer(body, response);
    },
  );
  return { port: await listening(server), requests, connections };
}

export interface TestProxy {
  /** Host and port. */
  readonly host: string;
  /** What it was asked for, oldest first. */
  readonly tunnels: readonly { readonly target: string; readonly authorization: string | undefined }[];
  /** Ends every tunnel. */
  cut(): void;
}

/**
 * A proxy that looks up any name as the vendor's port on this machine.
 * @param status of its answers; `silence`: it says nothing.
 */
export async function proxyTo(
  vendorPort: number,
  { status = 200, secure = false }: { readonly status?: number | 'silence'; readonly secure?: boolean } = {},
): Promise<TestProxy> {
  const tunnels: TestProxy['tunnels'][number][] = [];
  const sockets = new Set<Socket>();
  const server = secure ? createSecureServer({ cert: CERTIFICATE, key: CERTIFICATE_KEY }) : createServer();
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    sockets.add(socket.on('error', () => {}));
    tunnels.push({ target: request.url ?? '', authorization: request.headers['proxy-authorization'] });
    if (status === 'silence') return;
    if (status !== 200) {
      socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 5\r\n\r\nsorry`);
      return;
    }
    const onwards = connect(vendorPort, '127.0.0.1', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
    sockets.add(onwards.on('error', () => socket.destroy()));
    onwards.pipe(socket).pipe(onwards);
  });
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(cut);
  return { host: `127.0.0.1:${await listening(server)}`, tunnels, cut };
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}
