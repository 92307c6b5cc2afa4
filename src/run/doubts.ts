import { isoTime } from '../core/clock.ts';
import { stop } from '../core/errors.ts';
import { finding, NO_FINDINGS, together } from '../core/finding.ts';
import { sayAll } from '../core/finding-words.ts';
import type { Findings } from '../core/findings.ts';
import { subjectWords } from '../core/membership.ts';
import { present } from '../core/objects.ts';
import type { Call } from '../core/operation.ts';
import { counted, linesOf } from '../core/plain-text.ts';
import type { RowNumber } from '../core/row.ts';
import { asksSeveral } from '../core/steps.ts';
import { listNameOf } from '../files/called.ts';
import { countedElsewhere } from '../files/output/counted-elsewhere.ts';
import { accountNameIn } from '../files/output/output.ts';
import {
  type Batch,
  type BatchId,
  type Decision,
  type Doubt,
  heldCredits,
  type LedgerReader,
  type Look,
  standingDecision,
} from '../ledger/ledger.ts';
import { commandLine } from '../lib/command-line.ts';
import type {
  CallObject,
  DecisionObject,
  DoubtListObject,
  DoubtObject,
  LookObject,
} from '../objects/row-object.ts';
import { type FoundBatch, lookInto } from './open-ledger.ts';

/** This file says what is in doubt in a batch. It only reads. */

/** @param row only the doubts of this row. @throws StopError `usage` when that row is not in doubt. */
export async function doubtList({ batch, location }: FoundBatch, row?: string): Promise<DoubtListObject> {
  return lookInto(location, async (ledger) => {
    const of = { ledger, batch };
    const all = row === undefined ? await ledger.doubts(batch.id) : await doubtsOf(ledger, batch, row);
    const doubts = all.filter((doubt) => !isOfAccepted(doubt) && !isOfBeside(doubt));
    const accepted = row === undefined ? await ledger.accepted(batch.id) : all.filter(isOfAccepted);
    const beside = row === undefined ? await ledger.beside(batch.id) : all.filter(isOfBeside);
    const skipped = row === undefined ? await skippedIn(ledger, batch, all) : [];
    const further = (some: readonly Doubt[]): DoubtObject[] | undefined =>
      some.length === 0 ? undefined : some.map((doubt) => doubtObject(batch, doubt, doubt.row, undefined));
    const decisions = await decisionsAbout(of, doubts);
    // A row with a call that a person has sent again is pending. A call that the job alone could not send
    // again is still in doubt.
    const remainingDoubts = doubts.filter((doubt) => row !== undefined || !isPending(decisions.get(doubt)));
    const inDoubt = await shownOf(of, remainingDoubts, decisions);
    // A row that a killed program has left is pending.
    const { in_doubt: rows = 0 } = await ledger.counts(batch.id);
    const waiting = row === undefined ? await ledger.rowsWaiting(batch.id, MOST_WAITING) : [];
    return {
      batch: batch.id,
      at_risk: remainingDoubts.reduce((sum, { atRisk }) => sum + atRisk, 0),
      open: await ledger.openRequests(batch.id),
      extra_used: heldCredits(await ledger.batchMoney(batch.id, 'extra')),
      in_doubt: [...inDoubt],
      ...present({ accepted: further(accepted), beside: further(beside), skipped: further(skipped) }),
      rows: row === undefined ? Math.max(rows, new Set(inDoubt.map((doubt) => doubt.row)).size) : 1,
      ...(waiting.length > 0 && {
        waiting: waiting.map(({ row, findings }) => ({
          row,
          reason: sayAll(findings, 'terminal'),
          findings: [...findings],
        })),
      }),
    };
  });
}

/** The doubts that rows of this batch wait for, each by the number that its row has here. */
async function shownOf(
  of: OfBatch,
  doubts: readonly Doubt[],
  decisions: ReadonlyMap<Doubt, Decision>,
): Promise<readonly DoubtObject[]> {
  const shown: DoubtObject[] = [];
  for (const doubt of await nextOfRows(of, doubts)) {
    const row = await rowHere(of.ledger, of.batch, doubt);
    if (row === undefined) continue;
    const object = doubtObject(of.batch, doubt, row, decisions.get(doubt));
    shown.push({ ...object, ...present({ sent_for: await otherListOf(of, doubt) }) });
  }
  return shown;
}

/** The doubts of rows that a person has left out: their credits are held until they are decided anew. */
async function skippedIn(
  ledger: LedgerReader,
  batch: Batch,
  shown: readonly Doubt[],
): Promise<readonly Doubt[]> {
  const attempts = new Set(shown.map(({ attempt }) => attempt));
  const all = await ledger.doubts(batch.id, { withSkipped: true });
  return all.filter((doubt) => doubt.batch === batch.id && !attempts.has(doubt.attempt));
}

