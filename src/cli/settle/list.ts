import { callKeyOf } from '../../core/call-key.ts';
import { isoTime } from '../../core/clock.ts';
import { EXIT, type ExitCode } from '../../core/errors.ts';
import { subjectWords } from '../../core/membership.ts';
import { counted, plainText } from '../../core/plain-text.ts';
import type { RowNumber } from '../../core/row.ts';
import type { Batch, Doubt, LedgerReader, Look, Money } from '../../ledger/ledger.ts';
import { recordPages } from '../../ledger/row-pages.ts';
import { canBeAskedAbout } from '../../run/reconcile.ts';
import { doubtReason } from '../../run/recover.ts';
import type { Dialect } from '../../vendor/dialect.ts';
import { callWords, lookObject, lookWords, openWords } from '../render/doubts.ts';
import type { Console } from '../shell/command.ts';

/** Lists what is in doubt in a batch, and how much money is at risk. */

/** A doubt and what the vendor said, when it was asked about it. */
export interface Examined {
  readonly doubt: Doubt;
  readonly looks: readonly Look[];
}

/** Doubts that may leave a person without access come first, then other creations, then what is repeated by itself. */
export async function examined(
  ledger: LedgerReader,
  { accountIdentity }: Batch,
  doubts: readonly Doubt[],
): Promise<readonly Examined[]> {
  const all: Examined[] = [];
  for (const doubt of doubts.toSorted((one, other) => urgencyOf(one) - urgencyOf(other))) {
    const history = await ledger.history(doubt.batch, doubt.row);
    const ofCall = history.filter(({ call }) => callKeyOf(accountIdentity, call) === doubt.key);
    all.push({ doubt, looks: ofCall.flatMap(({ looks }) => looks) });
  }
  return all;
}

function urgencyOf({ call: { change, ifLost } }: Doubt): number {
  if (change === undefined || change.atStake !== undefined) return 0;
  return ifLost === 'hold' ? 1 : 2;
}

/**
 * Credits of lost answers that need no decision any more, because their calls were bought anew, were sent again or were
 * skipped.
 */
export function undecidable(batch: Batch, doubts: readonly Examined[], { inDoubt }: Money): number {
  const own = doubts.filter(({ doubt }) => doubt.batch === batch.id);
  return inDoubt - own.reduce((sum, { doubt }) => sum + doubt.atRisk, 0);
}

/** A row that waits for a change in doubt of another batch. The doubt must be settled in that batch. */
export interface WaitingRow {
  readonly row: RowNumber;
  readonly reason: string;
}

/** At most so many waiting rows are listed, so that they fit on a screen. */
const MOST_WAITING = 20;

export async function waitingRows(ledger: LedgerReader, { id }: Batch): Promise<readonly WaitingRow[]> {
  const waiting: WaitingRow[] = [];
  for await (const page of recordPages(ledger, id)) {
    for (const { row, outcome } of page) {
      if (outcome.kind === 'in_doubt') waiting.push({ row, reason: outcome.reason });
    }
    if (waiting.length >= MOST_WAITING) break;
  }
  return waiting.slice(0, MOST_WAITING);
}

/** What a list of a batch shows. */
export interface Listed {
  readonly doubts: readonly Examined[];
  readonly waiting: readonly WaitingRow[];
  /** Requests without an answer yet, about which nothing can be decided. */
  readonly open: number;
  /** The account's dialect of today; undefined when the account cannot be used. */
  readonly dialect: Dialect | undefined;
}

