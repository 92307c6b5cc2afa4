/**
 * Goal: the table of what a bought row costs adds up to the whole, and each part is whose it is called.
 * Method: profiles and counts as V8 and the kernel give them, written by hand; and the real command over a real list. What it
 * takes is nobody's promise here.
 */
import type { Runtime } from 'node:inspector';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { framesOfTime, partsOf, SQLITE } from '../../bench/parts/profile.ts';
import { measureRuns, type Part, processorParts, UNEXPLAINED } from '../../bench/parts.ts';
import { inFolder } from '../../bench/program.ts';
import { proof } from '../combinations.ts';

const sum = (parts: readonly Part[]): number =>
  parts.reduce((total, { microseconds }) => total + microseconds, 0);

const microsecondsOf = (parts: readonly Part[], name: string): number | undefined =>
  parts.find((part) => part.name === name)?.microseconds;

const ROOT = join(import.meta.dirname, '../..');

function callFrame(functionName: string, path = ''): Runtime.CallFrame {
  const url = path.startsWith('src/') ? pathToFileURL(join(ROOT, path)).href : path;
  return { functionName, scriptId: '0', url, lineNumber: 0, columnNumber: 0 };
}

test('a function without a source is its caller’s, garbage is nobody’s, and idleness is no part', () => {
  const nodes = [
    { id: 1, callFrame: callFrame('(root)'), children: [2, 3, 4, 6] },
    { id: 2, callFrame: callFrame('(idle)') },
    { id: 3, callFrame: callFrame('(garbage collector)') },
    { id: 4, callFrame: callFrame('run', 'src/ledger/stores/sqlite/connection.ts'), children: [5] },
    { id: 5, callFrame: callFrame('run') },
    { id: 6, callFrame: callFrame('writeUtf8String', 'node:net'), children: [7] },
    { id: 7, callFrame: callFrame('judge', 'src/client/judge.ts') },
  ];
  const samples = [1, 2, 3, 4, 5, 5, 6, 7];
  const timeDeltas = [1, 10, 100, 1000, 2000, 3000, 10_000, 100_000];
  const profile = { nodes, samples, timeDeltas, startTime: 0, endTime: 0 };
  expect(Object.fromEntries(partsOf(framesOfTime(profile)))).toEqual({
    'V8 and libuv outside of any function': 1,
    'garbage collector': 100,
    [SQLITE]: 6000,
    'undici and sockets': 10_000,
    'src/client': 100_000,
  });
});

test('the parts add up: waiting for the disk is no part of SQLite, and what nothing explains is a line', () => {
  const sampled = new Map([
    [SQLITE, 500],
    ['src/run', 400],
  ]);
  const others = new Map([['threads', 200]]);
  // A fifth of the time in which it could have run it had no core.
  const threads = { main: { onCore: 720, ready: 180, onDisk: 100 }, others };
  const parts = processorParts(sampled, threads, 1000);
  expect(microsecondsOf(parts, SQLITE)).toBe(320);
  expect(microsecondsOf(parts, 'src/run')).toBe(320);
  expect(microsecondsOf(parts, UNEXPLAINED)).toBe(80);
  expect(sum(parts)).toBe(1000);
});

proof(
  'a bought row is divided among rooms, libraries, SQLite and threads, in microseconds and in bytes',
  async () => {
    const { time, garbage } = await inFolder((folder) => measureRuns(folder, 500));
    const { whole, parts, threads } = time;
    expect(sum(parts)).toBeCloseTo(whole);
    const named = [SQLITE, 'undici and sockets', 'garbage collector', 'src/ledger', 'src/client', 'src/run'];
    for (const name of named) expect(microsecondsOf(parts, name), name).toBeGreaterThan(0);
    expect(Math.abs(microsecondsOf(parts, UNEXPLAINED) ?? whole)).toBeLessThan(threads.main.onCore / 2);
    expect(garbage.get('src/client')).toBeGreaterThan(0);
  },
);
