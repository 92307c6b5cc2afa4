import { type InputRow, RowCount } from '../../core/row.ts';
import {
  type Fingerprint,
  FingerprintSet,
  FNV_PRIME,
  OTHER_PRIME,
  stirred,
} from '../../lib/fingerprint-set.ts';

/** Rows that say the same as an earlier one, to the character or but for how it is written. */

/** What a finder found. `comparedWith` is undefined when all of it was found. */
export type Duplicates = Pick<NearDuplicateFinder, 'same' | 'nearlySame' | 'comparedWith'>;

/** Rows are compared with the first million different ones, which take 16 MB, whatever the file's length. */
const ROWS_KEPT = 1_000_000;

/** Takes the rows of a file in order, and finds equal and nearly equal ones. */
export class NearDuplicateFinder {
  readonly #exact: FingerprintSet;
  readonly #near: FingerprintSet;
  /** Rows with the very cells of an earlier one. */
  readonly same = new RowCount();
  /** Rows that differ from all earlier ones, but from one of them only in case, spaces or punctuation. */
  readonly nearlySame = new RowCount();

  /** @param kept how many different rows all others are compared with. */
  constructor(kept = ROWS_KEPT) {
    this.#exact = new FingerprintSet(kept);
    this.#near = new FingerprintSet(kept);
  }

  add({ row, cells }: InputRow): void {
    const { exact, near, isBlank } = fingerprintsOf(cells);
    if (isBlank) return;
    if (!this.#exact.add(exact)) this.same.add(row);
    else if (!this.#near.add(near)) this.nearlySame.add(row);
  }

  /** How many different rows the others were compared with, where the file has more; else undefined, and all were found. */
  get comparedWith(): number | undefined {
    return this.#exact.keptOnly;
  }
}

interface Fingerprints {
  readonly exact: Fingerprint;
  /** Equal for rows that are written differently. */
  readonly near: Fingerprint;
  readonly isBlank: boolean;
}

/** Stands between two cells; no character code is as large. */
const BETWEEN_CELLS = 0x110000;

/**
 * Made in one pass over the characters, in plain numbers: a million rows are planned in seconds, and to take their texts
 * apart would cost as much again. Two streams of FNV-1a over what is significant are the near fingerprint; a third one
 * over what is left out, and where it stands, makes the exact one of it.
 */
function fingerprintsOf(cells: readonly string[]): Fingerprints {
  let high = 0x811c9dc5;
  let low = 0x9e3779b1;
  let rest = 0x811c9dc5;
  let significantCharacters = 0;
  for (const cell of cells) {
    for (let at = 0; at < cell.length; at += 1) {
      const code = cell.charCodeAt(at);
      const kept = significant(code, cell, at);
      if (kept !== code) rest = Math.imul(rest ^ (code + (at << 16)), FNV_PRIME);
      if (kept === NOTHING) continue;
      significantCharacters += 1;
      high = Math.imul(high ^ kept, FNV_PRIME);
      low = Math.imul(low ^ kept, OTHER_PRIME);
    }
    high = Math.imul(high ^ BETWEEN_CELLS, FNV_PRIME);
    low = Math.imul(low ^ BETWEEN_CELLS, OTHER_PRIME);
    rest = Math.imul(rest ^ BETWEEN_CELLS, FNV_PRIME);
  }
  return {
    near: stirred(high, low),
    exact: stirred(high ^ rest, Math.imul(low ^ rest, OTHER_PRIME)),
    isBlank: significantCharacters === 0,
  };
}

const NOTHING = -1;

/**
 * A letter in lower case or a digit, and what makes another number of the digit that follows: "1.5" is not "15". Nothing
 * for spaces and punctuation. Letters of other alphabets are taken as they are.
 */
function significant(code: number, cell: string, at: number): number {
  if (code >= 128) return SPACES.has(code) ? NOTHING : code;
  const kept = ASCII[code] ?? NOTHING;
  if (kept !== BEFORE_DIGIT) return kept;
  const next = cell.charCodeAt(at + 1);
  return next >= 0x30 && next <= 0x39 ? code : NOTHING;
}

const BEFORE_DIGIT = -2;

/** What is kept of a character, indexed by its code. */
const ASCII = Int8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[a-z0-9]/i.test(character)) return character.toLowerCase().charCodeAt(0);
  return /[.,+-]/.test(character) ? BEFORE_DIGIT : NOTHING;
});

/** Non-breaking, zero-width and narrow spaces, and the byte-order mark. */
const SPACES: ReadonlySet<number> = new Set([0xa0, 0x200b, 0x202f, 0x2060, 0xfeff]);
