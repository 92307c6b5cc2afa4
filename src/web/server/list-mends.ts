import { existsSync } from 'node:fs';
import { link } from 'node:fs/promises';
import { isoTime, systemClock } from '../../core/clock.ts';
import { readingIn } from '../../core/reading.ts';
import { listAsRead } from '../../files/called.ts';
import { contentHash, openFile } from '../../files/input.ts';
import { replaceFile } from '../../lib/atomic-file.ts';
import type { MendRequest } from '../api.ts';
import { broughtFile, changeList, type KeptList } from './list-files.ts';
import type { Server } from './server.ts';

/**
 * Cells of a list that a person has mended on the page. They are kept beside the list. Commands read the
 * brought file with the mends in it, at the path of the list. So the mended list is the next batch of that
 * list, in which everything known is free. A mend that is taken back leaves the cell of the brought file.
 */

/** @throws StopError `input` for a cell that the list does not have; all mends stay as they were then. */
export const mend = (server: Server, id: string, { row, column, value }: MendRequest): Promise<KeptList> =>
  changeList(server, id, async (list) => {
    const others = list.mends.filter((each) => each.row !== row || each.column !== column);
    const at = isoTime(systemClock.wallMs());
    const mends = value === null ? others : [...others, { row, column, value, at }];
    return { mends, isMended: await isWritten(server, { ...list, mends }) };
  });

/** The list with the mends that have waited for the end of a run. */
export async function mendedList(server: Server, list: KeptList): Promise<KeptList> {
  if (list.isMended) return list;
  return changeList(server, list.id, async (now) => ({ isMended: await isWritten(server, now) }));
}

/** Keeps the list as a run will read it: its download is still made from her file after the next mend. */
export const keepAsRead = (server: Server, { id }: KeptList): Promise<KeptList> =>
  changeList(server, id, async ({ folder, path }) => {
    const asRead = listAsRead(folder, path, await contentHash(path));
    if (!existsSync(asRead)) await link(path, asRead);
    return {};
  });

/**
 * Writes the mends into the list, unless a run reads it now. A crash behind this leaves a list whose last
 * mend is written and not noted.
 * @returns whether the list has them.
 */
async function isWritten(server: Server, list: KeptList): Promise<boolean> {
  if (isAtWorkOn(server, list)) return false;
  const { sheet } = await openFile(await broughtFile(list), readingIn(list.job));
  const mended = sheet.corrected?.(list.mends);
  if (mended !== undefined) await replaceFile(list.path, 0o600, mended);
  return true;
}

export const isAtWorkOn = ({ work }: Pick<Server, 'work'>, { id }: KeptList): boolean =>
  work.pieces.some(({ about, ended }) => about === id && ended === undefined);
