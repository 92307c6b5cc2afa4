import { unreachable } from '../../core/errors.ts';
import { escaped } from './escaped.ts';
import { DATE_STYLES } from './parts.ts';
import type { WorkbookCell, WorkbookRow } from './row.ts';

export function rowXml({ number, cells }: WorkbookRow): string {
  let xml = `<row r="${number}">`;
  for (const [index, cell] of cells.entries()) {
    if (cell !== undefined && cell.text !== '') xml += cellXml(`${lettersOf(index)}${number}`, cell);
  }
  return `${xml}</row>`;
}

function cellXml(address: string, cell: WorkbookCell): string {
  switch (cell.kind) {
    case 'text':
      return `<c r="${address}" t="inlineStr"><is><t xml:space="preserve">${escaped(fitting(cell.text))}</t></is></c>`;
    case 'number':
      return `<c r="${address}"><v>${cell.value}</v></c>`;
    case 'boolean':
      return `<c r="${address}" t="b"><v>${cell.value ? 1 : 0}</v></c>`;
    case 'date':
      return `<c r="${address}" s="${DATE_STYLES[cell.form]}"><v>${cell.serial}</v></c>`;
    default:
      return unreachable(cell);
  }
}

/** Excel calls a workbook damaged that has a longer cell. */
const MOST_CHARACTERS = 32_767;
const CUT = ` … (cut: a cell of Excel holds ${MOST_CHARACTERS} characters)`;

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

/** Filled as columns are met. */
const KNOWN: string[] = [];
