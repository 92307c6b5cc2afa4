import { PassThrough, Readable } from 'node:stream';
import { stop, unreachable } from '../core/errors.ts';

/**
 * Writes Excel workbooks of one sheet, by value. Rows are taken no faster than their bytes are, so memory does not grow
 * with the sheet; and nothing in the file tells when it was written, so the same rows give the same bytes.
 */

/** The most rows and columns that a sheet of Excel holds. */
export const MOST_ROWS = 1_048_576;
export const MOST_COLUMNS = 16_384;

/** @throws StopError `output` at the first row that a sheet of Excel has no room for. */
export function workbookBytes(
  sheetName: string,
  rows: AsyncIterable<readonly WorkbookRow[]>,
): AsyncIterable<Buffer> {
  return zipped([
    ...PARTS.map(({ name, xml }) => ({ name, chunks: [Buffer.from(xml)] })),
    { name: 'xl/workbook.xml', chunks: [Buffer.from(workbookXml(sheetName))] },
    { name: SHEET_PART, chunks: sheetXml(rows) },
  ]);
}

async function* sheetXml(rows: AsyncIterable<readonly WorkbookRow[]>): AsyncIterable<Buffer> {
  yield Buffer.from(SHEET_START);
  for await (const group of rows) {
    for (const { number, cells } of group) requireRoom(number, cells.length);
    yield Buffer.from(group.map((row) => rowXml(row)).join(''));
  }
  yield Buffer.from(SHEET_END);
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

/** A part of an archive, whose length need not be known before it is written. */
export interface ArchivePart {
  readonly name: string;
  readonly chunks: AsyncIterable<Buffer | string> | Iterable<Buffer | string>;
}

/**
 * Midnight on 1 January 1980, where the time of zip archives begins, in every time zone: an earlier moment becomes that.
 * The other field that could bear a date counts from 1970 and is left out. So the same parts give the same bytes.
 */
const UNDATED = { mtime: new Date(0), forceDosTimestamp: true };

/**
 * A zip archive of these parts, which are taken no faster than its bytes are, and let go when nobody takes more. What
 * goes wrong with a part is thrown to the caller that takes the bytes.
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

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

const SHEET_PART = 'xl/worksheets/sheet1.xml';
/** Wide enough for an ABN, a date with its time, and most names; Excel's own width cuts them off. */
const COLUMN_WIDTH = 20;

const SHEET_FORMAT = `<sheetFormatPr defaultColWidth="${COLUMN_WIDTH}" defaultRowHeight="15"/>`;

const SHEET_START = `${DECLARATION}<worksheet xmlns="${MAIN}">${SHEET_FORMAT}<sheetData>`;
const SHEET_END = '</sheetData></worksheet>';

/** Where in the part of styles each form of a date stands; 0 is a cell without any. */
const DATE_STYLES = { date: 1, moment: 2, duration: 3 } as const;

const CONTENT_TYPES = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="xml" ContentType="application/xml"/>
<Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/>
<Override PartName="/${SHEET_PART}" ContentType="${TYPE}.worksheet+xml"/>
<Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/>
</Types>`;

const PACKAGE_RELATIONSHIPS = `<Relationships xmlns="${RELATIONSHIPS}">
<Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/>
</Relationships>`;

const WORKBOOK_RELATIONSHIPS = `<Relationships xmlns="${RELATIONSHIPS}">
<Relationship Id="rId1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>
<Relationship Id="rId2" Type="${OFFICE}/styles" Target="styles.xml"/>
</Relationships>`;

/** Formats below 164 are Excel's own. */
const STYLES = `<styleSheet xmlns="${MAIN}">
<numFmts count="3">
<numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/>
<numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/>
<numFmt numFmtId="166" formatCode="[hh]:mm:ss"/>
</numFmts>
<fonts count="1"><font><sz val="11"/><name val="Calibri"/><family val="2"/></font></fonts>
<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>
<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>
<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>
<cellXfs count="4">
<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>
<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>
<xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>
<xf numFmtId="166" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>
</cellXfs>
<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>
</styleSheet>`;

function workbookXml(sheetName: string): string {
  const sheet = `<sheet name="${escaped(sheetName)}" sheetId="1" r:id="rId1"/>`;
  return `${DECLARATION}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${sheet}</sheets></workbook>`;
}

const PARTS = [
  { name: '[Content_Types].xml', xml: DECLARATION + CONTENT_TYPES },
  { name: '_rels/.rels', xml: DECLARATION + PACKAGE_RELATIONSHIPS },
  { name: 'xl/_rels/workbook.xml.rels', xml: DECLARATION + WORKBOOK_RELATIONSHIPS },
  { name: 'xl/styles.xml', xml: DECLARATION + STYLES },
] as const;

/**
 * Text as it stands in a workbook's XML. What XML cannot hold is written as Excel does, `_x000B_` for a vertical tab; a
 * text that begins like that by itself gets its first character written so, or it would be read as another.
 */
export function escaped(text: string): string {
  return text
    .replaceAll(LOOKS_ESCAPED, '_x005F_')
    .replaceAll(
      NOT_IN_XML,
      (character) => `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    )
    .replaceAll(MARKUP, (character) => ENTITIES[character] ?? character);
}

