import { hash } from 'node:crypto';
import { dialectMark } from '../client/dialect.ts';
import { canonicalJson } from '../core/call-key.ts';
import { StopError, stop } from '../core/errors.ts';
import { present } from '../core/objects.ts';
import type { JsonObject, JsonValue } from '../core/operation.ts';
import { asFlag, faces, phrase, typing } from '../core/phrase.ts';
import { grouped } from '../core/plain-text.ts';
import { stepsOf } from '../core/steps.ts';
import type { MappedInput } from '../files/input.ts';
import type { Job } from '../job/job.ts';
import { jobYaml } from '../job/job-yaml.ts';
import type { Batch, PlannedRow } from '../ledger/ledger.ts';
import { atAnotherPath } from '../walk/corrected-path.ts';
import { accountsOf, type PlanContext } from '../walk/resolved-job.ts';
import { hasBegunBy } from './batch.ts';
import { newestBatch, type PlannedInput } from './batch-key.ts';
import type { RunList } from './context.ts';
import { type Plan, planRows } from './plan.ts';
import { type ChangePlan, hasWork, planOfChanges } from './team/change-plan.ts';

/**
 * A plan has an id. A run with that id does exactly what was planned or does not begin. The id is made from
 * the sources of the plan and from its figures. So a plan that changed can say by how much, and the plan that
 * was shown need not be kept.
 */

/** How many hex digits stand for each source of a plan. No one chooses them, so 48 bits are enough. */
const HEX_DIGITS = 12;

/** The sources of a plan, in the order of the id, each with the words for a change of it. */
const SOURCES = [
  'the file has changed',
  'the job has changed',
  'the account or its dialect has changed',
  'the changes in the service are not the same',
  'a batch of this file has ended, or was paused',
  'other rows are asked',
];

/**
 * The figures of a plan, in the order of the id. Figures that are only expected change with every answer, and
 * are left out.
 */
const FIGURES: readonly (readonly [name: string, of: (plan: Plan) => number])[] = [
  ['rows', ({ rows }) => rows],
  ['invalid rows', ({ invalid }) => invalid],
  ['duplicates', ({ duplicates }) => duplicates],
  ['rows bought before', (plan) => plan.bought_before],
  ['rows in doubt', (plan) => plan.in_doubt],
  ['rows to buy', (plan) => plan.to_buy],
  ['credits at most', ({ credits }) => credits.most],
];

const ID = new RegExp(
  `^[0-9a-f]{${HEX_DIGITS}}(-[0-9a-f]{${HEX_DIGITS}}){${SOURCES.length - 1}}(-\\d{1,15}){${FIGURES.length}}$`,
);

/**
 * The id of a plan. It stays the same as long as nothing changes on which the plan depends. `batch` is the
 * newest batch of the planned list; undefined when there is none yet.
 */
export async function identifyPlan(
  context: PlanContext,
  input: PlannedInput,
  plan: Plan,
  changes: ChangePlan | undefined,
): Promise<{ readonly id: string; readonly batch: Batch | undefined }> {
  const { job, refresh = false } = context;
  const sha256 = input.survey?.sha256 ?? (await input.file.sha256());
  const batch = await asRunFinds(context, await newestBatch(context, input));
  const sources: readonly JsonValue[] = [
    sha256,
    [jobYaml(askedJob(job, input.columns.columns)), refresh],
    askedIn(context),
    changes?.planned.map(comparedText) ?? [],
    // A finished batch is not begun again with the id with which it began, however alike the plans are. A
    // start that waits for the night was agreed to before a person paused the batch, and must not let it go
    // on.
    batch?.state === 'finished' ? batch.id : (batch?.pausedSinceMs ?? null),
    rowsIn(context),
  ];
  const digests = sources.map(digestOf);
  return { id: [...digests, ...FIGURES.map(([, of]) => of(plan))].join('-'), batch };
}

/** A finished batch is open again where its rows ended by answers that the run takes back. */
async function asRunFinds(context: PlanContext, batch: Batch | undefined): Promise<Batch | undefined> {
  const { ledger } = context;
  if (ledger === undefined || batch?.state !== 'finished') return batch;
  const wrong = await Promise.all(accountsOf(context).map(({ account }) => atAnotherPath(account, ledger)));
  const again = await ledger.batchesUsing(wrong.flatMap((each) => each?.answers ?? []));
  return again.includes(batch.id) ? { ...batch, state: 'open' } : batch;
}

