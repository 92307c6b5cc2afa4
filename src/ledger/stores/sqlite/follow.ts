import type { EntryOf } from '../../ledger.ts';
import { attemptOf, draftsOf, type Following, shownPrice } from '../../rules/drafts.ts';
import type { History } from '../../rules/history.ts';
import type { Connection } from './connection.ts';
import { insertNotes } from './notes.ts';
import { keepPrice, pricedBy } from './prices.ts';
import { leftBy, logChange } from './subjects.ts';
import { batchNumber } from './tables.ts';

export type NoteEntry = Exclude<Following, EntryOf<'reply' | 'end'>>;

/** Writes what follows in the history of a call by the rules alone, because it is rare. @returns the number of the first note. */
export function follow(connection: Connection, history: History, entry: NoteEntry): number {
  const { id: call, stands } = history.call;
  const isDecision = entry.kind === 'decision';
  const drafts = draftsOf(history, entry, isDecision ? accountOf(connection, entry) : '');
  const isTold = isDecision && entry.told !== undefined;
  const change = isTold ? leftBy(connection, stands ?? 0, entry.left) : undefined;
  const notes = drafts.map((draft) => ({ ...draft, of: draft.of ?? 0, call }));
  const first = insertNotes(connection, notes);
  logChange(connection, change);
  const shown = shownPrice(history, entry, drafts[0]);
  if (shown !== undefined) keepPrice(connection, pricedBy(connection, attemptOf(entry) ?? 0), shown);
  return first;
}

function accountOf(connection: Connection, { decision: { batch } }: EntryOf<'decision'>): string {
  const sql = 'SELECT p.identity FROM batches b JOIN accounts p ON p.id = b.account WHERE b.id = +?';
  return connection.get<{ identity: string }>(sql, batchNumber(batch))?.identity ?? '';
}
