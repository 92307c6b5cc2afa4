import type { SubjectFacts } from '../../core/membership.ts';
import type { Look, RawReply } from '../../ledger/ledger.ts';
import type { Reply } from '../../vendor/judge.ts';

/** What was found out. `told`: the lost answer itself. `left`: how that left its subject, where the answer says less. */
export interface Finding {
  readonly said: Look['said'];
  readonly why: string;
  readonly told?: RawReply;
  readonly left?: SubjectFacts;
}

/** What the vendor said, as far as it is kept; nothing for a reply that did not come. */
export type Heard = Pick<RawReply, 'status' | 'body'>;

export const HEARD_NOTHING: Heard = { status: 0, body: Buffer.alloc(0) };

export const heardIn = (reply: Reply): Heard => (reply.kind === 'answered' ? reply.raw : HEARD_NOTHING);

export function failed(why: string): Finding {
  return { said: 'unclear', why: `the vendor's word is of no use: ${why}` };
}
