import { invariant } from '../../../core/errors.ts';
import type { AnswerRecord, ReadAs } from '../../ledger.ts';
import type { Sql } from './connection.ts';

/** An answer as it was read by then: `readTo` is the newest entry of kind `reading` or `read` that counts, 0 for none; left out: all. */
export interface WantedAnswer {
  readonly attempt: number;
  readonly readTo?: number;
}

/** The answers of these attempts in their order; undefined for one that brought none. */
export async function answersOf(
  _sql: Sql,
  _wanted: readonly WantedAnswer[],
): Promise<readonly (AnswerRecord<ReadAs> | undefined)[]> {
  invariant(false, 'answersOf is not yet there');
}
