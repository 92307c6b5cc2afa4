import { z } from 'zod';
import type { Sheet } from '../core/format.ts';
import { rowRangeText } from '../core/row-range.ts';
import type { FileDescription } from '../files/describe-file.ts';
import type { FoundCell, FoundIssue } from '../files/quality/job-issues.ts';
import { membersOf, noun } from './noun.ts';

/** What a file is, before there is a job. */

const rows = membersOf<{ readonly count: number; readonly firstRows: readonly number[] }>();
export const ofRows = {
  count: rows(z.number(), ({ count }) => count),
  first_rows: rows(z.array(z.number()), ({ firstRows }) => firstRows),
};
const RowsObject = noun(ofRows);

const cell = membersOf<FoundCell>();
const DamagedCellObject = noun({
  row: cell(z.number(), ({ row }) => row),
  cell: cell(z.string(), (of) => of.cell),
  repaired: cell(z.string().optional(), ({ repaired }) => repaired),
  candidates: cell(z.array(z.string()).optional(), ({ candidates }) => candidates),
});

const issue = membersOf<FoundIssue>();
/** What is wrong with cells of a column. */
export const DamageObject = noun({
  kind: issue(z.string(), ({ kind }) => kind),
  ...ofRows,
  cure: issue(z.enum(['repair', 'by_hand']), ({ cure }) => cure),
  /** How many of the cells a repair mends. */
  repairable: issue(z.number(), ({ repairable }) => repairable),
  examples: issue(z.array(DamagedCellObject), ({ examples }) => examples.map(DamagedCellObject.of)),
});
export type DamageObject = z.infer<typeof DamageObject>;

type Column = FileDescription['columns'][number];
const column = membersOf<Column>();
const ColumnObject = noun({
  name: column(z.string(), ({ name }) => name),
  looks_like: column(z.string(), ({ looksLike }) => looksLike),
  filled: column(z.number(), ({ filled }) => filled),
  examples: column(z.array(z.string()), ({ examples }) => examples),
  /** Cells that do not look like the others. */
  odd: column(RowsObject, ({ odd }) => RowsObject.of(odd)),
  damage: column(z.array(DamageObject), ({ issues }) => issues.map(DamageObject.of)),
});

const duplicates = membersOf<FileDescription['duplicates']>();
export const DuplicatesObject = noun({
  same: duplicates(RowsObject, ({ same }) => RowsObject.of(same)),
});

const fitting = membersOf<FileDescription['operations'][number]>();
const likely = z.object({ input: z.string(), column: z.string(), because: z.string() });
const byName = z.record(z.string(), z.string());
/** How the columns of a list fit an operation. */
export const OperationFit = noun({
  operation: fitting(z.string(), ({ operation }) => operation),
  /** Input ← column, as a run would take it. */
  columns: fitting(byName, ({ columns }) => columns),
  because: fitting(byName, ({ because }) => because),
  /** What a run would take only where a job says so. */
  likely: fitting(z.array(likely), (of) => of.likely),
  /** Columns that a run must be told to leave unread. */
  unheeded: fitting(z.array(likely.omit({ because: true })).optional(), ({ unheeded }) =>
    unheeded.length === 0 ? undefined : [...unheeded],
  ),
  /** Null when a run would not be refused. */
  problem: fitting(z.string().nullable(), ({ problem = null }) => problem),
});
export type OperationFit = z.infer<typeof OperationFit>;

const opened = membersOf<{ readonly sheet: Pick<Sheet, 'tabs'> }>();
const tab = z.object({ name: z.string(), hidden: z.boolean(), read: z.boolean() });
/** The sheets of a workbook, as `--sheet` may name them. */
export const sheets = opened(z.array(tab).optional(), ({ sheet }) =>
  sheet.tabs?.map(({ name, isHidden, isRead }) => ({ name, hidden: isHidden, read: isRead })),
);

const shaped = membersOf<{ readonly sheet: Pick<Sheet, 'start' | 'layout' | 'top'> }>();
/** Where the table of a list is, and what of that was guessed. */
const LayoutObject = noun({
  /** `3`, or `3-4` for names in two rows. */
  header_row: shaped(z.string(), ({ sheet }) => rowRangeText(sheet.start.header)),
  /** Whether that row was guessed: it is not the first. */
  header_guessed: shaped(z.boolean(), ({ sheet }) => sheet.start.isFound),
  /** Rows that are not asked about: they stand behind a blank one at the end and name nobody. */
  left_out: shaped(z.array(z.object({ rows: z.string(), text: z.string() })), ({ sheet }) =>
    (sheet.layout.left_out ?? []).map((each) => ({ ...each })),
  ),
  /** The first rows that hold something. */
  top: shaped(z.array(z.object({ row: z.number(), text: z.string() })), ({ sheet }) =>
    sheet.top.map((each) => ({ ...each })),
  ),
});
const layout = shaped(LayoutObject, LayoutObject.of);

const description = membersOf<FileDescription>();
const unreadable = z.object({
  count: z.number(),
  first: z.array(z.object({ row: z.number(), reason: z.string() })),
});
/** What `plan FILE` prints. */
export const ListDescription = noun({
  rows: description(z.number(), (of) => of.rows),
  /** Rows of which nobody knows which cell stands below which name. */
  unreadable: description(unreadable, (of) => of.unreadable),
  encoding: description(z.string(), ({ encoding }) => encoding),
  delimiter: description(z.string(), ({ delimiter }) => delimiter),
  columns: description(z.array(ColumnObject), ({ columns }) => columns.map(ColumnObject.of)),
  duplicates: description(DuplicatesObject, (of) => DuplicatesObject.of(of.duplicates)),
  operations: description(z.array(OperationFit), ({ operations }) => operations.map(OperationFit.of)),
  sheets,
  layout,
});
export type ListDescription = z.infer<typeof ListDescription>;
