import { stat } from 'node:fs/promises';
import { loadFamily, OPERATIONS } from '../../core/families.ts';
import { present } from '../../core/objects.ts';
import type { Operation } from '../../core/operation.ts';
import { readingIn } from '../../core/reading.ts';
import { openFile } from '../../files/input.ts';
import {
  type AskedBy,
  FaultTally,
  type JudgedColumn,
  judgedColumns,
} from '../../files/quality/cell-faults.ts';
import type { ListFaults, ListOrder, ListRow, ListRows } from '../api.ts';
import type { KeptList } from './list-files.ts';
import type { Among, ListTables } from './list-tables.ts';

/** What is wrong with the cells of a list before a start: of the rows in view, and of all of them. */

/** Of a list as it was judged last; all rows are looked through when that is first asked for. */
interface Judged {
  readonly mark: string;
  readonly columns: Promise<readonly JudgedColumn[]>;
  all?: Promise<FaultTally>;
}

export class FaultsOfLists {
  readonly #tables: ListTables;
  #judged: Judged | undefined;

  constructor(tables: ListTables) {
    this.#tables = tables;
  }

  /** The rows with what is wrong with their cells. */
  async judge(list: KeptList, askedColumns: ListOrder['asked'], rows: ListRows['rows']): Promise<ListRow[]> {
    const columns = await (await this.#of(list, askedColumns)).columns;
    return rows.map((row) => judgedRow(row, columns));
  }

  /** @throws StopError `input` for a file that cannot be read. */
  async all(list: KeptList, askedColumns: ListOrder['asked']): Promise<ListFaults> {
    return { columns: (await this.#tallyOf(list, askedColumns)).columns() };
  }

  /** The rows with such a wrong cell; undefined where any row is wanted. */
  async among(
    list: KeptList,
    { asked: askedColumns, wrong }: Pick<ListOrder, 'asked' | 'wrong'>,
  ): Promise<Among | undefined> {
    if (wrong === undefined) return undefined;
    const faulty = (await this.#tallyOf(list, askedColumns)).rowsIn(wrong.column, wrong.which);
    return new Set([...faulty, ...(wrong.with ?? [])]);
  }

  async #tallyOf(list: KeptList, askedColumns: ListOrder['asked']): Promise<FaultTally> {
    const judged = await this.#of(list, askedColumns);
    judged.all ??= this.#lookThrough(list, judged.columns);
    return judged.all;
  }

  async #lookThrough(list: KeptList, columns: Judged['columns']): Promise<FaultTally> {
    const tally = new FaultTally(await columns);
    for await (const rows of (await this.#tables.wholeOf(list, {})).rows)
      for (const row of rows) tally.add(row);
    return tally;
  }

  /** A list is judged again that was brought or mended since, or is asked by other columns or other rules. */
  async #of(list: KeptList, columns: AskedBy['columns'] = {}): Promise<Judged> {
    const { path, job } = list;
    const { ino, mtimeMs } = await stat(path);
    const { accept_hosts: acceptHosts, role_addresses: roleAddresses } = job;
    const askedColumns: AskedBy = { columns, ...present({ acceptHosts, roleAddresses }) };
    const mark = JSON.stringify([path, ino, mtimeMs, readingIn(job), askedColumns]);
    if (this.#judged?.mark === mark) return this.#judged;
    const judged: Judged = { mark, columns: columnsIn(list, askedColumns) };
    this.#judged = judged;
    // What could not be read may be read the next time.
    judged.columns.catch(() => (this.#judged = undefined));
    return judged;
  }
}

async function columnsIn({ path, job }: KeptList, askedColumns: AskedBy): Promise<readonly JudgedColumn[]> {
  const { sheet, read } = await openFile(path, readingIn(job));
  const operations = await loadFamily<Operation>(OPERATIONS);
  return judgedColumns(sheet, read, askedColumns, operations.values());
}

/** It is not known which cell of an unreadable row stands below which name. */
function judgedRow(row: ListRow, columns: readonly JudgedColumn[]): ListRow {
  if (row.unreadable !== undefined) return row;
  const faults = columns.flatMap(({ name, at, faultOf }) => {
    const { says, meant } = faultOf(row.cells[at] ?? '') ?? {};
    return says === undefined ? [] : [[name, { says, ...present({ meant }) }] as const];
  });
  return faults.length === 0 ? row : { ...row, faults: Object.fromEntries(faults) };
}
