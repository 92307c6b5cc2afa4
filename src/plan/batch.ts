import { resolve } from 'node:path';
import { dialectMark } from '../client/dialect.ts';
import { type Judgment, readToday } from '../client/kept-answers.ts';
import { type AnswerPlace, withoutKinds } from '../core/answer-body.ts';
import { APART_MS, isoTime } from '../core/clock.ts';
import { rowsIn } from '../core/counts.ts';
import { valueWords } from '../core/finding-words.ts';
import { present } from '../core/objects.ts';
import type { JsonObject } from '../core/operation.ts';
import { counted, linesOf, listed } from '../core/plain-text.ts';
import type { RowNumber } from '../core/row.ts';
import { guessedHow, guessWords } from '../files/columns/columns.ts';
import type { MappedInput, OpenedInput } from '../files/input.ts';
import { interruptedChanges } from '../files/output/changes-done.ts';
import { NO_SHARED_HOSTS } from '../files/quality/shared-hosts.ts';
import { jobSettings, settingsKept } from '../job/job-settings.ts';
import {
  type Batch,
  type BatchId,
  type BatchSpec,
  type BatchStart,
  credits,
  type FreshSince,
  type LedgerReader,
  type RowRecord,
} from '../ledger/ledger.ts';
import { crashPoint } from '../lib/faults.ts';
import type { RereadObject } from '../objects/plan-object.ts';
import { askedAnew, endsOpenBatch } from '../walk/asked-anew.ts';
import { freshSinceOf, hasGoneStale, startMsOf } from '../walk/known-calls.ts';
import {
  type AskedAccount,
  accountsOf,
  answerPlaceIn,
  type PlanContext,
  type ResolvedJob,
} from '../walk/resolved-job.ts';
import { toldApartSettings } from '../walk/told-apart.ts';
import { newestBatch, type PlannedInput } from './batch-key.ts';
import type { Consent, RunContext, RunList } from './context.ts';
import { type Listener, planRows, pricingOf, worstCredits } from './plan.ts';
import { hostSettings, takesAside } from './shared-hosts.ts';
import { type ChangePlan, hasWork } from './team/change-plan.ts';

interface BatchOptions {
  /**
   * The plan of a job that changes the service. A new batch keeps it. If the plan has work, a finished list
   * gets a new batch.
   */
  readonly plan: ChangePlan | undefined;
  /** The part of the output's name that the batch keeps. */
  readonly outputName: string | undefined;
  readonly isOfOther: boolean;
  /**
   * Whether a new batch follows a finished one and settles its rows again, by today's reading of their
   * answers.
   */
  readonly anew: boolean;
  /** What the run may do. A batch that resumes with the same dialect keeps the agreement to buy again. */
  readonly consent: Consent;
}

/** Starts or resumes the batch of this input, and updates the settings that may differ from run to run. */
export async function startBatch(list: RunList, options: BatchOptions): Promise<Batch> {
  const { context } = list;
  const { ledger, job } = context;
  const { plan, anew, consent } = options;
  const spec = specOf(list, options);
  const { existing } = list.names;
  const takes = takesAside(context.accept, existing);
  // The rows that were set aside have ended in this batch, so another one asks them.
  if (takes && existing?.state === 'open') {
    await ledger.changeBatch(existing.id, { state: 'superseded' });
    const message = `Batch ${existing.id} ends, and its rows that were set aside are asked in the next one`;
    context.emit({
      kind: 'note',
      message: `${message}: what it bought is kept, and the budget counts anew.`,
    });
  }
  // What was begun for other rows ends, and what it has left to ask waits in the next one.
  if (existing !== undefined && endsOpenBatch(context, existing))
    await ledger.changeBatch(existing.id, { state: 'superseded' });
  const isStale = anew || takes || (await isOutdated(list, spec.freshSince, plan));
  const start = await ledger.beginBatch(spec, isStale, plan?.planned);
  const ownSettings = start.start === 'new' ? spec.settings : asBegun(spec.settings, start.batch);
  const agreed = accountsOf(context).filter((by) => consent.buysAgain || mayBuyAgain(start.batch, by));
  const settings = {
    ...ownSettings,
    // A batch that goes on asks anew what it was begun for.
    ...(start.start === 'new' ? {} : { asked_anew: start.batch.settings.asked_anew }),
    ...plansOf(start.batch, context.planId),
    ...(agreed.length > 0 && {
      [BUYS_AGAIN]: Object.fromEntries(agreed.map((by) => [by.account.identity, dialectMark(by.dialect)])),
    }),
  };
  await ledger.changeBatch(start.batch.id, {
    settings,
    ...present({ budget: consent.budget }),
    shares: Object.fromEntries(
      accountsOf(context).map(({ account: { identity, name } }) => [
        identity,
        job.budget?.accounts?.[name] ?? null,
      ]),
    ),
    ...(typeof job.in_doubt === 'object'
      ? { extraCredits: credits(Math.max(job.in_doubt.retry.extra_credits, start.batch.extraByPerson ?? 0)) }
      : {}),
  });
  crashPoint('batch-created');
  await endPause(context, start.batch);
  await announce(list, start, plan !== undefined);
  return datedByNow(context, { ...start.batch, settings });
}

