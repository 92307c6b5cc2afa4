import { testHook } from '../../../core/faults.ts';
import { BALLAST_BYTES } from './ballast.ts';
import type { Connection } from './connection.ts';

/**
 * Fault injection, like the crash points: `ROWONCE_FULL_AT_PAGES=N` lets the ledger grow to N pages of 4 KiB, as a full
 * disk would, so that the fault suite can fill the disk of the real program. The ballast stays on top of that. Without
 * the variable nothing is limited.
 */
const PAGES = Number(testHook('ROWONCE_FULL_AT_PAGES') ?? 0);
const PAGE_BYTES = 4096;

export function limitPages(connection: Connection): void {
  if (PAGES > 0) connection.pragma(`max_page_count = ${PAGES}`);
}

/** What removing the ballast gives back. */
export function raiseLimit(connection: Connection): void {
  if (PAGES > 0) connection.pragma(`max_page_count = ${PAGES + BALLAST_BYTES / PAGE_BYTES}`);
}
