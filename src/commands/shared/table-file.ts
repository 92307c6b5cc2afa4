import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { stringify } from 'csv-stringify/sync';
import { stop } from '../../core/errors.ts';
import { outputProblem } from '../../lib/atomic-file.ts';
import { safeCell } from '../../lib/formulas.ts';
import { refuseTwoOnStdout } from './input.ts';

/** Writes what `--json` tells as a table, as it comes, so that memory does not grow with it. It holds what was asked about people, as the ledger does. */
export class TableFile {
  readonly #to: NodeJS.WritableStream;
  readonly #failed: Promise<never>;
  readonly #isFile: boolean;
  readonly #columns: readonly string[];

  /**
   * @param path `-` is standard output. @param lines what a line of the table is, a column for each of its members.
   * @throws StopError `usage` for a file that is there already.
   */
  static async open(path: string, lines: { readonly shape: object }, json: boolean): Promise<TableFile> {
    refuseTwoOnStdout(json, path);
    const table = new TableFile(path, Object.keys(lines.shape));
    // Spreadsheet programs take a text for UTF-8 by this mark.
    if (table.#isFile) await table.#write('\uFEFF');
    await table.#write(csvLine(table.#columns));
    return table;
  }

  private constructor(path: string, columns: readonly string[]) {
    this.#columns = columns;
    this.#isFile = path !== '-';
    this.#to = this.#isFile ? createWriteStream(path, { flags: 'wx', mode: 0o600 }) : process.stdout;
    this.#failed = new Promise((_, reject) => {
      if (this.#isFile) this.#to.once('error', (error) => reject(problemAt(path, error)));
    });
    this.#failed.catch(() => {});
  }

  add(line: object): Promise<void> {
    const cells = new Map<string, unknown>(Object.entries(line));
    return this.#write(csvLine(this.#columns.map((name) => cellOf(cells.get(name)))));
  }

  async close(): Promise<void> {
    if (!this.#isFile) return;
    this.#to.end();
    await Promise.race([once(this.#to, 'finish'), this.#failed]);
  }

  async #write(text: string): Promise<void> {
    if (!this.#to.write(text)) await Promise.race([once(this.#to, 'drain'), this.#failed]);
  }
}

function problemAt(path: string, error: unknown): unknown {
  if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST'))
    return outputProblem(path, error);
  return stop('output', `${path} exists already, and was left as it is.`, 'Name another file with -o.');
}

/** What was asked is told as `email jo@x.com`, and lists are joined by "; ", as in an output. */
function cellOf(value: unknown): string | number | undefined {
  if (Array.isArray(value)) return value.length === 1 ? cellOf(value[0]) : value.map(cellOf).join('; ');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'object' && value !== null) return Object.entries(value).flat().join(' ');
  return typeof value === 'string' || typeof value === 'number' ? value : undefined;
}

/** A line of a table for spreadsheets, in which no cell becomes a formula. */
function csvLine(cells: readonly (string | number | undefined)[]): string {
  const safe = cells.map((cell) => (typeof cell === 'string' ? safeCell(cell) : cell));
  return stringify([safe], { record_delimiter: 'windows' });
}
