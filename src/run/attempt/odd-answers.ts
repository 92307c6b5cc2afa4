import { readBody } from '../../core/answer-body.ts';
import type { RawReply } from '../../ledger/ledger.ts';
import { type Dialect, vendorReply } from '../../vendor/dialect.ts';
import type { Reply } from '../../vendor/judge.ts';

/** This many lost answers of one kind are quoted, with the rule that would make them an answer. */
export const ODD_ANSWERS = 5;

/** Describes a lost answer. It gives no advice when no answer came, because no rule of a dialect could read that. */
export function oddAnswers(dialect: Dialect, reply: Reply, why: string): string {
  const fact = `${ODD_ANSWERS} answers in a row could not be used; the last: ${why}`;
  const rule = reply.kind === 'answered' ? ruleForOdd(vendorReply(reply.raw, dialect)) : undefined;
  if (rule === undefined) return `${fact}.`;
  return `${fact}. If these are the vendor's own words, and not those of a proxy, and mean "no match", the dialect's \`answers\` needs the rule \`${rule}\`.`;
}

/** The rule that would make such an answer a "no match"; undefined when the forwarding service gave the answer itself. */
function ruleForOdd(own: RawReply | undefined): string | undefined {
  if (own === undefined) return undefined;
  const { kind } = readBody(own.body);
  const body = kind === 'json' ? '{ path: …, matches: … }' : `{ is: ${kind} }`;
  return `- { status: [${own.status}], body: ${body}, means: no_match }`;
}
