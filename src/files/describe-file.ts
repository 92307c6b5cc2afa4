import { StopError } from '../core/errors.ts';
import type { Sheet } from '../core/format.ts';
import type { Operation } from '../core/operation.ts';
import { foreignWords } from '../core/plain-text.ts';
import { type InputRow, RowCount, type RowNumber, rowRangeText } from '../core/row.ts';
import { SeenTexts } from '../lib/seen-texts.ts';
import type { ColumnObject, ListDescription, OperationFit } from '../objects/list-object.ts';
import { isBlankCell } from '../values/blank.ts';
import type { KindName } from '../values/kind.ts';
import {
  type CellLook,
  cellLookOf,
  isAboutAnother,
  kindByName,
  SHARE_THAT_DECIDES,
} from './columns/column-kind.ts';
import {
  type ColumnContent,
  columnFlag,
  guessColumns,
  isGenericGuess,
  likelyColumns,
  passedOverStop,
  readContent,
  unheededColumns,
} from './columns/columns.ts';
import type { OpenedFile } from './input.ts';
import { IssueTally, issuesAsRead } from './quality/job-issues.ts';
import { beginningOf } from './shape/list-start.ts';

const EXAMPLES_SHOWN = 3;
const LONGEST_EXAMPLE = 100;
const FIRST_ROWS_SHOWN = 5;

/** Reads the file, its first rows twice. Nothing is sent. @throws StopError `input` where it is damaged. */
export const describeFile = async (
  file: OpenedFile,
  operations: Iterable<Operation>,
): Promise<ListDescription> =>
  (await describeBeginning(file, operations, Number.POSITIVE_INFINITY)).described;

export interface Beginning {
  /** Of the rows that were read. */
  readonly described: ListDescription;
  /** Whether the list has no others. */
  readonly isWhole: boolean;
  /** How many bytes of the file these are, nearly; undefined for one that is no text of cells. */
  readonly bytes: number | undefined;
}

/**
 * The same of the first rows alone: what can be said before a long list is read to its end.
 * @param most rows that are read.
 * @throws StopError `input` where these are damaged.
 */
export async function describeBeginning(
  { sheet, read }: Pick<OpenedFile, 'sheet' | 'read'>,
  operations: Iterable<Operation>,
  most: number,
): Promise<Beginning> {
  const header = await sheet.header();
  const issueOf = await issuesAsRead(read);
  const known = [...operations];
  const content = await readContent(sheet, header.length);
  const columns = header.map((name, at) => {
    const named = kindByName(name, known);
    return columnTally(name, named, new IssueTally(named ?? content.kind(at), issueOf));
  });
  const different = new SeenTexts();
  const same = new RowCount();
  const unreadable = { count: 0, first: [] as { row: RowNumber; reason: string }[] };
  const add = ({ row, cells, unreadable: reason }: InputRow): void => {
    if (reason !== undefined) {
      unreadable.count += 1;
      if (unreadable.first.length < FIRST_ROWS_SHOWN) unreadable.first.push({ row, reason });
      return;
    }
    if (!different.add(cells.join('\0'))) same.add(row);
    for (const [at, column] of columns.entries()) column.add(row, cells[at] ?? '');
  };
  const { rows, bytes, isWhole } = await eachOf(sheet, most, add);
  const { encoding, delimiter } = sheet;
  const perByte = encoding.startsWith('UTF-16') ? 2 : 1;
  const described: ListDescription = {
    rows,
    unreadable,
    encoding,
    delimiter,
    columns: columns.map((column) => column.description()),
    duplicates: { same },
    operations: fitsOf(known, header, content),
    ...sheetsOf(sheet),
    layout: {
      header_row: rowRangeText(sheet.start.header),
      header_guessed: sheet.start.isFound,
      left_out: [...(sheet.layout.left_out ?? [])],
      top: [...sheet.top],
    },
  };
  return { described, isWhole, bytes: delimiter === 'cells' ? undefined : bytes * perByte };
}

/**
 * Tells each of the first rows.
 * @returns with the bytes of their cells in UTF-8, and of what separates these.
 */
async function eachOf(sheet: Sheet, most: number, tell: (row: InputRow) => void) {
  let rows = 0;
  let bytes = 0;
  for await (const group of sheet.groups())
    for (const row of group) {
      if (rows === most) return { rows, bytes, isWhole: false };
      rows += 1;
      if (most < Number.POSITIVE_INFINITY)
        bytes += row.cells.reduce((sum, cell) => sum + Buffer.byteLength(cell) + 1, 0);
      tell(row);
    }
  return { rows, bytes, isWhole: true };
}

export function sheetsOf({ tabs }: Pick<Sheet, 'tabs'>): Pick<ListDescription, 'sheets'> {
  if (tabs === undefined) return {};
  return { sheets: tabs.map(({ name, isHidden, isRead }) => ({ name, hidden: isHidden, read: isRead })) };
}

