import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** What is between the browser and the page: a proxy that hands everything on, until it is cut. */
export async function openCable() {
  let isCut = false;
  const count = { refused: 0 };
  const cable = createServer((asked, answered) => {
    const { method = 'GET', headers, url = '' } = asked;
    // Browsers resolve the name of the page, and Node does not.
    const { port, pathname: path, search } = new URL(url);
    const to = { host: '127.0.0.1', port, path: path + search, method, headers, agent: false };
    const asking = request(to, (answer) => {
      answered.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(answered);
    });
    asking.on('error', () => answered.destroy());
    answered.on('close', () => asking.destroy());
    asked.pipe(asking);
  });
  cable.on('connection', (socket) => {
    if (!isCut) return;
    count.refused += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => cable.listen(0, '127.0.0.1', resolve));
  const set = (cut: boolean): void => {
    isCut = cut;
    if (cut) cable.closeAllConnections();
  };
  onTestFinished(() => {
    set(true);
    cable.close();
  });
  return {
    count,
    proxy: { server: `127.0.0.1:${(cable.address() as AddressInfo).port}`, bypass: '<-loopback>' },
    set,
  };
}
