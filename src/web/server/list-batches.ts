import { readingOf } from '../../core/reading.ts';
import { ATTENTION_KINDS, type RowNumber } from '../../core/row.ts';
import { openFile } from '../../files/input.ts';
import { columnsOf, readSettings } from '../../job/job-settings.ts';
import type { Batch, LedgerReader } from '../../ledger/ledger.ts';
import { toldIn } from '../../ledger/time.ts';
import { batchWithId, type FoundBatch, lookInto, lookIntoIfThere } from '../../run/open-ledger.ts';
import { batchLines } from '../../run/tasks/batch-status.ts';
import type { ListAttention } from '../api.ts';
import { HttpRefusal } from './answers.ts';
import { type KeptList, sweepLists, type Use } from './list-files.ts';
import type { Server } from './server.ts';

export async function batchesOver({ store }: Pick<Server, 'store'>): Promise<(path: string) => Use> {
  const uses = new Map<string, Use>();
  for (const { batch } of await batchLines(store)) {
    const { inputPath, state, createdAtMs } = batch;
    const known = uses.get(inputPath) ?? NEVER_USED;
    uses.set(inputPath, {
      isOpen: known.isOpen || state === 'open',
      begunMs: Math.max(known.begunMs, createdAtMs),
    });
  }
  return (path) => uses.get(path) ?? NEVER_USED;
}

const NEVER_USED: Use = { isOpen: false, begunMs: 0 };

/** What a ledger cannot say now, it says at the next start: until then every list stays. */
export async function sweepUnused(server: Server): Promise<void> {
  const useOf = await batchesOver(server).catch(() => undefined);
  const toldMs = useOf && (await lookIntoIfThere(server.folder, async (ledger) => ledger && toldIn(ledger)));
  if (useOf !== undefined && toldMs !== undefined) await sweepLists(server, useOf, toldMs);
}

/** As many rows as somebody corrects in one go; the next ones come when these are done. */
const MOST_ROWS = 200;

/** @param asked the batch; left out: the newest over the list. */
export async function listAttention(
  { store }: Pick<Server, 'store'>,
  list: KeptList,
  asked: string | undefined,
): Promise<ListAttention> {
  const found = await newestBatch(store, list, asked);
  if (found === undefined) return { batch: null, header: [], rows: [], more: false };
  const { batch, location } = found;
  const reasons = await lookInto(location, (ledger) => attentionIn(ledger, batch));
  const wanted = new Map([...reasons].slice(0, MOST_ROWS));
  const { sheet } = await openFile(list.path, readSettings(batch.settings));
  const rows: ListAttention['rows'] = [];
  const last = [...wanted.keys()].at(-1) ?? 0;
  reading: for await (const group of last === 0 ? [] : sheet.groups()) {
    for (const { cells, ...row } of group) {
      const why = wanted.get(row.row);
      if (why !== undefined) rows.push({ ...row, cells: [...cells], ...why });
      if (row.row >= last) break reading;
    }
  }
  return {
    batch: {
      batch: batch.id,
      operation: batch.operation,
      columns: { ...columnsOf(batch.settings)?.columns },
      read: readingOf(readSettings(batch.settings)),
      sandbox: batch.sandbox,
    },
    header: [...(await sheet.header())],
    rows,
    more: reasons.size > MOST_ROWS,
  };
}

async function newestBatch(
  store: string | undefined,
  list: KeptList,
  asked: string | undefined,
): Promise<FoundBatch | undefined> {
  const over = (await batchLines(store)).filter(({ batch }) => batch.inputPath === list.path);
  const [newest] = over.sort((a, b) => b.batch.createdAtMs - a.batch.createdAtMs);
  const found = asked === undefined ? newest : over.find(({ batch }) => batch.id === asked);
  if (found !== undefined) return batchWithId(found.batch.id, found.location);
  if (asked === undefined) return undefined;
  throw new HttpRefusal(404, `No batch ${asked.slice(0, 50)} was over ${list.name}.`, 'See all batches.');
}

/** The rows that need attention, with one more than are shown so that it is known whether there are more. */
async function attentionIn(
  ledger: LedgerReader,
  { id }: Batch,
): Promise<ReadonlyMap<RowNumber, Pick<ListAttention['rows'][number], 'status' | 'reason'>>> {
  const found = await ledger.rowKinds(id, { from: 0 }, MOST_ROWS + 1, [...ATTENTION_KINDS]);
  const records = await Promise.all(found.map(({ row }) => ledger.rows(id, row, 1)));
  return new Map(
    records.flat().map(({ row, outcome: { kind, reason = '' } }) => [row, { status: kind, reason }]),
  );
}
