import { stop } from '../../core/errors.ts';
import { isAttention, isOutput, ourColumnsIn } from '../../core/our-columns.ts';
import { foreignName, listed } from '../../core/plain-text.ts';
import { ATTENTION_COLUMNS, OUR_COLUMNS } from '../../core/row.ts';
import type { OnExisting } from '../../job/job.ts';
import { isJsonLinesName } from '../../lib/file-name.ts';
import { kindOfInput } from '../columns/column-kind.ts';
import { UNREAD_CELLS } from '../json-copy.ts';
import type { CellKind } from '../quality/cell-issues.ts';
import { answerColumnsIn, earlierAnswersIn, type KnownJob } from './answer-columns.ts';
import { type Identifier, inputWithout, likelyIdentifiers, matchedRows } from './likely-identifiers.ts';

/** What the two files have in common: the columns that are written, those that are the user's, and those that tell rows apart. */
export interface MergeColumns {
  /** Whether the result is an output; else it is a file of rows that need attention. */
  readonly isOutput: boolean;
  /** Columns of the result that the other file gets or has of ours, in their order. */
  readonly added: readonly string[];
  /** Those of them that it has already. */
  readonly replaced: ReadonlySet<string>;
  readonly shared: readonly string[];
  /** Those of them for which the result has answers: the user has called a column of her own like one that the job adds. */
  readonly answered: ReadonlySet<string>;
  readonly identifiers: readonly Identifier[];
}

export interface KnownColumns {
  readonly jobs: readonly KnownJob[];
  /** The columns of the list as it was; undefined where it is not there any more. */
  readonly before: readonly string[] | undefined;
}

interface Named {
  readonly path: string;
  readonly header: readonly string[];
}

/** A file with rows, by which its columns are known where no store knows what was sent. */
export interface NamedRows extends Named {
  readonly rows: readonly ((column: string) => string)[];
}

/** @throws StopError `input` where the first is no result, or nothing tells the rows of both apart. */
export function mergeColumns(
  result: NamedRows,
  into: NamedRows,
  known: KnownColumns | undefined,
): MergeColumns {
  const isResult = isOutput(result.header);
  if (!(isResult || isAttention(result.header))) throw noResult(result.path);
  // An output brings our columns, and none of the user's may give way to them.
  if (isResult) ourColumnsIn(into.header, into.path);
  const ours = ourColumnsIn(result.header, result.path);
  const own = result.header.filter((name) => !ours.includes(name));
  const isThere = new Set(into.header);
  const { isFound, isOurs } = foundIn(result, into, known);
  const isNew = (name: string): boolean => !(isThere.has(name) || isUnread(name, result));
  const found = isResult ? own.filter((name) => isNew(name) || isOurs(name)) : [];
  const shared = own.filter((name) => isThere.has(name) && !found.includes(name));
  const answered = isResult ? shared.filter((name) => isFound(name, 'refuse', 'replace', 'fill')) : [];
  requireOtherNames(found, result, into);
  const brought = new Set<string>(isResult ? [...found, ...OUR_COLUMNS] : []);
  const added = result.header.filter((name) => brought.has(name));
  return {
    isOutput: isResult,
    added,
    replaced: new Set(added.filter((name) => isThere.has(name))),
    shared,
    answered: new Set(answered),
    identifiers: identifiersIn(shared, result, into, known),
  };
}

/** A copy has this where a row of the list could not be read. What any other row has there is the user's. */
const isUnread = (name: string, { path }: Named): boolean => name === UNREAD_CELLS && isJsonLinesName(path);

interface FoundColumns {
  readonly isFound: (name: string, ...where: readonly OnExisting[]) => boolean;
  /** Whether a column of the other file is one that an earlier run has added. */
  readonly isOurs: (name: string) => boolean;
}

