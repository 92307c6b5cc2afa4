import type { Context } from 'hono';

/**
 * What is shown at an address that is not the page's: another name, the name of an earlier start, or the bare address. It has
 * no script, and tells the browser to forget what a program that served there before has left, such as a service worker.
 */
const CLOSED = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Rowonce</title>
<h1>Rowonce</h1>
<p>The page is not at this address. To open it, type in a terminal: <code>rowonce serve</code></p>
</html>
`;

export function closedPage(context: Context): Response {
  return context.html(CLOSED, 403, { 'clear-site-data': '"storage"' });
}