/** A batch of an earlier build shows what stood in the place of a value, as its rows were finished by it. */
function asBegun({ by_kind: _, ...settings }: JsonObject, begun: Batch): JsonObject {
  if (settingsKept(begun.settings).by_kind === true) return { ...settings, by_kind: true };
  const { answer_at: at = {} } = settings;
  return { ...settings, answer_at: withoutKinds(at as AnswerPlace) as JsonObject };
}

/** The places of the fields in the answers of the job's accounts, as the batch reads them. */
export function placeInBatch(resolved: ResolvedJob, { settings }: Pick<Batch, 'settings'>): AnswerPlace {
  const place = answerPlaceIn(resolved);
  return settingsKept(settings).by_kind === true ? place : withoutKinds(place);
}

/**
 * Whether a person has agreed that the batch buys again the calls of the account with answers that this
 * dialect does not accept. With another dialect these may be other calls.
 */
export function mayBuyAgain(batch: Pick<Batch, 'settings'>, by: AskedAccount): boolean {
  const marks = batch.settings[BUYS_AGAIN] as JsonObject | undefined;
  return marks?.[by.account.identity] === dialectMark(by.dialect);
}

/** The mark of the dialect of each account for which a person has agreed. */
const BUYS_AGAIN = 'buysAgain';

/**
 * The ids of the plans with which the batch was begun or continued. A batch that was sampled first has two.
 */
function plansOf({ settings }: Pick<Batch, 'settings'>, planId: string | undefined): JsonObject {
  const plans = begunBy(settings);
  const all = planId === undefined || plans.includes(planId) ? plans : [...plans, planId].slice(-MOST_PLANS);
  return all.length === 0 ? {} : { [PLANS]: all };
}

const PLANS = 'plans';
const MOST_PLANS = 20;

function begunBy(settings: JsonObject): readonly string[] {
  const plans = settings[PLANS];
  return Array.isArray(plans) ? plans.filter((plan) => typeof plan === 'string') : [];
}

export function hasBegunBy(batch: Pick<Batch, 'settings'> | undefined, plan: string): boolean {
  return batch !== undefined && begunBy(batch.settings).includes(plan);
}

/** Lets a paused batch go on, because a person runs it: sweeps leave it out. */
async function endPause({ ledger, clock, emit }: RunContext, { id, pausedSinceMs }: Batch): Promise<void> {
  if (pausedSinceMs === undefined) return;
  await ledger.setPaused(id, false, clock.wallMs());
  emit({ kind: 'note', message: `Batch ${id} was paused, and continues now.` });
}

/**
 * The batch without its cut-offs when it began in the future. Its clock was wrong then, so an answer that it
 * takes for too old may have been bought yesterday. The database refuses to buy such answers anew.
 */
function datedByNow({ clock, emit }: RunContext, batch: Batch): Batch {
  const { freshSince, ...undated } = batch;
  if (freshSince === undefined || batch.createdAtMs - clock.wallMs() <= APART_MS) return batch;
  const message =
    `The clock was wrong when this batch began (it said ${isoTime(batch.createdAtMs)}), ` +
    'so the batch takes nothing as too old.';
  emit({ kind: 'note', message });
  return undated;
}

