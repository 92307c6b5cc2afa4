import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, onTestFinished, test } from 'vitest';

// Goal: a lock is had by one process, and by one of those that ask for it. Method: processes that ask at the same moment, often.

const RACER = fileURLToPath(new URL('./lock-racer.ts', import.meta.url));

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rowonce-lock-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

/** Has so many processes ask for so many locks. @returns who got which. */
async function race(racers: number, rounds: number, stepMs: number): Promise<readonly boolean[][]> {
  const times = [rounds, stepMs, Date.now() + 1_000].map(String);
  const children = Array.from({ length: racers }, () =>
    spawn(process.execPath, [RACER, folder, ...times], { stdio: ['pipe', 'pipe', 'inherit'] }),
  );
  onTestFinished(() => void children.map((child) => child.kill('SIGKILL')));
  const said = children.map((child) => once(child.stdout, 'data'));
  const got = await Promise.all(said.map(async (line) => JSON.parse(String(await line)) as boolean[]));
  // Whoever has a lock keeps it until all have asked.
  for (const child of children) child.stdin.end();
  return got;
}

test('one gets it of several that ask at the same moment', async () => {
  const rounds = 200;
  const got = await race(2, rounds, 4);
  const winners = Array.from({ length: rounds }, (_, round) => got.filter((each) => each[round]).length);
  expect(winners).toEqual(winners.map(() => 1));
});
