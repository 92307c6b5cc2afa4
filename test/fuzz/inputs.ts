import { readFile } from 'node:fs/promises';
import { GUESSED_ENCODINGS } from '../../src/core/encodings.ts';
import { loadFamily } from '../../src/core/families.ts';
import type { Format, ReadOptions } from '../../src/core/format.ts';
import { DELIMITER_NAMES, DELIMITERS } from '../../src/core/reading.ts';
import { type Random, randomFrom } from '../../src/sandbox/random.ts';
import { corpus, naughtyStrings } from '../files/matrix/corpus.ts';
import type { FuzzInput } from './judge.ts';
import { mutated } from './mutation.ts';
import { SAMPLE_PARTS, SAMPLE_ROWS, SAMPLE_SHEET, withPart, zipped } from './workbook.ts';

/** The marks that the judge puts into a copy hold the other one. */
const PARTING = DELIMITER_NAMES.filter((name) => name !== 'tilde');

/** What the inputs are made of. */
export interface Material {
  /** Contents of the files of the corpus that are text. */
  readonly texts: readonly Buffer[];
  readonly workbook: Buffer;
  /** Cells that programs stumble over. */
  readonly cells: readonly string[];
  readonly endings: readonly string[];
}

/** @param only the one ending of which inputs are wanted; left out: all that any format reads. */
export async function material(only?: string): Promise<Material> {
  const formats = await loadFamily<Format>(new URL('../../src/files/formats/', import.meta.url));
  const files = await corpus();
  const contents = async (isMeant: (path: string) => boolean): Promise<Buffer[]> =>
    Promise.all(files.filter(({ path }) => isMeant(path)).map(({ path }) => readFile(path)));
  return {
    texts: await contents((path) => !/\.(?:gz|xlsx)$/.test(path)),
    workbook: zipped(SAMPLE_PARTS),
    cells: Object.values(await naughtyStrings()).flat(),
    endings: only === undefined ? [...formats.values()].flatMap(({ extensions }) => extensions) : [only],
  };
}

/** The n-th input of a seed: the same on every machine and in every run. */
export function inputOf(from: Material, seed: string | number, n: number): FuzzInput {
  const random = randomFrom('fuzz', seed, n);
  const ending = endingBy(random, from.endings);
  const name = `input${ending}`;
  const options = random.fraction() < 0.5 ? {} : readOptions(random);
  const choice = random.fraction();
  if (ending !== '.xlsx') return { name, bytes: textBytes(from, random), read: options, choice };
  const { encoding: _encoding, delimiter: _delimiter, ...read } = options;
  return { name, read, choice, ...workbook(from, random) };
}

/** Most are plain text: a workbook takes as long as a hundred of them. */
function endingBy(random: Random, endings: readonly string[]): string {
  const chance = random.fraction();
  const wanted = chance < 0.02 ? ['.xlsx'] : ['.csv', '.csv', '.tsv', '.txt'];
  const ending = random.pick(wanted);
  return endings.includes(ending) ? ending : random.pick(endings);
}

function readOptions(random: Random): ReadOptions {
  const sometimes = <T extends object>(share: number, option: () => T): T | object =>
    random.fraction() < share ? option() : {};
  return {
    ...sometimes(0.3, () => ({ encoding: random.pick(GUESSED_ENCODINGS) })),
    ...sometimes(0.6, () => ({ delimiter: random.pick(PARTING) })),
    ...sometimes(0.2, () => ({ ragged: 'pad' as const })),
  };
}

/** Text of the corpus or of our own making; seldom without a scratch, because most others are refused at once. */
function textBytes(from: Material, random: Random): Buffer {
  const base = random.fraction() < 0.5 ? random.pick(from.texts) : writtenTable(from, random);
  const grown = random.fraction() < 0.005 ? repeated(base, random) : base;
  return random.fraction() < 0.3 ? grown : mutated(grown, random, from.texts);
}

/** Files are read 64 KiB at a time and remembered in pieces of 128 KiB: what is longer has rows that lie across two reads, and several pieces. */
const READ = 64 * 1024;

function repeated(base: Buffer, random: Random): Buffer {
  const row = base.subarray(base.indexOf(0x0a) + 1);
  const length = random.integer(READ, 6 * READ);
  return Buffer.concat([base, Buffer.alloc(length, row.length === 0 ? 'a\n' : row)]);
}

/** A table as somebody would write it, in any encoding, with cells that programs stumble over. */
function writtenTable({ cells }: Material, random: Random): Buffer {
  const delimiter = DELIMITERS[random.pick(PARTING)];
  const lineEnds = random.fraction() < 0.8 ? [random.pick(LINE_ENDS)] : LINE_ENDS;
  const columns = random.integer(1, 6);
  const isAllQuoted = random.fraction() < 0.1;
  const record = (next: (column: number) => string): string =>
    Array.from({ length: columns }, (_, column) => written(next(column), delimiter, isAllQuoted)).join(
      delimiter,
    ) + random.pick(lineEnds);
  const rows = Array.from({ length: random.integer(0, 12) }, () =>
    random.fraction() < 0.1
      ? random.pick(lineEnds)
      : record(() => (random.fraction() < 0.3 ? random.pick(cells) : random.pick(TAME_CELLS))),
  );
  const text = record((column) => `c${column}`) + rows.join('');
  return encoded(random.fraction() < 0.3 ? text.trimEnd() : text, random);
}

const LINE_ENDS = ['\n', '\r\n', '\r'] as const;
const TAME_CELLS = [
  '',
  '1',
  '51824753556',
  'Otter & Co',
  'a, b',
  'x; y',
  'the "Reef"',
  'two\nlines',
  'Café',
  '€',
];

const written = (cell: string, delimiter: string, always: boolean): string =>
  always || /["\r\n]/.test(cell) || cell.includes(delimiter) || cell === ''
    ? `"${cell.replaceAll('"', '""')}"`
    : cell;

function encoded(text: string, random: Random): Buffer {
  const mark = random.fraction() < 0.5 ? '\uFEFF' : '';
  const encoding: (typeof GUESSED_ENCODINGS)[number] =
    random.fraction() < 0.6 ? 'utf-8' : random.pick(GUESSED_ENCODINGS);
  switch (encoding) {
    case 'utf-8':
      return Buffer.from(mark + text);
    case 'windows-1252':
      return Buffer.from(text, 'latin1');
    case 'utf-16le':
      return Buffer.from(mark + text, 'utf16le');
    case 'utf-16be':
      return Buffer.from(mark + text, 'utf16le').swap16();
  }
}

/** Mostly a scratch in one of the parts, because hardly any scratch in the container gets past its checksum. */
function workbook({ workbook }: Material, random: Random): Pick<FuzzInput, 'bytes' | 'rows'> {
  if (random.fraction() < 0.2) return { bytes: mutated(workbook, random, [workbook]), rows: SAMPLE_ROWS };
  const at = random.integer(0, SAMPLE_PARTS.size - 1);
  const parts = withPart(SAMPLE_PARTS, at, (part) => mutated(part, random, [...SAMPLE_PARTS.values()]));
  // What is scratched in the cells themselves may well be one row more or less, and no one could tell.
  return [...parts.keys()][at] === SAMPLE_SHEET
    ? { bytes: zipped(parts) }
    : { bytes: zipped(parts), rows: SAMPLE_ROWS };
}