const isPending = (of?: Decision): boolean => of?.kind === 'retry' && of.by === 'person';

const MOST_WAITING = 20;

const isOfAccepted = ({ isAccepted }: Doubt): boolean => isAccepted === true;
export const isOfBeside = ({ isBeside }: Doubt): boolean => isBeside === true;

/**
 * What a decision is about. Without a row it is about the calls in doubt. Where none is in doubt, it is about
 * accepted calls, which may still be answered. Where nothing else is left, it is about doubts beside an
 * answer.
 * @param row its number, as the user typed it; left out: the doubts of all rows.
 * @param leavesOut whether a person leaves the row out. Then all its doubts are meant.
 */
export async function doubtsOf(
  ledger: LedgerReader,
  batch: Batch,
  row: string | undefined,
  leavesOut = false,
): Promise<readonly Doubt[]> {
  // Other rows may wait for a row that this batch has skipped, so a decision by row number may be about it.
  const doubts = await ledger.doubts(batch.id, { withSkipped: row !== undefined });
  const accepted = await ledger.accepted(batch.id);
  const beside = await ledger.beside(batch.id);
  if (row === undefined) return [doubts, accepted].find(({ length }) => length > 0) ?? beside;
  const attempts = new Set((await ledger.history(batch.id, Number(row))).map(({ attempt }) => attempt));
  const ofRow = [...doubts, ...accepted].filter(({ attempt }) => attempts.has(attempt));
  const of = { ledger, batch };
  const decisions = await decisionsAbout(of, ofRow);
  // Once the first doubt of a row is sent again or left out, the list shows the next one, so a decision by
  // row number is about the next one.
  const open = ofRow.filter((doubt) => !isPending(decisions.get(doubt)));
  const shown = open.filter((doubt) => decisions.get(doubt)?.kind !== 'skip');
  const meant = [shown, open, ofRow].find(({ length }) => length > 0);
  if (meant !== undefined) return leavesOut && !hasSteps(batch) ? meant : firstOf(of, Number(row), meant);
  const besideOfRow = beside.filter(({ attempt }) => attempts.has(attempt));
  if (besideOfRow.length > 0) return besideOfRow;
  const number = Number(row);
  const records = Number.isSafeInteger(number) ? await ledger.recordsOf(batch.id, [number]) : undefined;
  const { kind, findings = NO_FINDINGS } = records?.get(number)?.outcome ?? {};
  const reason = sayAll(findings, 'terminal');
  throw stop(
    'usage',
    kind === 'in_doubt'
      ? `There is nothing to decide about row ${row} of batch ${batch.id}: ${reason}.`
      : `Row ${row} of batch ${batch.id} is not in doubt.`,
    kind !== undefined ? 'See its state.' : 'See which rows are.',
    commandLine(kind !== undefined ? ['status', batch.id, row] : ['settle', batch.id]),
  );
}

interface OfBatch {
  readonly ledger: LedgerReader;
  readonly batch: Batch;
}

/** Whether a row may be in doubt twice: it may have several steps, or several projects. */
const hasSteps = (batch: Batch): boolean => asksSeveral(batch) || batch.plannedRows !== undefined;

/**
 * When a row has two doubts, it rests on the first of its steps: once that doubt is settled, the second is
 * next.
 */
async function firstOf(of: OfBatch, row: RowNumber, doubts: readonly Doubt[]): Promise<readonly Doubt[]> {
  if (doubts.length < 2) return doubts;
  for (const doubt of doubts) if ((await rowsOn(of, doubt)).includes(row)) return [doubt];
  return hasSteps(of.batch) ? doubts.slice(0, 1) : doubts;
}

/**
 * The doubts on which rows rest. A row that a killed program left without an end has its first doubt here.
 */
async function nextOfRows(of: OfBatch, doubts: readonly Doubt[]): Promise<readonly Doubt[]> {
  if (!hasSteps(of.batch)) return doubts;
  // The request may come from another batch: in its list the row has another number.
  const byRow = new Map<RowNumber | undefined, Doubt[]>();
  for (const doubt of doubts) {
    const row = await rowHere(of.ledger, of.batch, doubt);
    byRow.set(row, [...(byRow.get(row) ?? []), doubt]);
  }
  const next = new Set<Doubt>();
  for (const all of byRow.values()) {
    const resting: Doubt[] = [];
    for (const doubt of all) if ((await rowsOn(of, doubt)).length > 0) resting.push(doubt);
    for (const doubt of resting.length > 0 ? resting : all.slice(0, 1)) next.add(doubt);
  }
  return doubts.filter((doubt) => next.has(doubt));
}

