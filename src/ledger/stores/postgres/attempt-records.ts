import { invariant } from '../../../core/errors.ts';
import type { AttemptRecord } from '../../ledger.ts';
import type { Sql } from './connection.ts';

/** All that is known about these attempts, in their order. */
export async function recordsOf(_sql: Sql, _attempts: readonly number[]): Promise<readonly AttemptRecord[]> {
  invariant(false, 'recordsOf is not yet there');
}
