import { stat } from 'node:fs/promises';
import { StopError } from '../../core/errors.ts';
import { present } from '../../core/objects.ts';
import { accountsPath } from '../../core/paths.ts';
import { type InputRow, NO_HEADER, type RowNumber, rowsAsked } from '../../core/row.ts';
import { listsOf } from '../../ledger/ledger.ts';
import type { WholeTable } from '../../run/batch-table.ts';
import { batchLines } from '../../run/batches.ts';
import { chooseJob } from '../../run/choose.ts';
import { ListAhead } from '../../run/known-rows.ts';
import { lookIntoIfThere } from '../../run/open-ledger.ts';
import { chooseStore } from '../../run/store-choice.ts';
import { MOST_ROWS } from '../../run/table-order.ts';
import type { ListFaults, ListJob, ListOrder, ListRow, ListRows, RowsCounted } from '../api.ts';
import { FaultsOfLists } from './list-faults.ts';
import { type KeptList, writeListJob } from './list-files.ts';
import { type Since, sinceOf } from './list-since.ts';
import { type Among, ListTables } from './list-tables.ts';
import type { Server } from './server.ts';

/**
 * The table of a list before it is started: its rows, which of them are new since the start before, what is
 * wrong with their cells, and what is known for them already. An empty table would look as if all were lost.
 */

export class ListPages {
  readonly #server: Server;
  readonly #now: ListTables;
  /** The version before of the list that was looked at last. */
  readonly #before = new ListTables();
  readonly #faults: FaultsOfLists;
  #ahead: { readonly mark: string; readonly list: Promise<ListAhead | undefined> } | undefined;

  constructor(server: Server, now: ListTables) {
    this.#server = server;
    this.#now = now;
    this.#faults = new FaultsOfLists(now);
  }

  /** @throws StopError as `ListTables.pageOf`. */
  async pageOf(list: KeptList, order: ListOrder): Promise<ListRows> {
    const { job, since, ...others } = order;
    const known = await sinceOf(list);
    const page =
      since === 'gone'
        ? await this.#gone(list, others, known)
        : await this.#marked(list, await this.#judged(list, order, known), known);
    return job === undefined ? page : this.#withKnown(list, job, page);
  }

  /** Every row that is wanted. @throws as `pageOf`. */
  async wholeOf(list: KeptList, order: ListOrder): Promise<WholeTable> {
    return this.#now.wholeOf(list, order, await this.#amongOf(list, order, await sinceOf(list)));
  }

  /** How many rows are wanted. @throws as `pageOf`. */
  async countOf(list: KeptList, order: ListOrder): Promise<RowsCounted> {
    let rows = 0;
    for await (const part of (await this.wholeOf(list, order)).rows) rows += part.length;
    return { rows };
  }

  /** @throws StopError `input` for a file that cannot be read. */
  faultsOf(list: KeptList, askedColumns: ListOrder['asked']): Promise<ListFaults> {
    return this.#faults.all(list, askedColumns);
  }

