import { encodingWords } from '../../../core/encodings.ts';
import { counted, foreignName, listed } from '../../../core/plain-text.ts';
import type { RowNumber } from '../../../core/row.ts';
import type { Layout } from './records.ts';

const SHOWN = 5;

/** Cells of a copy that have a character which the encoding of the file lacks. */
export class Misfits {
  readonly #layout: Pick<Layout, 'codec' | 'isEncodingSaid'>;
  readonly #shown: string[] = [];
  #count = 0;
  #character = '';

  constructor(layout: Pick<Layout, 'codec' | 'isEncodingSaid'>) {
    this.#layout = layout;
  }

  get areThere(): boolean {
    return this.#count > 0;
  }

  add(row: RowNumber, column: string, cell: string): void {
    const character = this.#layout.codec.lacking(cell);
    if (character === undefined) return;
    this.#count += 1;
    this.#character ||= character;
    if (this.#shown.length < SHOWN) this.#shown.push(`row ${row} in ${foreignName(column)}`);
  }

  /** A whole sentence where there are any. */
  get words(): string | undefined {
    if (!this.areThere) return undefined;
    const point = this.#character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
    const lacks = `${encodingWords(this.#layout.codec.encoding)} has no "${this.#character}" (U+${point})`;
    const more = this.#count > this.#shown.length ? [`${this.#count - this.#shown.length} more`] : [];
    const where = `${counted(this.#count, 'cell')} that ${this.#count === 1 ? 'does' : 'do'} not fit`;
    const cells = `${where}: ${listed([...this.#shown, ...more])}`;
    return this.#layout.isEncodingSaid
      ? `${lacks}, so a ? stands in ${cells}. An output that ends in .xlsx has them whole.`
      : `${lacks}, so the output is UTF-8 with a byte-order mark, for ${cells}.`;
  }
}
