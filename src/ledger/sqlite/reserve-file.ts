import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { testHook } from '../../lib/faults.ts';
import { ANEW, sizeOf } from './folder.ts';

/**
 * Disk space that is reserved while there is some. When the disk is full the file is removed, so that answers to
 * requests in flight, which may have been charged, can still be written.
 *
 * One mebibyte holds the answers to a thousand requests in flight, at a kilobyte each. The bytes are random, because
 * file systems that compress, or keep zeros as holes, would reserve nothing.
 */
const RESERVE_BYTES = 1024 * 1024;

/** @throws the disk's error when it is full already; then nothing is sent. */
export function ensureReserve(path: string): void {
  if (sizeOf(path) === RESERVE_BYTES) return;
  const file = openSync(path, ANEW, 0o600);
  try {
    writeSync(file, randomBytes(RESERVE_BYTES));
    // With delayed allocation a lack of room would show only later.
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

export function freeReserve(path: string): void {
  rmSync(path, { force: true });
}

/**
 * Fault injection, like the crash points: `ROWONCE_FULL_AT_PAGES=N` lets the ledger grow to N pages of 4 KiB, like a
 * full disk, so that the fault suite can fill the disk of the real program. The reserve is added to that limit. Without
 * the variable there is no limit.
 */
const PAGES = Number(testHook('ROWONCE_FULL_AT_PAGES') ?? 0);
const PAGE_BYTES = 4096;

/** A connection to the ledger. */
interface Limited {
  pragma(source: string): unknown;
}

export function limitPages(connection: Limited): void {
  if (PAGES > 0) connection.pragma(`max_page_count = ${PAGES}`);
}

/** Adds the room that removing the reserve frees. */
export function raiseLimit(connection: Limited): void {
  if (PAGES > 0) connection.pragma(`max_page_count = ${PAGES + RESERVE_BYTES / PAGE_BYTES}`);
}
