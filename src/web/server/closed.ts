import type { Context } from 'hono';
import { commandLine } from '../../lib/command-line.ts';
import { escapedHtml } from './page-files.ts';

/**
 * What is shown at an address that is not the page's: another name, the name of an earlier start, or the bare address. It has
 * no script, and tells the browser to forget what a program that served there before has left, such as a service worker.
 */

const pageOf = (words: string, head = ''): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">${head}
<title>Rowonce</title>
<h1>Rowonce</h1>
<p>${words}</p>
</html>
`;

const FORGET = { 'clear-site-data': '"storage"' };

export function closedPage(context: Context): Response {
  const command = escapedHtml(commandLine(['serve']));
  const closed = `The page is not at this address. To open it, type in a terminal: <code>${command}</code>`;
  return context.html(pageOf(closed), 403, FORGET);
}

/** Longer than a browser waits with its question for the script of a worker. */
const WAIT_SECONDS = 3;

/** Leads to a later visit. @param path of that visit. */
export function waitingPage(context: Context, path: string): Response {
  const head = `\n<meta http-equiv="refresh" content="${WAIT_SECONDS}; url=${path}">`;
  return context.html(pageOf('The page opens in a few seconds.', head), 200, FORGET);
}

/** Takes the place of a service worker that another program has left, and ends it; its windows are loaded anew. */
const REMOVER = `addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil((async () => {
  await registration.unregister();
  for (const client of await clients.matchAll({ type: 'window' })) await client.navigate(client.url).catch(() => {});
})()));
`;

export function removingWorker(context: Context): Response {
  const type = 'text/javascript; charset=utf-8';
  return context.body(REMOVER, 200, { 'content-type': type, 'service-worker-allowed': '/' });
}
