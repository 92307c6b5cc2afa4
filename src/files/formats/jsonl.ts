import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { readBody } from '../../core/answer-body.ts';
import { cellText } from '../../core/answer-fields.ts';
import { type StopError, stop } from '../../core/errors.ts';
import type {
  CellsFor,
  CopyOptions,
  Correction,
  FileBytes,
  Format,
  Position,
  PositionedRow,
  ReadOptions,
  Sheet,
  Survey,
  ValuedRow,
} from '../../core/format.ts';
import { isObject } from '../../core/objects.ts';
import type { JsonObject } from '../../core/operation.ts';
import { foreignWords, grouped } from '../../core/plain-text.ts';
import type { InputRow, RowNumber } from '../../core/row.ts';
import { type CorrectedCell, Corrections } from '../corrections.ts';
import { appendedMembers, member, objectText, unreadMembers } from '../json-copy.ts';

/**
 * JSON lines: an object on each line, in UTF-8. Its members are the cells of a row, by their names; what is nested in a member is
 * one cell. No line is a header, so a row has the number of its line. A line that is no object is a row that cannot be read.
 */
const jsonl: Format = { name: 'jsonl', extensions: ['.jsonl', '.ndjson'], open };
export default jsonl;

/** What one reading of the whole file learned: any line may have a name that no line before it has. */
interface Source {
  readonly file: FileBytes;
  readonly names: readonly string[];
  readonly digest: Pick<Survey, 'sha256' | 'bytes' | 'rows'>;
}

/** A program that names members by what they hold would make a column of each. */
const MOST_NAMES = 10_000;

async function open(file: FileBytes, options: ReadOptions): Promise<Sheet> {
  refuseTableOptions(file.path, options);
  const source = await readNames(file, options.strict === true);
  const { names, digest } = source;
  return {
    notes: [],
    layout: {},
    headerRow: '',
    top: [],
    async survey(onRow) {
      if (onRow !== undefined)
        for await (const rows of groups(source)) for (const row of rows) onRow(bare(row));
      return { ...digest, encoding: 'UTF-8, JSON lines', delimiter: 'cells', header: names };
    },
    header: async () => names,
    groups: (from) => groups(source, from),
    copy: (copyOptions, cellsFor) => copy(source, copyOptions, cellsFor),
    corrected: (corrections) => corrected(source, corrections),
  };
}

/** @throws StopError `input`: a user who names these takes the file for another. */
function refuseTableOptions(path: string, read: ReadOptions): void {
  const { encoding = 'utf-8', delimiter, sheet, headerRow, rows, skipLines } = read;
  if (encoding !== 'utf-8') {
    const fact = `${path} holds JSON lines, which are always UTF-8 and never ${encoding}.`;
    throw stop('input', fact, 'Leave out the encoding.');
  }
  if ([delimiter, sheet, headerRow, rows, skipLines].every((option) => option === undefined)) return;
  const fact = `${path} holds JSON lines, which have neither delimiters nor sheets nor a header.`;
  throw stop('input', fact, 'Leave out the flags that say where the table is in the file.');
}

async function readNames(file: FileBytes, isStrict: boolean): Promise<Source> {
  const { path } = file;
  const found = new Findings();
  const sha256 = createHash('sha256');
  let bytes = 0;
  const onFileBytes = (chunk: Buffer): void => {
    sha256.update(chunk);
    bytes += chunk.length;
  };
  for await (const lines of linesOf(file, undefined, onFileBytes)) {
    for (const line of lines) found.add(line);
    if (isStrict && found.unread !== undefined) throw unreadable(path, found.unread);
    if (found.names.size > MOST_NAMES) throw tooManyNames(path);
  }
  if (found.readable === 0 && found.unread !== undefined) throw unreadable(path, found.unread);
  if (found.names.size === 0) {
    const next = 'Give a file with a JSON object that has members on each line.';
    throw stop('input', `${path} is empty: no line of it has an object with members.`, next);
  }
  const { rows } = found;
  return { file, names: [...found.names], digest: { sha256: sha256.digest('hex'), bytes, rows } };
}

class Findings {
  readonly names = new Set<string>();
  rows = 0;
  readable = 0;
  /** What is wrong with the first line that cannot be read. */
  unread: string | undefined;

  add(line: Line): void {
    const said = saidIn(line);
    if (said.kind === 'blank') return;
    this.rows += 1;
    if (said.kind === 'unreadable') {
      this.unread ??= `line ${line.row}: ${said.why}`;
      return;
    }
    this.readable += 1;
    for (const name of Object.keys(said.object)) if (name !== '') this.names.add(name);
  }
}

