import { messageOf, stop } from '../../../core/errors.ts';
import { spoolFolder } from '../../../core/paths.ts';
import { spoolInput } from '../../../files/spool.ts';

/** Rows that a program gives: one after the other, at once or as they come. */
export type GivenRows<Row> = Iterable<Row> | AsyncIterable<Row>;

/**
 * The list that a run reads: a file as it is, or given rows as JSON lines in a file of the store that has the name of its content.
 * The same rows, given again, are the same file, and so the same batch.
 * @throws StopError `input` for no row, and for one that is nothing in JSON.
 */
export async function listOf<Row>(rows: string | GivenRows<Row>, store: string): Promise<string> {
  return typeof rows === 'string' ? rows : spoolInput(linesOf(rows), spoolFolder(store), 'the rows');
}

const PIECE = 64 * 1024;

async function* linesOf<Row>(rows: GivenRows<Row>): AsyncGenerator<Buffer> {
  let lines = '';
  let count = 0;
  for await (const row of rows) {
    count += 1;
    lines += `${lineOf(row, count)}\n`;
    if (lines.length < PIECE) continue;
    yield Buffer.from(lines);
    lines = '';
  }
  if (count === 0) throw stop('input', 'No row was given.', 'Give at least one row.');
  if (lines !== '') yield Buffer.from(lines);
}

/** What is no object becomes a line that cannot be read, which is one row's own problem. */
function lineOf(row: unknown, number: number): string {
  try {
    return JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? String(value) : value)) ?? 'null';
  } catch (error) {
    const fact = `Row ${number} cannot be written as JSON: ${messageOf(error)}.`;
    throw stop('input', fact, 'Give rows of texts, numbers, true or false, lists and objects.');
  }
}
