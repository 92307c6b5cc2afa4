import { existsSync } from 'node:fs';
import { link, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import PQueue from 'p-queue';
import { isoTime } from '../../core/clock.ts';
import { readingIn } from '../../core/reading.ts';
import { contentHash, openFile } from '../../files/input.ts';
import { listAsRead } from '../../files/list-name.ts';
import { replaceFile } from '../../lib/atomic-file.ts';
import { ListMends, type MendRequest } from '../api.ts';
import { broughtFile, type KeptList, MENDS } from './list-files.ts';
import { draftOf } from './list-job.ts';
import type { Server } from './server.ts';

/**
 * Cells of a list that a person has mended on the page. They are kept beside the list. Commands read the
 * brought file with the mends in it, at the path of the list. So the mended list is the next batch of that
 * list, in which everything known is free. A mend that is taken back leaves the cell of the brought file.
 */

export async function mendsOf({ folder }: Pick<KeptList, 'folder'>): Promise<ListMends> {
  return readFile(join(folder, MENDS), 'utf8').then(
    (text) => ListMends.parse(JSON.parse(text)),
    () => ({ mends: [], written: true }),
  );
}

/** Each mend is made from all that came before it, so nothing is written beside another mend. */
const line = new PQueue({ concurrency: 1 });

/**
 * @param isAtWork whether a run reads the list now: the mend waits for its end.
 * @throws StopError `input` for a cell that the list does not have; all mends stay as they were then.
 */
export function mend(
  { clock }: Pick<Server, 'clock'>,
  list: KeptList,
  { row, column, value }: MendRequest,
  isAtWork: () => boolean,
): Promise<void> {
  return line.add(async () => {
    const { mends: known } = await mendsOf(list);
    const others = known.filter((each) => each.row !== row || each.column !== column);
    const mends = value === null ? others : [...others, { row, column, value, at: isoTime(clock.wallMs()) }];
    const written = !isAtWork();
    if (written) await writeMended(list, mends);
    await note(list, { mends, written });
  });
}

/** Writes mends that have waited for the end of a run. */
export const writeWaiting = (list: KeptList): Promise<void> =>
  line.add(async () => {
    const { mends, written } = await mendsOf(list);
    if (written) return;
    await writeMended(list, mends);
    await note(list, { mends, written: true });
  });

/** Keeps the list as a run will read it: its download is still made from her file after the next mend. */
export const keepAsRead = ({ folder, path }: KeptList): Promise<void> =>
  line.add(async () => {
    const asRead = listAsRead(folder, path, await contentHash(path));
    if (!existsSync(asRead)) await link(path, asRead);
  });

const note = ({ folder }: KeptList, mends: ListMends): Promise<boolean> =>
  replaceFile(join(folder, MENDS), 0o600, [JSON.stringify(mends)]);

/** A crash behind this leaves a list whose last mend is written and not noted. */
async function writeMended(list: KeptList, mends: ListMends['mends']): Promise<void> {
  const { sheet } = await openFile(await broughtFile(list), readingIn((await draftOf(list)).job));
  const mended = sheet.corrected?.(mends);
  if (mended !== undefined) await replaceFile(list.path, 0o600, mended);
}
