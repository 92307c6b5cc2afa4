import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { ANEW, sizeOf } from './folder.ts';

/**
 * Room on the disk that is set aside while there is some. When the disk is full the file is removed, so that answers
 * to requests that are already in flight, which may have been charged, can still be written.
 *
 * One mebibyte holds what a thousand requests in flight bring back, at a kilobyte an answer. Random bytes, because file
 * systems that compress, or keep zeros as holes, would set nothing aside.
 */
export const BALLAST_BYTES = 1024 * 1024;

/** @throws what the disk says when it is full already; then nothing is sent. */
export function ensureBallast(path: string): void {
  if (sizeOf(path) === BALLAST_BYTES) return;
  const file = openSync(path, ANEW, 0o600);
  try {
    writeSync(file, randomBytes(BALLAST_BYTES));
    // Delayed allocation would only find out later that there is no room.
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

export function freeBallast(path: string): void {
  rmSync(path, { force: true });
}
