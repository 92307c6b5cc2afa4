import type { BootTime } from '../../../core/clock.ts';
import { present } from '../../../core/objects.ts';
import type { BootMoment, KeptTime, TimeMark } from '../../ledger.ts';
import { type BootRow, bootChecksum } from './checksums.ts';
import { AlteredRow, type Connection } from './connection.ts';
import { wholeMs } from './entries.ts';

/** What is known of the time: each boot of the machine in which attempts were made, and the times noted in it. */

type StoredBoot = BootRow & { readonly checksum: number };

/** @returns the number of the boot, or undefined when the ledger does not know it. */
export function bootNumbered(connection: Connection, id: string): number | undefined {
  return connection.get<{ id: number }>('SELECT id FROM boots WHERE boot = ?', id)?.id;
}

/** Notes a new boot. A calendar that is behind the confirmed time is not believed. */
export function insertBoot(connection: Connection, boot: BootTime, atMs: number): number {
  const known = bootNumbered(connection, boot.id);
  if (known !== undefined) return known;
  const last = connection.get<{ id: number | null }>('SELECT max(id) AS id FROM boots')?.id ?? 0;
  const row = {
    id: last + 1,
    boot: boot.id,
    seen_at: wholeMs(Math.max(atMs, confirmedTime(connection) ?? atMs)),
    seen_uptime: Math.ceil(boot.uptimeMs),
    confirmed_at: null,
    confirmed_uptime: null,
  };
  connection.run(
    'INSERT INTO boots (id, boot, seen_at, seen_uptime, checksum) VALUES (?, ?, ?, ?, ?)',
    row.id,
    row.boot,
    row.seen_at,
    row.seen_uptime,
    bootChecksum(row),
  );
  return row.id;
}

export function keptTime(connection: Connection, number: number): KeptTime {
  const row = bootRow(connection, number);
  const floorMs = confirmedTime(connection);
  const { confirmed_at: atMs, confirmed_uptime: uptimeMs } = row;
  return {
    seen: { atMs: row.seen_at, uptimeMs: row.seen_uptime },
    ...(atMs === null || uptimeMs === null ? {} : { confirmed: { atMs, uptimeMs } }),
    ...present({ floorMs }),
  };
}

export function keepTime(
  connection: Connection,
  number: number,
  kind: 'seen' | 'confirmed',
  { atMs, uptimeMs }: TimeMark,
): void {
  const row = { ...bootRow(connection, number), [`${kind}_at`]: atMs, [`${kind}_uptime`]: uptimeMs };
  const sql = `UPDATE boots SET ${kind}_at = ?, ${kind}_uptime = ?, checksum = ? WHERE id = ?`;
  connection.run(sql, atMs, uptimeMs, bootChecksum(row), number);
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

function bootRow(connection: Connection, number: number): StoredBoot {
  const row = connection.get<StoredBoot>('SELECT * FROM boots WHERE id = ?', number);
  if (row === undefined) throw new AlteredRow(`boot ${number} is missing`);
  if (row.checksum !== bootChecksum(row)) throw new AlteredRow(`boot ${number} was altered`);
  return row;
}
