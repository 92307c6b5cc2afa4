import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file that no name leads to, so that no one else reads it and a crash leaves nothing behind. */
export async function openUnnamed(folder: string = tmpdir()): Promise<FileHandle> {
  const path = join(folder, `rowonce-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await rm(path);
  return file;
}

/** Such a file that is opened when it is needed first, and closed by its owner. */
export class UnnamedFile implements AsyncDisposable {
  readonly #folder: string;
  #file: FileHandle | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async open(): Promise<FileHandle> {
    this.#file ??= await openUnnamed(this.#folder);
    return this.#file;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file?.close();
  }
}