const digestOf = (source: JsonValue): string =>
  hash('sha256', canonicalJson(source), 'hex').slice(0, HEX_DIGITS);

/** The rows and the step that a person names; the first rows and a sample are parts of one plan. */
const rowsIn = ({ only, step }: PlanContext): JsonValue =>
  step === undefined ? (only ?? null) : [only ?? null, step];

/**
 * The part of a change row that a comparison of plans counts. It leaves out the order of the row's names,
 * because a store may change that, and the work of a row for which nothing is sent.
 */
function comparedText(row: PlannedRow): string {
  const { work, ...rest } = JSON.parse(JSON.stringify(row)) as JsonObject;
  return canonicalJson(rest.kind === 'work' ? { ...rest, ...present({ work }) } : rest);
}

/** The accounts with their dialects, and the steps that ask them. */
function askedIn(context: PlanContext): readonly JsonValue[] {
  const { job, further } = context;
  const accounts = accountsOf(context).flatMap(({ account, dialect }) => [
    account.identity,
    dialectMark(dialect),
  ]);
  if (further.length === 0) return accounts;
  const steps = stepsOf(job.operation).map(({ askedOperations = [] }) =>
    askedOperations.map(({ account }) => account),
  );
  return [...accounts, steps];
}

/**
 * The job, reduced to what it asks. The account counts by its identity, and a budget may differ from run to
 * run.
 */
function askedJob(job: Job, columns: MappedInput['columns']['columns']): Job {
  const { budget: _budget, steps: _steps, ...askedSettings } = job;
  return { ...askedSettings, columns };
}

/**
 * The differences between two plans, as clauses such as `rows to buy 40 → 38`. Figures that follow from
 * another file say by how much.
 */
function movesBetween(before: string, now: string): readonly string[] {
  const was = before.split('-');
  const is = now.split('-');
  const sources = SOURCES.filter((_, at) => was[at] !== is[at]);
  const figures = FIGURES.flatMap(([name], index) => {
    const [from, to] = [was, is].map((parts) => Number(parts[SOURCES.length + index]));
    return from === to ? [] : [`${name} ${grouped(from ?? 0)} → ${grouped(to ?? 0)}`];
  });
  return [...sources, ...figures];
}

/**
 * Requires that the plan of this run has the id to which the user agreed. A batch that began with this id
 * passes as long as it is open, and afterwards when nothing is left to do, so the same id twice is the same
 * batch. A user who agreed to the plan of some rows has not agreed to the others.
 * @throws StopError `plan` with the differences and the id of the plan as it is now.
 */
export async function requirePlanId(list: RunList, changes?: ChangePlan): Promise<void> {
  const { context, input } = list;
  const { existing } = list.names;
  const { planId, account } = context;
  if (planId === undefined) return;
  if (!ID.test(planId))
    throw stop(
      'usage',
      phrase`${faces(asFlag('--plan', planId), planId)} is not the id of a plan.`,
      phrase`Give the id that is shown with the
        plan${typing`: plan prints it, and ${asFlag('--plan')} takes no file`}.`,
    );
  const isSamePart = planId.split('-')[SOURCES.length - 1] === digestOf(rowsIn(context));
  const isBegun = isSamePart && hasBegunBy(existing, planId);
  if (isBegun && existing?.state === 'open' && existing.pausedSinceMs === undefined) return;
  const plan = changes === undefined ? await planRows(context, input) : planOfChanges(changes, account);
  const isDone = changes === undefined ? plan.to_buy === 0 : !hasWork(changes);
  if (isBegun && isDone) return;
  const { id: now } = await identifyPlan(context, input, plan, changes);
  if (now === planId) return; // rule 19
  throw new StopError({
    code: 'plan',
    message: `The plan has changed, so nothing was started: ${movesBetween(planId, now).join('; ')}.`,
    next: phrase`Look at the plan again${typing`; to start it as it is now, use ${asFlag('--plan', now)}`}.`,
    plan: now,
  });
}
