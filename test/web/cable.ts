import { createServer, type RequestListener, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished } from 'vitest';

/**
 * What is between the browser and the page: a proxy that hands everything on, until it is cut. With `instead` somebody else
 * answers what is asked from then on; what is being answered stays.
 * `joined` waits until the page has its stream and all else that it asked for as it was opened: whoever answers instead before
 * that is asked for what the page asks by itself.
 */
export async function openCable() {
  let isCut = false;
  const said: { instead?: RequestListener } = {};
  const count = { refused: 0, streams: 0, mostStreams: 0, open: 0 };
  const cable = createServer((asked, answered) => {
    if (said.instead !== undefined) return said.instead(asked, answered);
    const { method = 'GET', headers, url = '' } = asked;
    count.open += 1;
    answered.on('close', () => {
      count.open -= 1;
    });
    if (url.endsWith('/api/events')) {
      count.streams += 1;
      count.mostStreams = Math.max(count.mostStreams, count.streams);
      answered.on('close', () => {
        count.streams -= 1;
      });
    }
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
  const joined = () => expect.poll(() => [count.streams, count.open]).toEqual([1, 1]);
  return Object.assign(said, {
    count,
    joined,
    proxy: { server: `127.0.0.1:${(cable.address() as AddressInfo).port}`, bypass: '<-loopback>' },
    set,
  });
}