/**
 * Whether a new batch begins in the place of a finished one. A decision about a doubt comes first, however
 * old the other answers are, except in a run that buys everything anew.
 */
async function isOutdated(list: RunList, freshSince?: FreshSince, plan?: ChangePlan): Promise<boolean> {
  const { ledger, job, refresh } = list.context;
  const { existing } = list.names;
  if (!hasMoved(job, plan) && !(await hasGoneStale(ledger, existing, freshSince))) return false;
  return refresh === true || !(await isDecided(ledger, existing));
}

/**
 * Whether the job describes a wanted state, and the service differs from that state or from the outcomes of
 * the finished batch. In the second case nothing may need to be sent, and a new batch reports the present
 * state.
 */
function hasMoved({ operation }: RunContext['job'], plan: ChangePlan | undefined): boolean {
  return (
    operation.change?.isState === true && plan !== undefined && (hasWork(plan) || plan.isOutdated === true)
  );
}

/**
 * Whether a person has decided about a doubt of the existing batch. Only that batch can carry the decision
 * out, so it is resumed before a new one begins.
 */
async function isDecided(ledger: LedgerReader, existing: Batch | undefined): Promise<boolean> {
  if (existing === undefined) return false;
  const keys = (await ledger.doubts(existing.id)).map((doubt) => doubt.key);
  const states = await ledger.find(keys, { batch: existing.id });
  return states.some((state) => state.kind === 'in_doubt' && state.decision !== undefined);
}

/**
 * Whether the newest run of the batch was for a part of its rows only, so that no one has agreed to the rest
 * yet.
 */
export function isPartial({ settings }: Pick<Batch, 'settings'>): boolean {
  return settings.partial !== undefined;
}

/** What a batch has of its list and job, whether or not it is begun. */
type OfSpec = Pick<
  RunContext,
  'account' | 'dialect' | 'further' | 'job' | 'clock' | 'shared' | 'named' | 'apart'
> &
  Partial<
    Pick<RunContext, 'output' | 'refresh' | 'limit' | 'only' | 'step' | 'sample' | 'isSweep' | 'accept'>
  >;

/**
 * A batch as a start would begin it, to show its table before. It has no key, and the ledger never gets it.
 */
export const specAhead = (
  context: OfSpec,
  { path, columns, sheet, read }: OpenedInput,
  header: readonly string[],
): BatchSpec =>
  specOf(
    {
      context,
      input: { path, columns, sheet, read, survey: { sha256: '', header, rows: 0 } },
      names: { key: '', lineage: '', existing: undefined },
    },
    { plan: undefined, outputName: undefined, isOfOther: false },
  );

function specOf(
  {
    context,
    input,
    names,
  }: Pick<RunList, 'names'> & {
    readonly context: OfSpec;
    readonly input: Pick<MappedInput, 'path' | 'columns' | 'sheet' | 'read' | 'survey'>;
  },
  options: Pick<BatchOptions, 'plan' | 'outputName' | 'isOfOther'>,
): BatchSpec {
  const { plan, outputName, isOfOther } = options;
  const { account, job, clock, output } = context;
  const startMs = clock.wallMs();
  // A change is never answered from an older one, so none of its answers can be too old.
  const isRead = job.operation.change === undefined;
  const freshSince = isRead ? freshSinceOf(job, context.refresh === true, startMs) : undefined;
  const partial = present({
    limit: context.limit,
    only: context.only,
    step: context.step,
    sample: context.sample,
  });
  return {
    key: names.key,
    lineage: names.lineage,
    accountIdentity: account.identity,
    accountName: account.name,
    accounts: accountsOf(context).map((askedAccount) => ({
      identity: askedAccount.account.identity,
      name: askedAccount.account.name,
    })),
    sandbox: account.sandbox,
    vendor: account.vendor,
    operation: job.operation.name,
    inputPath: input.path,
    inputSha256: input.survey.sha256,
    header: input.survey.header,
    inputRows: input.survey.rows,
    settings: {
      ...jobSettings(job, {
        columns: input.columns.columns,
        nullNames: input.columns.nullNames,
        answerPlace: answerPlaceIn(context),
        outputName,
        isOfOther,
        layout: input.sheet.layout,
        read: input.read,
        outputPath: typeof output === 'string' ? resolve(output) : undefined,
      }),
      by_kind: true,
      ...(Object.keys(partial).length > 0 ? { partial } : {}),
      ...present({ asked_anew: isRead ? askedAnew(context) : undefined }),
      ...(context.isSweep === true ? { swept: true } : {}),
      ...hostSettings(
        { aside: context.shared ?? NO_SHARED_HOSTS, named: context.named ?? NO_SHARED_HOSTS },
        context.accept,
        names.existing,
      ),
      ...toldApartSettings(context.apart),
    },
    createdAtMs: startMs,
    ...present({ freshSince }),
    ...(plan === undefined || plan.rowsBeyond === 0 ? {} : { rowsBeyond: plan.rowsBeyond }),
  };
}

