import type { FileHandle } from 'node:fs/promises';
import type { CsvRecord } from './records.ts';

/** A record without its bytes, which stand in the list. */
type KeptRecord = readonly [
  kind: CsvRecord['kind'],
  row: CsvRecord['row'],
  cells: CsvRecord['cells'],
  unreadable: string | null,
  found: number,
  length: number,
];

type Groups = AsyncGenerator<readonly CsvRecord[]>;

/**
 * The records of a list as the first reading from end to end has found them, for those that follow: parsing
 * takes three times as long as reading them back. They wait in a file, because memory must not grow with the
 * list.
 */
export class KeptRecords {
  readonly #open: () => Promise<FileHandle>;
  #file: FileHandle | undefined;
  /** How many bytes of the file each group takes. */
  readonly #lengths: number[] = [];
  /** `empty`: no group was kept. `begun`: some were. `whole`: all were. `failed`: the disk took no more. */
  #state: 'empty' | 'begun' | 'whole' | 'failed' = 'empty';

  /** @param open opens the file in which they wait; another owner closes it. */
  constructor(open: () => Promise<FileHandle>) {
    this.#open = open;
  }

  get areWhole(): boolean {
    return this.#state === 'whole';
  }

  /** The same groups. They are kept once the last of them was taken. */
  async *keeping(groups: Groups): Groups {
    const isFirst = this.#state === 'empty';
    if (isFirst) this.#state = 'begun';
    for await (const group of groups) {
      if (isFirst) await this.#keep(group);
      yield group;
    }
    if (isFirst && this.#state === 'begun') this.#state = 'whole';
  }

  /** Where the disk has no room, the list is parsed again, and what was kept takes none of the ledger's. */
  async #keep(group: readonly CsvRecord[]): Promise<void> {
    if (this.#state === 'failed') return;
    try {
      this.#file ??= await this.#open();
      const bytes = Buffer.from(JSON.stringify(group.map(keptFrom)));
      // `write` alone may write a part of it on the last room of a disk.
      await this.#file.writeFile(bytes);
      this.#lengths.push(bytes.length);
    } catch {
      this.#state = 'failed';
      await this.#file?.truncate().catch(() => {});
    }
  }

  /**
   * Ends early where the text does; whoever reads the list holds its bytes against their hash.
   * @param texts the text of the list.
   */
  async *records(texts: AsyncGenerator<Buffer>): Groups {
    let text = Buffer.alloc(0);
    try {
      for await (const group of this.#groups()) {
        const length = group.reduce((sum, [, , , , , bytes]) => sum + bytes, 0);
        while (text.length < length) {
          const next = await texts.next();
          if (next.done) return;
          text = Buffer.concat([text, next.value]);
        }
        yield withBytes(group, text);
        text = text.subarray(length);
      }
    } finally {
      await texts.return(undefined);
    }
  }

  async *#groups(): AsyncGenerator<readonly KeptRecord[]> {
    let position = 0;
    for (const length of this.#lengths) {
      const bytes = Buffer.allocUnsafe(length);
      await this.#file?.read(bytes, 0, length, position);
      position += length;
      yield JSON.parse(bytes.toString());
    }
  }
}

const keptFrom = ({ kind, row, cells, unreadable, found, bytes }: CsvRecord): KeptRecord => [
  kind,
  row,
  cells,
  unreadable ?? null,
  found,
  bytes.length,
];

/** @param text begins with the bytes of the first of them. */
function withBytes(group: readonly KeptRecord[], text: Buffer): readonly CsvRecord[] {
  let end = 0;
  return group.map(([kind, row, cells, unreadable, found, length]) => {
    const bytes = text.subarray(end, end + length);
    end += length;
    return { kind, row, cells, unreadable: unreadable ?? undefined, found, bytes };
  });
}