const LOOKS_ESCAPED = /_(?=x[0-9a-f]{4})/gi;

/** Control characters and halves of pairs. Carriage returns are characters of XML, but readers make line feeds of them. */
const NOT_IN_XML = /[\p{Cs}\uFFFE\uFFFF]|[^\P{Cc}\t\n\u007F-\u009F]/gu;

const MARKUP = /[&<>"]/g;
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** What a cell holds. `text` is what a user would type to get it; a cell whose text is empty is blank. */
export type WorkbookCell =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'number'; readonly text: string; readonly value: number }
  | { readonly kind: 'boolean'; readonly text: string; readonly value: boolean }
  | {
      readonly kind: 'date';
      readonly text: string;
      /** How it is shown: `moment` is a date with a time, `duration` hours, minutes and seconds. */
      readonly form: 'date' | 'moment' | 'duration';
      /** Days since the end of 1899, as Excel counts them. */
      readonly serial: number;
    };

export interface WorkbookRow {
  /** The number that the spreadsheet shows; the first row has 1. */
  readonly number: number;
  /** Gaps are blank cells. */
  readonly cells: readonly (WorkbookCell | undefined)[];
}

/** How the cells of a sheet are written that is not one of `workbookBytes`. */
export interface CellLook {
  /** The number of the cell's format; left out: the usual one. */
  readonly style?: string | undefined;
  /** `x:` where the names of the sheet's elements are written so. */
  readonly prefix?: string;
}

/** @param lookOf left out: as in a workbook of `workbookBytes`. */
export function rowXml(
  { number, cells }: WorkbookRow,
  lookOf: (cell: WorkbookCell) => CellLook = newLook,
): string {
  let xml = '';
  let prefix = '';
  for (const [index, cell] of cells.entries()) {
    if (cell === undefined || cell.text === '') continue;
    const look = lookOf(cell);
    prefix = look.prefix ?? '';
    xml += cellXml(`${lettersOf(index)}${number}`, cell, look);
  }
  return `<${prefix}row r="${number}">${xml}</${prefix}row>`;
}

function newLook(cell: WorkbookCell): CellLook {
  return cell.kind === 'date' ? { style: DATE_STYLES[cell.form].toString() } : NO_LOOK;
}

const NO_LOOK: CellLook = {};

export function cellXml(address: string, cell: WorkbookCell, { style, prefix = '' }: CellLook): string {
  const begin = `<${prefix}c r="${address}"${style === undefined ? '' : ` s="${style}"`}`;
  const valued = (type: string, value: number): string =>
    `${begin}${type}><${prefix}v>${value}</${prefix}v></${prefix}c>`;
  switch (cell.kind) {
    case 'text': {
      const text = `<${prefix}t xml:space="preserve">${escaped(fitting(cell.text))}</${prefix}t>`;
      return `${begin} t="inlineStr"><${prefix}is>${text}</${prefix}is></${prefix}c>`;
    }
    case 'number':
      return valued('', cell.value);
    case 'boolean':
      return valued(' t="b"', cell.value ? 1 : 0);
    case 'date':
      return valued('', cell.serial);
    default:
      return unreachable(cell);
  }
}

/** Excel calls a workbook damaged that has a longer cell. */
const MOST_CHARACTERS = 32_767;
const CUT = ` … (cut: an Excel cell holds ${MOST_CHARACTERS} characters)`;

/** A text that is too long says itself, at its end, that it was cut. */
function fitting(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text;
  return text.slice(0, MOST_CHARACTERS - CUT.length).toWellFormed() + CUT;
}

const LETTERS = 26;

/** `A` for 0, `Z` for 25, `AA` for 26. */
export function lettersOf(column: number): string {
  const known = KNOWN[column];
  if (known !== undefined) return known;
  const last = String.fromCharCode('A'.charCodeAt(0) + (column % LETTERS));
  const letters = column < LETTERS ? last : lettersOf(Math.floor(column / LETTERS) - 1) + last;
  KNOWN[column] = letters;
  return letters;
}

/** Letters of the columns that were asked for so far. */
const KNOWN: string[] = [];
