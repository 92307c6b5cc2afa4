import type { Verdict } from '../client/judge.ts';
import type { Call } from '../core/operation.ts';

/**
 * Knows on which projects the key may act. The rows of a project that refuses the key are refused, and other projects go
 * on. When all projects refuse it, the key is wrong, and every further row would fail alike.
 */
export class ProjectAccess {
  /** The batch's projects that have not refused the key. */
  readonly #open: Set<string>;
  #worked = false;

  /** @param projects all existing projects that the batch acts on. Projects that it still has to create are not included. */
  constructor(projects: Iterable<string>) {
    this.#open = new Set(projects);
  }

  /** Returns the verdict, or a stop instead when the key may act on no project at all. The row then stays pending. */
  hear(call: Call, verdict: Verdict): Verdict {
    if (verdict.kind !== 'answered' || call.project === undefined) return verdict;
    if (verdict.projectRefused !== true) this.#worked = true;
    else this.#open.delete(call.project);
    if (this.#worked || this.#open.size > 0) return verdict;
    const { why } = verdict;
    return {
      kind: 'stopped',
      why,
      stop: {
        code: 'key',
        message: `The service does not let this key change any project of the list: ${why}.`,
        next: 'Use the key of an Admin of these projects, then run the same command again.',
      },
    };
  }
}