async function announce({ context, input }: RunList, begun: BatchStart, isChange: boolean): Promise<void> {
  const { ledger, account, emit, refresh, newStore } = context;
  const { batch, start, superseded } = begun;
  const note = (message: string): void => emit({ kind: 'note', message });
  const counts = await ledger.counts(batch.id);
  if (newStore !== undefined) note(`The store ${newStore.path} is new, so nothing is known as bought.`);
  emit({
    kind: 'batch',
    batch: batch.id,
    rows: batch.inputRows,
    ...present({ rowsBeyond: batch.rowsBeyond }),
    ...(isChange && { isChange }),
    // Later runs look at a row in doubt again.
    settled: rowsIn(counts) - (counts.in_doubt ?? 0),
    inDoubt: counts.in_doubt ?? 0,
    resumed: start !== 'new',
  });
  for (const old of superseded) {
    note(`The file has changed: batch ${old} ends; what it bought is kept, and the budget counts anew.`);
    for (const line of await interruptedChanges(ledger, { id: old, accountIdentity: account.identity }))
      note(line);
  }
  if (refresh === true && start === 'resumed')
    note('This batch was unfinished and continues as it began; --refresh works once it is finished.');
  for (const each of readingNotes(input)) note(each);
}

function readingNotes({ columns, sheet }: MappedInput): readonly string[] {
  const guessed = `Columns, ${guessedHow(columns)}: ${guessWords(columns)}.`;
  return linesOf(sheet.notes, columns.guessed && guessed, columns.note);
}

export function rowsOf({ inputRows, rowsBeyond = 0 }: Batch): number {
  return inputRows + rowsBeyond;
}

/**
 * Closes the batch when every row has an outcome. A row in doubt counts, because later runs look at it again
 * in a closed batch, too. A batch that was wanted only in part stays open for the other rows.
 */
export async function closeIfFinished({ ledger }: RunContext, batch: Batch): Promise<void> {
  const settled = rowsIn(await ledger.counts(batch.id));
  if (settled === rowsOf(batch))
    await ledger.changeBatch(batch.id, { state: 'finished' }); // rule 14e
  else if (isPartial(batch)) {
    const { partial = {} } = batch.settings;
    await ledger.changeBatch(batch.id, { settings: { ...batch.settings, partial: {}, part_done: partial } });
  }
}

/**
 * Finds the rows of a file's finished batch that today's dialect would settle differently, and the rows that
 * wait for a call to be bought again. Undefined when the file has no finished batch, or when there is no such
 * row.
 */
