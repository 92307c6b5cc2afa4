import { unreachable } from '../../core/errors.ts';
import type { AnswerAtHand, AttemptId, Doubt } from '../../ledger/ledger.ts';
import type { Bought, Waits, Withheld } from '../attempt.ts';
import { doubtReason } from '../reconcile.ts';
import { MOST_TOLD, PUT_OFF, type PutOff } from '../too-fast.ts';

/** What a row got for one of its calls. */
export type Obtained = Answering | Held | Waits;

export interface Answering {
  readonly kind: 'answered';
  readonly answer: AnswerAtHand;
}

/** `refused` means that the subject of a change is no longer as planned. A call that has no doubt of its own leaves no attempt here. */
export interface Held {
  readonly kind: 'in_doubt' | 'skipped' | 'refused';
  readonly reason: string;
  readonly attempt?: AttemptId;
}

/** The result for a call without an answer for which nothing is at risk, with the reason. */
export function withheld(why: Withheld | PutOff | Waits): Held | Waits {
  switch (why.kind) {
    case 'waits':
      return why;
    case 'moved':
      return {
        kind: 'refused',
        reason: `changed by batch ${why.by} since this was planned; run the list again to make a new plan`,
      };
    case 'subject_in_doubt':
      return {
        kind: 'in_doubt',
        reason: `row ${why.row} of batch ${why.by} asked to change the same person, and the result is in doubt; settle that first`,
      };
    case 'put_off':
      return {
        kind: 'in_doubt',
        reason: PUT_OFF,
      };
    default:
      return unreachable(why);
  }
}

/** What a call in doubt got by being sent again; undefined when the ledger knows. */
export function retried(bought: Bought, doubt: Doubt): Held | Waits | undefined {
  if (bought === 'over_extra')
    return stillInDoubt(doubt, 'not sent again, because the extra credits do not cover it');
  if (typeof bought !== 'object' || bought.kind === 'answered') return undefined;
  if (bought.kind !== 'put_off') return withheld(bought);
  return stillInDoubt(doubt, `sent again, and told "too many requests" ${MOST_TOLD} times`);
}

function stillInDoubt(doubt: Doubt, why: string): Held {
  return { kind: 'in_doubt', reason: `${doubtReason(doubt)}; ${why}`, attempt: doubt.attempt };
}