/** @param left credits in doubt about which there is nothing to decide. */
export function list(
  console: Console,
  batch: Batch,
  { doubts, waiting, open, dialect }: Listed,
  left: number,
): ExitCode {
  for (const { row, reason } of waiting) console.print(plainText(`row ${row} waits: ${reason}`));
  for (const { doubt, looks } of doubts) {
    console.print(plainText(`row ${doubt.row}, ${callWords(doubt.call)}: ${doubtReason(doubt)}`));
    for (const line of whyStillOpen(doubt, looks, dialect)) console.print(plainText(`    ${line}`));
  }
  const atRisk = doubts.reduce((sum, { doubt }) => sum + doubt.atRisk, 0);
  console.print(
    doubts.length === 0 ? `Nothing of batch ${batch.id} is in doubt.` : totalWords(doubts, atRisk),
  );
  if (open > 0) console.print(openWords(open));
  if (left > 0) {
    console.print(
      `${counted(left, 'credit')} of lost answers may have been charged, with nothing to decide: their calls have another answer, or were skipped.`,
    );
  }
  if (doubts.length > 0) console.say(choiceWords(doubts));
  console.result({
    batch: batch.id,
    at_risk: atRisk,
    undecidable: left,
    open,
    in_doubt: doubts.map(doubtObject),
    ...(waiting.length === 0 ? {} : { waiting }),
  });
  return EXIT.done;
}

/** `3 in doubt, 2 credits at risk.`; for changes, which cost nothing, what else may have happened. */
function totalWords(doubts: readonly Examined[], atRisk: number): string {
  const costs = atRisk > 0 || doubts.some(({ doubt }) => doubt.call.change === undefined);
  const stakes = Map.groupBy(doubts, ({ doubt }) => doubt.call.change?.atStake);
  const parts = [
    `${doubts.length} in doubt`,
    ...(costs ? [`${counted(atRisk, 'credit')} at risk`] : []),
    ...[...stakes].flatMap(([stake, those]) => (stake === undefined ? [] : [`${those.length} ${stake}`])),
  ];
  return `${parts.join(', ')}.`;
}

function choiceWords(doubts: readonly Examined[]): string {
  const changes = doubts.filter(({ doubt }) => doubt.call.change !== undefined);
  if (changes.length < doubts.length) {
    return 'Decide with --retry (may be paid for twice), --skip (its credits stay in doubt), --answer key=value, or --not-done if you know that nothing was charged.';
  }
  return 'See at the service what became of it. It was done: --answer, such as invite_code=… or project_id=…; it was not: --not-done; leave it out of this batch: --skip.';
}

/** Says what was tried without cost and did not end the doubt. */
function whyStillOpen(doubt: Doubt, looks: readonly Look[], dialect: Dialect | undefined): readonly string[] {
  const { repeats, request } = doubt;
  const key = request === undefined ? '' : ` under idempotency key ${request.idempotencyKey}`;
  return [
    ...(repeats === 0 ? [] : [`sent again ${repeats} times${key}, without an answer`]),
    ...(repeats === 0 && key !== '' ? [`sent once${key}`] : []),
    ...(looks.length === 0 ? [notAskedWords(doubt, dialect)] : []),
    ...looks.map((look) => `the vendor was ${lookWords(look)}`),
  ];
}

/** Says that the vendor was not asked about the request, so that it may have been charged or done. */
function notAskedWords({ call }: Doubt, dialect: Dialect | undefined): string {
  const mayBe = `it may have been ${call.change === undefined ? 'charged' : 'done'}`;
  return dialect === undefined || canBeAskedAbout(dialect, call)
    ? `the vendor has not been asked about it, so ${mayBe}`
    : `no read-back is possible here, so ${mayBe}`;
}

function doubtObject({ doubt, looks }: Examined): object {
  const { row, call, atRisk, why, sentAtMs, repeats, request } = doubt;
  return {
    row,
    operation: call.operation,
    parameters: call.parameters,
    project: call.project ?? null,
    subject: call.change === undefined ? null : subjectWords(call.change.subject),
    at_stake: call.change?.atStake ?? null,
    credits: atRisk,
    why,
    since: isoTime(sentAtMs),
    repeats,
    idempotency_key: request?.idempotencyKey ?? null,
    looks: looks.map(lookObject),
  };
}
