import type { BootTime } from '../../../core/clock.ts';
import { present } from '../../../core/objects.ts';
import { type BootMoment, firstSeen, type KeptTime, type LedgerReader, type TimeMark } from '../../ledger.ts';
import { AlteredRow, type Connection, type Reads } from './connection.ts';
import { accountNumber } from './entries.ts';
import { checkedRows } from './lookups.ts';
import type { ReadRow } from './table.ts';
import { BOOTS_TABLE, nextNumber } from './tables.ts';

/** What is known of the time: each boot of the machine in which attempts were made, and the times noted in it. */

/** @returns the number of the boot, or undefined when the ledger does not know it. */
export function bootNumbered(connection: Connection, id: string): number | undefined {
  return connection.get<{ id: number }>('SELECT id FROM boots WHERE boot = ?', id)?.id;
}

export function insertBoot(connection: Connection, boot: BootTime, atMs: number): number {
  const known = bootNumbered(connection, boot.id);
  if (known !== undefined) return known;
  const id = nextNumber(connection, 'boots');
  const { seen } = newBoot(connection, boot, atMs);
  BOOTS_TABLE.insert(connection, {
    ...{ id, boot: boot.id, seen_at: seen.atMs, seen_uptime: seen.uptimeMs },
    ...{ confirmed_at: null, confirmed_uptime: null, refuted_at: null, told_by: null },
  });
  return id;
}

function newBoot(connection: Connection, boot: BootTime, atMs: number): KeptTime {
  const floorMs = confirmedTime(connection);
  return { seen: firstSeen(boot, atMs, floorMs), isPlay: isPlay(connection), ...present({ floorMs }) };
}

function isPlay(connection: Connection): boolean {
  return connection.get('SELECT 1 FROM batches WHERE sandbox = 0 LIMIT 1') === undefined;
}

function confirmedTime(connection: Connection): number | undefined {
  const sql = 'SELECT max(confirmed_at) AS at FROM boots';
  return connection.get<{ at: number | null }>(sql)?.at ?? undefined;
}

export const BOOT_READS = {
  confirmedTime,
  keptTime(connection, boot, atMs) {
    const number = bootNumbered(connection, boot.id);
    if (number === undefined) return newBoot(connection, boot, atMs);
    const { seen_at, seen_uptime, confirmed_at, confirmed_uptime } = bootRow(connection, number);
    const isConfirmed = confirmed_at !== null && confirmed_uptime !== null;
    return {
      seen: { atMs: seen_at, uptimeMs: seen_uptime },
      ...(isConfirmed ? { confirmed: { atMs: confirmed_at, uptimeMs: confirmed_uptime } } : {}),
      isPlay: isPlay(connection),
      ...present({ floorMs: confirmedTime(connection), dated: newestDate(connection, number) }),
    };
  },
} satisfies Partial<Reads<LedgerReader>>;

/** An intent of before the first batch that costs money was one of a sandbox, which tells no time where money is spent. */
function newestDate(connection: Connection, boot: number): TimeMark | undefined {
  return connection.get<TimeMark & object>(
    `SELECT at AS atMs, uptime AS uptimeMs FROM attempts
      WHERE id = (SELECT max(id) FROM attempts) AND boot = ? AND uptime IS NOT NULL
        AND (SELECT ordinal FROM batches WHERE id = attempts.batch) >= (SELECT min(ordinal) FROM batches WHERE sandbox = 0)`,
    boot,
  );
}

export function keepSeenTime(connection: Connection, boot: number, { atMs, uptimeMs }: TimeMark): void {
  BOOTS_TABLE.changeOne(connection, bootRow(connection, boot), { seen_at: atMs, seen_uptime: uptimeMs });
}

export function keepConfirmedTime(
  connection: Connection,
  boot: number,
  { atMs, uptimeMs }: TimeMark,
  accountIdentity: string,
): void {
  const told_by = accountNumber(connection, accountIdentity);
  const cells = { confirmed_at: atMs, confirmed_uptime: uptimeMs, told_by };
  BOOTS_TABLE.changeOne(connection, bootRow(connection, boot), cells);
}

/** @param boot the present one. */
export function refuteTimes(connection: Connection, boot: number, afterMs: number): void {
  const refuted = connection.all<ReadRow<typeof BOOTS_TABLE>>(
    'SELECT * FROM boots WHERE confirmed_at IS NOT NULL AND (confirmed_at > ? OR id = ?)',
    afterMs,
    boot,
  );
  for (const row of refuted) {
    const refuted_at = Math.max(row.confirmed_at ?? 0, row.refuted_at ?? 0);
    const cells = { confirmed_at: null, confirmed_uptime: null, told_by: null, refuted_at };
    BOOTS_TABLE.changeOne(connection, row, cells);
  }
}

/** The time of an attempt on the boot clock; undefined where its boot is unknown. */
export function momentOf(
  connection: Connection,
  { boot, uptime }: { readonly boot: number | null; readonly uptime: number | null },
): BootMoment | undefined {
  if (boot === null || uptime === null) return undefined;
  const row = bootRow(connection, boot);
  // A time that was refuted later may have been true after all, so how long ago a moment before it was is not known.
  const isRefuted =
    connection.get('SELECT 1 FROM boots WHERE id >= ? AND refuted_at IS NOT NULL LIMIT 1', boot) !==
    undefined;
  return { id: row.boot, uptimeMs: uptime, isConfirmed: row.confirmed_at !== null && !isRefuted };
}

function bootRow(connection: Connection, number: number): ReadRow<typeof BOOTS_TABLE> {
  const [row] = checkedRows(connection, BOOTS_TABLE, 'id = ?', number);
  if (row === undefined) throw new AlteredRow(`boot ${number} is missing`);
  return row;
}
