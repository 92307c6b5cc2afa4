import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { DAY_MS, systemClock } from '../../core/clock.ts';
import { replaceFile } from '../../lib/atomic-file.ts';
import type { PageAddress } from './guard.ts';

/**
 * The address that open tabs know stays in the store's folder, which its owner alone reads. A page that is
 * started again at that port has the same name and secret, so its open tabs go on. At another port no tab
 * could find the page, so it has a new name and secret there: what another program at the old port was told
 * opens nothing.
 */

const Kept = z.strictObject({
  name: z.string().regex(/^[a-z]{26}$/),
  port: z.int().min(1).max(65_535),
  secret: z.string().regex(/^[\w-]{43}$/),
  /** In ms since 1970: when a page last began or ended there. */
  served_at: z.int(),
});

/** An address that was not used for so long is forgotten, and its tabs with it. */
const KEPT_MS = 7 * DAY_MS;

const pathIn = (folder: string): string => join(folder, 'tabs.json');

/** @returns undefined where none is kept, also after seven days without a page. */
export async function keptAddress(folder: string): Promise<PageAddress | undefined> {
  const content: unknown = await readFile(pathIn(folder), 'utf8')
    .then(JSON.parse)
    .catch(() => undefined);
  const { data } = Kept.safeParse(content);
  if (data === undefined || Math.abs(systemClock.wallMs() - data.served_at) > KEPT_MS) return undefined;
  const { served_at: _, ...address } = data;
  return address;
}

/** Called when a page begins and when it ends in an orderly way. */
export function keepAddress(folder: string, address: PageAddress): Promise<unknown> {
  const content: z.infer<typeof Kept> = { ...address, served_at: systemClock.wallMs() };
  return replaceFile(pathIn(folder), 0o600, [JSON.stringify(content)]);
}
