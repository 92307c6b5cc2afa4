import type { Listener } from '../../../core/events.ts';
import type { InputRow } from '../../../core/row.ts';
import type { Batch, LedgerReader, RowRecord } from '../../../ledger/ledger.ts';
import { crashPoint } from '../../../lib/faults.ts';
import { ledgerRows } from './beside-copies.ts';
import type { Additions } from './destination.ts';
import { pageRowsOf } from './likely-columns.ts';

/** Rows come in rising order, and nothing is put in its place before the ledger has all of them. */
export interface RowsFinishing {
  /** @param kept what the ledger has of each row. @returns what it will have of each. @throws NotYet */
  records(rows: readonly InputRow[], kept: Records): Promise<Records>;
  /** Resolves when the ledger has them. */
  kept(): Promise<void>;
}

type Records = readonly (RowRecord | undefined)[];

/** Rows have to be finished before the output can be written. Nobody throws it where the ledger has all of them. */
export class NotYet extends Error {}

interface Copied {
  readonly ledger: LedgerReader;
  readonly job: Additions;
  readonly finishing?: RowsFinishing;
}

/** The records of rows that are copied, which are asked for in rising order. */
export function recordsFor(
  { ledger, job, finishing }: Copied,
  { id }: Batch,
): (rows: readonly InputRow[]) => Promise<Records> {
  const kept = ledgerRows(ledger, id, pageRowsOf(job));
  return finishing === undefined ? kept : async (rows) => finishing.records(rows, await kept(rows));
}

/** Every row is finished by now. */
export function beginWriting(emit: Listener): void {
  emit({ kind: 'writing' });
  crashPoint('before-finish');
}
