import { readBody } from '../../../core/answer-body.ts';
import { messageOf, StopError } from '../../../core/errors.ts';
import { foreignWords } from '../../../core/plain-text.ts';

/**
 * The cells of an answer, or blank ones and why: one answer that cannot be written must not keep all others from their
 * owner. Those that an older Rowonce took are judged no more, so they may hold anything.
 */
export function cellsOrWhy(
  columns: number,
  cells: () => readonly string[],
  body: Buffer | undefined,
): { readonly cells: readonly string[]; readonly why?: string } {
  const blank = Array<string>(columns).fill('');
  try {
    const made = cells();
    const read = body === undefined || made.some((cell) => cell !== '') ? undefined : readBody(body);
    return read?.kind === 'unreadable' && read.why !== undefined
      ? { cells: made, why: `its answer cannot be written: ${read.why}` }
      : { cells: made };
  } catch (error) {
    if (error instanceof StopError) throw error;
    return { cells: blank, why: `its answer cannot be written: ${foreignWords(messageOf(error))}` };
  }
}
