import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { unreachable } from '../core/errors.ts';
import type { WireFault } from './faults.ts';
import type { JsonMembers } from './json.ts';

/** Carries out the faults that lose an answer on the wire. */

/** Larger than any limit that a client may have for an answer. */
const HUGE_BYTES = 64 * 1024 * 1024;
const BOMB_BYTES = 200 * 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;

export interface LostReply {
  readonly response: ServerResponse;
  readonly headers: Readonly<Record<string, string>>;
  /** The body of the answer that is lost. */
  readonly body: JsonMembers;
}

/** Resolves when everything that will ever be sent is sent, or the client is gone. */
export async function loseReply(kind: WireFault, reply: LostReply): Promise<void> {
  const { response, headers } = reply;
  switch (kind) {
    case 'reset':
      response.socket?.resetAndDestroy();
      return;
    case 'timeout':
      // Nothing is sent: the socket stays open until the client gives up or the sandbox ends.
      return;
    case 'truncate':
      return sendPart(reply, (bytes) => `content-length: ${bytes}`);
    case 'cut':
      return sendPart(reply, () => 'connection: close');
    case 'empty':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 0, ...headers }).end();
      return;
    case 'garbage':
      response.writeHead(200, { 'content-type': 'application/json', ...headers }).end('<html>Bad gat');
      return;
    case 'huge':
      response.writeHead(200, { 'content-type': 'application/json', ...headers });
      return sendStream(response, Readable.from(longJson(HUGE_BYTES)));
    case 'bomb':
      return sendBomb(reply);
    default:
      unreachable(kind);
  }
}

/**
 * Sends the first half of the answer and ends the connection. The status is always 200, so that only reading the body
 * shows that it is not whole. It is written to the socket, because node:http would not send such bytes.
 */
function sendPart({ response, headers, body }: LostReply, framing: (bytes: number) => string): void {
  const whole = Buffer.from(JSON.stringify(body));
  const head = [
    'HTTP/1.1 200 OK',
    'content-type: application/json',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    framing(whole.length),
  ];
  response.socket?.write(`${head.join('\r\n')}\r\n\r\n`);
  response.socket?.end(whole.subarray(0, Math.floor(whole.length / 2)));
}

async function sendBomb({ response, headers }: LostReply): Promise<void> {
  const packed = await packedBomb();
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-encoding': 'gzip',
    'content-length': packed.length,
    ...headers,
  });
  response.end(packed);
}

async function sendStream(response: ServerResponse, stream: Readable): Promise<void> {
  try {
    await pipeline(stream, response);
  } catch {
    // The client has closed the connection, as it should.
  }
}

/** Valid JSON of about that size, in pieces that are all the same bytes. */
function* longJson(bytes: number): Generator<Buffer> {
  const chunk = Buffer.alloc(CHUNK_BYTES, 'x');
  yield Buffer.from('{"name":"');
  for (let sentBytes = 0; sentBytes < bytes; sentBytes += CHUNK_BYTES) yield chunk;
  yield Buffer.from('"}');
}

let bomb: Promise<Buffer> | undefined;

/** The packed bytes. They are made once, on first use and in pieces, so the sandbox never holds the unpacked ones. */
function packedBomb(): Promise<Buffer> {
  bomb ??= Readable.from(longJson(BOMB_BYTES))
    .pipe(createGzip())
    .toArray()
    .then((parts) => Buffer.concat(parts));
  return bomb;
}
