import { readFileSync, renameSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import type { Workplace } from './workplace.ts';

/**
 * A list that is edited under the hands of a run, and put back. Whatever the run and the ones after it make of that, no
 * row may come back with what was found for another one.
 */

/**
 * `in_place`: the rows in another order, written over the old ones, with the file's time set back, as programs that
 * synchronise folders do. `replaced`: the same as a file of its own that takes the name, as editors save. `cut_off`: the
 * upper half of it.
 */
export const EDITS = ['in_place', 'replaced', 'cut_off'] as const;
export type Edit = (typeof EDITS)[number];

export class EditedList {
  readonly #path: string;
  readonly #content: Buffer;
  readonly #times: { readonly atime: Date; readonly mtime: Date };

  /** @param path of a list as it should be, before any run: its time becomes one that can be set to the last digit. */
  constructor(path: string) {
    this.#path = path;
    this.#content = readFileSync(path);
    this.#times = statSync(path);
    this.#setTimeBack();
  }

  edit(how: Edit): void {
    // The same rows below the same header in the opposite order, so that hardly any keeps its place.
    const [header = '', ...rows] = this.#content.toString().replace(/\n$/, '').split('\n');
    const reordered = Buffer.from([header, ...rows.reverse(), ''].join('\n'));
    if (how === 'cut_off') truncateSync(this.#path, this.#content.length >> 1);
    else if (how === 'in_place') this.#overwrite(reordered);
    else {
      writeFileSync(`${this.#path}.new`, reordered);
      renameSync(`${this.#path}.new`, this.#path);
      this.#setTimeBack();
    }
  }

  /** As it was, to the byte and to the time, in the file that stands there now. */
  putBack(): void {
    this.#overwrite(this.#content);
  }

  #overwrite(content: Buffer): void {
    writeFileSync(this.#path, content, { flag: 'r+' });
    this.#setTimeBack();
  }

  #setTimeBack(): void {
    utimesSync(this.#path, this.#times.atime, this.#times.mtime);
  }
}

/**
 * Rows of an output that hold what was found for another one. The vendor says in each answer about whom it is, so that of
 * a row that matched its domain stands among what was added, too.
 */
export function foreignRows(workplace: Workplace, output = 'out.csv'): number {
  return workplace.rows(output).filter(({ Domain = '', _matched_by: by, ...rest }) => {
    return by === 'domain' && !Object.values(rest).includes(Domain);
  }).length;
}
