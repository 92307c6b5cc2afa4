import { isUtf8 } from 'node:buffer';
import { readBody } from '../../core/answer-body.ts';
import { type StopError, stop } from '../../core/errors.ts';
import type { CopyOptions, FileBytes, Format, ReadOptions, Sheet, ValuedRow } from '../../core/format.ts';
import { isObject } from '../../core/objects.ts';
import type { JsonObject } from '../../core/operation.ts';
import { foreignWords } from '../../core/plain-text.ts';
import { type InputRow, NO_HEADER, type RowNumber } from '../../core/row.ts';
import { cellText } from '../../values/answer-fields.ts';
import { ListSize, requireColumns } from '../shape/list-size.ts';
import { appendedMembers, objectText, unreadMembers } from '../value-copy.ts';

/**
 * JSON lines: an object on each line, in UTF-8. Its members are the cells of a row, by their names; what is
 * nested in a member is one cell. No line is a header, so a row has the number of its line. A line that is no
 * object is a row that cannot be read.
 */
const jsonl: Format = { name: 'jsonl', extensions: ['.jsonl', '.ndjson'], open: openLines };
export default jsonl;

async function openLines(file: FileBytes, options: ReadOptions): Promise<Sheet> {
  // Any line may have a name that no line before it has.
  const { names, rows } = await fieldNames(file, options);
  async function* groups(): AsyncGenerator<readonly ValuedRow[]> {
    for await (const lines of linesIn(file)) yield lines.flatMap((line) => rowOf(line, names) ?? []);
  }
  return {
    notes: [],
    layout: {},
    start: { header: NO_HEADER, isFound: false },
    top: [],
    async survey(onRow) {
      if (onRow !== undefined)
        for await (const group of groups()) for (const { object: _, ...row } of group) onRow(row);
      const sha256 = await file.sha256();
      return { sha256, rows, encoding: 'UTF-8, JSON lines', delimiter: 'cells', header: names };
    },
    header: async () => names,
    groups,
    async *copy(copyOptions, cellsFor) {
      for await (const lines of linesIn(file)) {
        const read = lines.map((line) => rowOf(line, names));
        const added = (await cellsFor(read.filter((row) => row !== undefined))).values();
        const copied = lines.map((line, at) => {
          const row = read[at];
          // A blank line stays one, where the copy is of the whole file.
          if (row === undefined) return copyOptions.isPart === true ? '' : line.text + line.end;
          const cells = added.next().value;
          return cells === undefined ? '' : withMembers(line, row, copyOptions, cells) + line.end;
        });
        yield Buffer.from(copied.join(''));
      }
    },
  };
}

async function fieldNames(
  file: FileBytes,
  options: ReadOptions,
): Promise<{ readonly names: readonly string[]; readonly rows: number }> {
  const size = new ListSize(file, options);
  const names = new Set<string>();
  let rows = 0;
  let cells = 0;
  let readable = 0;
  let unread: string | undefined;
  for await (const lines of linesIn(file)) {
    const said = lines.flatMap((line) => saidIn(line) ?? []);
    const objects = said.filter((each): each is JsonObject => typeof each !== 'string');
    for (const each of objects) for (const name of Object.keys(each)) names.add(name);
    requireColumns(file.path, names.size);
    unread ??= said.find((each) => typeof each === 'string');
    rows += said.length;
    readable += objects.length;
    // Each row has a cell for each name, whichever line has the name.
    size.addTotals(
      rows * names.size - cells,
      lines.reduce((sum, { text }) => sum + text.length, 0),
    );
    cells = rows * names.size;
    await size.check();
    if (unread !== undefined && options.strict === true) throw notLines(file.path, unread);
  }
  if (readable === 0 && unread !== undefined) throw notLines(file.path, unread);
  names.delete('');
  if (names.size > 0) return { names: [...names], rows };
  const next = 'Give a file with a JSON object that has members on each line.';
  throw stop('input', `${file.path} is empty: no line of it has an object with members.`, next);
}

function notLines(path: string, what: string): StopError {
  const next = 'Write one JSON object on each line; `jq -c` does that, and with `.[]` for a list of objects.';
  return stop('input', `${path}, ${what}.`, next);
}

// ------------------------------------------------------------------------------------------------ lines

interface JsonLine {
  /** The first is 1. */
  readonly row: RowNumber;
  readonly bytes: Buffer;
  readonly text: string;
  /** LF or CRLF; blank for a last line without one. */
  readonly end: string;
}

/**
 * Answers of whole directories fit in it; a file without line ends is found before all of it is in memory.
 */
const MOST_BYTES_PER_LINE = 16 * 1024 * 1024;

