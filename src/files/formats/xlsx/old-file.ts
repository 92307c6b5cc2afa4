import { type StopError, stop } from '../../../core/errors.ts';
import type { FileBytes } from '../../../core/format.ts';

/** How a file of Excel before 2007 begins, and how a newer one does that is protected by a password. */
const OLD_HEADER = Buffer.from('d0cf11e0a1b11ae1', 'hex');

/** The part in which a protected workbook is kept, as such a file names its parts. */
const PROTECTED_PART = Buffer.from('EncryptedPackage', 'utf16le');

/** The names of parts stand in the first or the last sectors of such a file. */
const SEARCHED_BYTES = 1024 * 1024;

/** @throws StopError `input` when the file is no archive but one of these. */
export async function refuseOldFile(file: FileBytes, size: number): Promise<void> {
  const { path } = file;
  const start = await file.bytesAt(0, Math.min(size, OLD_HEADER.length));
  if (!start.equals(OLD_HEADER)) return;
  const length = Math.min(size, SEARCHED_BYTES);
  const ends = await Promise.all([file.bytesAt(0, length), file.bytesAt(size - length, length)]);
  if (ends.some((bytes) => bytes.includes(PROTECTED_PART))) throw isProtected(path);
  const fact = `${path} is a workbook of Excel before 2007 (.xls), whatever it is called.`;
  throw stop('input', fact, 'Open it in Excel and save it as .xlsx, or save the sheet as CSV.');
}

export function isProtected(path: string): StopError {
  const next = 'Open it in Excel, take the password off under File, Info, Protect Workbook, and save it.';
  return stop('input', `${path} is protected by a password.`, next);
}
