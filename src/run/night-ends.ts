import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { besideFolder } from '../core/paths.ts';
import { replaceFile } from '../lib/atomic-file.ts';
import { NightEndObject } from '../objects/run-object.ts';
import { chooseStore } from './store-choice.ts';

/**
 * How the last nights of a store ended, whoever began them: the page, a crontab or a person. One that began
 * is noted as well, so that a killed one is seen.
 */

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

/**
 * @param begun the note that the sweep has begun, which this note replaces.
 * @throws StopError `output` or `disk_full`
 */
export async function noteNight(
  store: string | undefined,
  night: NightEndObject,
  begun?: NightEndObject,
): Promise<void> {
  const path = pathIn(store, false);
  const others = (await endsAt(path)).filter(
    ({ at, pid }) => pid === undefined || pid !== begun?.pid || at !== begun.at,
  );
  await replaceFile(path, 0o600, [JSON.stringify([night, ...others].slice(0, MOST_ENDS))]);
}
