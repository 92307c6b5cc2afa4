import { stat } from 'node:fs/promises';
import { readingIn } from '../../core/reading.ts';
import type { RowNumber } from '../../core/row.ts';
import { contentHash, openFile } from '../../files/input.ts';
import { type Batch, listsOf, type StartedList, startOver } from '../../ledger/ledger.ts';
import { atWorkAmong, batchLines } from '../../run/batches.ts';
import type { CellSince, Standing } from '../api.ts';
import type { KeptList } from './list-files.ts';
import type { Server } from './server.ts';

/**
 * How a list, as it is now, stands to what was started over it. What has read the same content is told by the
 * content's hash, so a mend that was taken back and a version that was brought again are what they were.
 */

/** How each of these lists stands, by its id. */
export async function standingsOf(
  { store }: Pick<Server, 'store'>,
  lists: readonly KeptList[],
): Promise<ReadonlyMap<string, Standing>> {
  const lines = await batchLines(store);
  const started = listsOf(lines.map(({ batch }) => batch));
  const paths = new Set(lists.map(({ path }) => path));
  // What is at work is shown until it has ended, whatever was brought meanwhile.
  const atWork = new Set(await atWorkAmong(lines.filter(({ batch }) => paths.has(batch.inputPath))));
  const known: (readonly [string, Standing])[] = [];
  for (const list of lists) {
    const startedList = started.get(list.path);
    known.push([
      list.id,
      startedList === undefined ? UNSTARTED : await standingOf(list, startedList, atWork),
    ]);
  }
  return new Map(known);
}

const UNSTARTED: Standing = { batch: null, is: 'unstarted', cells: [] };

async function standingOf(
  list: KeptList,
  started: StartedList,
  atWork: ReadonlySet<Batch>,
): Promise<Standing> {
  const { starts } = started;
  const [last] = starts;
  if (last === undefined) return UNSTARTED;
  const now = await contentOf(list);
  const running = starts.find((batch) => atWork.has(batch));
  const same = running ?? startOver(started, now) ?? last;
  if (same.inputSha256 === now) return { batch: same.id, is: 'as_started', cells: [] };
  const base = nearest(list, running === undefined ? starts : [running]);
  if (base === undefined) return { batch: (running ?? last).id, is: 'changed', cells: [] };
  return { batch: base.batch.id, is: 'mended', cells: await cellsSince(list, base.mends) };
}

interface Base {
  readonly batch: Batch;
  /** The mends with which the brought file was started. */
  readonly mends: readonly Cell[];
}

type Cell = Omit<CellSince, 'taken'>;

/**
 * The start of the same file whose mends are nearest: one that has none which was taken back shows nothing
 * that is not so any more. Of several the one with the most mends, then the one that was started last.
 */
function nearest({ sha256, mends, versions }: KeptList, starts: readonly Batch[]): Base | undefined {
  const bases = starts.flatMap((batch): Base[] => {
    const read = versions.find((version) => version.sha256 === batch.inputSha256);
    const startMends = read?.brought === sha256 ? read.mends : batch.inputSha256 === sha256 ? [] : undefined;
    return startMends === undefined ? [] : [{ batch, mends: startMends }];
  });
  const isKept = among(mends);
  const within = bases.filter((base) => base.mends.every(isKept));
  const [first] = within.toSorted((one, other) => other.mends.length - one.mends.length);
  return first ?? bases[0];
}

const placeOf = ({ row, column }: Cell): string => JSON.stringify([row, column]);
const sayingOf = ({ row, column, value }: Cell): string => JSON.stringify([row, column, value]);

/** @returns what tells whether one of these cells is at the same place and says the same. */
function among(cells: readonly Cell[]): (cell: Cell) => boolean {
  const sayings = new Set(cells.map(sayingOf));
  return (cell) => sayings.has(sayingOf(cell));
}

/**
 * The cells that say something else than in that start: mended since, or as they were brought again. Those of
 * a list that cannot be read as it is chosen now are blank: why it cannot be is told where it is described,
 * and there she chooses otherwise.
 */
async function cellsSince(list: KeptList, before: readonly Cell[]): Promise<CellSince[]> {
  const wasSaid = among(before);
  const mended = list.mends.filter((each) => !wasSaid(each));
  const places = new Set(list.mends.map(placeOf));
  const taken = before.filter((each) => !places.has(placeOf(each)));
  const cellsByRow = taken.length === 0 ? new Map() : await rowsNow(list, taken).catch(() => new Map());
  return [
    ...mended.map(({ row, column, value }) => ({ row, column, value })),
    ...taken.map(({ row, column }) => {
      const value: string = cellsByRow.get(row)?.[column] ?? '';
      return { row, column, value, taken: true as const };
    }),
  ];
}

// ------------------------------------------------------------------------------------ what the file says now

/** What was read of each list's file, as long as the file is the same: a page asks every second. */
class Remembered<Value> {
  readonly #readings = new Map<string, { readonly mark: string; readonly value: Promise<Value> }>();

  async of({ id, path }: KeptList, how: string, read: () => Promise<Value>): Promise<Value> {
    const { ino, mtimeMs, size } = await stat(path);
    const mark = JSON.stringify([ino, mtimeMs, size, how]);
    const lastReading = this.#readings.get(id);
    if (lastReading?.mark === mark) return lastReading.value;
    const value = read();
    this.#readings.set(id, { mark, value });
    // What could not be read may be read the next time.
    value.catch(() => this.#readings.delete(id));
    return value;
  }
}

const contents = new Remembered<string>();
const rows = new Remembered<ReadonlyMap<RowNumber, Readonly<Record<string, string>>>>();

const contentOf = (list: KeptList): Promise<string> => contents.of(list, '', () => contentHash(list.path));

function rowsNow(list: KeptList, cells: readonly Cell[]) {
  const wanted = new Set(cells.map(({ row }) => row));
  const read = readingIn(list.job);
  return rows.of(list, JSON.stringify([read, ...wanted]), async () => {
    const { sheet } = await openFile(list.path, read);
    const header = await sheet.header();
    const found = new Map<RowNumber, Readonly<Record<string, string>>>();
    for await (const group of sheet.groups())
      for (const { row, cells: rowCells } of group)
        if (wanted.has(row))
          found.set(row, Object.fromEntries(header.map((name, at) => [name, rowCells[at] ?? ''])));
    return found;
  });
}
