import { chmodSync, closeSync, fsyncSync, openSync, statSync } from 'node:fs';

/** Files and folders for their user alone, and what survives a loss of power. */

/** Only the user may read it. */
export const FILE_MODE = 0o600;
/** Windows has no such modes; the user's profile folder is private there already. */
export const HAS_MODES = process.platform !== 'win32';

export function makePrivateFile(path: string): void {
  if (HAS_MODES) chmodSync(path, FILE_MODE);
}

export function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}

/**
 * `f_type` of file systems with locks and shared memory that SQLite cannot rely on: NFS, SMB, CIFS, SMB2,
 * AFS, Ceph.
 */
export const NETWORK_FILE_SYSTEMS: ReadonlySet<number> = new Set([
  0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x5346414f, 0x00c36400,
]);

export function syncFile(path: string): void {
  const file = openSync(path, 'r+');
  fsyncSync(file);
  closeSync(file);
}

/** Makes the file names in a folder survive a loss of power; Windows does that by itself. */
export function syncFolder(path: string): void {
  if (!HAS_MODES) return;
  const handle = openSync(path, 'r');
  fsyncSync(handle);
  closeSync(handle);
}
