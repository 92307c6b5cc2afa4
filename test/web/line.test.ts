import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { askChild } from '../../src/web/server/child.ts';

/**
 * Goal: however much a page asks at once, its server starts no more than four processes beside each other, and answers all.
 * Method: real processes that write down when they begin and end, and begin together as far as they may.
 */

/** A command that writes down that it runs, for a fifth of a second, in which the others of its turn begin. */
const PROGRAM = `
const { appendFileSync } = require('node:fs');
process.stdin.once('data', () => {
  appendFileSync(process.env.LOG, '+');
  setTimeout(() => {
    appendFileSync(process.env.LOG, '-');
    console.log(JSON.stringify({ ended: true }));
    process.exit(0);
  }, 200);
});
`;

async function asking() {
  const folder = await mkdtemp(join(tmpdir(), 'rowonce-line-'));
  const log = join(folder, 'log');
  const script = join(folder, 'program.cjs');
  writeFileSync(script, PROGRAM);
  writeFileSync(log, '');
  return { log, program: { script, env: { ...process.env, LOG: log } } };
}

test('sixty questions at once are at most four processes, and each is answered', async () => {
  const { log, program } = await asking();
  const answers = await Promise.all(Array.from({ length: 60 }, () => askChild(program, ['plan'])));
  expect(answers).toEqual(Array.from({ length: 60 }, () => ({ ended: true })));
  let running = 0;
  const counts = [...readFileSync(log, 'utf8')].map((sign) => (running += sign === '+' ? 1 : -1));
  expect(Math.max(...counts)).toBeLessThanOrEqual(4);
});

test('a question that nobody waits for any more leaves the line, and no process is started for it', async () => {
  const { log, program } = await asking();
  const leaving = new AbortController();
  const first = Array.from({ length: 4 }, () => askChild(program, ['plan']));
  const left = askChild(program, ['plan'], undefined, leaving.signal);
  leaving.abort(new Error('gone'));
  await expect(left).rejects.toThrow('gone');
  await Promise.all(first);
  expect(readFileSync(log, 'utf8').match(/\+/g)).toHaveLength(4);
});