function unreadable(path: string, what: string): Error {
  const next = 'Write one JSON object on each line; `jq -c` does that, and with `.[]` for a list of objects.';
  return stop('input', `${path}, ${what}.`, next);
}

function tooManyNames(path: string): Error {
  const fact = `${path} has more than ${grouped(MOST_NAMES)} member names, and each would be a column.`;
  return stop('input', fact, 'Give what you look up its own name, and put the rest into one member.');
}

async function* groups(source: Source, from?: Position): AsyncIterable<readonly PositionedRow[]> {
  for await (const lines of linesOf(source.file, from)) {
    yield lines.flatMap((line) => {
      const row = rowOf(line, source.names);
      const { row: number, byteOffset } = line;
      return row === undefined ? [] : [{ ...row, position: { row: number, byteOffset, lines: number - 1 } }];
    });
  }
}

/** Undefined for a blank line. */
function rowOf(line: Line, names: readonly string[]): ValuedRow | undefined {
  const { row } = line;
  const said = saidIn(line);
  switch (said.kind) {
    case 'blank':
      return undefined;
    case 'object':
      return { row, cells: cellsOf(said.object, names), object: said.object };
    case 'unreadable':
      return { row, cells: [said.text], unreadable: `line ${row}: ${said.why}` };
  }
}

function bare({ position: _, object: __, ...row }: PositionedRow): InputRow {
  return row;
}

/** Every line with members of ours behind its own, which stay as they are written. */
async function* copy(source: Source, options: CopyOptions, cellsFor: CellsFor): AsyncIterable<Buffer> {
  for await (const lines of linesOf(source.file)) {
    const rows = lines.map((line) => rowOf(line, source.names));
    const added = await cellsFor(rows.filter((row) => row !== undefined));
    let next = 0;
    const copied = lines.map((line, at) => {
      const row = rows[at];
      // A blank line stays one, where the copy is of the whole file.
      if (row === undefined) return options.isPart === true ? [] : [line.bytes, line.end];
      const cells = added[next++];
      return cells === undefined ? [] : [Buffer.from(withMembers(line, row, options, cells)), line.end];
    });
    const chunk = Buffer.concat(copied.flat());
    if (chunk.length > 0) yield chunk;
  }
}

function withMembers(line: Line, row: InputRow, options: CopyOptions, cells: readonly string[]): string {
  const ours = appendedMembers(options, cells);
  if (row.unreadable !== undefined) return objectText([...unreadMembers(row), ...ours]);
  const own = membersIn(line.bytes.toString()).filter(({ name }) => !options.dropped.has(name));
  return objectText([...own.map(({ text }) => text), ...ours]);
}

/** Only a line with a corrected member is written anew, and the members beside that are as they were. */
async function* corrected(source: Source, list: readonly Correction[]): AsyncIterable<Buffer> {
  const corrections = new Corrections(source.file.path, source.names, list);
  for await (const lines of linesOf(source.file)) {
    const made = lines.flatMap((line) => {
      const row = rowOf(line, source.names);
      const cells = row && corrections.take(row);
      return [cells === undefined ? line.bytes : Buffer.from(withCorrected(line, source, cells)), line.end];
    });
    yield Buffer.concat(made);
  }
  corrections.requireAllMade();
}

function withCorrected(line: Line, { names }: Source, corrected: ReadonlyMap<number, CorrectedCell>): string {
  const left = new Map([...corrected].map(([at, cell]) => [names[at] ?? '', cell]));
  const own = membersIn(line.bytes.toString()).map(({ name, text }) => {
    const cell = left.get(name);
    if (cell === undefined) return text;
    left.delete(name);
    return member(name, cell.json ?? valueLike(text, cell.text));
  });
  const missing = [...left].map(([name, { text, json }]) => member(name, json ?? JSON.stringify(text)));
  return objectText([...own, ...missing]);
}

// ------------------------------------------------------------------------------------------------ lines

/** A line of a file as its bytes stand there. A row's number is that of its line, the first being 1. */
interface Line {
  readonly row: RowNumber;
  readonly byteOffset: number;
  /** Without the line end. */
  readonly bytes: Buffer;
  /** LF or CRLF; empty for a last line without one. */
  readonly end: Buffer;
}

/** Answers of whole directories fit in it; a file without line ends is found before all of it is in memory. */
const MOST_BYTES_PER_LINE = 16 * 1024 * 1024;

const LF = 0x0a;
const CR = 0x0d;

/**
 * The lines in groups as their bytes are read.
 * @param from where a line begins; left out: the first.
 * @param onFileBytes sees the bytes of the file itself in order.
 * @throws StopError `input` for a line that is too long, and as `FileBytes`.
 */
