import { unreachable } from '../../core/errors.ts';
import { DATE_STYLES, escaped } from './parts.ts';

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

/** Letters of the columns that were asked for so far. */
const KNOWN: string[] = [];
