import { isAscii, isUtf8 } from 'node:buffer';
import { EAST_ASIAN_ENCODINGS, type Encoding, encodingWords } from '../../../core/encodings.ts';
import { NoListError, StopError } from '../../../core/errors.ts';
import type { FileBytes, ReadOptions } from '../../../core/format.ts';
import { iconvLite } from '../../../core/libraries.ts';
import { UNPACK, whatToSave } from '../../../core/other-files.ts';
import { asField, asFlag, joined, phrase, typing, type Words } from '../../../core/phrase.ts';
import { foreignName, listed } from '../../../core/plain-text.ts';

/**
 * Which encoding a text is in. The bytes tell UTF-8 and Windows-1252 apart. Where they can be neither, a
 * person is asked: a name in the wrong letters is paid for, and finds nothing.
 */

interface FoundEncoding {
  readonly encoding: Encoding;
  readonly notes: readonly string[];
}

/**
 * The wanted encoding; else the one of the byte-order mark; else UTF-8 where the first character above ASCII
 * is one, read as UTF-8; else Windows-1252, which hardly ever looks like UTF-8 by chance. Damage further down
 * is refused when it is read. A list of an earlier batch is read as that batch has read it.
 * @throws StopError `input` for a file of another kind that has the name of a text, and for a text with an
 * encoding that only a person knows.
 */
export async function findEncoding(file: FileBytes, options: ReadOptions): Promise<FoundEncoding> {
  const start = await file.bytesAt(0, LOOKED_AT);
  requireText(file.path, start);
  // A list that was mended on the page is UTF-8 with a mark where its own encoding lacks a character.
  const isMarked = options.asBefore === undefined && start.indexOf(UTF8_MARK) === 0 && isCutUtf8(start);
  const givenEncoding = isMarked ? 'utf-8' : options.encoding;
  const found = givenEncoding ?? UTF16_MARKS[start.toString('hex', 0, 2)];
  if (found !== undefined) return { encoding: found, notes: [] };
  if (options.asBefore === undefined) requireNoBinary(file.path, start);
  const offset = await findByte(file, 0, (chunk) =>
    isAscii(chunk) ? -1 : chunk.findIndex((byte) => byte >= 0x80),
  );
  if (offset === undefined) return { encoding: 'utf-8', notes: [] };
  const [first = 0, ...others] = await file.bytesAt(offset, 4);
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  const isFirstUtf8 = isUtf8(Buffer.from([first, ...others].slice(0, length)));
  if (options.asBefore === undefined) await requireClear(file, offset, isFirstUtf8);
  if (isFirstUtf8) return { encoding: 'utf-8', notes: [] };
  const byte = `byte 0x${first.toString(16).toUpperCase()}`;
  const note = `The file is read as Windows-1252, because its ${byte} is not UTF-8; use --encoding to change that.`;
  return { encoding: 'windows-1252', notes: [note] };
}

/** The places where a file declares its encoding. */
const LOOKED_AT = 16 * 1024;

const UTF8_MARK = Buffer.from('\uFEFF');

const UTF16_MARKS: Readonly<Record<string, Encoding>> = { fffe: 'utf-16le', feff: 'utf-16be' };

/** @param indexIn the index of the byte in a chunk, or -1. */
async function findByte(
  file: FileBytes,
  start: number,
  indexIn: (chunk: Buffer) => number,
): Promise<number | undefined> {
  let passed = start;
  for await (const chunk of file.chunks(start)) {
    const at = indexIn(chunk);
    if (at !== -1) return passed + at;
    passed += chunk.length;
  }
  return undefined;
}

/** The last character may be cut. */
const isCutUtf8 = (bytes: Buffer): boolean =>
  [0, 1, 2, 3].some((cut) => isUtf8(bytes.subarray(0, bytes.length - cut)));

// ----------------------------------------------------------------------------- whether the bytes can be that

/** @param offset of the first byte above ASCII. */
async function requireClear(file: FileBytes, offset: number, isFirstUtf8: boolean): Promise<void> {
  const sample = await linesFrom(file, offset);
  if (isFirstUtf8 ? !isMostlyUtf8(sample) : isOtherText(sample)) throw unclearEncoding(file.path, sample);
  if (isFirstUtf8) return;
  const unknown = await findByte(file, offset, indexOfUnknown);
  if (unknown !== undefined) throw unclearEncoding(file.path, await linesFrom(file, unknown));
}

