import type { Call } from '../../core/operation.ts';
import type { Dialect } from '../dialect.ts';

/** Calls of one operation whose parameters have the same names: a list has a million of one kind, and most differ in values alone. */
class Alike {
  /** Whether they were found to be sendable. */
  isSendable = false;
  readonly #withMore = new Map<string, Alike>();

  /** Those that have this name as well, behind the others. */
  with(name: string): Alike {
    let more = this.#withMore.get(name);
    if (more === undefined) {
      more = new Alike();
      this.#withMore.set(name, more);
    }
    return more;
  }
}

const ofDialects = new WeakMap<Dialect, Alike>();

export function alike(dialect: Dialect, { operation, parameters }: Call): Alike {
  let all = ofDialects.get(dialect);
  if (all === undefined) {
    all = new Alike();
    ofDialects.set(dialect, all);
  }
  let found = all.with(operation);
  for (const name in parameters) found = found.with(name);
  return found;
}
