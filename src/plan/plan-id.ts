import { hash } from 'node:crypto';
import { dialectMark } from '../client/dialect.ts';
import { canonicalJson } from '../core/call-key.ts';
import { StopError, stop } from '../core/errors.ts';
import { present } from '../core/objects.ts';
import type { JsonObject, JsonValue } from '../core/operation.ts';
import { grouped } from '../core/plain-text.ts';
import type { MappedInput } from '../files/input.ts';
import type { Job } from '../job/job.ts';
import { jobYaml } from '../job/job-yaml.ts';
import type { Batch, PlannedRow } from '../ledger/ledger.ts';
import { hasBegunBy } from './batch.ts';
import { type BatchPlace, newestBatch, type PlannedInput } from './batch-key.ts';
import type { RunContext } from './context.ts';
import { type Plan, planRows } from './plan.ts';
import type { PlanContext } from './row-walk.ts';
import { type ChangePlan, hasWork, planOfChanges } from './team/change-plan.ts';

/**
 * A plan has an id, by which a run does what was planned or does not begin. It is made of what the plan was
 * made from, and of its figures. So a plan that moved says by how much, and nobody has to keep the plan that
 * was shown.
 */

/**
 * How many hex digits stand for each thing that a plan was made from. No one chooses them, so 48 bits are
 * enough.
 */
const HEX_DIGITS = 12;

/** What a plan was made from, in the order of the id, with the fact when it is another. */
const SOURCES = [
  'the file has changed',
  'the job has changed',
  'the account or its dialect has changed',
  'the changes in the service are not the same',
  'a batch of this file has ended, or was paused',
];

/**
 * The figures of a plan, in the order of the id. What is only expected moves with every answer, and is left
 * out.
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
 * The id of a plan: it is the same as long as nothing moves that the plan depends on. `batch` is the newest
 * of what is planned; undefined when there is none yet.
 */
export async function identifyPlan(
  context: PlanContext,
  input: PlannedInput,
  plan: Plan,
  changes: ChangePlan | undefined,
): Promise<{ readonly id: string; readonly batch: Batch | undefined }> {
  const { job, account, dialect, refresh = false } = context;
  const sha256 = input.survey?.sha256 ?? (await input.file.sha256());
  const batch = await newestBatch(context, input);
  const sources: readonly JsonValue[] = [
    sha256,
    [jobYaml(askedJob(job, input.columns.columns)), refresh],
    [account.identity, dialectMark(dialect)],
    changes?.planned.map(comparedText) ?? [],
    // A batch that is over is not begun again by the id that it was begun by, however alike the plans are. A
    // start that waits for the night was agreed to before somebody paused the batch, and must not let it go
    // on.
    batch?.state === 'finished' ? batch.id : (batch?.pausedSinceMs ?? null),
  ];
  const digests = sources.map((each) => hash('sha256', canonicalJson(each), 'hex').slice(0, HEX_DIGITS));
  return { id: [...digests, ...FIGURES.map(([, of]) => of(plan))].join('-'), batch };
}

/**
 * What a row of a change counts by. The order of its names does not, because a store may change it, nor does
 * the work of a row for which nothing is sent.
 */
function comparedText(row: PlannedRow): string {
  const { work, ...rest } = JSON.parse(JSON.stringify(row)) as JsonObject;
  return canonicalJson(rest.kind === 'work' ? { ...rest, ...present({ work }) } : rest);
}

/** The job by what it asks. The account counts by its identity, and a budget may differ from run to run. */
function askedJob(job: Job, columns: MappedInput['columns']['columns']): Job {
  const { account: _account, budget: _budget, ...asked } = job;
  return { ...asked, columns };
}

/**
 * What moved between two plans, as clauses such as `rows to buy 40 → 38`. Figures that follow from another
 * file say by how much.
 */
function movesBetween(before: string, now: string): readonly string[] {
  const [was, is] = [before.split('-'), now.split('-')];
  const sources = SOURCES.filter((_, at) => was[at] !== is[at]);
  const figures = FIGURES.flatMap(([name], index) => {
    const [from, to] = [was, is].map((parts) => Number(parts[SOURCES.length + index]));
    return from === to ? [] : [`${name} ${grouped(from ?? 0)} → ${grouped(to ?? 0)}`];
  });
  return [...sources, ...figures];
}

function isPlanId(text: string): boolean {
  return ID.test(text);
}

/**
 * Requires that the plan of this run is the one with the id that the user agreed to. A batch that began by it
 * passes for as long as it is open, and afterwards when nothing is left to do, so the same id twice is the
 * same batch.
 * @throws StopError `plan` with what moved and the id of the plan as it is now.
 */
export async function requirePlanId(
  context: RunContext,
  input: MappedInput,
  { existing }: BatchPlace,
  changes?: ChangePlan,
): Promise<void> {
  const { planId, account } = context;
  if (planId === undefined) return;
  if (!isPlanId(planId))
    throw stop(
      'usage',
      `--plan ${planId} is not the id of a plan.`,
      'plan prints the id, and --plan takes no file.',
    );
  const isBegun = hasBegunBy(existing, planId);
  if (isBegun && existing?.state === 'open' && existing.pausedSinceMs === undefined) return;
  const plan = changes === undefined ? await planRows(context, input) : planOfChanges(changes, account);
  const isDone = changes === undefined ? plan.to_buy === 0 : !hasWork(changes);
  if (isBegun && isDone) return;
  const { id: now } = await identifyPlan(context, input, plan, changes);
  if (now === planId) return;
  throw new StopError({
    code: 'plan',
    message: `The plan has changed, so nothing was started: ${movesBetween(planId, now).join('; ')}.`,
    next: `Look at the plan again; to start it as it is now, use --plan ${now}.`,
    plan: now,
  });
}
