import { hash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson } from '../core/call-key.ts';
import { stop } from '../core/errors.ts';
import { ledgersFolder } from '../core/paths.ts';
import { distrustOfFolder } from '../lib/file-trust.ts';
import { syncFile, syncFolder } from '../lib/private-file.ts';
import type { Batch, Notice } from './records.ts';

/**
 * What this host itself knows, outside of every store. It knows which bytes it wrote to which path, and which
 * notices it has to send. Of each batch it knows the list, the output and the order. A person who can write
 * into a store can name any file, job or receiver in it. So such a name counts only where this host has noted
 * the same (protocol, rule 20).
 *
 * There is one small file for each path, batch and notice. It holds nothing but hashes, because a path may
 * name a person, who can be forgotten. It is best effort: without a writable folder a file of ours counts as
 * the user's, and a batch has no place and no command that goes on.
 */

/** @returns whether a file of that content at that path is as this host wrote it. */
export const isWrittenHere = (path: string, sha256: string): boolean =>
  linesAt('written', path).includes(sha256);

/** @param sha256s of our files that may stand at that path from now on. */
export const noteWrittenHere = (path: string, sha256s: readonly string[]): void =>
  keep('written', path, sha256s);

/** Where a batch has its list and its output, and what it was ordered as. */
export type Noun = 'list' | 'output' | 'order';

export const isKnownHere = (batch: string, noun: Noun, text: string): boolean =>
  linesAt('batch', batch).includes(markOf(noun, text));

export function noteHere(batch: string, nouns: readonly (readonly [Noun, string | undefined])[]): void {
  const known = linesAt('batch', batch);
  const marks = nouns.flatMap(([noun, text]) => (text === undefined ? [] : [markOf(noun, text)]));
  if (marks.some((mark) => !known.includes(mark))) keep('batch', batch, [...new Set([...known, ...marks])]);
}

/** What decides which work the command that goes on with a batch does, as one text. */
export function orderOf({ operation, accountName, settings }: Order): string {
  const { job = null, said = null, trial = null, undoes = null } = settings;
  return canonicalJson(JSON.parse(JSON.stringify([operation, accountName, job, said, trial, undoes])));
}

type Order = Pick<Batch, 'operation' | 'accountName' | 'settings'>;

export const isNoticeOfHere = (notice: SentNotice): boolean =>
  linesAt('notice', notice.id).includes(noticeMark(notice));

/** The store keeps the first of several notices with one id. */
export const noteNoticeHere = (notice: SentNotice): void =>
  keep('notice', notice.id, [...linesAt('notice', notice.id), noticeMark(notice)]);

export const forgetNoticeHere = ({ id }: Pick<Notice, 'id'>): void => forget('notice', id);

type SentNotice = Pick<Notice, 'id' | 'target' | 'body'>;

/** Whether an earlier build, which noted none of this, has spent from the ledger on this host. */
export const isOfEarlierBuild = (identity: string): boolean => linesAt('ledger', identity).length === 0;

export const noteKnownLedger = (identity: string): void => keep('ledger', identity, ['known']);

const noticeMark = ({ target, body }: SentNotice): string => markOf('notice', JSON.stringify([target, body]));

const markOf = (kind: string, text: string): string => hash('sha256', `${kind}\0${text}`, 'hex');

// ------------------------------------------------------------------------------------------------ the files

/**
 * What is known of a ledger outside of it:
 * - `written`: the content of a file that we wrote.
 * - `batch`: the places of its list and its output, and its order.
 * - `notice`: a notice that was sent.
 * - `ledger`: the ledger itself.
 */
type Kind = 'written' | 'batch' | 'notice' | 'ledger';

/** What could not be kept on the disk, for as long as this process lives. */
const unkept = new Map<string, readonly string[]>();

const nameOf = (kind: Kind, name: string): string => markOf(kind, name);

function linesAt(kind: Kind, name: string): readonly string[] {
  const file = nameOf(kind, name);
  const folder = hostFolder();
  try {
    if (folder === undefined) return unkept.get(file) ?? [];
    return readFileSync(join(folder, KNOWN, file), 'utf8').split('\n');
  } catch {
    return unkept.get(file) ?? [];
  }
}

/** Readers see the old lines or the new ones. */
function keep(kind: Kind, name: string, lines: readonly string[]): void {
  const file = nameOf(kind, name);
  const folder = hostFolder();
  try {
    if (folder === undefined) throw new Error('there is no folder');
    const known = join(folder, KNOWN);
    const isNew = mkdirSync(known, { recursive: true, mode: 0o700 }) !== undefined;
    const newFile = join(known, `${file}.${randomBytes(6).toString('hex')}.new`);
    writeFileSync(newFile, lines.join('\n'), { flag: 'wx', mode: 0o600 });
    // What follows the note outlives a loss of power, and so does the note.
    syncFile(newFile); // rule 12d
    renameSync(newFile, join(known, file));
    syncFolder(known);
    if (isNew) syncFolder(folder);
    unkept.delete(file);
  } catch {
    unkept.set(file, lines);
  }
}

function forget(kind: Kind, name: string): void {
  const file = nameOf(kind, name);
  unkept.delete(file);
  try {
    rmSync(join(hostFolder() ?? '', KNOWN, file), { force: true });
  } catch {
    // What stays there is a few bytes.
  }
}

const KNOWN = 'known';

/**
 * The folder of what is known outside of stores; undefined for a user without a home.
 * @throws StopError `store` for one that others can write to: they could hide that a store is outdated, or
 * block one that is not.
 */
export function hostFolder(): string | undefined {
  let folder: string;
  try {
    folder = ledgersFolder();
  } catch {
    return undefined;
  }
  const distrust = distrustOfFolder(folder);
  if (distrust === undefined) return folder;
  throw stop('store', `The record of known ledgers was not used: ${distrust.fact}.`, distrust.next);
}
