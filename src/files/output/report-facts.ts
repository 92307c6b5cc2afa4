import { isoTime } from '../../core/clock.ts';
import { present } from '../../core/objects.ts';
import { plainText } from '../../core/plain-text.ts';
import type { RowNumber } from '../../core/row.ts';
import { settingsKept } from '../../job/job-settings.ts';
import type { Act, Batch, LedgerReader } from '../../ledger/ledger.ts';
import { listNameOf, mendsOf } from '../called.ts';
import { askedAgainWords } from './asked-again.ts';
import type { WholeView } from './batch-view.ts';
import type { ChangesDone, NamedRow, ReportObject } from './report-object.ts';
import { rowName } from './row-name.ts';
import { summaryOf } from './summary.ts';

/**
 * What the report of a batch says, in the file as on the page.
 * @param changes undefined for a batch that changes nothing.
 */
export async function readReport(
  ledger: Pick<LedgerReader, 'acts' | 'interruptions' | 'cellsOf' | 'rowsAt' | 'batches' | 'recordsOf'>,
  batch: Batch,
  view: WholeView,
  changes: ChangesDone | undefined,
): Promise<ReportObject> {
  const acts = await ledger.acts(batch.id);
  const interruptions = await ledger.interruptions(batch.id);
  const missed = await ledger.rowsAt(batch.id, { from: 0 }, MOST_NOT_FOUND, ['no_match']);
  const { reasons, other_abn: otherAbn } = view.figures;
  const needing = [...reasons, ...(otherAbn === undefined ? [] : [otherAbn])];
  return madePlain({
    ...view,
    list: listNameOf(batch.inputPath),
    operation: batch.operation,
    not_found: await named(
      ledger,
      batch,
      missed.map(({ row }) => row),
    ),
    needing: await named(
      ledger,
      batch,
      needing.flatMap(({ first_rows: rows }) => rows),
    ),
    created_at: isoTime(batch.createdAtMs),
    mends: [...mendsOf(batch)],
    ...present({ started_by: acts.find(({ kind }) => kind === 'begun')?.operator }),
    operators: [...new Set(acts.map(({ operator }) => operator))],
    accounts_named: batch.accounts.map(({ name }) => name),
    sandbox: batch.sandbox,
    words: {
      ...summaryOf(batch, view, changes),
      ...present({ again: await askedAgainWords(ledger, batch) }),
    },
    ...present({ changes }),
    acts: [
      ...acts.map(({ kind, operator, atMs }) => ({ atMs, what: `${ACT_WORDS[kind]} ${operator}` })),
      ...interruptions.flatMap(({ atMs, goneOnMs, isKilled }) => [
        { atMs, what: isKilled ? 'interrupted' : 'stopped' },
        { atMs: goneOnMs, what: 'went on' },
      ]),
    ]
      .toSorted((one, other) => one.atMs - other.atMs)
      .map(({ atMs, what }) => ({ at: isoTime(atMs), what })),
  });
}

/** More names than these are a filter of the table, and no page that somebody reads. */
const MOST_NOT_FOUND = 50;

async function named(
  ledger: Pick<LedgerReader, 'cellsOf'>,
  { id, header, settings }: Batch,
  rows: readonly RowNumber[],
): Promise<NamedRow[]> {
  const { columns } = settingsKept(settings);
  const inputs = await ledger.cellsOf(id, rows);
  return rows.map((row) => {
    const cells = inputs.get(row)?.cells ?? [];
    const name = rowName(header, cells, columns) ?? cells.find((cell) => cell.trim() !== '') ?? '';
    return { row, name: cut(name.trim()) };
  });
}

/** A cell that holds more than a name is told by its beginning. */
const cut = (name: string): string =>
  name.length > NAME_LENGTH ? `${name.slice(0, NAME_LENGTH - 1)}…` : name;
const NAME_LENGTH = 60;

const ACT_WORDS: Readonly<Record<Act['kind'], string>> = {
  begun: 'started by',
  gone_on: 'went on with',
  settled: 'doubts decided by',
  paused: 'paused by',
  resumed: 'resumed by',
  cancelled: 'stopped for good by',
  erased: 'forgotten by',
};

/** Makes each text of the facts plain in one place, so that no part of the report can forget it. */
export function madePlain<Facts>(facts: Facts): Facts {
  const plain = (_name: string, value: unknown) => (typeof value === 'string' ? plainText(value) : value);
  return JSON.parse(JSON.stringify(facts), plain);
}
