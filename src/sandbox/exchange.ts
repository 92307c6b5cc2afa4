import type { IncomingMessage, ServerResponse } from 'node:http';

/** A larger request is refused and not kept in memory. No real request is so large. */
const MOST_REQUEST_BYTES = 1024 * 1024;

/** The whole body as text; undefined when it is too large. Rejects when the client goes away before its end. */
export async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    // The body is read to its end, because a client that is still sending would take an early answer for a reset.
    if (bytes <= MOST_REQUEST_BYTES) chunks.push(chunk);
  }
  return bytes <= MOST_REQUEST_BYTES ? Buffer.concat(chunks).toString('utf8') : undefined;
}

/** Sends a whole, well-formed answer. It does not matter whether the client has gone away. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}