/** A list shows its letters in so many bytes. */
const SAMPLE = 256 * 1024;

/** Where the line of that offset begins is looked for in so many bytes above. */
const LONGEST_LINE = 4 * 1024;

/** Whole lines from the one on which that byte stands. */
async function linesFrom(file: FileBytes, offset: number): Promise<Buffer> {
  const from = Math.max(0, offset - LONGEST_LINE);
  const bytes = await file.bytesAt(from, SAMPLE);
  const start = from === 0 && offset < SAMPLE ? 0 : bytes.lastIndexOf('\n', offset - from) + 1;
  const end = bytes.length < SAMPLE ? bytes.length : bytes.lastIndexOf('\n') + 1;
  return bytes.subarray(start, end > start ? end : bytes.length);
}

/** A damaged byte in a text of UTF-8 is refused with its row, and makes it no other text. */
function isMostlyUtf8(sample: Buffer): boolean {
  if (isUtf8(sample)) return true;
  const characters = sample.toString().match(ABOVE_ASCII) ?? [];
  return characters.filter((each) => each !== '\uFFFD').length * 2 >= characters.length;
}

const ABOVE_ASCII = /[^\0-\x7F]/gu;

/** Bytes that are no characters of Windows-1252. */
const UNKNOWN = [0x81, 0x8d, 0x8f, 0x90, 0x9d];

const indexOfUnknown = (chunk: Buffer): number =>
  UNKNOWN.map((byte) => chunk.indexOf(byte)).find((at) => at !== -1) ?? -1;

/**
 * Signs of Windows-1252 that stand in no word, and capitals that follow no small letter: what letters of DOS
 * and of the Macintosh become, such as `M„ller`, `Jos‚` and `JosŽ`.
 */
const IN_NO_WORD = new RegExp(
  [
    '(?<=[A-Za-z])[\\x82-\\x84\\x86-\\x89\\x8B\\x93\\x94\\x98\\x9B\\xA1-\\xA5\\xA7](?=[A-Za-z])',
    '(?<=[a-z])[\\x82\\x84](?![A-Za-z])',
    '(?<=[a-z])[\\x8A\\x8C\\x8E\\x9F]|(?<=[A-Z])[\\x8A\\x8C\\x8E\\x9F](?=[a-z])',
  ].join('|'),
  'g',
);

/** No language of Windows-1252 has a word of such letters alone; one sign may be repeated as a line. */
const WITHOUT_ASCII =
  /(?<![A-Za-z\x80-\xFF])(?!([\x80-\xFF])\1+(?![\x80-\xFF]))[\x80-\xFF]{3,}(?![A-Za-z\x80-\xFF])/g;

/** Whether most bytes above ASCII are no text of Windows-1252, or pairs that an East Asian encoding reads. */
function isOtherText(sample: Buffer): boolean {
  if (indexOfUnknown(sample) !== -1) return true;
  const text = sample.toString('latin1');
  const count = (pattern: RegExp): number =>
    (text.match(pattern) ?? []).reduce((sum, { length }) => sum + length, 0);
  const all = count(/[\x80-\xFF]+/g);
  if (count(IN_NO_WORD) * 2 > all || count(WITHOUT_ASCII) * 2 > all) return true;
  const cells = cellsIn(sample);
  return EAST_ASIAN_ENCODINGS.some((encoding) => lettersOf(cells, encoding).share > 0.5);
}

// ------------------------------------------------------------------------------------------------- readings

const CELLS_LOOKED_AT = 500;

/** Different cells with bytes above ASCII. The second byte of a character is none of these signs. */
function cellsIn(sample: Buffer): readonly Buffer[] {
  const cells = new Set<string>();
  for (const [cell] of sample.toString('latin1').matchAll(/[^,;\t\r\n"]*[\x80-\xFF][^,;\t\r\n"]*/g)) {
    cells.add(cell.trim());
    if (cells.size === CELLS_LOOKED_AT) break;
  }
  return [...cells].map((cell) => Buffer.from(cell, 'latin1'));
}

