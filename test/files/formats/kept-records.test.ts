import { expect, test } from 'vitest';
import { UnnamedFile } from '../../../src/lib/unnamed-file.ts';
import { fillUpTo, freeBytes, smallFileSystem } from '../../support/small-disk.ts';
import { openText, rowsOf } from './sheets.ts';

/**
 * Goal: a disk without room for what a reading keeps costs no row, and the room is the ledger's again.
 * Method: lists of some kilobytes, beside a file system with room for none, for a part of the only group, and for some groups.
 */

const listOf = (rows: number): string =>
  `name,note\n${Array.from({ length: rows }, (_, at) => `Acme ${at},${'n'.repeat(80)}\n`).join('')}`;

test.for([
  { room: 0, rows: 200 },
  { room: 4_096, rows: 200 },
  { room: 204_800, rows: 20_000 },
])(
  'a list of $rows rows is read again whole where the disk has $room bytes left',
  async ({ room, rows }, { skip }) => {
    const mounted = smallFileSystem(1) ?? skip('mounting a small file system needs root on Linux');
    fillUpTo(mounted, room);
    await using kept = new UnnamedFile(mounted);
    const sheet = await openText(listOf(rows), { scratch: () => kept.open() });
    const first = await rowsOf(sheet);
    expect(first).toHaveLength(rows);
    expect(await rowsOf(sheet)).toEqual(first);
    expect(freeBytes(mounted)).toBe(room);
  },
);
