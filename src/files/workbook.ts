import { PassThrough, Readable } from 'node:stream';
import { stop } from '../core/errors.ts';
import { escapeMarkup } from '../core/plain-text.ts';
import { OUR_WIDTHS } from '../core/row.ts';

/**
 * Writes Excel workbooks of one sheet, by value. Rows are taken no faster than their bytes are, so memory
 * does not grow with the sheet; and nothing in the file tells when it was written, so the same rows give the
 * same bytes.
 */

/** The most rows and columns that a sheet of Excel holds. */
export const MOST_ROWS = 1_048_576;
export const MOST_COLUMNS = 16_384;

/** @throws StopError `output` at the first row that a sheet of Excel has no room for. */
export function workbookBytes(
  sheetName: string,
  rows: AsyncIterable<readonly WorkbookRow[]>,
): AsyncIterable<Buffer> {
  return zipped([...partsAround(sheetName), { name: SHEET_PART, chunks: sheetXml(rows) }]);
}

/** @param rows the first of them has the names of the columns. */
async function* sheetXml(rows: AsyncIterable<readonly WorkbookRow[]>): AsyncIterable<string> {
  yield SHEET_START;
  let isBegun = false;
  for await (const group of rows) {
    if (!isBegun) yield `${columnsXml(group[0]?.cells ?? [])}<sheetData>`;
    isBegun = true;
    for (const { number, cells } of group) requireRoom(number, cells.length);
    yield group.map(rowXml).join('');
  }
  yield SHEET_END;
}

/** @throws StopError `output` when a sheet has not so many rows or columns. */
export function requireRoom(rows: number, columns: number): void {
  if (rows <= MOST_ROWS && columns <= MOST_COLUMNS) return;
  const found = rows > MOST_ROWS ? `row ${rows}` : `column ${lettersOf(columns - 1)}`;
  const most = rows > MOST_ROWS ? `row ${MOST_ROWS}` : `column ${lettersOf(MOST_COLUMNS - 1)}`;
  const fact = `The output needs ${found}, but an Excel sheet ends with ${most}.`;
  const next = 'Write it as CSV instead: name a file that ends in .csv.';
  throw stop('output', fact, next);
}

/** A part of an archive: its length need not be known before it is written. */
export interface ArchivePart {
  readonly name: string;
  readonly chunks: AsyncIterable<Buffer | string> | Iterable<Buffer | string>;
}

/**
 * Midnight on 1 January 1980, where the time of zip archives begins, in every time zone: an earlier moment
 * becomes that. The other field that could bear a date counts from 1970 and is left out. So the same parts
 * give the same bytes.
 */
const UNDATED = { mtime: new Date(0), forceDosTimestamp: true };

/**
 * A zip archive of these parts, which are taken no faster than its bytes are, and let go when no one takes
 * more. What goes wrong with a part is thrown to the caller that takes the bytes.
 */
export async function* zipped(parts: readonly ArchivePart[]): AsyncIterable<Buffer> {
  // Loaded here, because it takes 15 ms and most runs write no workbook.
  const { ZipFile } = await import('yazl');
  const zip = new ZipFile();
  const bytes = zip.outputStream.pipe(new PassThrough());
  const sources = parts.map(({ name, chunks }) => {
    // The library hears nothing of a source that fails, and would wait for its end.
    const source = Readable.from(chunks).once('error', (error) => bytes.destroy(error));
    zip.addReadStream(source, name, UNDATED);
    return source;
  });
  zip.end();
  try {
    yield* bytes;
  } finally {
    for (const source of sources) source.destroy();
  }
}

/** The parts of a workbook of one sheet, as the standard (ECMA-376) wants them at the least. */

const SHEET_PART = 'xl/worksheets/sheet1.xml';
const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

const SHEET_START = `${DECLARATION}<worksheet xmlns="${MAIN}"><sheetFormatPr defaultRowHeight="15"/>`;
const SHEET_END = '</sheetData></worksheet>';

/** Wide enough for an ABN, a date with its time, and most names. Excel's own width cuts them off. */
const WIDTH = 20;

export function widthOf(name: string): number {
  const ownWidths: Readonly<Record<string, number>> = OUR_WIDTHS;
  return ownWidths[name.replace(/_\d+$/, '')] ?? WIDTH;
}

/** @param column counts from 1. */
export const columnXml = (column: number, width: number, prefix = ''): string =>
  `<${prefix}col min="${column}" max="${column}" width="${width}" customWidth="1"/>`;

function columnsXml(names: readonly WorkbookCell[]): string {
  const columns = names.map(({ text }, at) => columnXml(at + 1, widthOf(text)));
  return columns.length === 0 ? '' : `<cols>${columns.join('')}</cols>`;
}

