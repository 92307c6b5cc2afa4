import type { InputRow, RowNumber } from '../../../core/row.ts';
import { type OpenedFile, openFile, rowInputOf } from '../../../files/input.ts';
import { columnsOf, readSettings } from '../../../job/job-settings.ts';
import type { Batch } from '../../../ledger/ledger.ts';
import { realPath, stampOf } from '../../../lib/atomic-file.ts';
import type { ListState } from '../../api.ts';

/** The lists of batches as they stand on the disk: each is opened once, and held against its batch before its cells are shown. */

export interface OpenList {
  readonly header: readonly string[];
  /** The number that stands for the cells that a row was finished from, as the ledger keeps it. */
  readonly inputOf: (row: InputRow) => number;
  /** Reads the list down to the last of them. @param rows by rising numbers. */
  among(rows: readonly RowNumber[]): Promise<ReadonlyMap<RowNumber, InputRow>>;
}

export interface FoundList {
  readonly state: ListState;
  /** Absent unless the list is the one that the batch worked on, as far as is known. */
  readonly list?: OpenList;
}

interface Kept {
  readonly stamp: string;
  readonly list: Promise<OpenList>;
  readonly content: Content;
}

interface Content {
  /** Whether all bytes are those that the batch worked on; absent until that is known. */
  isSame?: boolean;
}

/** Each holds the shared texts of a workbook, so few are kept. */
const MOST_OPEN = 4;

/** So many bytes are hashed before the first page is shown, which is soon done. */
const HASHED_AT_ONCE = 1 << 20;

/** More would hold up the pages that are asked for first. Until then each row is held against what it was finished from. */
const HASHED_AFTER_MS = 2_000;

export class ListFiles {
  readonly #open = new Map<string, Kept>();

  async of(batch: Batch): Promise<FoundList> {
    // A list that cannot be reached is as good as gone.
    const stamp = await realPath(batch.inputPath)
      .then(stampOf)
      .catch(() => undefined);
    if (stamp === undefined) return { state: 'gone' };
    const before = this.#open.get(batch.id);
    const kept = before?.stamp === stamp ? before : this.#opened(batch, stamp);
    // A file of another kind, or one that cannot be read any more, is not the list either.
    const list = await kept.list.catch(() => undefined);
    return list === undefined || kept.content.isSame === false
      ? { state: 'changed' }
      : { state: 'same', list };
  }

  #opened(batch: Batch, stamp: string): Kept {
    const content: Content = {};
    const kept = { stamp, content, list: openKept(batch, content) };
    kept.list.catch(() => {});
    this.#open.delete(batch.id);
    this.#open.set(batch.id, kept);
    for (const id of this.#open.keys()) if (this.#open.size > MOST_OPEN) this.#open.delete(id);
    return kept;
  }
}

async function openKept(batch: Batch, content: Content): Promise<OpenList> {
  const opened = await openFile(batch.inputPath, readSettings(batch.settings));
  const { file } = opened;
  const hashed = async (): Promise<void> => {
    content.isSame = await file.sha256().then(
      (sha256) => sha256 === batch.inputSha256,
      () => false,
    );
  };
  if ((await file.size()) <= HASHED_AT_ONCE) await hashed();
  else setTimeout(hashed, HASHED_AFTER_MS).unref();
  return openList(batch, opened);
}

async function openList(batch: Batch, { sheet }: OpenedFile): Promise<OpenList> {
  const header = await sheet.header();
  const among = async (rows: readonly RowNumber[]): Promise<ReadonlyMap<RowNumber, InputRow>> => {
    const found: InputRow[] = [];
    for await (const group of sheet.groups()) {
      found.push(...group.filter(({ row }) => rows.includes(row)));
      if ((group.at(-1)?.row ?? 0) >= (rows.at(-1) ?? 0)) break;
    }
    return new Map(found.map((each) => [each.row, each]));
  };
  return { header, inputOf: rowInputOf(columnsOf(batch.settings)?.columns ?? {}, header), among };
}
