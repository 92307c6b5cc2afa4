import { unreachable } from '../../core/errors.ts';
import type { AttemptId } from '../../ledger/ledger.ts';
import type { Answering } from '../../plan/row-walk.ts';
import type { Withheld } from '../attempt.ts';

/** What a row got for one of its calls. */
export type Obtained = Answering | Held;

/** `refused` means that the subject of a change is no longer as planned. Only another call's doubt leaves no attempt here. */
export interface Held {
  readonly kind: 'in_doubt' | 'skipped' | 'refused';
  readonly reason: string;
  readonly attempt?: AttemptId;
}

/** The result for a planned change that was not sent, with the reason. */
export function withheld(why: Withheld): Held {
  switch (why.kind) {
    case 'moved':
      return {
        kind: 'refused',
        reason: `changed by batch ${why.by} since this was planned; run the list again to plan it anew`,
      };
    case 'subject_in_doubt':
      return {
        kind: 'in_doubt',
        reason: `row ${why.row} of batch ${why.by} asked for a change of the same person, and its answer was lost; settle that first`,
      };
    default:
      return unreachable(why);
  }
}
