import type { CallKey } from '../../../core/call-key.ts';
import type { RowNumber } from '../../../core/row.ts';
import { type Admission, type AttemptId, admitted, type Intent } from '../../ledger.ts';
import { movedOn } from '../../rules/drafts.ts';
import type { Connection } from './connection.ts';
import { type Asked, accountNumber, type Begun, insertAttempts, keptCalls } from './entries.ts';
import { noteMoved, overBudget, payerFor } from './money.ts';
import { type Priced, pricedAs, reserveFor } from './prices.ts';
import { refusedChange } from './subjects.ts';

export interface Question extends Asked {
  readonly row: RowNumber;
  readonly pricedFor: Priced;
  status?: number;
}

/** An intent that is admitted and not written yet. */
interface Waiting extends Begun {
  readonly at: number;
  readonly pricedFor: Priced;
}

export interface AdmittingOptions {
  /** Takes what is known of each attempt, but for changes. */
  readonly questions: Map<AttemptId, Question>;
}

/**
 * Admits intents in their order, each against what those before it have reserved. Those that say no more than what is asked are
 * written together; each other one reads what is written already, and is written alone.
 */
export function admitAll(
  connection: Connection,
  intents: readonly Intent[],
  options: AdmittingOptions,
): readonly Admission[] {
  if (intents.length === 0) return [];
  const admissions: Admission[] = [];
  const waiting: Waiting[] = [];
  const write = (): void => writeWaiting(connection, waiting, { ...options, admissions });
  const before = keptCalls(
    connection,
    intents.map(({ key }) => key),
  );
  const met = new Set<CallKey>();
  for (let at = 0; at < intents.length; at += 1) {
    const intent = intents[at] as Intent;
    const isMet = met.has(intent.key);
    const isAlone = isMet || !isPlain(intent);
    if (isAlone) write();
    met.add(intent.key);
    const kept = isMet ? keptCalls(connection, [intent.key]).get(0) : before.get(at);
    const account = accountNumber(connection, intent.accountIdentity);
    const pricedFor = pricedAs(account, intent, kept);
    const reserve = reserveFor(connection, intent, pricedFor);
    const payer = payerFor(connection, intent, account);
    const begun = { at, intent, reserve, payer, kept, pricedFor };
    const refused = refusedIntent(connection, begun);
    if (refused === undefined) {
      noteMoved(connection, payer, { reserved: reserve });
      waiting.push(begun);
    } else admissions[at] = refused;
    if (isAlone) write();
  }
  write();
  return admissions;
}

function writeWaiting(
  connection: Connection,
  waiting: Waiting[],
  { questions, admissions }: AdmittingOptions & { readonly admissions: Admission[] },
): void {
  if (waiting.length === 0) return;
  const attempts = insertAttempts(connection, waiting);
  for (let each = 0; each < attempts.length; each += 1) {
    const { at, intent, payer, pricedFor, reserve: reserved } = waiting[each] as Waiting;
    const { id, call } = attempts[each] as (typeof attempts)[number];
    const attempt = id as AttemptId;
    admissions[at] = admitted(attempt, reserved);
    // A number that a group did not commit is given again, so what was said about it is replaced.
    if (intent.call.change === undefined)
      questions.set(attempt, { call, reserved, payer, row: intent.row, pricedFor });
    else questions.delete(attempt);
  }
  waiting.length = 0;
}

/** Whether an intent neither sends again what is in doubt, nor replaces an answer, nor keeps its request, nor changes something. */
const isPlain = ({ decision, replaces, request, call }: Intent): boolean =>
  decision === undefined && replaces === undefined && request === undefined && call.change === undefined;

/** Why an intent is not admitted; the guards say the same. */
function refusedIntent(connection: Connection, begun: Begun): Admission | undefined {
  const { intent, kept } = begun;
  const moved = kept && movedOn({ call: kept }, intent);
  if (moved?.kind === 'known') return moved;
  return refusedChange(connection, intent) ?? moved ?? overBudget(connection, begun);
}
