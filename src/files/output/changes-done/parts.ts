import type { RowAnswer, RowRecord } from '../../../ledger/ledger.ts';
import type { KeptPart, KeptWork } from '../../../operations/team/planned-work.ts';
import { CHANGE_ENDS, type ChangeEnd } from './figures.ts';

/** A row has one outcome, although it may be about one person in several projects, done one by one. */

type PartAnswer = Pick<RowAnswer, 'batch' | 'kind' | 'why' | 'call'>;

/** How a row ended, or that it has not yet, and the answers to its calls. */
export interface RowEnd {
  readonly ended: ChangeEnd;
  readonly answers: readonly PartAnswer[];
}

export interface EndedPart extends RowEnd {
  readonly part: KeptPart;
}

/** @param isBeyond whether the plan has added the row for somebody whom the file does not name. */
export function endedParts(
  { parts, ...work }: KeptWork,
  { ended, answers }: RowEnd,
  isBeyond: boolean,
): readonly EndedPart[] {
  if (parts === undefined) {
    const isHeldBack = isBeyond && ended === 'refused' && answers.length === 0;
    const now = ended === 'pending' ? endSoFar(work, answers) : ended;
    return [{ part: work, ended: isHeldBack ? 'held_back' : now, answers }];
  }
  const calls = new CallsInOrder(answers);
  let left = ended;
  return parts.map((part) => {
    const own = calls.of(part);
    const known = endOfNext(part, own, left);
    const now = known ?? left;
    // What comes after a part whose answer is awaited has not begun.
    if (known === undefined && left === 'in_doubt') left = 'pending';
    return { part, ended: now, answers: own };
  });
}

/** The end of a whole row. No change ends as `matched` or `no_match`. @param record undefined for a row without an outcome. */
export function endOf(record: RowRecord | undefined): ChangeEnd {
  return CHANGE_ENDS.find((end) => end === record?.outcome.kind) ?? 'pending';
}

/** What is done is done, also where the run was killed before the row came to its end. */
function endSoFar(part: KeptPart, answers: readonly PartAnswer[]): ChangeEnd {
  return (answers.length === 0 ? undefined : endOfPart(part, answers)) ?? 'pending';
}

/** @param left how the parts of the row end that did not come to their own end. */
function endOfNext(part: KeptPart, answers: readonly PartAnswer[], left: ChangeEnd): ChangeEnd | undefined {
  if (left === 'invalid') return left;
  return left === 'pending' ? endSoFar(part, answers) : endOfPart(part, answers);
}

/** Undefined for a part that did not come to its end: then it is as its row. */
function endOfPart(
  { action, isRefused, makesProject }: KeptPart,
  answers: readonly PartAnswer[],
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
  readonly #answers: readonly PartAnswer[];
  #next = 0;

  constructor(answers: readonly PartAnswer[]) {
    this.#answers = answers;
  }

  of({ subject, makesProject }: KeptPart): readonly PartAnswer[] {
    if (makesProject === undefined) return this.#while(({ call }) => call.project === subject.project);
    const made = this.#while(({ call }) => call.project === undefined, 1);
    const isMade = made.some(({ kind }) => kind === 'found');
    return isMade ? [...made, ...this.#while(({ call }) => call.project !== undefined, 1)] : made;
  }

  #while(holds: (answer: PartAnswer) => boolean, most = Number.POSITIVE_INFINITY): readonly PartAnswer[] {
    const taken: PartAnswer[] = [];
    for (let next = this.#answers[this.#next]; next !== undefined && taken.length < most && holds(next); ) {
      taken.push(next);
      this.#next += 1;
      next = this.#answers[this.#next];
    }
    return taken;
  }
}
