import { spawnSync } from 'node:child_process';
import { mkdtempSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/**
 * A file system of the running test's own; undefined where it may not mount one. By default eight mebibytes, so that the log of a ledger
 * is folded in several times before they are used up.
 */
export function smallFileSystem(mebibytes = 8): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'rowonce-disk-'));
  onTestFinished(() => void spawnSync('rmdir', [folder]));
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', folder]).status !== 0)
    return undefined;
  onTestFinished(() => void spawnSync('umount', ['-l', folder]));
  return folder;
}

export function freeBytes(mounted: string): number {
  const { bavail, bsize } = statfsSync(mounted);
  return bavail * bsize;
}

/** Leaves so much free. @returns the path of what takes up the rest. */
export function fillUpTo(mounted: string, leftBytes: number): string {
  const filler = join(mounted, 'filler');
  writeFileSync(filler, Buffer.alloc(freeBytes(mounted) - leftBytes));
  return filler;
}
