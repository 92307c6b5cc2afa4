import { type StopError, stop } from '../../core/errors.ts';
import type { Call } from '../../core/operation.ts';
import type { RawReply } from '../../ledger/ledger.ts';
import type { Dialect, DialectOperation } from '../../vendor/dialect.ts';
import { isFreeMatch } from '../../vendor/judge.ts';
import { FREE_FORM, quoted } from './unread-answers.ts';

/**
 * This file finds matches whose answer says that they cost nothing, although the dialect has a price for them. Most such
 * vendors mean that they found nobody. Some vendors do not charge for repeated questions; then a rule of the dialect says so.
 */

export function isFree(dialect: Dialect, call: Call, operation: DialectOperation, raw: RawReply): boolean {
  if (call.change !== undefined || call.operation === FREE_FORM) return false;
  return isFreeMatch(raw, dialect, operation, call);
}

/** The stop for a run with too many free matches. */
export function freeStop({ credits_charged: at = {} }: Dialect, raw: RawReply, count: number): StopError {
  const fact = `${count} matches in a row cost nothing by their own word, and the dialect has a price for them; the last, of status ${raw.status}: ${quoted(raw)}`;
  const test =
    at.header === undefined
      ? `body: { path: ${at.path}, matches: "^[0.]+$" }`
      : `header: { ${at.header}: "^[0.]+$" }`;
  const rule = (means: string): string => `\`- { status: [${raw.status}], ${test}, means: ${means} }\``;
  const next = `If such answers mean "no match", add the rule ${rule('no_match')} to the \`answers\` of the dialect; if they are matches that are free, such as those that the vendor has answered before, add ${rule('found, charged: false')}.`;
  return stop('address', fact, next);
}
