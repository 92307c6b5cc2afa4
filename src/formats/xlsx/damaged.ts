import { messageOf, StopError, stop } from '../../errors.ts';

/** @param detail a clause that says what is wrong, and where. */
export function damaged(path: string, detail: string): StopError {
  const next = 'Open it in Excel and save it again as .xlsx, or save the sheet as CSV.';
  return stop('input', `${path} is no readable Excel workbook: ${detail}.`, next);
}

/** What was found wrong while a part was read. A stop is one already. */
export function damagedPart(path: string, part: string, error: unknown): StopError {
  if (error instanceof StopError) return error;
  return damaged(path, `its part ${part} is damaged (${messageOf(error)})`);
}
