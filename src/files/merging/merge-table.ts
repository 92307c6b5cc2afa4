import type { ValuedRow } from '../../core/format.ts';
import type { InputRow } from '../../core/row.ts';
import { type OpenedFile, rowInputOf } from '../input.ts';
import { JSON_CELLS } from '../output/output.ts';
import type { KnownColumns } from './merge-columns.ts';

export class TableOf {
  readonly path: string;
  readonly header: readonly string[];
  readonly #sheet: OpenedFile['sheet'];
  readonly #at: ReadonlyMap<string, number>;
  readonly #inputsOf: readonly ((row: InputRow) => number)[];

  private constructor(
    { path, sheet }: OpenedFile,
    header: readonly string[],
    known: KnownColumns | undefined,
  ) {
    this.path = path;
    this.header = header;
    this.#sheet = sheet;
    this.#at = new Map(header.map((name, at) => [name, at]));
    this.#inputsOf = known?.jobs.map(({ columns }) => rowInputOf(columns, header)) ?? [];
  }

  static async open(file: OpenedFile, known: KnownColumns | undefined): Promise<TableOf> {
    return new TableOf(file, await file.sheet.header(), known);
  }

  inputOf(row: InputRow): string {
    return this.#inputsOf.map((inputOf) => inputOf(row)).join(' ');
  }

  rowOf({ cells, object }: Pick<ValuedRow, 'cells' | 'object'>): TableRow {
    const cell = (column: string): string => cells[this.#at.get(column) ?? -1] ?? '';
    if (object === undefined)
      return { cell, json: (column) => jsonOfText(column, cell(column)), isText: true };
    const valueIn = (column: string) => (Object.hasOwn(object, column) ? object[column] : undefined);
    return { cell, json: (column) => JSON_CELLS.value(valueIn(column)), isText: false };
  }

  async rows(most = Number.POSITIVE_INFINITY): Promise<readonly SourceRow[]> {
    const rows: SourceRow[] = [];
    for await (const group of this.groups()) {
      for (const source of group) rows.push({ ...this.rowOf(source), source });
      if (rows.length >= most) break;
    }
    return rows.slice(0, most);
  }

  /** Its rows as they are read. One that cannot be read stays as it is: nobody knows which cell belongs to which column. */
  async *groups(): AsyncIterable<readonly ValuedRow[]> {
    for await (const group of this.#sheet.groups())
      yield group.filter(({ unreadable }) => unreadable === undefined);
  }
}

/** The cells of a row by column: as text, and as JSON, which is empty where a cell says nothing. */
export interface TableRow {
  readonly cell: (column: string) => string;
  readonly json: (column: string) => string;
  readonly isText: boolean;
}

export interface SourceRow extends TableRow {
  readonly source: ValuedRow;
}

/** Of what we write ourselves only the credits are a number. */
function jsonOfText(column: string, text: string): string {
  const credits = Number(text);
  return JSON_CELLS.own(column === '_credits' && text !== '' && Number.isFinite(credits) ? credits : text);
}
