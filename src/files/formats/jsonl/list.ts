import { stop } from '../../../core/errors.ts';
import type { FileBytes } from '../../../core/format.ts';
import { asCommand, phrase, typing } from '../../../core/phrase.ts';
import { foreignName, listed } from '../../../core/plain-text.ts';
import { type JsonRecord, type JsonSource, jsonLines, MOST_BYTES_PER_RECORD } from './lines.ts';

/**
 * The list in a file of JSON: the file itself, or the only member of it that is a list of objects, wherever
 * it stands. It is found and read byte by byte, so that no file has to fit into memory.
 */
export async function jsonList(file: FileBytes): Promise<JsonSource> {
  const { lists, areLines } = await listsIn(file);
  if (areLines) return jsonLines(file);
  const [list, ...others] = lists;
  if (list === undefined) {
    const fact = `${file.path} has no list of objects in it.`;
    throw stop('input', fact, 'Give a file with one list, such as [{"domain": "a.example"}], or JSON lines.');
  }
  if (others.length > 0) {
    const names = listed(lists.map(({ name }) => foreignName(name)));
    const how = typing`, as \`${asCommand(`jq '.${list.name}' FILE > LIST.json`)}\` writes it`;
    const next = phrase`Give the one that is meant alone${how}.`;
    throw stop('input', `${file.path} has several lists: ${names}.`, next);
  }
  // The whole list is read before anything is copied of it.
  let end = list.start;
  return {
    words: 'UTF-8, JSON',
    between: ',',
    records: () => elementsFrom(file, list.start, (byte) => (end = byte)),
    before: () => bytesUntil(file, list.start),
    after: () => file.chunks(end),
  };
}

async function* bytesUntil(file: FileBytes, end: number): AsyncGenerator<Buffer> {
  let remainingBytes = end;
  for await (const chunk of file.chunks()) {
    yield chunk.subarray(0, remainingBytes);
    remainingBytes -= chunk.length;
    if (remainingBytes <= 0) return;
  }
}

// -------------------------------------------------------------------------------------- where the lists are

const [QUOTE, BACKSLASH, COMMA, COLON, OPEN, CLOSE, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\,:[]{}');

const isBlank = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);

/** Follows a text of JSON byte by byte: how deep it is, and whether within a text of its own. */
class Walk {
  depth = 0;
  isText = false;
  #isEscaped = false;

  /** @returns whether the byte is one of the signs of JSON, and not within a text. */
  take(byte: number): boolean {
    if (this.isText) {
      const isEscaped = this.#isEscaped;
      this.#isEscaped = !isEscaped && byte === BACKSLASH;
      if (byte === QUOTE && !isEscaped) this.isText = false;
      return false;
    }
    if (byte === QUOTE) this.isText = true;
    else if (byte === OPEN || byte === OPEN_OBJECT) this.depth += 1;
    else if (byte === CLOSE || byte === CLOSE_OBJECT) this.depth -= 1;
    return byte !== QUOTE;
  }
}

interface FoundList {
  readonly name: string;
  /** The byte behind its bracket. */
  readonly start: number;
}

/** Of so many lists no one looks for more. */
const LISTS_TOLD = 5;

const LONGEST_NAME = 100;

interface Found {
  /** The lists of objects, without those within them. */
  readonly lists: readonly FoundList[];
  /** Where objects follow each other, it is JSON lines. */
  readonly areLines: boolean;
}

async function listsIn(file: FileBytes): Promise<Found> {
  const finder = new ListFinder();
  for await (const chunk of file.chunks()) {
    for (const byte of chunk) finder.take(byte);
    if (finder.areLines || finder.lists.length >= LISTS_TOLD) break;
  }
  return finder;
}

class ListFinder implements Found {
  readonly lists: FoundList[] = [];
  areLines = false;
  readonly #walk = new Walk();
  #at = 0;
  #objects = 0;
  /** How deep the list is that is passed over. */
  #within: number | undefined;
  /** A bracket that an object may follow: not known yet. */
  #opened: FoundList | undefined;
  #name: number[] = [];