/**
 * The lines in groups as their bytes are read.
 * @throws StopError `input` for a line that is too long, and as `FileBytes`.
 */
async function* linesIn(file: FileBytes): AsyncGenerator<readonly JsonLine[]> {
  let row = 0;
  let pieces: Buffer[] = [];
  let length = 0;
  const lineOf = (bytes: Buffer): JsonLine => {
    const end = /\r?\n$|$/.exec(bytes.toString('latin1', bytes.length - 2))?.[0] ?? '';
    const body = bytes.subarray(0, bytes.length - end.length);
    row += 1;
    return { row, bytes: body, text: body.toString(), end };
  };
  for await (const chunk of file.chunks()) {
    const lines: JsonLine[] = [];
    let start = 0;
    for (let next = chunk.indexOf('\n') + 1; next > 0; next = chunk.indexOf('\n', start) + 1) {
      lines.push(lineOf(Buffer.concat([...pieces, chunk.subarray(start, next)])));
      pieces = [];
      length = 0;
      start = next;
    }
    pieces.push(chunk.subarray(start));
    length += chunk.length - start;
    if (length > MOST_BYTES_PER_LINE) {
      const fact =
        `${file.path}, line ${row + 1}: the line is longer than ${MOST_BYTES_PER_LINE} bytes, ` +
        'the most that one may have.';
      throw stop('input', fact, 'Write each object on a line of its own.');
    }
    yield lines;
  }
  if (length > 0) yield [lineOf(Buffer.concat(pieces))];
}

/** The object of a line, or with the line why it is no row that can be read; undefined for a blank one. */
function saidIn({ row, bytes, text }: JsonLine): JsonObject | string | undefined {
  if (!isUtf8(bytes)) return `line ${row}: it is not UTF-8`;
  // A byte-order mark is blank, too.
  const body = text.trim() === '' ? undefined : readBody(text);
  if (body === undefined || body.kind === 'blank') return undefined;
  const start = text.length <= CHARACTERS_SHOWN ? text : `${text.slice(0, CHARACTERS_SHOWN)}…`;
  if (body.kind === 'unreadable')
    return `line ${row}: ${body.why ?? `it is not JSON: ${foreignWords(start)}`}`;
  return isObject(body.value) && IS_OBJECT.test(text)
    ? (body.value as JsonObject)
    : `line ${row}: it is not an object: ${foreignWords(start)}`;
}

/** Answers are also read as the call of a function. */
const IS_OBJECT = /^\uFEFF?\s*\{/;

const CHARACTERS_SHOWN = 60;

/**
 * A text is as it stands there, a number has the digits that were written, and what is missing is blank as
 * `null` is. A list of plain values is joined by "; ", and anything deeper is JSON. Undefined for a blank
 * line.
 */
function rowOf(line: JsonLine, names: readonly string[]): ValuedRow | undefined {
  const object = saidIn(line);
  if (object === undefined) return undefined;
  const { row, text, bytes } = line;
  if (typeof object === 'string')
    return { row, cells: [isUtf8(bytes) ? text : bytes.toString('latin1')], unreadable: object };
  const cells = names.map((name) => (Object.hasOwn(object, name) ? cellText(object[name]) : ''));
  return { row, cells, object };
}

// ------------------------------------------------------------------------------------------- what is written

/** A line with members of ours behind its own, which stay as they are written unless one of them goes. */
function withMembers(line: JsonLine, row: InputRow, options: CopyOptions, cells: readonly string[]): string {
  const ours = appendedMembers(options, cells);
  if (row.unreadable !== undefined) return objectText([...unreadMembers(row), ...ours]);
  const own = options.dropped.size === 0 ? line.text : withoutMembers(line.text, options.dropped);
  const end = own.lastIndexOf('}');
  return [own.slice(0, end), ...ours].join(IS_EMPTY.test(own) ? '' : ',') + own.slice(end);
}

const IS_EMPTY = /^\uFEFF?\s*\{\s*\}\s*$/;

/** An object written again without some members; its numbers keep their digits. */
function withoutMembers(text: string, dropped: ReadonlySet<string>): string {
  const object = JSON.parse(text.replace(/^\uFEFF/, ''), asWritten);
  const gone = Object.keys(object).filter((name) => dropped.has(name));
  for (const name of gone) delete object[name];
  return gone.length === 0 ? text : JSON.stringify(object);
}

/** Node has it, and TypeScript does not know it yet. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

const asWritten = (_name: string, value: unknown, context?: { readonly source?: string }): unknown =>
  typeof value === 'number' ? rawJSON(context?.source ?? String(value)) : value;
