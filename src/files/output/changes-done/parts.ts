import type { RowAnswer, RowRecord } from '../../../ledger/ledger.ts';
import type { KeptPart, KeptWork } from '../../../operations/team/planned-work.ts';
import { CHANGE_ENDS, type ChangeEnd } from './figures.ts';

/**
 * How each subject of a row ended. A row has one outcome, although it may be about one person in several projects, which it
 * works off one after the other.
 */

/** What was planned for one subject, how it ended, and the answers to its calls. */
export interface EndedPart {
  readonly part: KeptPart;
  readonly ended: ChangeEnd;
  readonly answers: readonly RowAnswer[];
}

/**
 * @param record undefined for a row without an outcome.
 * @param isBeyond whether the plan has added the row for somebody whom the file does not name.
 */
export function endedParts(
  { parts, ...work }: KeptWork,
  record: RowRecord | undefined,
  isBeyond: boolean,
): readonly EndedPart[] {
  const answers = record?.answers ?? [];
  const ended = endOf(record);
  if (parts === undefined) {
    const isHeldBack = isBeyond && ended === 'refused' && answers.length === 0;
    return [{ part: work, ended: isHeldBack ? 'held_back' : ended, answers }];
  }
  const calls = new CallsInOrder(answers);
  let left = ended;
  return parts.map((part) => {
    const own = calls.of(part);
    const known = left === 'pending' || left === 'invalid' ? left : endOfPart(part, own);
    const now = known ?? left;
    // What comes after a part whose answer is awaited has not begun.
    if (known === undefined && left === 'in_doubt') left = 'pending';
    return { part, ended: now, answers: own };
  });
}

/** The end of a whole row. No change ends as `matched` or `no_match`. */
export function endOf(record: RowRecord | undefined): ChangeEnd {
  return CHANGE_ENDS.find((end) => end === record?.outcome.kind) ?? 'pending';
}

/** Undefined for a part that did not come to its end: then it is as its row. */
function endOfPart(
  { action, isRefused, makesProject }: KeptPart,
  answers: readonly RowAnswer[],
): ChangeEnd | undefined {
  if (isRefused === true) return 'refused';
  if (action === undefined) return 'unchanged';
  if (answers.some(({ kind }) => kind !== 'found')) return 'refused';
  const isDeletedFirst = action === 'change_role' && answers[0]?.call.operation === 'delete-invite';
  const needed = isDeletedFirst || makesProject !== undefined ? 2 : 1;
  return answers.length >= needed ? 'applied' : undefined;
}

/** Hands out the answers of a row to its parts: a part's calls are in its project, which it may have made before. */
class CallsInOrder {
  readonly #answers: readonly RowAnswer[];
  #next = 0;

  constructor(answers: readonly RowAnswer[]) {
    this.#answers = answers;
  }

  of({ subject, makesProject }: KeptPart): readonly RowAnswer[] {
    if (makesProject === undefined) return this.#while(({ call }) => call.project === subject.project);
    const made = this.#while(({ call }) => call.project === undefined, 1);
    const isMade = made.some(({ kind }) => kind === 'found');
    return isMade ? [...made, ...this.#while(({ call }) => call.project !== undefined, 1)] : made;
  }

  #while(holds: (answer: RowAnswer) => boolean, most = Number.POSITIVE_INFINITY): readonly RowAnswer[] {
    const taken: RowAnswer[] = [];
    for (let next = this.#answers[this.#next]; next !== undefined && taken.length < most && holds(next); ) {
      taken.push(next);
      this.#next += 1;
      next = this.#answers[this.#next];
    }
    return taken;
  }
}
