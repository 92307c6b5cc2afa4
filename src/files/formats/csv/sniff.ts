import { CsvError, type Info, parse } from 'csv-parse/sync';
import { DELIMITER_NAMES, DELIMITERS, type Delimiter } from '../../../core/reading.ts';
import { ROWS_SAMPLED, type SampledRow } from '../../shape/list-start.ts';
import { cellsOf, lineEndLength, PARSING, strayQuoteIn } from './cells.ts';

/** What a piece of text from the start of a file says of the table's layout. Pure guesses, of which a user can be told. */

/** The start of a file, cut at a fixed size. */
export interface TextSample {
  readonly text: string;
  /** Whether the file ends with it; else its last record may be cut. */
  readonly isWhole: boolean;
}

/** A record of the sample that is not blank. */
interface SampledRecord {
  readonly cells: readonly string[];
  /** Whether quotes stand only where a cell in quotes may have them. A wrong delimiter cuts through quotes. */
  readonly isSound: boolean;
  readonly rowsAbove: number;
}

/**
 * What stands between cells: what parts the records most evenly, quotes respected. Among equals the one that finds more
 * columns, then the one that is more usual for the file's ending; a text that nothing parts is one column.
 */
export function sniffDelimiter(sample: TextSample, usual: Delimiter): Delimiter {
  const others = DELIMITER_NAMES.filter((name) => name !== usual && sample.text.includes(DELIMITERS[name]));
  if (others.length === 0) return usual;
  const scored = [usual, ...others].map((name) => {
    const records = sampledRecords(sample, name);
    return { name, width: usualWidth(records), evenness: evennessOf(records) };
  });
  // The sort is stable, so the order of the candidates decides last.
  const [best] = scored.sort((a, b) => b.evenness - a.evenness || b.width - a.width);
  return best === undefined || best.evenness === 0 ? usual : best.name;
}

/**
 * From 0, nothing is parted, to 2, every record has as many cells as the first. Where the first differs, the delimiter
 * only counts when it parts more than half of the records alike, or a title stands above a table that is without fault.
 */
function evennessOf(records: readonly SampledRecord[]): number {
  const width = usualWidth(records);
  const isEven = ({ cells, isSound }: SampledRecord): boolean => isSound && cells.length === width;
  const share = records.filter(isEven).length / records.length;
  const first = records[0]?.cells.length ?? 0;
  if (width < 2) return 0;
  if (first === width) return 1 + share;
  if (first > 1 && share > 0.5) return share;
  const table = records.slice(titlesAbove(records, width));
  const isTable = table.length < records.length && table.length >= LEAST_RECORDS_BELOW_A_TITLE;
  return isTable && table.every(isEven) ? share : 0;
}

/** A header and two rows: fewer could as well be a list of one column in which a comma happens to stand. */
const LEAST_RECORDS_BELOW_A_TITLE = 3;

/** The first rows that hold something. */
export function firstRows(sample: TextSample, delimiter: Delimiter): readonly SampledRow[] {
  const records = sampledRecords(sample, delimiter).filter(({ cells }) => filled(cells).length > 0);
  return records.slice(0, ROWS_SAMPLED).map(({ cells, rowsAbove }) => ({ number: rowsAbove + 1, cells }));
}

/** How many records stand above the first that is as wide as most; 0 where they do not look like titles. */
function titlesAbove(records: readonly SampledRecord[], width: number): number {
  const above = records.slice(
    0,
    records.findIndex(({ cells }) => cells.length === width),
  );
  return above.every(({ cells }) => filled(cells).length * 2 <= width) ? above.length : 0;
}

const filled = (cells: readonly string[]): string[] => cells.map((cell) => cell.trim()).filter(Boolean);

/** How many cells most of the records have; the smallest of several such numbers. */
function usualWidth(records: readonly SampledRecord[]): number {
  const counts = new Map<number, number>();
  for (const { cells } of records) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1);
  const [most] = [...counts].sort(([a, countA], [b, countB]) => countB - countA || a - b);
  return most?.[0] ?? 0;
}

/** The records of the sample as the delimiter parts them. Bears damage, because a wrong guess looks like damage. */
function sampledRecords({ text, isWhole }: TextSample, delimiter: Delimiter): readonly SampledRecord[] {
  const bytes = Buffer.from(text);
  const found: { readonly cells: readonly string[]; readonly body: Buffer }[] = [];
  let start = 0;
  const take = (cells: string[], { bytes: end }: Info): null => {
    const record = bytes.subarray(start, end);
    found.push({ cells, body: record.subarray(0, record.length - lineEndLength(record)) });
    start = end;
    return null;
  };
  try {
    parse(bytes, { ...PARSING, delimiter: DELIMITERS[delimiter], on_record: take });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
  }
  // A record that is longer than the sample is better than none.
  if (!isWhole && found.length > 1 && start === bytes.length) found.pop();
  return found.flatMap(({ cells, body }, rowsAbove) => {
    if (body.length === 0) return [];
    const hasQuote = cells.some((cell) => cell.includes('"'));
    return [{ cells, rowsAbove, isSound: !hasQuote || strayQuoteIn(cellsOf(body, delimiter)) === undefined }];
  });
}
