import { messageOf, StopError, stop } from '../../../core/errors.ts';

/** @param detail a clause that says what is wrong, and where. */
export function damaged(path: string, detail: string): StopError {
  const next = 'Open it in Excel and save it again as .xlsx, or save the sheet as CSV.';
  return stop('input', `${path} is no readable Excel workbook: ${detail}.`, next);
}

/**
 * What was found wrong while something of the file was read. A stop is one already.
 * @param place as `its part xl/workbook.xml`.
 */
export function damagedAt(path: string, place: string, error: unknown): StopError {
  if (error instanceof StopError) return error;
  return damaged(path, `${place} is damaged (${messageOf(error)})`);
}