/** The formats of cells with a day, and with a time. Each computer shows them in the way of its country. */
export const dateFormats = (prefix = ''): readonly string[] =>
  [14, 22].map(
    (id) =>
      `<${prefix}xf numFmtId="${id}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`,
  );

const STYLES =
  `<styleSheet xmlns="${MAIN}"><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts>` +
  '<fills count="2"><fill><patternFill patternType="none"/></fill>' +
  '<fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders>' +
  '<cellStyleXfs count="1"><xf/></cellStyleXfs>' +
  `<cellXfs count="3"><xf/>${dateFormats().join('')}</cellXfs></styleSheet>`;

function partsAround(sheetName: string): readonly ArchivePart[] {
  const links = (...targets: readonly (readonly [type: string, target: string])[]): string => {
    const all = targets.map(
      ([type, target], at) => `<Relationship Id="rId${at + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`,
    );
    return `<Relationships xmlns="${PACKAGE}/relationships">${all.join('')}</Relationships>`;
  };
  const types = [
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>',
    `<Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/>`,
    `<Override PartName="/${SHEET_PART}" ContentType="${TYPE}.worksheet+xml"/>`,
    `<Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/>`,
  ];
  const sheet = `<sheet name="${escapedXml(sheetName)}" sheetId="1" r:id="rId1"/>`;
  return Object.entries({
    '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types">${types.join('')}</Types>`,
    '_rels/.rels': links(['officeDocument', 'xl/workbook.xml']),
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${sheet}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': links(['worksheet', 'worksheets/sheet1.xml'], ['styles', 'styles.xml']),
    'xl/styles.xml': STYLES,
  }).map(([name, xml]) => ({ name, chunks: [DECLARATION + xml] }));
}

/**
 * Text as it stands in a workbook's XML. A character that XML cannot hold is written as Excel does: `_x000B_`
 * for a vertical tab. A text that begins like that by itself would be read as such a character, so its first
 * character is written in this form.
 */
export function escapedXml(text: string): string {
  const readable = text
    .replaceAll(LOOKS_ESCAPED, '_x005F_')
    .replaceAll(
      NOT_IN_XML,
      (character) => `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    );
  return escapeMarkup(readable);
}

const LOOKS_ESCAPED = /_(?=x[0-9a-f]{4})/gi;

/**
 * Control characters and halves of pairs. Carriage returns are characters of XML, but readers make line feeds
 * of them.
 */
const NOT_IN_XML = /[\p{Cs}\uFFFE\uFFFF]|[^\P{Cc}\t\n\u007F-\u009F]/gu;

export interface WorkbookCell {
  /** What a user would type to get it; a cell with an empty text is blank. */
  readonly text: string;
  /** Absent for a text. */
  readonly value?: number;
  /** The number of its format, for a date. */
  readonly style?: string;
}

export interface WorkbookRow {
  /** The number that the spreadsheet shows; the first row has 1. */
  readonly number: number;
  readonly cells: readonly WorkbookCell[];
}

function rowXml({ number, cells }: WorkbookRow): string {
  const xml = cells.map((cell, at) => cellXml(`${lettersOf(at)}${number}`, cell, cell.style));
  return `<row r="${number}">${xml.join('')}</row>`;
}

/**
 * @param style the number of the cell's format; left out: the usual one.
 * @param prefix `x:` where the names of the sheet's elements are written so.
 */
export function cellXml(address: string, cell: WorkbookCell, style?: string, prefix = ''): string {
  const begin = `<${prefix}c r="${address}"${style === undefined ? '' : ` s="${style}"`}`;
  if (cell.text === '') return style === undefined ? '' : `${begin}/>`;
  if (cell.value === undefined) {
    const text = `<${prefix}t xml:space="preserve">${escapedXml(fitting(cell.text))}</${prefix}t>`;
    return `${begin} t="inlineStr"><${prefix}is>${text}</${prefix}is></${prefix}c>`;
  }
  return `${begin}><${prefix}v>${cell.value}</${prefix}v></${prefix}c>`;
}

/** Excel calls a workbook damaged that has a longer cell. */
const MOST_CHARACTERS = 32_767;
const CUT = ` … (cut: an Excel cell holds ${MOST_CHARACTERS} characters)`;

/** A text that is too long says itself, at its end, that it was cut. */
function fitting(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text;
  return text.slice(0, MOST_CHARACTERS - CUT.length).toWellFormed() + CUT;
}

/** `A` for 0, `Z` for 25, `AA` for 26. */
export function lettersOf(column: number): string {
  const last = String.fromCharCode('A'.charCodeAt(0) + (column % 26));
  return column < 26 ? last : lettersOf(Math.floor(column / 26) - 1) + last;
}
