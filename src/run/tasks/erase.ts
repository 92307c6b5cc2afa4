import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { isoTime } from '../../core/clock.ts';
import { stop } from '../../core/errors.ts';
import { listsFolder } from '../../core/paths.ts';
import { type Erasable, type ErasureTarget, findErasable, NOTHING_ERASABLE } from '../../ledger/erase.ts';
import type { Alone, AloneOptions, Cleaning } from '../../ledger/store.ts';
import { toldIn } from '../../ledger/time.ts';
import { commandLine } from '../../lib/command-line.ts';
import { aloneIn } from '../open-ledger.ts';
import { isThere } from '../store-choice.ts';
import { keptFiles, replaceInBooks } from './erase/kept-files.ts';

export { personOf } from './erase/person.ts';

/**
 * Erases a person, or what is old. The ledger finds and empties what it holds itself; the lists in the store are searched here
 * and removed. Files of the user's that we wrote are named, and neither searched nor changed.
 */

/** Everything about a person, what is dated before a time that a person named, or what is so old by what vendors told of the time. */
export type ErasureOrder =
  | ErasureTarget
  | { readonly kind: 'age'; readonly ageMs: number; readonly accountIdentity?: string };

/** Who orders it is the `operator`; left out: the user of the system. */
type ErasureOptions = AloneOptions & { readonly dryRun: boolean };

export interface Erased extends Omit<Erasable, 'inputs' | 'files' | 'written' | 'erase'> {
  /** Files of the store's that are removed. */
  readonly files: readonly string[];
  /** Files of the user's that we wrote from it. They stay as they are. */
  readonly stays: readonly string[];
  /** What stays because batches go on with it, and how many lists in the store are of that. */
  readonly needed: Erasable['needed'] & { readonly lists: number };
  /** Whether all that was erased is overwritten by now. */
  readonly cleaning: Cleaning;
}

/**
 * Erases in an existing store. A person about whom something is not settled is not erased.
 * @throws StopError as a run that opens the store; `store` where only another role may erase; `clock` when something could be erased for its age and no vendor has told
 *   the time.
 */
export function eraseIn(location: string, order: ErasureOrder, options: ErasureOptions): Promise<Erased> {
  // Lists may have been brought to the page before anything was run.
  if (!isThere(location) && existsSync(listsFolder(location)))
    return eraseFrom({ folder: resolve(location), find: async () => NOTHING_ERASABLE }, order, options);
  return aloneIn(location, options, (alone) => {
    const { folder, ledger } = alone;
    return eraseFrom({ folder, ledger, find: (target) => findErasable(alone, target) }, order, options);
  });
}

interface From extends Pick<Alone, 'folder'>, Partial<Pick<Alone, 'ledger'>> {
  find(target: ErasureTarget): Promise<Erasable>;
}

async function eraseFrom(from: From, order: ErasureOrder, options: ErasureOptions): Promise<Erased> {
  const { clock, dryRun } = options;
  const { ledger, folder } = from;
  const isAge = order.kind === 'age' && ledger !== undefined;
  const toldMs = isAge ? await toldIn(ledger, order.accountIdentity) : undefined;
  const { found, erased } = await foundIn(from, targetOf(order, toldMs ?? 0));
  if (isNothing(erased)) await requireTold(from, order, toldMs, clock.wallMs());
  const isHeld = order.kind === 'person' && erased.unsettled.length + erased.needed.by.length > 0;
  if (dryRun || isHeld || isNothing(erased)) return erased;
  // This comes before the ledger forgets the person: after a crash in between the next erasure still finds them.
  if (order.kind === 'person') replaceInBooks(folder, order.person);
  return { ...erased, cleaning: await found.erase(erased.files, clock.wallMs()) };
}

/** Gives back the room of what was erased. @throws StopError as an erasure. */
export const compactIn = (location: string, options: Omit<ErasureOptions, 'dryRun'>): Promise<Cleaning> =>
  aloneIn(location, options, ({ clean }) => clean());

/** @param nowMs where ages end. */
const targetOf = (order: ErasureOrder, nowMs: number): ErasureTarget =>
  order.kind === 'age' ? { ...order, kind: 'old', beforeMs: nowMs - order.ageMs } : order;

async function foundIn({ folder, find }: From, target: ErasureTarget) {
  const found = await find(target);
  const { inputs: _, written: __, erase: ___, ...counts } = found;
  const kept = await keptFiles(found, folder, target);
  const by = [...new Set([...found.needed.by, ...kept.needed.by])];
  const needed = { calls: found.needed.calls, lists: kept.needed.lists, by };
  const erased: Erased = { ...counts, ...kept, needed, cleaning: { isDue: false } };
  return { found, erased };
}

export function isNothing({ calls, cut, rows, memberships, names, files }: Erased): boolean {
  return calls + cut + rows + memberships + names + files.length === 0;
}

/** What this machine's clock alone makes old stays, and that is said. A day more or less is nobody's concern. */
async function requireTold(
  from: From,
  order: ErasureOrder,
  toldMs: number | undefined,
  wallMs: number,
): Promise<void> {
  if (order.kind !== 'age' || (toldMs !== undefined && wallMs - toldMs <= DAY_MS)) return;
  if (isNothing((await foundIn(from, targetOf(order, wallMs))).erased)) return;
  const told =
    toldMs === undefined
      ? "no vendor's answer in the store has told the time"
      : `the last answer of a vendor that told the time gave ${isoTime(toldMs)}`;
  throw stop(
    'clock',
    `Nothing is erased because of its age: this machine's clock says ${isoTime(wallMs)}, and ${told}.`,
    `Set the clock of this machine if it is wrong. If it is right, the vendor's next answer tells it. To name the day yourself: ${commandLine(['store', 'purge', '--before', 'DAY'])}`,
  );
}

const DAY_MS = 24 * 60 * 60_000;

/** Refuses to erase a call in doubt: it may have been charged, and nothing would show that when it is bought again. */
export function requireSettled(erased: Erased): Erased {
  const [first] = erased.unsettled;
  const [batch = first?.batch] = erased.needed.by;
  if (batch === undefined) return erased;
  const others = erased.unsettled.length - 1;
  const fact =
    first === undefined
      ? `batch ${batch} is unfinished, and its list in the store names this person`
      : `row ${first.row} of batch ${first.batch}${others === 0 ? '' : ` and ${others} more`} is about this person and in doubt, so it may have been charged`;
  throw stop(
    'store',
    `Nothing was erased: ${fact}.`,
    `Finish or cancel the batch, or settle what is in doubt and run its list once more, then run forget again. To settle: ${commandLine(['settle', first?.batch ?? batch])}`,
  );
}