/** Towns, states and sizes come again and again. So many different cells of a column are looked at once. */
const CELLS_KEPT = 1_000;

function columnTally(name: string, named: KindName | undefined, issues: IssueTally) {
  const looks = new Map<CellLook, RowCount>();
  const examples = new Set<string>();
  const sound = new Map<string, RowCount>();
  return {
    add(row: RowNumber, cell: string): void {
      const again = sound.get(cell);
      if (again !== undefined) {
        again.add(row);
        return;
      }
      if (isBlankCell(cell, named)) return;
      const isSound = issues.add(row, cell) === undefined;
      if (examples.size < EXAMPLES_SHOWN)
        examples.add(cell.length > LONGEST_EXAMPLE ? foreignWords(cell, LONGEST_EXAMPLE) : cell);
      const look = cellLookOf(beginningOf(cell), name);
      const seen = looks.get(look) ?? new RowCount();
      looks.set(look, seen);
      seen.add(row);
      if (isSound && sound.size < CELLS_KEPT) sound.set(cell, seen);
    },
    description(): ColumnObject {
      const [most, ...others] = [...looks].sort(([, a], [, b]) => b.count - a.count);
      const filled = [...looks.values()].reduce((sum, { count }) => sum + count, 0);
      const isDecided = most !== undefined && most[1].count / filled >= SHARE_THAT_DECIDES;
      const looks_like = most === undefined ? 'blank' : isDecided ? most[0] : 'text';
      const odd = looks_like === 'text' ? [] : others.map(([, seen]) => seen);
      const oddRows = odd.flatMap(({ first_rows }) => first_rows).sort((a, b) => a - b);
      return {
        name,
        looks_like,
        ...contactIn(looks_like, looks, isAboutAnother(name) ? undefined : named),
        filled,
        examples: [...examples],
        odd: {
          count: odd.reduce((sum, { count }) => sum + count, 0),
          first_rows: oddRows.slice(0, FIRST_ROWS_SHOWN),
        },
        damage: issues.findings(),
      };
    },
  };
}

const CONTACTS = { email: 'e-mail', phone: 'phone' } as const;

/** A name counts where no cell speaks against it: the answers below `E-mail consent` are no addresses. */
function contactIn(
  looksLike: string,
  looks: ReadonlyMap<CellLook, unknown>,
  named: KindName | undefined,
): Pick<ColumnObject, 'contact'> {
  const contact = (['email', 'phone'] as const).find((kind) => {
    const look = CONTACTS[kind];
    return looksLike === look || (named === kind && (looks.size === 0 || looks.has(look)));
  });
  return contact === undefined ? {} : { contact };
}

/** How a list of these cells fits each operation. */
function fitsOf(
  operations: readonly Operation[],
  header: readonly string[],
  content: ColumnContent,
): OperationFit[] {
  // What a dialect takes together is known only where the account is.
  const known = operations.filter(({ inputs }) => !inputs.every(({ needsBy }) => needsBy));
  return known.map(candidateOf).map(({ operation, problem }) => {
    const fit = problem === undefined ? fitOf(operation, header, content) : unfit(problem);
    return { operation: operation.name, ...fit };
  });
}

type FitResult = Omit<OperationFit, 'operation'>;

const unfit = (problem: string): FitResult => ({ columns: {}, because: {}, likely: [], problem });

function fitOf(operation: Operation, header: readonly string[], content: ColumnContent): FitResult {
  const { sure, problem } = guessColumns(operation, header, content);
  const generic = [...sure].find(([, { column }]) => isGenericGuess(operation, header, column));
  if (generic !== undefined) {
    const [input, { column }] = generic;
    const flag = columnFlag({ input, column });
    return unfit(`a column called ${JSON.stringify(column)} could be about anything; to use it, add ${flag}`);
  }
  const entries = operation.inputs.flatMap(({ name }) => {
    const guessed = sure.get(name);
    return guessed === undefined ? [] : [{ name, ...guessed }];
  });
  const columns = Object.fromEntries(entries.map(({ name, column }) => [name, column]));
  const passedOver = unheededColumns(operation, header, columns);
  const [first] = passedOver;
  const stopped = problem ?? (first && passedOverStop(operation, first));
  return {
    columns,
    because: Object.fromEntries(entries.map(({ name, because }) => [name, because])),
    likely: [...likelyColumns(operation, header, content, sure)],
    ...(passedOver.length === 0 ? {} : { unheeded: [...passedOver] }),
    problem: stopped?.message ?? null,
  };
}

/**
 * An operation as it is without a job. Some take their inputs from the job, and say without one what they
 * need.
 */
function candidateOf(operation: Operation): { readonly operation: Operation; readonly problem?: string } {
  try {
    return { operation: operation.shapedBy?.({}) ?? operation.askedBy?.(undefined, []) ?? operation };
  } catch (error) {
    if (!(error instanceof StopError)) throw error;
    return { operation, problem: error.message };
  }
}
