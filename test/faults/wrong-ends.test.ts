import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { environmentOf, PROGRAM } from '../cli/rowonce.ts';
import { domainsOf, Workplace } from './workplace.ts';

/*
 * Goal: where the words of a run go to is never what ends it (protocol, rule 13), and a result that no one got is not reported as one. A
 * disk that stops taking writes ends a run in words that say so, and nothing is bought twice when it is mended.
 * Method: the real command with /dev/full as standard output or error, which is a full disk to whoever writes to it; and a store on a
 * real file system that the kernel turns read-only under the run, as it does when the disk fails. A full disk below the store:
 * `ledger/stores/full-disk.test.ts`.
 */

const ROWS = 20;
const FULL = '/dev/full';

test.runIf(existsSync(FULL)).each([
  ['for the log: the words are dropped, and the run ends well', 'stderr', 0, /^$/],
  [
    'for the result: everything is done, and the exit code says that the result is missing',
    'stdout',
    2,
    /^The result could not be written to standard output: .*ENOSPC.*\.\nMake room where standard output goes, then run the same command again: nothing is bought twice\.$/m,
  ],
] as const)('a full disk %s', async (_, full, code, says) => {
  await using workplace = await Workplace.open();
  workplace.writeList(domainsOf('ends', ROWS));
  const disk = openSync(FULL, 'w');
  const child = spawn(process.execPath, [PROGRAM, ...workplace.words()], {
    env: environmentOf({ env: workplace.environment }),
    stdio: ['ignore', full === 'stdout' ? disk : 'pipe', full === 'stderr' ? disk : 'pipe'],
  });
  closeSync(disk);
  const log = child.stderr === null ? '' : text(child.stderr);
  expect(await once(child, 'close')).toEqual([code, null]);
  expect(await log).toMatch(says);
  expect(workplace.statuses()).toHaveLength(ROWS);
  expect(await workplace.runHere()).toMatchObject({ code: 0, report: { requests: 0 } });
  expect((await workplace.vendor.book()).requests).toBe(ROWS);
});

describe('a file system that turns read-only', () => {
  const STOPPED = { code: 'store', next: expect.stringContaining('mounted for writing') };

  test('a read-only file system under a run: nothing more is sent, nothing is bought twice, and the same command goes on', async ({
    skip,
  }) => {
    await using workplace = await Workplace.open({ latencyMs: 200, concurrency: 2 });
    using disk = mountDisk(workplace);
    if (disk === undefined) return skip('mounting a file system needs root on Linux');
    workplace.writeList(domainsOf('read-only', ROWS));
    const order = { store: 'disk/store' };
    const program = workplace.start(order);
    await program.until(() => workplace.vendor.requests().length >= 4);
    disk.turnReadOnly();
    const { code, report, stderr } = await program.ended;
    expect(code, stderr).toBe(2);
    expect(report?.stopped).toMatchObject(STOPPED);
    expect(stderr).not.toContain('bug');
    const { requests } = await workplace.vendor.book();
    expect(requests).toBeLessThan(ROWS);

    expect(await workplace.runHere(order)).toMatchObject({ code: 2, report: { stopped: STOPPED } });
    expect((await workplace.vendor.book()).requests).toBe(requests);
    disk.repair();
    const again = await workplace.runHere(order);
    expect([0, 3], again.stderr).toContain(again.code);
    expect((await workplace.vendor.book()).charged_twice).toEqual([]);
    expect((await workplace.vendor.book()).requests).toBe(ROWS);
  });
});

const succeeds = (command: string, ...words: readonly string[]): boolean =>
  spawnSync(command, words).status === 0;

/** A small disk at `disk` in the workplace; undefined where mounting one is not allowed. */
function mountDisk(workplace: Workplace) {
  const [image, folder] = [workplace.path('disk.img'), workplace.path('disk')];
  const mount = (options: string): boolean => succeeds('mount', '-o', options, image, folder);
  const unmount = (): boolean => succeeds('umount', '-l', folder);
  writeFileSync(image, Buffer.alloc(DISK_BYTES));
  mkdirSync(folder);
  if (process.getuid?.() !== 0 || !succeeds('mkfs.ext4', '-q', '-F', image) || !mount('loop')) return;
  return {
    /** As the kernel does when the disk fails. */
    turnReadOnly: () => expect(mount('remount,abort')).toBe(true),
    repair: () => expect(unmount() && mount('loop')).toBe(true),
    [Symbol.dispose]: () => void unmount(),
  };
}

const DISK_BYTES = 16 * 1024 * 1024;
