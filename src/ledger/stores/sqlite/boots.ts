import type { BootTime } from '../../../core/clock.ts';
import { present } from '../../../core/objects.ts';
import type { BootMoment, KeptTime, TimeMark } from '../../ledger.ts';
import { AlteredRow, type Connection } from './connection.ts';
import type { ReadRow } from './table.ts';
import { BOOTS_TABLE, nextNumber, wholeMs } from './tables.ts';

/** What is known of the time: each boot of the machine in which attempts were made, and the times noted in it. */

/** @returns the number of the boot, or undefined when the ledger does not know it. */
export function bootNumbered(connection: Connection, id: string): number | undefined {
  return connection.get<{ id: number }>('SELECT id FROM boots WHERE boot = ?', id)?.id;
}

/** Notes a new boot. */
export function insertBoot(connection: Connection, boot: BootTime, atMs: number): number {
  const known = bootNumbered(connection, boot.id);
  if (known !== undefined) return known;
  const id = nextNumber(connection, 'boots');
  const { seen } = newBoot(connection, boot, atMs);
  BOOTS_TABLE.insert(connection, {
    id,
    boot: boot.id,
    seen_at: seen.atMs,
    seen_uptime: seen.uptimeMs,
    confirmed_at: null,
    confirmed_uptime: null,
  });
  return id;
}

/** A calendar that is behind the confirmed time is not believed. */
function newBoot(connection: Connection, { uptimeMs }: BootTime, atMs: number): KeptTime {
  const floorMs = confirmedTime(connection);
  const seen = { atMs: wholeMs(Math.max(atMs, floorMs ?? atMs)), uptimeMs: Math.ceil(uptimeMs) };
  return { seen, ...present({ floorMs }) };
}

export function keptTime(connection: Connection, boot: BootTime, atMs: number): KeptTime {
  const number = bootNumbered(connection, boot.id);
  if (number === undefined) return newBoot(connection, boot, atMs);
  const row = bootRow(connection, number);
  const floorMs = confirmedTime(connection);
  const { confirmed_at: confirmedMs, confirmed_uptime: uptimeMs } = row;
  return {
    seen: { atMs: row.seen_at, uptimeMs: row.seen_uptime },
    ...(confirmedMs === null || uptimeMs === null ? {} : { confirmed: { atMs: confirmedMs, uptimeMs } }),
    ...present({ floorMs }),
  };
}

export function keepTime(
  connection: Connection,
  number: number,
  kind: 'seen' | 'confirmed',
  { atMs, uptimeMs }: TimeMark,
): void {
  const cells = { [`${kind}_at`]: atMs, [`${kind}_uptime`]: uptimeMs };
  BOOTS_TABLE.changeOne(connection, bootRow(connection, number), cells);
}

export function confirmedTime(connection: Connection): number | undefined {
  const row = connection.get<{ at: number | null }>('SELECT max(confirmed_at) AS at FROM boots');
  return row?.at ?? undefined;
}

/** The time of an attempt on the boot clock; undefined for one that an older Rowonce made. */
export function momentOf(
  connection: Connection,
  { boot, uptime }: { readonly boot: number | null; readonly uptime: number | null },
): BootMoment | undefined {
  if (boot === null || uptime === null) return undefined;
  const row = bootRow(connection, boot);
  return { id: row.boot, uptimeMs: uptime, isConfirmed: row.confirmed_at !== null };
}

function bootRow(connection: Connection, number: number): ReadRow<typeof BOOTS_TABLE> {
  const row = connection.get<ReadRow<typeof BOOTS_TABLE>>('SELECT * FROM boots WHERE id = ?', number);
  if (row === undefined) throw new AlteredRow(`boot ${number} is missing`);
  return BOOTS_TABLE.checked(row);
}