  /** The rows with what is wrong with their cells, and what becomes of them by the plan. */
  async #judged(list: KeptList, order: ListOrder, known: Since | undefined): Promise<ListRows> {
    const { plans } = this.#server;
    const page = await this.#now.pageOf(list, order, await this.#amongOf(list, order, known));
    const judged = await this.#faults.judge(list, order.asked, page.rows);
    const rows = judged.map((row) => ({
      ...row,
      ...present({ becomes: plans.saidOf(order.plan, row.row) }),
    }));
    return { ...page, rows };
  }

  /** The rows that everything wants that they are a part of; undefined where any row is wanted. */
  async #amongOf(list: KeptList, order: ListOrder, known: Since | undefined): Promise<Among | undefined> {
    const { plan, is, since, only } = order;
    const wanting = [
      amongSince(known, since),
      rowsAsked({ header: NO_HEADER }, { only }),
      is === undefined ? undefined : this.#server.plans.among(plan, is.split(',')),
      await this.#faults.among(list, order),
    ].filter((each) => each !== undefined);
    return wanting.length === 0 ? undefined : { has: (row) => wanting.every((each) => each.has(row)) };
  }

  // ---------------------------------------------------------------------------------- since the start before

  async #marked(list: KeptList, page: ListRows, known: Since | undefined): Promise<ListRows> {
    if (known === undefined) return page;
    const before = await this.#rowsBefore(list, page, known);
    const rows = page.rows.map((row): ListRow => {
      if (known.added.has(row.row)) return { ...row, since: 'added' };
      const was = before.get(known.changed.get(row.row) ?? -1);
      return was === undefined ? row : { ...row, since: 'changed', was: changedCells(page, row, was) };
    });
    return { ...page, rows };
  }

  /** What the changed rows of a page said before, by the numbers of then. */
  async #rowsBefore(list: KeptList, { rows, columns }: ListRows, known: Since) {
    const wanted = new Set(rows.flatMap(({ row }) => known.changed.get(row) ?? []));
    if (wanted.size === 0) return new Map<RowNumber, readonly string[]>();
    const page = await this.#before.pageOf(versionBefore(list, known), { limit: MOST_ROWS }, wanted);
    return new Map(page.rows.map(({ row, cells }) => [row, inColumns(page.columns, columns, cells)]));
  }

  /** The rows of the version before that are gone, with their cells in the columns of now. */
  async #gone(list: KeptList, order: ListOrder, known: Since | undefined): Promise<ListRows> {
    const { columns } = await this.#now.pageOf(list, { limit: 1 });
    if (known === undefined) return { columns, rows: [], next: null, last: null };
    const page = await this.#before.pageOf(versionBefore(list, known), order, known.gone);
    const rows = page.rows.map((row): ListRow => {
      return { ...row, cells: inColumns(page.columns, columns, row.cells), since: 'gone' };
    });
    return { ...page, columns, rows };
  }

  // ------------------------------------------------------------------------------------------ what is known

  /** What cannot be planned is not known either: the plan says why. */
  async #withKnown(list: KeptList, job: ListJob, page: ListRows): Promise<ListRows> {
    try {
      return await this.#known(list, job, page);
    } catch (error) {
      // What could not be read may be read the next time.
      this.#ahead = undefined;
      if (error instanceof StopError) return page;
      throw error;
    }
  }

  async #known(list: KeptList, job: ListJob, page: ListRows): Promise<ListRows> {
    const chosen = await chooseJob({ job: await writeListJob(list, job) });
    const { location } = chooseStore(this.#server.store, chosen.account.sandbox);
    return lookIntoIfThere(location, async (ledger) => {
      if (ledger === undefined) return page;
      const mark = await markOf(list, job);
      if (this.#ahead?.mark !== mark) {
        const batches = (await batchLines(this.#server.store)).map(({ batch }) => batch);
        const { starts = [] } = listsOf(batches).get(list.path) ?? {};
        const before = starts.find(({ operation }) => operation === chosen.job.operation.name);
        this.#ahead = { mark, list: ListAhead.open(ledger, chosen, list.path, before) };
      }
      const ahead = await this.#ahead.list;
      if (ahead === undefined) return page;
      const first = async (): Promise<readonly InputRow[]> =>
        (await this.#now.pageOf(list, { limit: MOST_ROWS })).rows;
      const table = await ahead.table(ledger, page.rows, first);
      const rows = table.rows.map((row, at): ListRow => ({ ...page.rows[at], ...row }));
      return { ...page, ...table, rows };
    });
  }
}

async function markOf({ path }: KeptList, job: ListJob): Promise<string> {
  const files = [path, accountsPath()].map((file) => stat(file).catch(() => undefined));
  const marks = (await Promise.all(files)).map((file) => [file?.ino, file?.mtimeMs, file?.size]);
  return JSON.stringify([path, marks, job]);
}

function amongSince(known: Since | undefined, since: ListOrder['since']) {
  if (known === undefined || since === undefined) return undefined;
  if (since === 'added') return known.added;
  if (since === 'changed') return known.changed;
  return { has: (row: RowNumber) => !known.added.has(row) && !known.changed.has(row) };
}

const versionBefore = ({ name, job }: KeptList, { before }: Since) => ({ name, job, path: before });

type Columns = ListRows['columns'];

/** Cells in the order of other columns. */
function inColumns(from: Columns, to: Columns, cells: readonly string[]): readonly string[] {
  const places = new Map(from.map(({ name }, at) => [name, at]));
  return to.map(({ name }) => cells[places.get(name) ?? -1] ?? '');
}

function changedCells({ columns }: ListRows, { cells }: ListRow, was: readonly string[]) {
  const changed = columns.flatMap(({ name }, at) => (cells[at] === was[at] ? [] : [[name, was[at] ?? '']]));
  return Object.fromEntries(changed) as Record<string, string>;
}
