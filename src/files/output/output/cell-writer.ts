import { cellText } from '../../../core/answer-fields.ts';
import type { JsonValue } from '../../../core/operation.ts';
import { CellSafety, type FormulaMode } from '../../../lib/formulas.ts';

/** How what is appended to a row is written: as text for spreadsheets and people, or as JSON for programs. */
export interface CellWriter {
  readonly isJson: boolean;
  /** A word, a number or a time of ours. */
  own(text: string | number): string;
  /** Words of a vendor or of a job. */
  foreign(text: string): string;
  /** A value of an answer; blank where there is none. */
  value(value: JsonValue | undefined): string;
}

/** What is written for spreadsheets never becomes a formula in one. */
export function textCells(safety: CellSafety): CellWriter {
  return {
    isJson: false,
    own: String,
    foreign: (text) => safety.cell(text),
    value: (value) => safety.cell(cellText(value)),
  };
}

/** Values as the vendor wrote them: numbers, truths, lists and objects stay what they are. */
export const JSON_CELLS: CellWriter = {
  isJson: true,
  own: (text) => (text === '' ? '' : JSON.stringify(text)),
  foreign: (text) => (text === '' ? '' : JSON.stringify(text)),
  value: (value) => (value === undefined || value === null ? '' : JSON.stringify(value)),
};

/** How the cells of an output are written. Text in a workbook never becomes a formula, and neither does a value of JSON. */
export function cellsFor(
  { isWorkbook, isJson }: { readonly isWorkbook: boolean; readonly isJson: boolean },
  mode: FormulaMode,
): { readonly safety: CellSafety; readonly cells: CellWriter } {
  const safety = new CellSafety(isWorkbook || isJson ? 'raw' : mode);
  return { safety, cells: isJson ? JSON_CELLS : textCells(safety) };
}