async function* linesOf(
  file: FileBytes,
  from?: Position,
  onFileBytes?: (bytes: Buffer) => void,
): AsyncIterable<readonly Line[]> {
  let row = from?.row ?? 1;
  let byteOffset = from?.byteOffset ?? 0;
  let begun: Buffer[] = [];
  let length = 0;
  const lineUpTo = (bytes: Buffer): Line => {
    const end = bytes.length - (bytes.at(-1) === LF ? (bytes.at(-2) === CR ? 2 : 1) : 0);
    const line = { row, byteOffset, bytes: bytes.subarray(0, end), end: bytes.subarray(end) };
    row += 1;
    byteOffset += bytes.length;
    return line;
  };
  for await (const chunk of file.chunks(byteOffset)) {
    onFileBytes?.(chunk);
    const lines: Line[] = [];
    let start = 0;
    for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, start)) {
      const piece = chunk.subarray(start, at + 1);
      lines.push(lineUpTo(begun.length === 0 ? piece : Buffer.concat([...begun, piece])));
      begun = [];
      length = 0;
      start = at + 1;
    }
    if (start < chunk.length) begun.push(chunk.subarray(start));
    length += chunk.length - start;
    if (length > MOST_BYTES_PER_LINE) throw tooLong(file.path, row);
    if (lines.length > 0) yield lines;
  }
  if (begun.length > 0) yield [lineUpTo(Buffer.concat(begun))];
}

function tooLong(path: string, line: number): StopError {
  const fact = `${path}, line ${line}: the line is longer than ${MOST_BYTES_PER_LINE} bytes, the most that one may have.`;
  return stop('input', fact, 'Write each object on a line of its own.');
}

// ------------------------------------------------------------------------------------------------ what a line says

/** What a line of JSON lines says: an object, nothing, or why it is no row that can be read. */
type Said =
  | { readonly kind: 'blank' }
  | { readonly kind: 'object'; readonly text: string; readonly object: JsonObject }
  | { readonly kind: 'unreadable'; readonly text: string; readonly why: string };

/** A byte-order mark is no part of what a line says. */
function saidIn({ bytes }: Line): Said {
  if (!isUtf8(bytes)) return { kind: 'unreadable', text: bytes.toString('latin1'), why: 'it is not UTF-8' };
  const text = bytes.toString();
  if (text.trim() === '') return { kind: 'blank' };
  const body = readBody(text);
  if (body.kind === 'unreadable') {
    return { kind: 'unreadable', text, why: body.why ?? `it is not JSON: ${foreignWords(startOf(text))}` };
  }
  if (body.kind === 'blank') return { kind: 'blank' };
  const { value } = body;
  if (isObject(value)) return { kind: 'object', text, object: value as JsonObject };
  return { kind: 'unreadable', text, why: `it is not an object: ${foreignWords(startOf(text))}` };
}

const CHARACTERS_SHOWN = 60;

function startOf(text: string): string {
  return text.length <= CHARACTERS_SHOWN ? text : `${text.slice(0, CHARACTERS_SHOWN)}…`;
}

/**
 * The cells below the names. A text is as it stands there, a number has the digits that were written, and what is missing is
 * blank as `null` is. A list of plain values is joined by "; ", and anything deeper is JSON.
 */
function cellsOf(object: JsonObject, names: readonly string[]): readonly string[] {
  return names.map((name) => (Object.hasOwn(object, name) ? cellText(object[name]) : ''));
}

/** Texts, so that nothing in them is taken for what holds an object together, and that. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]/gs;

/** The members of an object as they are written, which keeps the digits of numbers and the order of names. @param text JSON. */
function membersIn(text: string): readonly { readonly name: string; readonly text: string }[] {
  const members: string[] = [];
  let level = 0;
  let start = 0;
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    const isOpening = token === '{' || token === '[';
    if (isOpening) level += 1;
    const isEdge = level === 1 && (isOpening || token === ',' || token === '}');
    if (isEdge && !isOpening) members.push(text.slice(start, index).trim());
    if (isEdge) start = index + 1;
    if (token === '}' || token === ']') level -= 1;
  }
  return members.flatMap((member) => {
    const [name] = NAME.exec(member) ?? [];
    return name === undefined ? [] : [{ name: JSON.parse(name) as string, text: member }];
  });
}

const NAME = /^"[^"\\]*(?:\\.[^"\\]*)*"/s;

/** A text as JSON: a number where there was one and the text is one, else a string. @param written the member before, with its name. */
function valueLike(written: string, text: string): string {
  const before = written.replace(NAME, '').replace(/^\s*:\s*/, '');
  return NUMBER.test(before) && NUMBER.test(text) ? text : JSON.stringify(text);
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
