import { createHash } from 'node:crypto';
import { stop } from '../../core/errors.ts';
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
import { grouped } from '../../core/plain-text.ts';
import type { InputRow } from '../../core/row.ts';
import { type CorrectedCell, Corrections } from '../corrections.ts';
import { appendedMembers, member, objectText, unreadMembers } from '../json-copy.ts';
import { type Line, linesOf } from './jsonl/lines.ts';
import { cellsOf, membersIn, saidIn, valueLike } from './jsonl/objects.ts';

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

/** What the lines of a file have, one after the other. */
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
