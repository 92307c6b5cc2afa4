import { FingerprintSet } from './fingerprint-set.ts';
import type { InputRow, RowNumber } from './row.ts';

/** Rows that say the same as an earlier one, to the character or but for how it is written. */

export interface AlikeRows {
  readonly count: number;
  readonly firstRows: readonly RowNumber[];
}

const FIRST_ROWS_SHOWN = 5;

/**
 * Rows are compared with the first million different ones, which take 32 MB; a longer file may have more duplicates than
 * are found.
 */
const ROWS_KEPT = 1_000_000;

/** Is shown the rows of a file, in order. */
export class AlikeRowFinder {
  readonly #exact = new FingerprintSet();
  readonly #near = new FingerprintSet();
  readonly #same = { count: 0, firstRows: [] as RowNumber[] };
  readonly #nearlySame = { count: 0, firstRows: [] as RowNumber[] };
  #kept = 0;

  add({ row, cells }: InputRow): void {
    const { exact, near, isBlank } = fingerprintsOf(cells);
    if (isBlank) return;
    if (this.#kept >= ROWS_KEPT) {
      if (this.#exact.has(exact)) count(this.#same, row);
      else if (this.#near.has(near)) count(this.#nearlySame, row);
      return;
    }
    if (this.#exact.add(exact)) {
      this.#kept += 1;
      if (!this.#near.add(near)) count(this.#nearlySame, row);
    } else count(this.#same, row);
  }

  /** Rows with the very cells of an earlier one. */
  get same(): AlikeRows {
    return this.#same;
  }

  /** Rows that differ from all earlier ones, but from one of them only in case, spaces or punctuation. */
  get nearlySame(): AlikeRows {
    return this.#nearlySame;
  }
}

function count(found: { count: number; readonly firstRows: RowNumber[] }, row: RowNumber): void {
  found.count += 1;
  if (found.firstRows.length < FIRST_ROWS_SHOWN) found.firstRows.push(row);
}

// ------------------------------------------------------------------------------------------------ fingerprints

interface Fingerprints {
  readonly exact: number;
  /** Equal for rows that are written differently. */
  readonly near: number;
  readonly isBlank: boolean;
}

/** Between two cells; no character of a text is as large. */
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
    near: fingerprint(high, low),
    exact: fingerprint(high ^ rest, Math.imul(low ^ rest, OTHER_PRIME)),
    isBlank: significantCharacters === 0,
  };
}

const FNV_PRIME = 0x01000193;
const OTHER_PRIME = 0x85ebca6b;

/** 52 bits, which a number holds exactly, from two numbers of 32; the last bits of both are stirred by the others. */
function fingerprint(high: number, low: number): number {
  return ((high ^ (high >>> 15)) >>> 12) * 2 ** 32 + ((low ^ (low >>> 15)) >>> 0);
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

/** By character code: what is kept of it. */
const ASCII = Int8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[a-z0-9]/i.test(character)) return character.toLowerCase().charCodeAt(0);
  return /[.,+-]/.test(character) ? BEFORE_DIGIT : NOTHING;
});

/** Non-breaking, zero-width and narrow spaces, and the byte-order mark. */
const SPACES: ReadonlySet<number> = new Set([0xa0, 0x200b, 0x202f, 0x2060, 0xfeff]);
