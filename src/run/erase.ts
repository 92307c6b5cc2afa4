import {
  createReadStream,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { type Account, sandboxAccounts } from '../client/account/account.ts';
import { agreedIn } from '../client/time.ts';
import { DAY_MS, isoTime } from '../core/clock.ts';
import { StopError, stop } from '../core/errors.ts';
import { present } from '../core/objects.ts';
import { listsFolder, NIGHTS, WITH_LISTS } from '../core/paths.ts';
import { faces } from '../core/phrase.ts';
import { counted, linesOf } from '../core/plain-text.ts';
import { type Erasable, type ErasureTarget, findErasable, type Membership } from '../ledger/erase.ts';
import type { BatchId } from '../ledger/ledger.ts';
import { type AloneOptions, isUrl, type SoleAccess, type StoreOptions } from '../ledger/store.ts';
import { commandLine, shellWord } from '../lib/command-line.ts';
import type { ErasureObject } from '../objects/log-object.ts';
import type { Person } from '../operations/lookup/person.ts';
import { bookPathIn } from '../sandbox/spawn.ts';
import { knownAccount } from './known-account.ts';
import { aloneIn, lookIntoIfThere } from './open-ledger.ts';

/**
 * Erases a person, or everything that is old. The ledger finds and empties its own records. The lists in the
 * store are searched here and removed. Files of the user's that we wrote are named, but neither searched nor
 * changed.
 */

/**
 * What to erase: everything about a person, a list, everything dated before a time that a person named, or
 * everything beyond an age, counted by the time that vendors told.
 */
export type ErasureOrder =
  | ErasureTarget
  | { readonly kind: 'age'; readonly ageMs: number; readonly accountIdentity?: string };

/** The `operator` orders the erasure; left out: the user of the system. */
type ErasureOptions = AloneOptions & { readonly dryRun: boolean };

/**
 * Erases in an existing store. A person about whom something is not settled is not erased.
 * @throws StopError like a run that opens the store. `store` for such a person, and where only another
 *   database role may erase. `clock` when something could be erased for its age and no vendor has told the
 *   time.
 */
export function eraseIn(
  location: string,
  order: ErasureOrder,
  options: ErasureOptions,
): Promise<ErasureObject> {
  const { clock, dryRun } = options;
  // A user may have brought lists to the page before anything was run.
  const opening = { ...options, create: existsSync(listsFolder(location)) };
  return aloneIn(location, opening, async (alone) => {
    const agreedMs = order.kind === 'age' ? await agreedIn(alone.ledger, order.accountIdentity) : undefined;
    const { found, erased } = await foundIn(location, alone, targetOf(order, agreedMs ?? 0));
    if (order.kind === 'person' || order.kind === 'list')
      requireSettled(order.kind, found.unsettled, erased.needed_by);
    if (order.kind === 'age' && isNothing(erased))
      await requireAgreed(alone, order, agreedMs, clock.wallMs());
    if (dryRun || isNothing(erased)) return erased;
    // This comes before the ledger forgets the person: after a crash in between the next erasure still finds
    // them.
    if (order.kind === 'person') replaceInBooks(alone.folder, order.person);
    return { ...erased, ...present({ due: await found.erase(erased.files, clock.wallMs()) }) };
  });
}

/** @param nowMs the time from which ages are counted. */
const targetOf = (order: ErasureOrder, nowMs: number): ErasureTarget =>
  order.kind === 'age' ? { ...order, kind: 'old', beforeMs: nowMs - order.ageMs } : order;

async function foundIn(location: string, alone: SoleAccess, target: ErasureTarget) {
  const found = await findErasable(alone, target);
  const { calls, cut, rows, names, needed } = found;
  const keptPaths = await keptFiles(found, alone.folder, target);
  const erased: ErasureObject = {
    store: location,
    requests: calls,
    cut,
    rows,
    names,
    files: keptPaths.files,
    outputs: keptPaths.stays,
    unsettled: found.unsettled.length,
    needed: needed.calls,
    needed_lists: keptPaths.lists,
    needed_by: [...new Set([...needed.by, ...keptPaths.by])],
    memberships: found.memberships.map(membershipObject),
    ...present({ of_list: found.ofList }),
  };
  return { found, erased };
}

/** The command that ends the membership reads a list of its own. */
function membershipObject({ project, state, account, inviteCode, userId }: Membership) {
  const isInvite = state === 'invited' && inviteCode !== undefined;
  const id = isInvite ? inviteCode : userId;
  if (id === undefined) return { project, state };
  const [operation, column] = isInvite ? ['delete-invite', 'invite_code'] : ['remove-user', 'user_id'];
  const list = `printf '%s\\n' ${column},project_id ${shellWord(`${id},${project}`)}`;
  const run = commandLine(['run', operation, '-', '-o', 'ended.csv', '--account', account, '--yes']);
  return { project, state, end_with: `${list} | ${run}` };
}

export function isNothing({ requests, cut, rows, names, files }: ErasureObject): boolean {
  return requests + cut + rows + names + files.length === 0;
}

/** Refuses to erase what is old only by the clock of this machine. A difference of a day does not matter. */
async function requireAgreed(
  alone: SoleAccess,
  order: ErasureOrder,
  agreedMs: number | undefined,
  wallMs: number,
): Promise<void> {
  if (agreedMs !== undefined && wallMs - agreedMs <= DAY_MS) return;
  if (isNothing((await foundIn('', alone, targetOf(order, wallMs))).erased)) return;
  const timeWords =
    agreedMs === undefined
      ? "no vendor's answer in the store has told the time"
      : `the last answer of a vendor that told the time gave ${isoTime(agreedMs)}`;
  throw stop(
    'clock',
    `Nothing is erased because of its age: this machine's clock says ${isoTime(wallMs)}, and ${timeWords}.`,
    "Set the clock of this machine if it is wrong. If it is right, the vendor's next answer tells it. " +
      'Or name the day yourself.',
    commandLine(['store', 'purge', '--before', 'DAY']),
  );
}

/** A call in doubt may have been charged, and nothing would show that when it is bought again. */
function requireSettled(
  kind: 'person' | 'list',
  unsettled: Erasable['unsettled'],
  neededBy: readonly string[],
): void {
  const [first, ...others] = unsettled;
  const batch = neededBy[0] ?? first?.batch;
  if (batch === undefined) return;
  const isPerson = kind === 'person';
  const rows =
    first &&
    `row ${first.row} of batch ${first.batch}${others.length === 0 ? '' : ` and ${others.length} more`}`;
  const fact =
    rows === undefined
      ? `batch ${batch} is unfinished${isPerson ? ', and its list in the store names this person' : ''}`
      : `${rows} is ${isPerson ? 'about this person and ' : ''}in doubt, so it may have been charged`;
  const shown = rows === undefined ? 'this list can go on' : 'a row is in doubt, so it may have been charged';
  throw stop(
    'store',
    faces(`Nothing was erased: ${fact}.`, `Nothing was erased: ${shown}.`),
    faces(
      'Finish or cancel the batch, or settle what is in doubt and run its list once more, ' +
        `then ${isPerson ? 'run forget' : 'erase it'} again.`,
      'Decide what is in doubt, or stop the list for good; then delete it.',
    ),
    commandLine(['settle', first?.batch ?? batch]),
  );
}

// ----------------------------------------------------------------------------------------- beside the ledger

/**
 * Finds the files of the store that are removed, the lists that stay because batches still need them, and the
 * files of the user's.
 * @param folder the folder of the store.
 */
async function keptFiles(found: Erasable, folder: string, target: ErasureTarget) {
  const isPerson = target.kind === 'person';
  const files: string[] = [];
  const needed: BatchId[][] = [];
  for (const root of WITH_LISTS.map((name) => join(folder, name)))
    for (const paths of Map.groupBy(filesBelow(root), (path) => listOf(root, path)).values()) {
      const over = found.inputs.filter(({ path }) => paths.includes(path));
      if (target.kind === 'old' && paths.some((path) => waitsBelow(root, path))) continue;
      if (!(await isMeant(paths, over, target))) continue;
      const by = over.flatMap(({ goesOn, batch }) => (goesOn ? [batch] : []));
      if (by.length > 0) needed.push(by);
      else files.push(...paths);
    }
  const stays = found.files.flatMap(({ path, isAffected }) =>
    (isAffected || (isPerson && target.person.in(path))) && existsSync(path) && !files.includes(path)
      ? [path]
      : [],
  );
  return { files, lists: needed.length, by: needed.flat(), stays: [...new Set(stays)].sort() };
}

/**
 * A list is removed together with its files: with the outputs beside it or, on the page, with its original,
 * in a folder of its own. An inbox is a folder of many lists.
 */
function listOf(root: string, path: string): string {
  const way = relative(root, path);
  const [first = ''] = way.split(sep);
  const folder = basename(root) === NIGHTS ? join(dirname(way), sep) : '';
  return folder + (folder === '' ? first : basename(way)).replace(/(?<=.)\..*$/, '');
}

/** The job of a night names no person, and stays. */
function filesBelow(root: string): readonly string[] {
  if (!existsSync(root)) return [];
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((each) => each.isFile() && !(basename(root) === NIGHTS && each.parentPath === root))
    .map(({ parentPath, name }) => join(parentPath, name));
}

/** A file that waits in an inbox may be older than its way there, and is the only one of its kind. */
const waitsBelow = (root: string, path: string): boolean =>
  basename(root) === NIGHTS && relative(root, path).split(sep).length === 2;

/**
 * A list is as young as the youngest of its files and batches. It names every person whom one of them names.
 */
async function isMeant(
  paths: readonly string[],
  over: Erasable['inputs'],
  target: ErasureTarget,
): Promise<boolean> {
  if (target.kind === 'list') return paths.includes(target.path);
  if (target.kind === 'old')
    return (
      !over.some(({ isYoung }) => isYoung) && paths.every((path) => statSync(path).mtimeMs < target.beforeMs)
    );
  for (const path of paths)
    if (target.person.in(basename(path)) || (await isNamedIn(path, target.person))) return true;
  return false;
}

/**
 * Replaces the person in the books of the sandboxes. A crash leaves each book either as it was or without the
 * person.
 */
function replaceInBooks(folder: string, person: Person): void {
  for (const path of sandboxAccounts().map(({ name }) => bookPathIn(folder, name))) {
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    if (!person.in(text)) continue;
    const lines = text.split('\n').map((line) => person.replacedIn(line));
    writeFileSync(`${path}.new`, lines.join('\n'), { mode: 0o600 });
    renameSync(`${path}.new`, path);
  }
}

/**
 * A text of a gigabyte is longer than a string may be, so a file is read in parts. Parts overlap by more
 * bytes than any address has, in any encoding.
 */
const PART_BYTES = 1 << 24;
const OVERLAP_BYTES = 1 << 13;

async function isNamedIn(path: string, person: Person): Promise<boolean> {
  const isIn = async (bytes: AsyncIterable<Buffer>): Promise<boolean> => {
    let last = Buffer.alloc(0);
    for await (const chunk of bytes) {
      const part = Buffer.concat([last, chunk]);
      if (person.in(part)) return true;
      last = part.subarray(-OVERLAP_BYTES);
    }
    return false;
  };
  try {
    if (await isIn(createReadStream(path, { highWaterMark: PART_BYTES }))) return true;
    // A workbook is packed, so its entries are searched. Any other file fails here.
    const { openPromise } = await import('yauzl');
    const archive = await openPromise(path, { autoClose: false });
    try {
      for await (const entry of archive.eachEntry())
        if (await isIn(await archive.openReadStreamPromise(entry))) return true;
    } finally {
      archive.close();
    }
  } catch {
    // This is no workbook, or a file that went meanwhile, or one that no one may read.
  }
  return false;
}

// --------------------------------------------------------------------------------------- by age, after a run

/**
 * Erases answers that are older than the retention of their account. It runs after a run, once its store is
 * closed, and never makes the run fail. Answers that cannot be erased now, because another process spends or
 * because this user does not own the database, are erased later, and a note says so.
 */
export async function keepRetention(
  accounts: readonly Account[],
  location: string,
  options: Pick<StoreOptions, 'clock' | 'operator' | 'tell'>,
): Promise<void> {
  const limitedAccounts = accounts.filter(({ retentionMs }) => retentionMs !== undefined);
  if (limitedAccounts.length === 0) return;
  const known = await lookIntoIfThere(location, (ledger) =>
    Promise.all(limitedAccounts.map((account) => knownAccount(account, ledger))),
  );
  const byIdentity = new Map(known.map((account) => [account.identity, account]));
  for (const account of byIdentity.values()) await keepOne(location, account, options);
}

type Keeping = Parameters<typeof keepRetention>[2];

async function keepOne(location: string, account: Account, options: Keeping): Promise<void> {
  const { name, identity: accountIdentity, retentionMs } = account;
  const { clock, operator, tell = () => {} } = options;
  if (retentionMs === undefined) return;
  const order = { kind: 'age', ageMs: retentionMs, accountIdentity } as const;
  const erase = (dryRun: boolean): Promise<ErasureObject> =>
    eraseIn(location, order, { clock, waitForLockMs: 0, command: 'retention', operator, dryRun });
  try {
    // In a database, no one may work during an erasure, so it is asked for only where something is due.
    if (isUrl(location) && isNothing(await erase(true))) return;
    const erased = await erase(false);
    const { requests } = erased;
    if (requests > 0)
      tell(`Erased ${counted(requests, 'request')} of account ${name} that passed the retention.`);
    const words = neededWords(erased);
    if (words !== undefined) tell(`Account ${name} keeps data beyond its retention: ${words}`);
  } catch (error) {
    if (!(error instanceof StopError)) throw error;
    const fact = `Data that passed the retention of account ${name} is not erased yet.`;
    tell(`${fact} ${error.message} ${error.next}`);
    const words = `store purge --account ${shellWord(name)} --older-than ${typedAge(retentionMs)}`;
    if (isUrl(location)) tell(`What erases it: ${words}`);
  }
}

/** The age as a person writes it, rounded so that it never means something younger. */
function typedAge(ms: number): string {
  const hours = Math.ceil(ms / 3_600_000);
  return hours % 24 === 0 ? `${hours / 24}d` : `${hours}h`;
}

/** Says what stays because batches still need it, and how to end them; undefined where nothing stays. */
export function neededWords({
  needed,
  needed_lists: lists,
  needed_by: by,
}: ErasureObject): string | undefined {
  const [batch] = by;
  if (batch === undefined) return undefined;
  const parts = linesOf(needed > 0 && counted(needed, 'request'), lists > 0 && counted(lists, 'kept list'));
  const others = by.length > 1 ? ` and ${by.length - 1} more` : '';
  const typed = (command: string): string => commandLine([command, batch]);
  return (
    `${parts.join(' and ')} that batch ${batch}${others} may still need. ` +
    `To end it, run its list, or run ${typed('cancel')}; for what is in doubt, ${typed('settle')}`
  );
}
