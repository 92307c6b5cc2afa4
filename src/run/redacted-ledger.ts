import { invariant } from '../core/errors.ts';
import type { LedgerReader } from '../ledger/ledger.ts';
import type { Redaction } from '../lib/redaction.ts';

/**
 * A ledger that removes all keys known today from the answers that it returns. A record contains none
 * that was known when it was made, but a key may have become one of another account since. The ledger itself is not
 * changed.
 */

/** The methods that return words or answers of a vendor. The other methods are called millions of times and return none. */
const HANDS_OUT_ANSWERS: ReadonlySet<string | symbol> = new Set([
  'rows',
  'find',
  'doubts',
  'history',
  'attempts',
  'attemptsAbout',
  'logged',
  'newestFound',
  'pauses',
  'openAttempts',
] satisfies readonly (keyof LedgerReader | 'openAttempts')[]);

/** The members with our own question. They stay as they were sent, because a lost request is repeated byte by byte. */
const OURS: ReadonlySet<string> = new Set(['call', 'request', 'key']);

/** @param known loads the known keys; it is called when the first answer is returned, and not before. */
export function redactedLedger<L extends LedgerReader>(ledger: L, known: () => Promise<Redaction>): L {
  let redaction: Promise<Redaction> | undefined;
  const members = new Map<string | symbol, unknown>();
  return new Proxy(ledger, {
    get(target, name) {
      const found = members.get(name);
      if (found !== undefined) return found;
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      const asIs: (...words: unknown[]) => unknown = member.bind(target);
      const redacted = async (value: unknown): Promise<unknown> => {
        const answers = await value;
        if (Array.isArray(answers) && answers.length === 0) return answers;
        redaction ??= known();
        return withoutKeys(answers, await redaction);
      };
      const shown = HANDS_OUT_ANSWERS.has(name) ? (...words: unknown[]) => redacted(asIs(...words)) : asIs;
      members.set(name, shown);
      return shown;
    },
  });
}

/** The same value when no key is in it, which is the rule: then nothing is copied. */
function withoutKeys(value: unknown, redaction: Redaction): unknown {
  if (redaction.findsNothing) return value;
  if (typeof value === 'string') return redaction.text(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Buffer.isBuffer(value)) return redaction.bytes(value);
  if (Array.isArray(value)) {
    const cleaned = value.map((each) => withoutKeys(each, redaction));
    return cleaned.some((each, at) => each !== value[at]) ? cleaned : value;
  }
  invariant(Object.getPrototypeOf(value) === Object.prototype, 'an answer of the ledger is no plain object');
  const members = value as Readonly<Record<string, unknown>>;
  let changed: Record<string, unknown> | undefined;
  for (const name of Object.keys(members)) {
    if (OURS.has(name)) continue;
    const cleaned = withoutKeys(members[name], redaction);
    if (cleaned === members[name]) continue;
    changed ??= { ...members };
    changed[name] = cleaned;
  }
  return changed ?? value;
}
