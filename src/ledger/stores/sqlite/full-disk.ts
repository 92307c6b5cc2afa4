import { testHook } from '../../../core/faults.ts';
import { BALLAST_BYTES } from './ballast.ts';
import type { Connection } from './connection.ts';

/**
 * Fault injection, like the crash points: `ROWONCE_FULL_AT_PAGES=N` lets the ledger grow to N pages of 4 KiB, like a
 * full disk, so that the fault suite can fill the disk of the real program. The ballast is added to that limit. Without
 * the variable there is no limit.
 */
const PAGES = Number(testHook('ROWONCE_FULL_AT_PAGES') ?? 0);
const PAGE_BYTES = 4096;

export function limitPages(connection: Connection): void {
  if (PAGES > 0) connection.pragma(`max_page_count = ${PAGES}`);
}

/** Adds the room that removing the ballast frees. */
export function raiseLimit(connection: Connection): void {
  if (PAGES > 0) connection.pragma(`max_page_count = ${PAGES + BALLAST_BYTES / PAGE_BYTES}`);
}