function foundIn(result: Named, into: Named, known: KnownColumns | undefined): FoundColumns {
  const { before, jobs = [] } = known ?? {};
  const inResult = answerColumnsIn(result.header, jobs);
  const inInto = earlierAnswersIn(into.header, inResult, jobs);
  const isNamed = (name: string, where: readonly OnExisting[]): boolean =>
    jobs.some(({ added, onExisting }) => added?.includes(name) && where.includes(onExisting));
  const isAdded = (name: string): boolean =>
    before === undefined ? inResult.has(name) : !(before.includes(name) || isUnread(name, result));
  return {
    isFound: (name, ...where) => isAdded(name) || isNamed(name, where),
    isOurs: (name) => {
      if (!isOutput(into.header)) return false;
      // A column that was kept or filled has cells of the user.
      if (isNamed(name, ['refuse', 'replace'])) return true;
      return isAdded(name) && (before !== undefined || inInto.has(name));
    },
  };
}

/** @throws StopError `input` where two columns of the merged file would have names that differ in case alone. */
function requireOtherNames(found: readonly string[], result: Named, into: Named): void {
  const spelled = new Map(into.header.map((name) => [name.toLowerCase(), name]));
  for (const name of found) {
    const there = spelled.get(name.toLowerCase());
    if (there === undefined || into.header.includes(name)) continue;
    const fact = `${into.path} has a column ${foreignName(there)}, and ${result.path} would bring ${foreignName(name)}.`;
    throw stop('input', fact, 'Call yours the same, or something else.');
  }
}

function identifiersIn(
  shared: readonly string[],
  result: NamedRows,
  into: NamedRows,
  known: KnownColumns | undefined,
): readonly Identifier[] {
  const inputs = known?.jobs.flatMap(({ columns }) => Object.entries(columns)) ?? [];
  const kinds = new Map(inputs.map(([input, column]) => [column, kindOfInput(input)]));
  const sent = [...kinds].map(([column, kind]) => ({ column, kind }));
  const missing = sent
    .filter(({ column }) => !shared.includes(column))
    .map(({ column }) => foreignName(column));
  if (missing.length > 0) {
    const fact = `${into.path} no longer has all the columns that ${result.path} was made from: ${listed(missing)}.`;
    throw stop('input', fact, 'Give them their old names, and merge again.');
  }
  if (sent.length > 0) return sent;
  return unknownIdentifiers(shared, result, into);
}

/** Where no store knows what was sent. */
function unknownIdentifiers(
  shared: readonly string[],
  result: NamedRows,
  into: NamedRows,
): readonly Identifier[] {
  const matched = matchedRows(isOutput(result.header) ? result.header : [], result.rows);
  const without = inputWithout(shared, matched);
  const likely = likelyIdentifiers(shared, matched, into.rows);
  if (without === undefined && likely.length > 0) return likely;
  const why =
    without === undefined
      ? 'they share no column that looks like an identifier'
      : `rows of the result were matched by ${foreignName(without)}, and they share no column that is surely what was sent for it`;
  const fact = `The rows of ${into.path} and ${result.path} cannot be matched: ${why}.`;
  const next = 'Call your columns as the result does, or name the store that made it with --store.';
  throw stop('input', fact, next);
}

function noResult(path: string): Error {
  const fact = `${path} is not a result: it has neither all of ${listed(OUR_COLUMNS)} nor both of ${listed(ATTENTION_COLUMNS)}.`;
  return stop(
    'input',
    fact,
    'Name an output or a file of rows that need attention first, then your own file.',
  );
}

/** How an identifier is told from others: without what people write it differently by. */
export function identityOf(kind: CellKind | undefined, cell: string): string {
  const text = cell.normalize('NFKC').trim().toLowerCase();
  if (kind === 'abn') return text.replaceAll(/\D/g, '') || text;
  if (kind === 'website' || kind === 'domain' || kind === 'profile_url')
    return text
      .replace(/^https?:\/\//, '')
      .replace(/^www\./, '')
      .replace(/\/+$/, '');
  return text.replaceAll(/\s+/g, ' ');
}
