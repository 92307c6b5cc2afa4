import type { Client, Sent } from '../../client/client.ts';
import type { DialectOperation } from '../../client/dialect.ts';
import type { Reply } from '../../client/judge.ts';
import type { StopError } from '../../core/errors.ts';
import type { OfCall } from '../../core/events.ts';
import type { Call } from '../../core/operation.ts';
import type { Admission, AnswerAtHand, AttemptId, Credits } from '../../ledger/ledger.ts';
import type { Run, Session } from '../session.ts';
import type { AskedCall, PutOff } from '../too-fast.ts';

export interface Replied {
  readonly attempt: AttemptId;
  readonly call: Call;
  readonly operation: DialectOperation;
  readonly path: string;
  readonly reply: Reply;
}

/** The same for a request of this run, which alone can follow from it. Of an earlier run's request the rest is not known. */
export interface RunReply extends Replied, Sent {
  readonly asked: AskedCall;
  readonly about: OfCall;
  readonly reserved: Credits;
  readonly isRepeat: boolean;
}

/** The reason why a change was not sent: its subject is no longer as planned. */
export type Withheld = Extract<Admission, { readonly kind: 'moved' | 'subject_in_doubt' }>;

/** The service refused it, and only the answers to other rows tell whether that was about this one: it is asked again behind them. */
export interface Waits {
  readonly kind: 'waits';
}

export interface Answered {
  readonly kind: 'answered';
  readonly answer: AnswerAtHand;
}

/**
 * How a call ended: the ledger holds an answer or a doubt. `over_extra` is a retry that the extra credits do not cover, and
 * `known` a call that was wanted `ifUnknown`.
 */
export type Bought = Answered | 'in_doubt' | 'over_extra' | 'known' | Withheld | PutOff | Waits;

/** What comes after an attempt: nothing, the same request again, the same at another path, or the end of the run. */
export type Next = Bought | 'again' | { readonly movedTo: string } | StopError;

export interface Closing extends Pick<Run, 'projects'> {
  readonly session: Pick<Session, 'account' | 'history' | 'ledger' | 'clock'> & {
    readonly client: Pick<Client, 'dialect' | 'origin' | 'basePath'>;
  };
}
