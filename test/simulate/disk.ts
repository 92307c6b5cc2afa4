/**
 * What a disk holds when the power goes: what was synced, and of the rest what the seed says. Files lie in memory (a folder of tmpfs), where
 * the program has its own calls of the file system; this only remembers what they had not made sure of.
 */
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import type { Random } from './schedule.ts';

/** What stood at a path; undefined: nothing. */
type Content = { readonly bytes: Buffer; readonly mode: number } | undefined;

/** A name was given, taken or moved: what stood at each path before. */
type Change = readonly (readonly [path: string, before: Content])[];

const NO_BYTES = Buffer.alloc(0);

export class Disk {
  /** Of files whose bytes were changed since they were synced: the bytes before. */
  readonly #contents = new Map<string, Buffer>();
  /** Since the folder was synced, the oldest first. */
  #changes: Change[] = [];

  /** Before bytes of a file are changed. */
  writes(path: string): void {
    if (!this.#contents.has(path)) this.#contents.set(path, contentOf(path)?.bytes ?? NO_BYTES);
  }

  /** Before a name is given or taken. */
  names(path: string): void {
    this.#changes.push([[path, this.#synced(path)]]);
  }

  /** Before a file takes the place of another one, which happens as a whole or not at all. */
  moves(from: string, to: string): void {
    this.#changes.push([
      [to, this.#synced(to)],
      [from, this.#synced(from)],
    ]);
    const unsynced = this.#contents.get(from);
    this.#contents.delete(from);
    this.#contents.delete(to);
    if (unsynced !== undefined) this.#contents.set(to, unsynced);
  }

  synced(path: string): void {
    this.#contents.delete(path);
    // What was moved out of another folder is there once its new folder is synced.
    this.#changes = this.#changes.filter(([[name] = ['']]) => dirname(name) !== path);
  }

  /**
   * The power goes. Of the names the last ones are lost, because a file system keeps their order. Of bytes that were not made sure of
   * there may be the old ones, or a part of the new.
   */
  lose(random: Random): void {
    const kept = Math.floor(random() * (this.#changes.length + 1));
    for (const [path, before] of this.#contents) if (fs.existsSync(path)) loseBytes(path, before, random);
    for (const change of this.#changes.slice(kept).reverse())
      for (const [path, before] of change) put(path, before);
    this.forget();
  }

  forget(): void {
    this.#contents.clear();
    this.#changes = [];
  }

  #synced(path: string): Content {
    const content = contentOf(path);
    return content && { ...content, bytes: this.#contents.get(path) ?? content.bytes };
  }
}

function contentOf(path: string): Content {
  const found = fs.lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() ? { bytes: fs.readFileSync(path), mode: found.mode & 0o777 } : undefined;
}

function loseBytes(path: string, before: Buffer, random: Random): void {
  const now = fs.readFileSync(path);
  const drawn = random();
  if (drawn < 0.5) fs.writeFileSync(path, drawn < 0.25 ? before : now.subarray(0, random() * now.length));
}

function put(path: string, content: Content): void {
  if (content === undefined) fs.rmSync(path, { force: true });
  else if (fs.existsSync(dirname(path))) fs.writeFileSync(path, content.bytes, { mode: content.mode });
}

/** All files below a folder. */
export function filesBelow(folder: string): readonly string[] {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