const SCRIPTS = {
  east: /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u30FC\p{M}]+$/u,
  hangul: /^[\p{Script=Hangul}]+$/u,
  cyrillic: /^\p{Script=Cyrillic}+$/u,
  greek: /^\p{Script=Greek}+$/u,
  hebrew: /^[\p{Script=Hebrew}\p{M}]+$/u,
  arabic: /^[\p{Script=Arabic}\p{M}]+$/u,
  thai: /^[\p{Script=Thai}\p{M}]+$/u,
  latin: /^(?=.*[A-Za-z])(?!.*[^\0-\x7F]{3})\p{Script=Latin}+$/u,
};

/** Words as people write them, in small letters but for the first, or in capitals. */
const CASED = /^(?:\p{Lu}?[^\p{Lu}]*|\p{Lu}+)$/u;

/** Half of a letter of full width, which any byte between 0xA1 and 0xDF would be. */
const HALF_WIDTH = /[\uFF61-\uFF9F]/u;

/** A letter, or what no list has: a line of a frame that a program of DOS draws, or no character. */
const NO_SIGN = /[^\0-\x7F\p{P}\p{S}\s]|[\u2500-\u259F\uFFFD]/gu;

/** The first bytes of the characters that are used most. */
const USUAL: Readonly<Record<string, readonly (readonly [first: number, last: number])[]>> = {
  gb18030: [[0xb0, 0xd7]],
  big5: [[0xa4, 0xc6]],
  'euc-kr': [[0xb0, 0xc8]],
  shift_jis: [
    [0x82, 0x83],
    [0x88, 0x97],
  ],
  'euc-jp': [
    [0xa4, 0xa5],
    [0xb0, 0xcf],
  ],
};

interface Letters {
  /** Of the characters above ASCII, how many stand in words of one script, the one that most have. */
  readonly share: number;
  /** Of these, how many are usual ones. */
  readonly usual: number;
  readonly isKorean: boolean;
}

function lettersOf(cells: readonly Buffer[], encoding: Encoding): Letters {
  const iconv = iconvLite();
  const counts = new Map<string, number>();
  let all = 0;
  let usual = 0;
  for (const cell of cells) {
    const text = iconv.decode(cell, encoding);
    if (HALF_WIDTH.test(text)) all += text.length;
    all += text.match(NO_SIGN)?.length ?? 0;
    for (const [word] of text.matchAll(/[\p{L}\p{M}\u30FC]*[^\0-\x7F\p{P}\p{S}\s][\p{L}\p{M}\u30FC]*/gu)) {
      const script = Object.entries(SCRIPTS).find(([, pattern]) => pattern.test(word))?.[0];
      const bytes = iconv.encode(word, encoding);
      // One character with an ASCII second byte may be a letter with an accent, and the next one.
      const isChance = bytes.length === 2 && (bytes[1] ?? 0) < 0x80;
      if (script === undefined || isChance || !CASED.test(word)) continue;
      const above = word.match(ABOVE_ASCII) ?? [];
      counts.set(script, (counts.get(script) ?? 0) + above.length);
      usual += above.filter((each: string) => isUsual(encoding, iconv.encode(each, encoding))).length;
    }
  }
  const most = Math.max(0, ...counts.values());
  const share = (count: number): number => (all === 0 ? 0 : count / all);
  return { share: share(most), usual: share(usual), isKorean: share(counts.get('hangul') ?? 0) > 0.9 };
}

function isUsual(encoding: Encoding, [byte = 0]: Buffer): boolean {
  const ranges = USUAL[encoding];
  return ranges === undefined || ranges.some(([first, last]) => byte >= first && byte <= last);
}

/** What is proposed where the bytes are letters in it; a person may name any other. */
const PROPOSED: readonly Encoding[] = [
  ...EAST_ASIAN_ENCODINGS,
  ...['windows-1251', 'windows-1250', 'windows-1253', 'windows-1255', 'windows-1256', 'windows-874'],
  ...['cp850', 'macintosh', 'koi8-r', 'cp866'],
];

