import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { stringify } from 'csv-stringify/sync';
import { stop } from '../../core/errors.ts';
import { outputProblem } from '../../lib/atomic-file.ts';
import { safeCell } from '../../lib/formulas.ts';

type Cells = readonly (string | number | undefined)[];

/** Writes a table as it comes, so that memory does not grow with it. It holds what was asked about people, as the ledger does. */
export class TableFile {
  readonly #to: NodeJS.WritableStream;
  readonly #failed: Promise<never>;
  readonly #isFile: boolean;

  /** @param path `-` is standard output. @throws StopError `usage` for a file that is there already. */
  static async open(path: string, header: readonly string[], json: boolean): Promise<TableFile> {
    if (path === '-' && json)
      throw stop('usage', '-o - and --json both want standard output.', 'Name a file with -o.');
    const table = new TableFile(path);
    // Spreadsheet programs take a text for UTF-8 by this mark.
    if (table.#isFile) await table.#write('\uFEFF');
    await table.line(header);
    return table;
  }

  private constructor(path: string) {
    this.#isFile = path !== '-';
    this.#to = this.#isFile ? createWriteStream(path, { flags: 'wx', mode: 0o600 }) : process.stdout;
    this.#failed = new Promise((_, reject) => {
      if (this.#isFile) this.#to.once('error', (error) => reject(problemAt(path, error)));
    });
    this.#failed.catch(() => {});
  }

  line(cells: Cells): Promise<void> {
    return this.#write(csvLine(cells));
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

/** A line of a table for spreadsheets, in which no cell becomes a formula. */
function csvLine(cells: readonly (string | number | undefined)[]): string {
  const safe = cells.map((cell) => (typeof cell === 'string' ? safeCell(cell).text : cell));
  return stringify([safe], { record_delimiter: 'windows' });
}