  take(byte: number): void {
    this.#at += 1;
    const wasText = this.#walk.isText;
    const isSign = this.#walk.take(byte);
    const { depth, isText } = this.#walk;
    if (this.#within !== undefined) {
      if (depth < this.#within) this.#within = undefined;
      return;
    }
    if (isText) this.#keepName(byte, wasText);
    if (isSign && !isBlank(byte) && byte !== COLON) this.#takeSign(byte, depth);
  }

  #keepName(byte: number, isWithin: boolean): void {
    if (!isWithin) this.#name = [];
    else if (this.#name.length < LONGEST_NAME) this.#name.push(byte);
  }

  #takeSign(byte: number, depth: number): void {
    if (byte === OPEN_OBJECT && depth === 1) this.#objects += 1;
    this.areLines ||= this.#objects > 1;
    if (byte === OPEN_OBJECT && this.#opened !== undefined) {
      this.lists.push(this.#opened);
      this.#within = depth - 1;
    }
    const name = Buffer.from(this.#name).toString();
    this.#opened = byte === OPEN ? { name, start: this.#at } : undefined;
  }
}

// --------------------------------------------------------------------------------------------- its elements

/**
 * @param onEnd is told the byte of the bracket that ends the list.
 * @throws StopError `input` for an element that is too long, and where the list does not end.
 */
async function* elementsFrom(
  file: FileBytes,
  start: number,
  onEnd: (byte: number) => void,
): AsyncGenerator<readonly JsonRecord[]> {
  const elements = new Elements(start);
  for await (const chunk of file.chunks(start)) {
    yield elements.takenFrom(chunk);
    if (elements.end !== undefined) return onEnd(elements.end);
    if (elements.bytesWaiting > MOST_BYTES_PER_RECORD) {
      const fact =
        `${file.path}, object ${elements.row + 1} of its list is longer than ${MOST_BYTES_PER_RECORD} bytes, ` +
        'the most that one may have.';
      throw stop('input', fact, 'Look for a quote or a bracket in it that is never closed.');
    }
  }
  const fact = `${file.path} ends within object ${elements.row + 1} of its list.`;
  throw stop(
    'input',
    fact,
    'Look for a quote or a bracket that is never closed, or get the whole file again.',
  );
}

class Elements {
  row = 0;
  /** The byte of the last comma, or of the bracket that ends the list once it is known. */
  end: number | undefined;
  #last: number;
  readonly #walk = new Walk();
  #waiting: Buffer[] = [];
  #passed: number;

  constructor(start: number) {
    this.#passed = start;
    this.#last = start;
  }

  get bytesWaiting(): number {
    return this.#waiting.reduce((sum, { length }) => sum + length, 0);
  }

  takenFrom(chunk: Buffer): readonly JsonRecord[] {
    const taken: JsonRecord[] = [];
    let from = 0;
    for (const [at, byte] of chunk.entries()) {
      const isSign = this.#walk.take(byte);
      const isEnd = isSign && this.#walk.depth < 0;
      if (!isEnd && !(isSign && byte === COMMA && this.#walk.depth === 0)) continue;
      const bytes = Buffer.concat([...this.#waiting, chunk.subarray(from, at)]);
      this.#waiting = [];
      from = at + 1;
      // Behind a last comma there is nothing.
      const isNothing = isEnd && bytes.toString().trim() === '';
      if (!isNothing) {
        this.row += 1;
        taken.push(elementOf(this.row, bytes));
      }
      this.#last = isNothing ? this.#last : this.#passed + at;
      if (!isEnd) continue;
      this.end = this.#last;
      return taken;
    }
    this.#waiting.push(chunk.subarray(from));
    this.#passed += chunk.length;
    return taken;
  }
}

function elementOf(row: number, bytes: Buffer): JsonRecord {
  const [lead = ''] = /^[ \t\r\n]*/.exec(bytes.toString('latin1')) ?? [];
  const body = bytes.subarray(lead.length);
  const [end = ''] =
    /[ \t\r\n]*$/.exec(body.toString('latin1', Math.max(0, body.length - MOST_BLANKS))) ?? [];
  const objectBytes = body.subarray(0, body.length - end.length);
  return { row, place: `object ${row}`, bytes: objectBytes, text: objectBytes.toString(), lead, end };
}

/** More blanks behind an object are looked at as a part of it. */
const MOST_BLANKS = 1024;
