import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type RunningSandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/server.ts';
import { testExtension } from './extension.ts';

/** A client of the sandbox that shares no code with Rowonce: what these tests see is what is on the wire. */

/** Runs after the test, last one first. */
export function afterwards(cleanup: () => Promise<void> | void): void {
  onTestFinished(cleanup);
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rowonce-sandbox-'));
  afterwards(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** @param options as of the sandbox, the dialect that it is spoken to in, and where requests are noted. */
export async function sandbox({
  dialect,
  logPath,
  ...options
}: SandboxOptions & { readonly dialect?: string; readonly logPath?: string } = {}): Promise<RunningSandbox> {
  const running = await startSandbox({ extension: testExtension(dialect, logPath), ...options });
  afterwards(() => running.close());
  return running;
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came, and fails when it is something else
  readonly json: any;
}

export async function post(
  url: string,
  path: string,
  authorization: string | undefined,
  body: unknown,
  more: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const headers: Record<string, string> = { 'content-type': 'application/json', ...more };
  if (authorization !== undefined) headers.authorization = authorization;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return replyOf(await fetch(url + path, { method: 'POST', headers, body: text, redirect: 'manual' }));
}

export async function get(
  url: string,
  path: string,
  authorization?: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const headers = authorization === undefined ? more : { ...more, authorization };
  return replyOf(await fetch(url + path, { headers, redirect: 'manual' }));
}

async function replyOf(response: Response): Promise<Reply> {
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: jsonOrUndefined(text) };
}

function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export async function company(url: string, domain: string, key = 'key-1'): Promise<Reply> {
  return post(url, '/enrich/company', `Bearer ${key}`, { domain });
}

// biome-ignore lint/suspicious/noExplicitAny: as above
export async function bookOf(url: string): Promise<any> {
  return (await get(url, '/sandbox/book')).json;
}

// biome-ignore lint/suspicious/noExplicitAny: as above
export function linesOf(path: string): any[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}

export interface RawReply {
  readonly head: string;
  /** At most the first MB. */
  readonly body: Buffer;
  readonly bodyBytes: number;
  /** `end`: the other side closed in good order; else the code of the error. */
  readonly ended: string;
}

const KEPT_BYTES = 1024 * 1024;

/** One lookup over a bare socket, and everything that came back until the connection ended. */
export function rawLookup(running: RunningSandbox, domain: string): Promise<RawReply> {
  return rawRequest(running, '/enrich/company', ['authorization: Bearer key-1'], JSON.stringify({ domain }));
}

/** A POST, byte for byte: the headers are sent as they are written here. */
export function rawRequest(
  running: RunningSandbox,
  path: string,
  headers: readonly string[],
  body: string,
): Promise<RawReply> {
  const socket = connect(running.port, '127.0.0.1');
  const head = [
    `POST ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    'connection: close',
    ...headers,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  return new Promise((resolve) => {
    let kept = Buffer.alloc(0);
    let bytes = 0;
    let ended = 'end';
    socket.on('data', (chunk) => {
      bytes += chunk.length;
      if (kept.length < KEPT_BYTES) kept = Buffer.concat([kept, chunk]);
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      ended = error.code ?? error.message;
    });
    socket.on('close', () => {
      const headEnd = kept.indexOf('\r\n\r\n');
      const bodyStart = headEnd < 0 ? 0 : headEnd + 4;
      resolve({
        head: kept.subarray(0, Math.max(0, headEnd)).toString('latin1'),
        body: kept.subarray(bodyStart),
        bodyBytes: bytes - bodyStart,
        ended,
      });
    });
  });
}
