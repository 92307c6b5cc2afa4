import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { stateOf } from './book.ts';
import { freshLedger, freshPlace, temporaryFolder } from './places.ts';
import { startSpender } from './processes.ts';

// Goal: a full disk stops everything but the answers to what is already in flight.
// Method: a spender in its own process fills its disk with 40 requests in flight, and then lets their answers arrive.

test('on a full disk nothing new is admitted, and what is in flight is still written', async () => {
  const place = freshPlace(sqlite);
  await expectInFlightKept(place, { ROWONCE_FULL_AT_PAGES: '400' });
  await expectAnswersThere(place);
});

test('the same holds on a real file system that is full', async ({ skip }) => {
  const mounted = smallFileSystem();
  if (mounted === undefined) return skip('mounting a small file system needs root on Linux');
  await expectInFlightKept(join(mounted, 'store'));
  // Full again, whatever folding the log in has given back: the ballast cannot be made, so nothing may be sent.
  expect(spawnSync('sh', ['-c', 'cat /dev/zero > filler'], { cwd: mounted }).status).not.toBe(0);
  await expect(freshLedger(sqlite, join(mounted, 'store'))).rejects.toMatchObject({
    code: 'disk_full',
    exitCode: 2,
  });
  expect(spawnSync('mount', ['-o', 'remount,size=32m', mounted]).status).toBe(0);
  await expectAnswersThere(join(mounted, 'store'));
});

test('room is set aside with real bytes at every opening', async () => {
  const place = freshPlace(sqlite);
  await freshLedger(sqlite, place);
  const ballast = join(place, 'ballast');
  expect(statSync(ballast).size).toBe(1024 * 1024);
  expect(statSync(ballast).blocks * 512).toBeGreaterThanOrEqual(1024 * 1024);
  expect(new Set(readFileSync(ballast).subarray(0, 4096)).size).toBeGreaterThan(200);
});

async function expectInFlightKept(place: string, env: NodeJS.ProcessEnv = {}): Promise<void> {
  const spender = startSpender(place, 'fill', env);
  expect(await spender.line()).toBe('open');
  expect(JSON.parse((await spender.line()) ?? '')).toEqual({
    filling: 'disk_full',
    kept: 40,
    admission: 'disk_full',
    row: 'disk_full',
  });
  expect(await spender.ended()).toBe(0);
  expect(existsSync(join(place, 'ballast'))).toBe(false);
}

async function expectAnswersThere(place: string): Promise<void> {
  const ledger = await freshLedger(sqlite, place);
  expect(await ledger.openAttempts()).toEqual([]);
  for (let number = 0; number < 40; number += 1) {
    expect(await stateOf(ledger, `flying${number}`)).toMatchObject({ kind: 'answered' });
  }
  expect(await stateOf(ledger, 'new')).toEqual({ kind: 'unknown' });
}

/** Eight mebibytes, so that the log is folded in several times before they are used up. */
function smallFileSystem(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined;
  const folder = temporaryFolder();
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', folder]).status !== 0) return undefined;
  onTestFinished(() => void spawnSync('umount', ['-l', folder]));
  return folder;
}
