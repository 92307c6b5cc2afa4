import type { Reply } from '../../client/judge.ts';
import type { SubjectFacts } from '../../core/membership.ts';
import type { Look, RawReply } from '../../ledger/ledger.ts';

/**
 * The result of a question. `told` is the lost answer itself. `left` is the state of its subject after the call, where the
 * answer does not say it.
 */
export interface LookResult {
  readonly said: Look['said'];
  readonly why: string;
  readonly told?: RawReply;
  readonly left?: SubjectFacts;
}

/** The kept part of the vendor's reply. */
export type Heard = Pick<RawReply, 'status' | 'body'>;

export const HEARD_NOTHING: Heard = { status: 0, body: Buffer.alloc(0) };

export const heardIn = (reply: Reply): Heard => (reply.kind === 'answered' ? reply.raw : HEARD_NOTHING);

export function failed(why: string): LookResult {
  return { said: 'unclear', why: `the vendor's reply does not help: ${why}` };
}
