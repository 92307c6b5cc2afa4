import { isAgreed, keepAgreement, type LargeList } from '../../client/account/agreements.ts';
import { accepting, StopError, stop } from '../../core/errors.ts';
import type { FileBytes, ReadOptions } from '../../core/format.ts';
import { asFlag, phrase, typing } from '../../core/phrase.ts';
import { grouped } from '../../core/plain-text.ts';
import { MOST_COLUMNS } from '../workbook.ts';

/**
 * The bytes of a file do not say how much room its list needs: a workbook of 500 kB may have one text of 30
 * kB in each of its cells, and the store keeps every row with its cells. So cells and characters are counted
 * while a list is read for the first time, before anything of it is kept or sent.
 */
interface Extent {
  readonly cells: number;
  readonly characters: number;
}

const GIGA = 1_000_000_000;

/** Above this a person agrees first: hardly any list that people keep is so large. */
const ASKED: Extent = { cells: 20_000_000, characters: GIGA };

const MOST: Extent = { cells: 200_000_000, characters: 8 * GIGA };

export class ListSize {
  readonly #file: FileBytes;
  readonly #options: ReadOptions;
  #cells = 0;
  #characters = 0;
  #isAgreed = false;

  constructor(file: FileBytes, options: ReadOptions) {
    this.#file = file;
    this.#options = options;
  }

  add(cells: readonly string[]): void {
    let characters = 0;
    for (const cell of cells) characters += cell.length;
    this.addTotals(cells.length, characters);
  }

  addTotals(cells: number, characters: number): void {
    this.#cells += cells;
    this.#characters += characters;
  }

  /**
   * Holds what was counted so far against the limits; a reader calls it after each group of rows. A batch
   * over the same bytes has its rows already, so its list is read to its end.
   * @throws StopError `input` for a list that is too large, `consent` while no one has agreed to a large one.
   */
  async check(): Promise<void> {
    const { asBefore, large } = this.#options;
    if (asBefore !== undefined) return;
    if (this.#isAbove(MOST)) throw tooLarge(this.#file.path);
    if (this.#isAgreed || large === 'unasked' || !this.#isAbove(ASKED)) return;
    await requireAgreed(this.#file, large === 'agreed');
    this.#isAgreed = true;
  }

  #isAbove({ cells, characters }: Extent): boolean {
    return this.#cells > cells || this.#characters > characters;
  }
}

const extentWords = ({ cells, characters }: Extent): string =>
  `${grouped(cells)} cells, or ${characters / GIGA} GB of text`;

const TO_AGREE = typing`Or run the same command with ${asFlag('--accept', 'large-list')}.`;

const LESS = 'Leave out the columns and rows that are not needed, or make several lists of it';

function tooLarge(path: string): StopError {
  const fact = `${path} unfolds to more than ${extentWords(MOST)}, the most that a list may have.`;
  return stop('input', fact, `${LESS}.`);
}

/** An agreement holds for these bytes, whatever is done with them. */
async function requireAgreed(file: FileBytes, isAgreedNow: boolean): Promise<void> {
  const agreement: LargeList = `large-list:${(await file.sha256()).slice(0, 32)}`;
  if (await isAgreed(agreement)) return;
  const fact = `${file.path} unfolds to more than ${extentWords(ASKED)}`;
  if (!isAgreedNow)
    throw new StopError({
      code: 'consent',
      message: `${fact}: the store would keep all of that. You have not agreed to so large a list yet.`,
      next: phrase`${LESS}. ${TO_AGREE}`,
      choices: [accepting('large-list', 'work with all of it')],
    });
  await keepAgreement({ agreement, fact, details: ['The store keeps all of its cells.'] });
}

/**
 * The columns of a list that Excel could hold as well. More of them are no table that people keep, and some
 * work looks at each column more than once.
 * @throws StopError `input` for more.
 */
export function requireColumns(path: string, columns: number): void {
  if (columns <= MOST_COLUMNS) return;
  const fact = `${path} has more than ${grouped(MOST_COLUMNS)} columns, the most that a list may have.`;
  throw stop('input', fact, 'Leave out the columns that are not needed.');
}
