/**
 * A process that stands in for one of the eight: `node stand-in.ts DIALECT BOOK`. It says its port, and writes each question that it is
 * paid for into its book, as one line of JSON, before it answers.
 */
import { appendFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { EIGHT, personIn } from './eight.ts';

const [, , dialect = '', book = ''] = process.argv;
const vendor = EIGHT.find((each) => each.dialect === dialect);
if (vendor === undefined) throw new Error(`nobody stands in for ${dialect}`);

/** The person of each id, and how often its answer was asked for. */
const jobs = new Map<string, { readonly name: string; polls: number }>();

function reply(response: ServerResponse, said: { readonly status?: number; readonly body: unknown }): void {
  const date = new Date().toUTCString();
  response.writeHead(said.status ?? 200, { 'content-type': 'application/json', date });
  response.end(said.body === undefined ? '' : JSON.stringify(said.body));
}

const server = createServer(async (incoming, response) => {
  const { method = '', url: path = '', headers } = incoming;
  const body = await text(incoming);
  if (method === 'HEAD') return void reply(response, { body: undefined });
  const url = new URL(path, 'http://vendor.example');
  const request = { method, url, headers, body: body === '' ? {} : JSON.parse(body) };
  if (!vendor.isAllowed(request))
    return void reply(response, { status: 401, body: { error: 'invalid API key' } });
  const job = jobs.get(vendor.later?.(request) ?? '');
  if (job !== undefined) {
    job.polls += 1;
    return void reply(response, job.polls === 1 && vendor.notYet ? vendor.notYet : vendor.says(job.name));
  }
  const name = personIn(vendor.question(request));
  const said = vendor.says(name);
  appendFileSync(book, `${JSON.stringify({ name, charged: said.charged })}\n`);
  if (vendor.accepted === undefined) return void reply(response, said);
  const id = String(4711 + jobs.size);
  jobs.set(id, { name, polls: 0 });
  reply(response, vendor.accepted(id));
});

server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
