import { hash } from 'node:crypto';
import { isOutput } from '../../core/our-columns.ts';
import { OUR_COLUMNS } from '../../core/row.ts';
import type { KnownColumns, MergeColumns } from './merge-columns.ts';

/**
 * The cells of a row beside its identifiers, by which it is told from others with the same identifiers, or with none. Where the
 * list is known, they are those that it had: what was edited in the result since says nothing about which row is meant.
 */
export class OtherCells {
  readonly #compared: readonly string[];
  /** Whether no cell of the user's is left out, so that rows that agree in these are the same to her. */
  readonly isWhole: boolean;

  constructor(columns: MergeColumns, header: readonly string[], known: KnownColumns | undefined) {
    const { identifiers, answered, added, shared } = columns;
    const written = isOutput(header)
      ? [...OUR_COLUMNS, ...(known?.jobs.flatMap((job) => job.added ?? []) ?? [])]
      : [];
    const others = new Set([...identifiers.map(({ column }) => column), ...answered, ...added, ...written]);
    const own = header.filter((name) => !others.has(name));
    const inBoth = known?.before ?? shared;
    this.#compared = own.filter((name) => inBoth.includes(name));
    this.isWhole = known?.before !== undefined || this.#compared.length === own.length;
  }

  /** In one text; undefined where they say nothing, though others might. */
  of(cell: (column: string) => string): string | undefined {
    const cells = this.#compared.map(cell);
    if (!this.isWhole && cells.every((text) => text.trim() === '')) return undefined;
    return hash('sha256', JSON.stringify(cells), 'base64');
  }
}