/**
 * The first row of this batch that waits for a doubt. The request may come from another batch: in its list
 * the row has another number. Undefined: the request is of another batch, and no row here waits for it, such
 * as where a row is to send it again.
 */
export async function rowHere(
  ledger: LedgerReader,
  batch: Batch,
  doubt: Doubt,
): Promise<RowNumber | undefined> {
  if (doubt.batch === batch.id) return doubt.row;
  const rows = await rowsOn({ ledger, batch }, doubt);
  return rows.length === 0 ? undefined : Math.min(...rows);
}

/** The name of another list that has sent the request; undefined for a request of this list. */
async function otherListOf({ ledger, batch }: OfBatch, doubt: Doubt): Promise<string | undefined> {
  const sender = doubt.batch === batch.id ? undefined : await ledger.batch(doubt.batch);
  return sender && sender.inputPath !== batch.inputPath ? listNameOf(sender.inputPath) : undefined;
}

async function rowsOn({ ledger, batch }: OfBatch, { attempt }: Doubt): Promise<readonly RowNumber[]> {
  return (await ledger.rowsRestingOn(attempt)).flatMap((each) => (each.batch === batch.id ? [each.row] : []));
}

/** The decision about each doubt, which the next run of the batch carries out. */
async function decisionsAbout(of: OfBatch, doubts: readonly Doubt[]): Promise<ReadonlyMap<Doubt, Decision>> {
  const { ledger } = of;
  const { id } = of.batch;
  const state = doubts.length === 0 ? 'cancelled' : (await ledger.batch(id))?.state;
  if (state === 'superseded' || state === 'cancelled') return new Map();
  const keys = doubts.map(({ key }) => key);
  const decisions = (await ledger.find(keys, { batch: id })).map(standingDecision);
  return new Map(doubts.flatMap((doubt, at) => (decisions[at] ? [[doubt, decisions[at]]] : [])));
}

// -------------------------------------------------------------------------------------- as programs are told

export const callObject = ({ operation, parameters, project, change }: Call): CallObject => ({
  operation,
  parameters: { ...parameters },
  project: project ?? null,
  subject: change ? subjectWords(change.subject) : null,
});

export const lookObject = ({ kind, said, why, status, body, atMs }: Look): LookObject => ({
  kind,
  said,
  why,
  status,
  body: body.toString('utf8'),
  at: isoTime(atMs),
});

export const decisionObject = ({ kind, by, why, atMs }: Decision): DecisionObject => ({
  kind,
  by,
  why,
  at: isoTime(atMs),
});

const factsOf = ({ call, atRisk, why, sentAtMs }: Doubt) => ({
  ...callObject(call),
  at_stake: call.change?.atStake ?? null,
  credits: atRisk,
  why: sayAll(why, 'terminal'),
  findings: [...why],
  since: isoTime(sentAtMs),
});

const doubtObject = (
  batch: Batch,
  doubt: Doubt,
  row: RowNumber,
  decided: Decision | undefined,
): DoubtObject => ({
  ...factsOf(doubt),
  row,
  account: accountNameIn(batch, doubt),
  own: doubt.batch === batch.id,
  looks: doubt.looks.map(lookObject),
  decision: decided ? decisionObject(decided) : null,
});

/**
 * `in doubt since 2026-11-20T02:13:00.000Z, 1 credit at risk: no answer came (…)`; for a change it says what
 * is at stake.
 * @param batch that of the row. The credits are at risk in the batch that has sent the request.
 */
export function inDoubt(doubt: Doubt, batch: BatchId): Findings {
  const { subject, at_stake: stake, credits, since } = factsOf(doubt);
  const sender = doubt.batch === batch ? undefined : doubt.batch;
  const facts = { since, ...present({ at_stake: stake ?? undefined }) };
  const money = subject === null || credits > 0 ? { credits, ...present({ batch: sender }) } : {};
  return together(finding('in_doubt', { ...facts, ...money }), doubt.why);
}

/**
 * `in doubt since 2026-11-20T02:13:00.000Z, 1 credit at risk: no answer came (…)`.
 * @param state in the place of `in doubt`.
 */
export function doubtWords(
  { subject, at_stake: stake, credits, since, why, sent_for: list }: DoubtObject,
  state: 'in doubt' | 'accepted' | 'in doubt beside its answer' | 'left out, in doubt' = 'in doubt',
): string {
  const where = countedElsewhere([{ credits, ...present({ sent_for: list }) }]);
  const money = (subject === null || credits > 0) && `${counted(credits, 'credit')} at risk${where}`;
  return `${linesOf(`${state} since ${since}`, stake, money).join(', ')}: ${why}`;
}
