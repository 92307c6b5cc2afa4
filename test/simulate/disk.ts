/**
 * What a disk holds when the power goes: what was synced, and of the rest what the seed says. Files lie in memory (a folder of tmpfs), where
 * the program has its own calls of the file system; this only remembers what they had not made sure of.
 */
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import type { Random } from './schedule.ts';

/** What stood at a path; undefined: nothing. */
type Content = Buffer | undefined;

export class Disk {
  /** Of files whose bytes were changed since they were synced: the bytes before. */
  readonly #contents = new Map<string, Content>();
  /** Of names that came, went or moved since their folder was synced: what stood there before. */
  readonly #names = new Map<string, Content>();

  /** Before bytes of a file are changed. */
  writes(path: string): void {
    if (!this.#contents.has(path)) this.#contents.set(path, contentOf(path));
  }

  /** Before a name is given, taken or moved. */
  names(path: string): void {
    if (!this.#names.has(path)) this.#names.set(path, this.#synced(path));
  }

  moves(from: string, to: string): void {
    this.names(to);
    this.names(from);
    const unsynced = this.#contents.get(from);
    if (this.#contents.delete(from)) this.#contents.set(to, unsynced);
  }

  synced(path: string): void {
    this.#contents.delete(path);
    for (const name of this.#names.keys()) if (dirname(name) === path) this.#names.delete(name);
  }

  /** The power goes. Each thing that was not made sure of may have reached the disk all the same. */
  lose(random: Random): void {
    const isLost = (): boolean => random() < 0.5;
    for (const [path, before] of this.#contents) if (fs.existsSync(path) && isLost()) put(path, before);
    for (const [path, before] of this.#names) if (isLost()) put(path, before);
    this.forget();
  }

  forget(): void {
    this.#contents.clear();
    this.#names.clear();
  }

  #synced(path: string): Content {
    return this.#contents.has(path) ? this.#contents.get(path) : contentOf(path);
  }
}

function contentOf(path: string): Content {
  const found = fs.lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() ? fs.readFileSync(path) : undefined;
}

function put(path: string, content: Content): void {
  if (content === undefined) fs.rmSync(path, { force: true });
  else if (fs.existsSync(dirname(path))) fs.writeFileSync(path, content);
}

/** All files below a folder. */
export function filesBelow(folder: string): readonly string[] {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
