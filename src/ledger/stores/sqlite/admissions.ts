import type { CallKey } from '../../../core/call-key.ts';
import { type Admission, type AttemptId, admitted, type Intent } from '../../ledger.ts';
import type { Connection } from './connection.ts';
import {
  type Asked,
  accountNumber,
  type Begun,
  insertAttempts,
  type KeptCall,
  keptCalls,
} from './entries.ts';
import { overBudget, payerFor } from './money.ts';
import { type Priced, pricedAs, reserveFor } from './prices.ts';
import { refusedChange } from './subjects.ts';

/** What came of an intent: an attempt, with what later entries have to know of it, or why there is none. */
export interface Admitted {
  readonly admission: Admission;
  readonly begun?: { readonly attempt: AttemptId; readonly pricedFor: Priced; readonly asked: Asked };
}

/**
 * Admits intents in their order, each against what those before it have reserved. Those that say no more than what is asked are
 * written together; each other one reads what is written already, and is written alone.
 * @param boot the number of the boot in which the attempts are made; undefined when it is unknown.
 */
export function admitAll(
  connection: Connection,
  intents: readonly Intent[],
  boot: number | undefined,
): readonly Admitted[] {
  if (intents.length === 0) return [];
  const results: Admitted[] = [];
  const waiting = new Map<CallKey, Begun & { readonly pricedFor: Priced; readonly at: number }>();
  const write = () => {
    const all = [...waiting.values()];
    for (const [each, { attempt, asked }] of insertAttempts(connection, all).entries()) {
      const { intent, pricedFor, at } = all[each] as (typeof all)[number];
      results[at] = { admission: admitted(attempt, intent.reserve), begun: { attempt, pricedFor, asked } };
    }
    waiting.clear();
  };
  const before = keptCalls(
    connection,
    intents.map(({ key }) => key),
  );
  const met = new Set<CallKey>();
  for (const [at, asked] of intents.entries()) {
    if (!isPlain(asked) || waiting.has(asked.key)) write();
    const account = accountNumber(connection, asked.accountIdentity);
    const kept = met.has(asked.key) ? keptCalls(connection, [asked.key]).get(0) : before.get(at);
    met.add(asked.key);
    const pricedFor = pricedAs(account, asked, kept);
    const intent = { ...asked, reserve: reserveFor(connection, asked, pricedFor) };
    const refused = refusedIntent(connection, intent, kept);
    if (refused === undefined) {
      const payer = payerFor(connection, intent, account);
      waiting.set(asked.key, { intent, payer, kept, boot, pricedFor, at });
    } else results[at] = { admission: refused };
    if (!isPlain(asked)) write();
  }
  write();
  return results;
}

/** Whether an intent neither sends again what is in doubt, nor replaces an answer, nor keeps its request, nor changes something. */
const isPlain = ({ decision, replaces, request, call }: Intent): boolean =>
  decision === undefined && replaces === undefined && request === undefined && call.change === undefined;

/** Why an intent is not admitted; the guards say the same. @param kept its call in the tables, when it is there. */
function refusedIntent(
  connection: Connection,
  intent: Intent,
  kept: KeptCall | undefined,
): Admission | undefined {
  const { state = 'free', stands = null, open = null } = kept ?? {};
  if (intent.ifUnknown && state !== 'free') return { kind: 'known' };
  const refused = refusedChange(connection, intent);
  if (refused !== undefined) return refused;
  if (open !== null) return { kind: 'in_flight', attempt: open };
  if (state === 'answered' && stands !== null && stands !== intent.replaces)
    return { kind: 'answered', attempt: stands };
  return overBudget(connection, intent);
}
