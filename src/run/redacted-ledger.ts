import { invariant } from '../core/errors.ts';
import type { Redaction } from '../core/redaction.ts';
import type { LedgerReader } from '../ledger/ledger.ts';
import type { Salvage } from '../ledger/store.ts';

/**
 * A ledger that hands out what vendors once said without the keys that are known today. What is recorded now holds none;
 * an older Rowonce recorded answers as they came, and a key may be of another account by now. Nothing in it is altered.
 */

/** What hands out words or answers of a vendor. The others are asked for by the million, and hold none. */
const HANDS_OUT_ANSWERS: ReadonlySet<string | symbol> = new Set([
  'rows',
  'find',
  'doubts',
  'history',
  'attempts',
  'newestFound',
  'pauses',
  'openAttempts',
] satisfies readonly (keyof LedgerReader | 'openAttempts')[]);

/** The same of a damaged store, one after the other. */
const ITERATES = 'everyCall' satisfies keyof Salvage;

/** What we asked, which has to stay as it was sent: a lost request is sent again to the byte. */
const OURS: ReadonlySet<string> = new Set(['call', 'request', 'key']);

/** @param known is awaited before the first answer is handed out, and not before. */
export function redactedLedger<L extends LedgerReader>(ledger: L, known: () => Promise<Redaction>): L {
  let redaction: Promise<Redaction> | undefined;
  const members = new Map<string | symbol, unknown>();
  return new Proxy(ledger, {
    get(target, name) {
      const found = members.get(name);
      if (found !== undefined) return found;
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      const asIs = (...words: unknown[]): unknown => Reflect.apply(member, target, words);
      const redacted = async (value: unknown): Promise<unknown> => {
        redaction ??= known();
        return withoutKeys(await value, await redaction);
      };
      const shown =
        name === ITERATES
          ? (...words: unknown[]) => each(asIs(...words) as AsyncIterable<unknown>, redacted)
          : HANDS_OUT_ANSWERS.has(name)
            ? (...words: unknown[]) => redacted(asIs(...words))
            : asIs;
      members.set(name, shown);
      return shown;
    },
  });
}

async function* each(
  values: AsyncIterable<unknown>,
  redacted: (value: unknown) => Promise<unknown>,
): AsyncGenerator<unknown> {
  for await (const value of values) yield redacted(value);
}

function withoutKeys(value: unknown, redaction: Redaction): unknown {
  if (redaction.findsNothing) return value;
  if (typeof value === 'string') return redaction.text(value);
  if (Buffer.isBuffer(value)) return redaction.bytes(value);
  if (Array.isArray(value)) return value.map((each) => withoutKeys(each, redaction));
  if (typeof value !== 'object' || value === null) return value;
  invariant(Object.getPrototypeOf(value) === Object.prototype, 'an answer of the ledger is no plain object');
  const entries = Object.entries(value).map(
    ([name, member]) => [name, OURS.has(name) ? member : withoutKeys(member, redaction)] as const,
  );
  return Object.fromEntries(entries);
}
