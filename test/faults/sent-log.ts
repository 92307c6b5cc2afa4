/**
 * Loaded before a worker (`node --import`), it notes when the headers of each request left, by a clock that all processes of a machine
 * share. What a vendor sees instead is when they came, and arrivals bunch on a busy machine.
 */
import { subscribe } from 'node:diagnostics_channel';
import { openSync, writeSync } from 'node:fs';
import type { Dispatcher } from 'undici';

const path = new URL(import.meta.url).searchParams.get('to') ?? '';
// A line is written at once and behind those of others, so that a kill loses none.
const file = openSync(path, 'a');

subscribe('undici:client:sendHeaders', (message) => {
  const { request } = message as { readonly request: Dispatcher.DispatchOptions };
  // Whether a sandbox is there is asked outside of any limit.
  if (request.path.startsWith('/sandbox/')) return;
  writeSync(file, `${process.hrtime.bigint() / 1_000n}\n`);
});