export async function rereadOf(context: PlanContext, input: PlannedInput): Promise<RereadObject | undefined> {
  const { ledger, job, refresh = false } = context;
  // A run with --refresh buys all answers anew and settles their rows with today's dialect anyway.
  if (ledger === undefined || job.operation.change !== undefined || refresh) return undefined;
  const batch = await newestBatch(context, input);
  if (batch?.state !== 'finished') return undefined;
  const freshSince = freshSinceOf(job, false, await startMsOf(context, ledger));
  // A run begins a new batch anyway where that one would have other answers.
  if (await hasGoneStale(ledger, batch, freshSince)) return undefined;
  const { rows, waiting, by } = await rowsReadOtherwise(ledger, batch.id, accountsOf(context));
  if (rows.size === 0 && waiting.size === 0 && settingsKept(batch.settings).by_kind === true)
    return undefined;
  const pricing = await pricingOf(context);
  let [most, otherwise] = [0, 0];
  const listen: Listener = (classification) => {
    if (classification.kind !== 'to_buy') return;
    const { row, remainingSteps } = classification;
    if (waiting.has(row) && remainingSteps.some(({ anew }) => anew === 'unanswered')) rows.add(row);
    if (remainingSteps.some(({ anew }) => anew === 'asked_otherwise')) {
      rows.add(row);
      otherwise += 1;
    }
    if (rows.has(row)) for (const each of remainingSteps) most += worstCredits(pricing, each);
  };
  await planRows({ ...context, only: undefined }, input, () => listen);
  if (rows.size === 0) return undefined;
  const foundBy = [...by]
    .map(([value, of]) => ({ value, rows: of.size }))
    .toSorted((one, other) => other.rows - one.rows);
  return {
    batch: batch.id,
    rows: rows.size,
    most,
    ...(foundBy.length > 0 && { found_by: foundBy }),
    ...(otherwise > 0 && { asked_otherwise: otherwise }),
  };
}

/**
 * @returns the rows that would be judged otherwise, and the rows in doubt, which may wait for a
 *   call to be bought again. Of the rows that would no longer be found: how many by each field.
 */
async function rowsReadOtherwise(ledger: LedgerReader, batch: BatchId, accounts: readonly AskedAccount[]) {
  const [rows, waiting] = [new Set<RowNumber>(), new Set<RowNumber>()];
  const by = new Map<string, Set<RowNumber>>();
  const note = (row: RowNumber, { why }: Judgment): void => {
    rows.add(row);
    for (const { code, facts } of why) {
      if (code !== 'none_of_its_kind') continue;
      const value = valueWords(facts.value);
      by.set(value, (by.get(value) ?? new Set()).add(row));
    }
  };
  for (const askedAccount of accounts) {
    const { account, dialect } = askedAccount;
    for await (const record of ledger.rowsReadOtherwise(batch, account.identity, dialectMark(dialect))) {
      if (record.outcome.kind === 'in_doubt') waiting.add(record.row);
      else for (const judged of await readOtherwise(ledger, record, askedAccount)) note(record.row, judged);
    }
  }
  return { rows, waiting, by };
}

/** What today's dialect reads in the answers of a row that it reads otherwise. */
async function readOtherwise(
  ledger: LedgerReader,
  of: RowRecord,
  by: AskedAccount,
): Promise<readonly Judgment[]> {
  const ownAnswers = of.answers.filter(({ accountIdentity }) => accountIdentity === by.account.identity);
  const records = await ledger.attempts(ownAnswers.map(({ attempt }) => attempt));
  return records.flatMap((record, at) => {
    const judged = readToday(record, by.dialect);
    return judged !== undefined && judged.answer !== ownAnswers[at]?.kind ? [judged] : [];
  });
}

const VALUES_NAMED = 3;

const foundByWords = ({ value, rows }: { readonly value: string; readonly rows: number }): string =>
  `${counted(rows, 'row')} ${rows === 1 ? 'was' : 'were'} found by ${value}`;

export const otherwiseWords = (rows: number): string =>
  `${counted(rows, 'row')} ${rows === 1 ? 'is' : 'are'} asked by another address or name than before`;

/** `3 rows of batch 1a2b3c4d were settled by answers that today's dialect reads differently; …` */
export function rereadWords({
  batch,
  rows,
  most,
  found_by: by = [],
  asked_otherwise: otherwise = 0,
}: RereadObject): string {
  const named = by.length === 0 ? '' : `: ${listed(by.slice(0, VALUES_NAMED).map(foundByWords))}`;
  const judged = rows - otherwise;
  const fact = linesOf(
    judged > 0 &&
      `${counted(judged, 'row')} of batch ${batch} ${judged === 1 ? 'was' : 'were'} settled by answers that ` +
        `today's dialect reads differently${named}`,
    otherwise > 0 && `${otherwiseWords(otherwise)}${judged > 0 ? '' : `, in batch ${batch}`}`,
  ).join('; ');
  const cost = most === 0 ? 'nothing' : `at most ${counted(most, 'credit')}`;
  return `${fact}; to settle ${rows === 1 ? 'it' : 'them'} again costs ${cost}.`;
}
