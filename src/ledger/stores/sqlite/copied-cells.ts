import { type CopiedTables, columnsOf } from '../../copying.ts';

/** A copy names accounts and batches, its entries have other numbers, and what is JSON or a flag is no text and no number there. */
type Kind = 'account' | 'batch' | 'entry' | 'entries' | 'flag' | 'json';

/** Which cells stand otherwise in a copy than in the tables. All others are alike. */
const KINDS: { readonly [Name in keyof CopiedTables]?: Partial<Record<keyof CopiedTables[Name], Kind>> } = {
  accounts: { misses_kept: 'flag' },
  batches: { id: 'batch', account: 'account', sandbox: 'flag', settings: 'json' },
  planned: { batch: 'batch', planned: 'json' },
  subjects: { account: 'account' },
  calls: { id: 'entry', account: 'account', parameters: 'json', terms: 'json', stands: 'entry' },
  changes: { attempt: 'entry' },
  rows: { batch: 'batch', answers: 'entries', read_to: 'entry' },
  payers: { attempt: 'entry' },
  prices: { account: 'account' },
  pauses: { account: 'account', asked: 'flag' },
  pieces: { batch: 'batch' },
  files: { batch: 'batch' },
  reads: { batch: 'batch', is_list: 'flag' },
};

export type Recoding = Readonly<Record<Kind, (cell: never) => unknown>>;

/** A row with the columns of the copy, each as it stands on the other side. */
export function recoded<Row>(table: keyof CopiedTables, row: object, recoding: Recoding): Row {
  const kinds: Partial<Record<string, Kind>> = KINDS[table] ?? {};
  const cells = columnsOf(table).map(([column]) => {
    const cell = (row as Readonly<Record<string, unknown>>)[column] ?? null;
    const kind = kinds[column];
    return [column, cell === null || kind === undefined ? cell : recoding[kind](cell as never)];
  });
  return Object.fromEntries(cells) as Row;
}
