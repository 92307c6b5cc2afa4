import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { besideFolder } from '../core/paths.ts';
import { replaceFile } from '../lib/atomic-file.ts';
import { NightEndObject } from '../objects/run-object.ts';
import { chooseStore } from './store-choice.ts';

/** How the last nights of a store ended, whoever began them: the page, a crontab or a person. */

/** No one looks further back. */
const MOST_ENDS = 100;

const pathIn = (store: string | undefined, sandbox: boolean): string =>
  join(besideFolder(chooseStore(store, sandbox).location), 'night-ends.json');

/** What cannot be read costs a look back, and stops nothing. */
async function endsAt(path: string): Promise<readonly NightEndObject[]> {
  const text = await readFile(path, 'utf8').catch(() => '[]');
  try {
    return z.array(NightEndObject).parse(JSON.parse(text));
  } catch {
    return [];
  }
}

/** The newest first. */
export async function nightEnds(store: string | undefined): Promise<readonly NightEndObject[]> {
  const paths = new Set([pathIn(store, false), pathIn(store, true)]);
  const ends = await Promise.all([...paths].map(endsAt));
  return ends.flat().toSorted((one, other) => other.at.localeCompare(one.at));
}

/** @throws StopError `output` or `disk_full` */
export async function noteNightEnd(store: string | undefined, end: NightEndObject): Promise<void> {
  const path = pathIn(store, false);
  const ends = [end, ...(await endsAt(path))].slice(0, MOST_ENDS);
  await replaceFile(path, 0o600, [JSON.stringify(ends)]);
}
