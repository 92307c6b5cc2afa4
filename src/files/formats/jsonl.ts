import { isUtf8 } from 'node:buffer';
import { readBody } from '../../core/answer-body.ts';
import { type StopError, stop } from '../../core/errors.ts';
import { unreadableWords } from '../../core/finding-words.ts';
import type { CopyOptions, FileBytes, Format, ReadOptions, Sheet, ValuedRow } from '../../core/format.ts';
import { isObject } from '../../core/objects.ts';
import type { JsonObject } from '../../core/operation.ts';
import { asCommand, phrase, typing } from '../../core/phrase.ts';
import { foreignWords } from '../../core/plain-text.ts';
import { type InputRow, NO_HEADER } from '../../core/row.ts';
import { endingOf, isJsonLinesName, JSON_ENDING } from '../../lib/file-name.ts';
import { cellText } from '../../values/answer-fields.ts';
import { endingFor, START } from '../called.ts';
import { ListSize, requireColumns } from '../shape/list-size.ts';
import { appendedMembers, objectText, unreadMembers } from '../value-copy.ts';
import { type JsonRecord, type JsonSource, jsonLines } from './jsonl/lines.ts';
import { jsonList } from './jsonl/list.ts';

/**
 * Objects in UTF-8, one on each line (JSON lines), or in the list of a file of JSON. The members of an object
 * are the cells of a row, by their names; what is nested in a member is one cell. None is a header, so a row
 * has the number of its line, or of its place in the list. What is no object is a row that cannot be read.
 */
const jsonl: Format = { name: 'jsonl', extensions: ['.jsonl', '.ndjson', JSON_ENDING], open: openObjects };
export default jsonl;

async function openObjects(file: FileBytes, options: ReadOptions): Promise<Sheet> {
  const source = (await isList(file)) ? await jsonList(file) : jsonLines(file);
  // Any object may have a name that none before it has.
  const { names, rows } = await fieldNames(file, source, options);
  async function* groups(): AsyncGenerator<readonly ValuedRow[]> {
    for await (const records of source.records()) yield records.flatMap((each) => rowOf(each, names) ?? []);
  }
  return {
    encoding: source.words,
    delimiter: 'cells',
    rows,
    notes: [],
    layout: {},
    start: { header: NO_HEADER, isFound: false },
    top: [],
    async survey(onRow) {
      if (onRow !== undefined)
        for await (const group of groups()) for (const { object: _, ...row } of group) onRow(row);
      const sha256 = await file.sha256();
      return { sha256, rows, header: names };
    },
    header: async () => names,
    groups,
    async *copy(copyOptions, cellsFor) {
      yield* source.before();
      let isFirst = true;
      const placed = ({ lead, end }: JsonRecord, text: string): string => {
        const between = isFirst ? '' : source.between;
        isFirst = false;
        return between + lead + text + end;
      };
      for await (const records of source.records()) {
        const read = records.map((each) => rowOf(each, names));
        const added = (await cellsFor(read.filter((row) => row !== undefined))).values();
        const copied = records.map((each, at) => {
          const row = read[at];
          // A blank line stays one, where the copy is of the whole file.
          if (row === undefined) return copyOptions.isPart === true ? '' : placed(each, each.text);
          const cells = added.next().value;
          return cells === undefined ? '' : placed(each, withMembers(each, row, copyOptions, cells));
        });
        yield Buffer.from(copied.join(''));
      }
      yield* source.after();
    },
  };
}

async function isList(file: FileBytes): Promise<boolean> {
  if (isJsonLinesName(file.path)) return false;
  return endingOf(file.path) === JSON_ENDING || endingFor(await file.bytesAt(0, START)) === JSON_ENDING;
}

async function fieldNames(
  file: FileBytes,
  source: JsonSource,
  options: ReadOptions,
): Promise<{ readonly names: readonly string[]; readonly rows: number }> {
  const size = new ListSize(file, options);
  const names = new Set<string>();
  let rows = 0;
  let cells = 0;
  let readable = 0;
  let unread: string | undefined;
  for await (const lines of source.records()) {
    const rowValues = lines.flatMap((line) => saidIn(line) ?? []);
    const objects = rowValues.filter((each): each is JsonObject => typeof each !== 'string');
    for (const each of objects) for (const name of Object.keys(each)) names.add(name);
    requireColumns(file.path, names.size);
    unread ??= rowValues.find((each) => typeof each === 'string');
    rows += rowValues.length;
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

const JQ = typing`; \`${asCommand('jq -c')}\` does that, and with \`.[]\` for a list of objects`;

function notLines(path: string, what: string): StopError {
  const next = phrase`Write one JSON object on each line${JQ}.`;
  return stop('input', `${path}, ${what}.`, next);
}

// ---------------------------------------------------------------------------------------------- one row

/** The object of a record, or with its place why it is no row that can be read; undefined for a blank one. */
function saidIn({ place, bytes, text }: JsonRecord): JsonObject | string | undefined {
  if (!isUtf8(bytes)) return `${place}: it is not UTF-8`;
  // A byte-order mark is blank, too.
  const body = text.trim() === '' ? undefined : readBody(text);
  if (body === undefined || body.kind === 'blank') return undefined;
  const start = text.length <= CHARACTERS_SHOWN ? text : `${text.slice(0, CHARACTERS_SHOWN)}…`;
  if (body.kind === 'unreadable')
    return `${place}: ${body.why ? unreadableWords(body.why) : `it is not JSON: ${foreignWords(start)}`}`;
  return isObject(body.value) && IS_OBJECT.test(text)
    ? (body.value as JsonObject)
    : `${place}: it is not an object: ${foreignWords(start)}`;
}

/** Answers are also read as the call of a function. */
const IS_OBJECT = /^\uFEFF?\s*\{/;

const CHARACTERS_SHOWN = 60;

/**
 * A text is as it stands there, a number has the digits that were written, and what is missing is blank as
 * `null` is. A list of plain values is joined by "; ", and anything deeper is JSON. Undefined for a blank
 * line.
 */
function rowOf(line: JsonRecord, names: readonly string[]): ValuedRow | undefined {
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
function withMembers(
  line: JsonRecord,
  row: InputRow,
  options: CopyOptions,
  cells: readonly string[],
): string {
  const ours = appendedMembers(options, cells);
  if (row.unreadable !== undefined) return objectText([...unreadMembers(row), ...ours]);
  const ownText = options.dropped.size === 0 ? line.text : withoutMembers(line.text, options.dropped);
  const end = ownText.lastIndexOf('}');
  return [ownText.slice(0, end), ...ours].join(IS_EMPTY.test(ownText) ? '' : ',') + ownText.slice(end);
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
