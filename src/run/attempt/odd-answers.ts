import { readBody } from '../../core/answer-body.ts';
import type { RawReply } from '../../ledger/ledger.ts';
import type { Dialect } from '../../vendor/dialect.ts';
import { vendorReply } from '../../vendor/envelope.ts';
import type { Reply } from '../../vendor/judge.ts';

/** So many lost answers of a kind are quoted, with what would make them an answer. */
export const ODD_ANSWERS = 5;

/** Nothing is advised about an answer that did not come: no rule of a dialect could read it. */
export function oddAnswers(dialect: Dialect, reply: Reply, why: string): string {
  const fact = `${ODD_ANSWERS} answers in a row could not be used; the last: ${why}`;
  const rule = reply.kind === 'answered' ? ruleForOdd(vendorReply(reply.raw, dialect)) : undefined;
  if (rule === undefined) return `${fact}.`;
  return `${fact}. If these are the vendor's own words, and not those of a proxy, and mean "no match", the dialect's \`answers\` needs the rule \`${rule}\`.`;
}

/** What would make such an answer of the vendor a "no match"; undefined for one of the service that it came through. */
function ruleForOdd(own: RawReply | undefined): string | undefined {
  if (own === undefined) return undefined;
  const { kind } = readBody(own.body);
  const body = kind === 'json' ? '{ path: …, matches: … }' : `{ is: ${kind} }`;
  return `- { status: [${own.status}], body: ${body}, means: no_match }`;
}
