import { readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { z } from 'zod';

/** Files of the store's folder in which schedules are kept. Money hangs on them, so a damaged one is never read as empty. */

/** @returns undefined where there is none, or where it was damaged and now lies aside. */
export async function keptIn<T>(
  folder: string,
  name: string,
  schema: z.ZodType<T>,
  nowMs: number,
): Promise<T | undefined> {
  const path = join(folder, name);
  const written = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (written === undefined) return undefined;
  const parsed = schema.safeParse(jsonIn(written));
  if (parsed.success) return parsed.data;
  await rename(path, `${path}${ASIDE}${Math.floor(nowMs)}`);
  return undefined;
}

const ASIDE = '.damaged-';

/** The names of the files that lie aside, until somebody deletes them. */
export async function damagedIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => name.includes(ASIDE)).sort();
}

function jsonIn(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch {
    return undefined;
  }
}
