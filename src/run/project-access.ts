import type { Verdict } from '../client/judge.ts';
import { questionOf } from '../core/call-key.ts';
import type { Call } from '../core/operation.ts';

/** `waits`: only what others are answered tells whom a refusal was about, so the row stays pending and is asked again behind them. */
export type Heard = Verdict | { readonly kind: 'waits'; readonly why: string };

/**
 * Tells what a 403 of the service is about. In a project that the key has changed in this run it is about the person: that
 * row is refused. Elsewhere nobody knows yet, so the row waits and is asked once more behind the others. A project that has
 * refused two calls, or one of them twice, refuses the key: its rows are refused, and where every project of the batch does, the
 * run stops.
 */
export class ProjectAccess {
  readonly #open: Set<string>;
  readonly #changed = new Set<string>();
  readonly #waiting = new Map<string, Set<string>>();

  /** @param projects all existing projects that the batch acts on. Projects that it still has to create are not included. */
  constructor(projects: Iterable<string>) {
    this.#open = new Set(projects);
  }

  get hasWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** Returns the verdict, or that the row waits, or a stop when the key may act on no project at all. The row then stays pending. */
  hear(call: Call, verdict: Verdict): Heard {
    const { project } = call;
    if (verdict.kind !== 'answered' || project === undefined) return verdict;
    const { why, projectRefused } = verdict;
    if (projectRefused !== true) this.#changed.add(project);
    if (this.#changed.has(project)) return verdict;
    const waiting = this.#waiting.get(project) ?? new Set<string>();
    const isFirst = waiting.size === 0;
    const waited = waiting.has(questionOf(call));
    this.#waiting.set(project, waiting.add(questionOf(call)));
    if (!isFirst) this.#open.delete(project);
    const mayAny = this.#changed.size > 0;
    if (mayAny || this.#open.size > 0)
      return waited || (mayAny && !isFirst) ? verdict : { kind: 'waits', why };
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
