import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { readingIn } from '../../core/reading.ts';
import type { RowNumber } from '../../core/row.ts';
import { copyPath } from '../../files/called.ts';
import { type Compared, compareVersions } from '../../files/compared.ts';
import { listsOf } from '../../ledger/ledger.ts';
import { replaceFile } from '../../lib/atomic-file.ts';
import { batchLines } from '../../run/batches.ts';
import type { Edited } from '../api.ts';
import type { KeptList } from './list-files.ts';
import type { Server } from './server.ts';

/**
 * Which rows of a list that came again are new, changed and gone since it was started last. Files are
 * compared as they were brought: a mend on the page makes no other version. What came of it lies beside the
 * list.
 */

const rows = z.array(z.number());

const KeptSince = z.object({
  /** The copies, beside the list, of the version that was started last and of the list as it is now. */
  before: z.string(),
  now: z.string(),
  added: rows,
  changed: z.array(z.tuple([z.number(), z.number()])),
  gone: rows,
});

/** The rows of a list that came again. */
export interface Since {
  /** The path of the version that was started last. */
  readonly before: string;
  readonly added: ReadonlySet<RowNumber>;
  /** Its rows by those of now. */
  readonly changed: ReadonlyMap<RowNumber, RowNumber>;
  /** Rows of the version before. */
  readonly gone: ReadonlySet<RowNumber>;
}

type List = Pick<KeptList, 'folder' | 'path' | 'job' | 'versions' | 'sha256'>;

export type Compare = (before: string) => Promise<Compared>;

/** Compares versions of a list with a file, each once. */
export function comparerWith(job: KeptList['job'], now: string): Compare {
  const known = new Map<string, Promise<Compared>>();
  return (before) => {
    const compared = known.get(before) ?? compareVersions(readingIn(job), before, now, job.columns);
    known.set(before, compared);
    return compared;
  };
}

/** The file of a list as it was brought. One that an earlier build has brought may have no copy. */
export function broughtFile({ path, sha256 }: Pick<List, 'path' | 'sha256'>): string {
  const copy = copyPath(path, sha256);
  return existsSync(copy) ? copy : path;
}

/**
 * Compares the list with what was started last over it, and keeps that.
 * @returns undefined where nothing was started, or the two cannot be compared.
 */
export async function keepSince(
  { store }: Pick<Server, 'store'>,
  list: List,
  compare: Compare,
): Promise<Edited | undefined> {
  const all = (await batchLines(store)).map(({ batch }) => batch);
  const last = listsOf(all).get(list.path)?.starts[0];
  if (last === undefined) return undefined;
  const read = list.versions.find(({ sha256 }) => sha256 === last.inputSha256);
  const before = copyPath(list.path, read?.brought ?? last.inputSha256);
  const compared = await compare(before).catch(() => undefined);
  if (compared === undefined) return undefined;
  const { same, added, changed, gone } = compared;
  const since = {
    before: basename(before),
    now: basename(copyPath(list.path, list.sha256)),
    added,
    changed,
    gone,
  };
  await replaceFile(sinceIn(list), 0o600, [JSON.stringify(since)]);
  return { added: added.length, changed: changed.length, same, gone: gone.length };
}

const sinceIn = ({ folder }: Pick<List, 'folder'>): string => join(folder, 'since.json');

/** What was read last: a page asks for it with each part of its table. */
let known: { readonly mark: string; readonly since: Since | undefined } | undefined;

/** Undefined where that is not known of the list as it was brought last. */
export async function sinceOf(list: List): Promise<Since | undefined> {
  const { mtimeMs } = await stat(sinceIn(list)).catch(() => ({ mtimeMs: 0 }));
  const mark = JSON.stringify([sinceIn(list), list.sha256, mtimeMs]);
  if (known?.mark !== mark) known = { mark, since: await readSince(list) };
  return known.since;
}

async function readSince(list: List): Promise<Since | undefined> {
  try {
    const keptSince = KeptSince.parse(JSON.parse(await readFile(sinceIn(list), 'utf8')));
    const before = join(list.folder, basename(keptSince.before));
    if (keptSince.now !== basename(copyPath(list.path, list.sha256)) || !existsSync(before)) return undefined;
    const { added, changed, gone } = keptSince;
    return { before, added: new Set(added), changed: new Map(changed), gone: new Set(gone) };
  } catch {
    return undefined;
  }
}
