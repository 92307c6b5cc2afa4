import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile, stampOf } from '../../lib/atomic-file.ts';
import { Choices, ListDescription, type ReadWords } from '../api.ts';
import { askChild } from './children.ts';
import { inWordsOf, type ListFile } from './list-files.ts';
import type { Server } from './server.ts';

/** The flags by which a command reads the file as it was chosen. */
function readWords(read: ReadWords): readonly string[] {
  return Object.entries(read).flatMap(([name, value]) => [`--${name.replaceAll('_', '-')}`, String(value)]);
}

/** As many as may be worked on side by side; each is some kilobytes. */
const MOST_KEPT = 50;

/** What a file is, asked once for each of its contents and each way to read it. */
export class FactBook {
  readonly #server: Pick<Server, 'program'>;
  readonly #kept = new Map<string, Promise<unknown>>();

  constructor(server: Pick<Server, 'program'>) {
    this.#server = server;
  }

  async of(list: ListFile, read?: ReadWords): Promise<ListDescription> {
    return ListDescription.parse(await this.#printed(list, read));
  }

  async #printed(list: ListFile, read: ReadWords = {}): Promise<unknown> {
    const { path } = list;
    const key = JSON.stringify([await stampOf(path), path, read]);
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    for (const oldest of [...this.#kept.keys()].slice(0, -MOST_KEPT)) this.#kept.delete(oldest);
    const asked = inWordsOf(list, () => askChild(this.#server.program, ['plan', path, ...readWords(read)]));
    this.#kept.set(key, asked);
    // A refusal may be mended, so it is asked for again.
    asked.catch(() => this.#kept.delete(key));
    return asked;
  }
}

const DRAFT = 'draft.json';

/** What was chosen for the list so far, so that a reload and another tab go on with it. */
export async function draftOf({ folder }: ListFile): Promise<Choices | null> {
  return readFile(join(folder, DRAFT), 'utf8').then(
    (text) => Choices.safeParse(JSON.parse(text)).data ?? null,
    () => null,
  );
}

export async function keepDraft({ folder }: ListFile, choices: Choices): Promise<void> {
  await replaceFile(join(folder, DRAFT), 0o600, [JSON.stringify(choices)]);
}