/** A reading in which less of the text are letters is not shown. */
const LEAST_SHARE = 0.7;

const READINGS_SHOWN = 4;
const CELLS_SHOWN = 3;
const LONGEST_SHOWN = 30;

/** Other texts that are read as Korean have Chinese characters as well, and few texts are Thai. */
const likelihood = ({ encoding, share, usual, isKorean }: Letters & { readonly encoding: Encoding }) =>
  share + usual + (isKorean ? 1 : 0) - (encoding === 'windows-874' ? 0.5 : 0);

/** What a command ends with where no one but a person can say which encoding it is. */
function unclearEncoding(path: string, sample: Buffer): StopError {
  const cells = cellsIn(sample);
  const readings = PROPOSED.map((encoding) => ({ encoding, ...lettersOf(cells, encoding) }))
    .filter(({ share }) => share >= LEAST_SHARE)
    .sort((a, b) => likelihood(b) - likelihood(a))
    .slice(0, READINGS_SHOWN);
  const shown = cellsToShow(cells);
  const choices = [...readings.map(({ encoding }) => encoding), 'windows-1252'].map((value) => {
    const texts = shown.map((cell) => foreignName(shortened(iconvLite().decode(cell, value))));
    return { flag: '--encoding' as const, value, says: `it is ${encodingWords(value)}: ${listed(texts)}` };
  });
  const flags = choices.map(({ flag, value, says }) => phrase`${asFlag(flag, value)} if ${says}`);
  const ways = typing` with ${joined(flags, '; or ')}; or name another one`;
  const inJob = typing`In a job it is \`${asField('encoding')}\` under \`read:\`.`;
  return new StopError({
    code: 'input',
    message: `${path}: it is not clear in which encoding its letters are written.`,
    next: phrase`Say which it is${ways}. ${inJob}`,
    choices,
  });
}

/** As much of a long cell as shows its letters. */
const shortened = (text: string): string =>
  text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;

/** The longest cells that fit, since a person knows more words of them, in the order of the list. */
function cellsToShow(cells: readonly Buffer[]): readonly Buffer[] {
  const fitting = cells.filter(({ length }) => length <= LONGEST_SHOWN);
  const longest = (fitting.length < CELLS_SHOWN ? [...cells] : fitting).sort((a, b) => b.length - a.length);
  const chosen = new Set(longest.slice(0, CELLS_SHOWN));
  return cells.filter((cell) => chosen.has(cell));
}

// ------------------------------------------------------------------------------------------ what is no text

const GZIP = Buffer.of(0x1f, 0x8b);

const WEB_PAGE =
  /^(?:\u00ef\u00bb\u00bf)?\s*(?:<\?[^>]*>\s*)*<(?:!doctype html|html|head|body|meta|style|table|workbook)[\s>]/i;

/** Formats that programs write under the name .xls, so that Excel opens it. */
const TABLE = /<table[\s>]|schemas-microsoft-com/i;

function requireText(path: string, start: Buffer): void {
  const refuse = (what: string, next: Words): never => {
    throw new NoListError(path, `is ${what}.`, next);
  };
  if (start.indexOf(GZIP) === 0) refuse('packed with gzip, not text', UNPACK);
  const text = start.toString('latin1');
  if (!WEB_PAGE.test(text)) return;
  if (TABLE.test(text)) refuse('a table as a web page or XML, not text', whatToSave('.xls', []));
  const next = 'Log in there, export the list again, and look into the file before you use it.';
  refuse('a web page and no list: most often the login page of where it was to be exported', next);
}

/** Below a blank: of these bytes some lists have one between their cells, and four are made for that. */
const BLANK = 0x20;
const OF_LINES = [...Buffer.from('\t\n\v\f\r')];
const MOST_CONTROLS = 4;

/** In which encoding would be asked for nothing: a picture or a program has no letters. */
function requireNoBinary(path: string, start: Buffer): void {
  const controls = new Set(start.filter((byte) => byte < BLANK && !OF_LINES.includes(byte)));
  if (controls.size <= MOST_CONTROLS) return;
  throw new NoListError(path, 'is no table: it holds bytes that no text has.', 'Take the CSV or Excel file.');
}
