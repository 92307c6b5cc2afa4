/** What a run that has ended by itself leaves: nothing of its batch waits for something that the ledger does not say. */
import { promise } from '../played.ts';
import type { Ended } from '../stage.ts';
import { heldBy, rowName, type Tables } from './tables.ts';

/** What a run prints. */
interface Shown {
  readonly batch: string;
  readonly stopped: { readonly code: string } | null;
}

/** Somebody has sent it away: what was on its way stays open. */
const SENT_AWAY: ReadonlySet<number | undefined> = new Set([130, 143]);

export function requireEnded({ exitCode }: Ended, { batch: id, stopped }: Shown, tables: Tables): void {
  const calls = [...tables.calls.values()].filter((call) => call.batch === id);
  const open = calls.find(({ state }) => state === 'open');
  const isSentAway = SENT_AWAY.has(exitCode);
  promise(open === undefined || isSentAway, `the run of ${id} has ended, and its call ${open?.id} is open`);
  if (stopped !== null) return;
  const batch = tables.batches.find((each) => each.id === id);
  const rows = [...tables.rows.values()].filter((row) => row.batch === id);
  const pending = rows.find(({ state }) => state === 'pending');
  const isAsChosen = pending === undefined ? batch?.state !== 'open' : batch?.part !== null;
  promise(
    isAsChosen,
    `the run of ${id} has ended, and the batch is open${pending ? `: row ${pending.row} waits` : ''}`,
  );
  for (const row of rows) {
    const call = row.state === 'in_doubt' && row.call !== null ? tables.calls.get(row.call) : undefined;
    const isHeld = call === undefined || heldBy(call) > 0 || call.reserved === 0;
    promise(isHeld, `row ${rowName(row)} waits for call ${call?.id}, which is ${call?.state}`);
  }
}
