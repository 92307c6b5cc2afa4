import {
  closeSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type KillPlan, randomMoment } from './kills.ts';
import type { Ended } from './program.ts';
import type { Order, Workplace } from './workplace.ts';

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
    switch (how) {
      case 'in_place':
        this.#overwrite(reordered(this.#content));
        break;
      case 'replaced':
        this.#replace(reordered(this.#content));
        break;
      case 'cut_off':
        truncateSync(this.#path, this.#content.length >> 1);
        break;
    }
  }

  /** As it was, to the byte and to the time, in the file that stands there now. */
  putBack(): void {
    this.#overwrite(this.#content);
  }

  #overwrite(content: Buffer): void {
    const file = openSync(this.#path, 'r+');
    writeSync(file, content, 0, content.length, 0);
    closeSync(file);
    this.#setTimeBack();
  }

  #replace(content: Buffer): void {
    writeFileSync(`${this.#path}.new`, content);
    renameSync(`${this.#path}.new`, this.#path);
    this.#setTimeBack();
  }

  #setTimeBack(): void {
    utimesSync(this.#path, this.#times.atime, this.#times.mtime);
  }
}

/**
 * Starts the command and edits its list at a random moment, in any of the ways. One time in three the edit is undone while
 * the run goes on, one time in three the run is killed; once it has ended, the list is as it was.
 */
export async function editOnce(workplace: Workplace, order: Order, plan: KillPlan): Promise<Ended> {
  const { random, windowMs } = plan;
  const list = new EditedList(workplace.path(order.input ?? 'list.csv'));
  const program = workplace.start(order);
  await randomMoment(workplace, program, plan);
  list.edit(random.pick(EDITS));
  await Promise.race([delay(random.fraction() * windowMs), program.ended]);
  const next = random.integer(1, 3);
  if (next === 1) list.putBack();
  const ended = await (next === 2 ? program.kill() : program.ended);
  list.putBack();
  const { mayEndWith = [0, 2, 3] } = plan;
  if (ended.code !== null && !mayEndWith.includes(ended.code)) {
    throw new Error(`the run ended with ${ended.code}: ${ended.stderr}`);
  }
  return ended;
}

/** The same rows below the same header in the opposite order, so that hardly any keeps its place. */
function reordered(content: Buffer): Buffer {
  const [header = '', ...rows] = content.toString().replace(/\n$/, '').split('\n');
  return Buffer.from([header, ...rows.reverse(), ''].join('\n'));
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
