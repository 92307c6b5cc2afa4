import type { Client, Sent } from '../client/client.ts';
import type { DialectOperation } from '../client/dialect.ts';
import type { Reply } from '../client/judge.ts';
import type { StopError } from '../core/errors.ts';
import type { OfCall } from '../core/events.ts';
import type { Call } from '../core/operation.ts';
import type { Admission, AnswerAtHand, AttemptId, Credits, Intent, KeyedRequest } from '../ledger/ledger.ts';
import type { Run, Session } from './session.ts';

/** `ifUnknown`: the ledger was last asked about the call some time ago, so it may know more by now: then nothing is bought. */
export interface CallToBuy
  extends Pick<Intent, 'key' | 'call' | 'row' | 'decision' | 'replaces' | 'ifUnknown'> {
  /** The lost request, when exactly its bytes are sent again under its idempotency key. */
  readonly request?: KeyedRequest;
  /** A repeat without a key that is harmless by itself. Under a key, the database accepts only the lost request's bytes. */
  readonly withoutKey?: true;
}

/** How a call ended: the ledger holds an answer or a doubt, or nothing was bought. */
export type CallEnd =
  | Answered
  | 'in_doubt'
  /** A retry that the extra credits do not cover. */
  | 'over_extra'
  /** The ledger knows more of it than whoever asked. */
  | 'known'
  /** Others were asking for it, and have been waited for. */
  | 'in_flight'
  | Withheld
  | Waits;

export interface Answered {
  readonly kind: 'answered';
  readonly answer: AnswerAtHand;
}

/** Why a change was not sent: its subject is no longer as planned. */
export type Withheld = Extract<Admission, { readonly kind: 'moved' | 'subject_in_doubt' }>;

/** The service refused it, and only the answers to other rows tell whether that was about this one: it is asked again behind them. */
export interface Waits {
  readonly kind: 'waits';
}

/** What comes after an attempt: nothing, the same request again, or the end of the run. */
export type Next = CallEnd | 'again' | StopError;

/** The call that is being bought, through all its attempts. */
export interface Buying {
  readonly run: Run;
  readonly call: CallToBuy;
  readonly operation: DialectOperation;
}

/** What came back for an attempt, of this run or of an earlier one. */
export interface Replied {
  readonly attempt: AttemptId;
  readonly call: Call;
  readonly operation: DialectOperation;
  readonly reply: Reply;
}

/** The same for a request of this run, which alone can follow from it. */
export interface RunReply extends Replied, Sent {
  readonly about: OfCall;
  readonly reserved: Credits;
  readonly isRepeat: boolean;
}

/** What is needed of a run to judge a reply. */
export interface Judging extends Pick<Run, 'projects'> {
  readonly session: Pick<Session, 'account' | 'history' | 'ledger' | 'clock'> & {
    readonly client: Pick<Client, 'dialect' | 'origin' | 'basePath'>;
  };
}
