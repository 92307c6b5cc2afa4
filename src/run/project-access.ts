import type { Call } from '../core/operation.ts';
import type { Verdict } from '../vendor/judge.ts';

/**
 * On which projects the key may act. One that it may not act on has its rows refused, and the others go on; when there is
 * no other, it is the key that is wrong, and every further row would fail alike.
 */
export class ProjectAccess {
  /** Those that the batch acts on and that have not refused the key. */
  readonly #open: Set<string>;
  #worked = false;

  /** @param projects all that the batch is to act on; those that are still to be made are not among them. */
  constructor(projects: Iterable<string>) {
    this.#open = new Set(projects);
  }

  /** The verdict, or a stop instead of it when the key may act on no project at all: the row then stays pending. */
  hear(call: Call, verdict: Verdict): Verdict {
    if (verdict.kind !== 'settle' || call.project === undefined) return verdict;
    if (verdict.projectRefused !== true) this.#worked = true;
    else this.#open.delete(call.project);
    if (this.#worked || this.#open.size > 0) return verdict;
    const { why } = verdict.closure;
    return {
      kind: 'stop',
      closure: { kind: 'stopped', why },
      stop: {
        code: 'key',
        message: `The service lets this key act on none of the projects of the list: ${why}.`,
        next: 'Use the key of an Admin of these projects, then run the same command again.',
      },
    };
  }
}
