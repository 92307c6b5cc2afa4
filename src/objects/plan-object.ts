import { z } from 'zod';
import { METHODS } from '../core/operation.ts';
import type { Plan } from '../plan/plan.ts';
import type { GuardProblem } from '../plan/team/change-guards.ts';
import type { ChangePlan, Leaver, PlannedChange } from '../plan/team/change-plan.ts';
import { isHeldBack } from '../plan/team/diff-words.ts';
import type { PlannedJob } from '../run/tasks/plan-job.ts';
import type { UndoPlan } from '../run/tasks/undo.ts';
import { DamageObject, ofRows, sheets } from './list-object.ts';
import { membersOf, noun } from './noun.ts';
import { NotUndoneObject } from './run-object.ts';

/** What a job would buy with a list, or change. */

const change = membersOf<PlannedChange>();
/** One change of a plan; a row may have two. */
export const PlannedChangeObject = noun({
  row: change(z.number(), ({ row }) => row),
  action: change(z.string(), ({ action }) => action),
  email: change(z.string().nullable(), ({ email = null }) => email),
  project: change(z.string().nullable(), ({ project = null }) => project),
  from: change(z.string().nullable(), ({ from = null }) => from),
  to: change(z.string().nullable(), ({ to = null }) => to),
  /** What is sent. */
  calls: change(z.array(z.string()).optional(), ({ calls }) => (calls.length === 0 ? undefined : calls)),
  /** Why nothing is sent. */
  reason: change(z.string().optional(), ({ reason }) => reason),
  /** What the list or the service says otherwise than the ledger. */
  note: change(z.string().optional(), ({ note }) => note),
  /** Whether it is about a person whom the list does not name. */
  beyond: change(z.boolean().optional(), ({ beyond }) => beyond),
});
export type PlannedChangeObject = z.infer<typeof PlannedChangeObject>;

interface Changes {
  /** Undefined for a job that only reads. */
  readonly change?: { readonly plan: ChangePlan; readonly guards: readonly GuardProblem[] } | undefined;
}

const changes = membersOf<Changes>();
/** The changes of a plan that has rows beyond the list. */
const ofMissing = ({ change: of }: Changes) => (of && of.plan.rowsBeyond > 0 ? of.plan.changes : undefined);
const isRemoved = ({ beyond, action }: PlannedChange): boolean => beyond === true && action === 'remove';
const leaver = membersOf<Leaver>();
const LeaverObject = noun({
  email: leaver(z.string(), ({ email }) => email),
  project: leaver(z.string(), ({ project }) => project),
  role: leaver(z.string().nullable(), ({ role = null }) => role),
});

const guard = z.object({ fact: z.string(), allow: z.string() });
const ofChanges = {
  /** People who are removed because the list does not name them, and who are not. */
  removed: changes(z.number().optional(), (of) => ofMissing(of)?.filter(isRemoved).length),
  held_back: changes(z.number().optional(), (of) => ofMissing(of)?.filter(isHeldBack).length),
  changes: changes(z.array(PlannedChangeObject).optional(), (of) =>
    of.change?.plan.changes.map(PlannedChangeObject.of),
  ),
  /** People whom the list does not name and who stay. */
  leavers: changes(z.array(LeaverObject).optional(), (of) => of.change?.plan.leavers.map(LeaverObject.of)),
  /** What would hold a run back. */
  guards: changes(z.array(guard).optional(), (of) =>
    of.change?.guards.map(({ fact, allow }) => ({ fact, allow })),
  ),
};

const part = z.object({ rows: z.number(), credits: z.number() });
const reason = membersOf<Plan['reasons'][number]>();
const ReasonObject = noun({ reason: reason(z.string(), (of) => of.reason), ...ofRows });

const plan = membersOf<Plan>();
/** Each row of the list is counted once. */
export const PlanFigures = noun({
  rows: plan(z.number(), ({ rows }) => rows),
  invalid: plan(z.number(), ({ invalid }) => invalid),
  duplicates: plan(z.number(), ({ duplicates }) => duplicates),
  bought_before: plan(z.number(), ({ boughtBefore }) => boughtBefore),
  in_doubt: plan(z.number(), ({ inDoubt }) => inDoubt),
  to_buy: plan(z.number(), ({ toBuy }) => toBuy),
  /** Of these, rows whose answers are too old. */
  too_old: plan(z.number().optional(), ({ tooOld }) => tooOld),
  /** Of these, rows whose answer is none today. */
  unanswered: plan(part.optional(), ({ unanswered: of }) => of && { rows: of.rows, credits: of.most }),
  /** Rows in doubt whose calls a run may send again. */
  sent_again: plan(part.optional(), ({ again: of }) => of && { rows: of.rows, credits: of.most }),
  credits: plan(z.object({ most: z.number(), expected: z.number() }), ({ credits }) => credits),
  /** Null while the account has no limit. */
  seconds: plan(z.number().nullable(), ({ seconds = null }) => seconds),
  /** Why rows are invalid, the most frequent reason first. */
  reasons: plan(z.array(ReasonObject).optional(), ({ reasons }) =>
    reasons.length === 0 ? undefined : reasons.map(ReasonObject.of),
  ),
});

const used = membersOf<{ readonly input: string; readonly column: string }>();
const JobDamageObject = noun({
  input: used(z.string(), ({ input }) => input),
  column: used(z.string(), ({ column }) => column),
  ...DamageObject.members,
});

const RequestObject = z.object({
  /** The entry of the dialect. */
  name: z.string(),
  method: z.enum(METHODS),
  url: z.string(),
  /** The service that sends it on. */
  through: z.string().optional(),
});

/** What a person agrees to once: what a dialect sends. */
export const AgreementView = z.object({
  agreement: z.string(),
  /** A clause that says what is unusual. */
  fact: z.string(),
  /** Each detail, as one line. */
  details: z.array(z.string()),
});
export type AgreementView = z.infer<typeof AgreementView>;

const RereadObject = z.object({
  batch: z.string(),
  rows: z.number(),
  /** The most credits that it costs to settle them again. */
  most: z.number(),
});

const planned = membersOf<PlannedJob>();
const byName = z.record(z.string(), z.string());
/** What `plan JOB FILE` prints. */
export const PlanObject = noun({
  id: planned(z.string(), ({ id }) => id),
  /** The open batch with which a run goes on. */
  unfinished: planned(z.string().optional(), ({ unfinished }) => unfinished),
  /** Input ← column. */
  columns: planned(byName, ({ input }) => input.columns.columns),
  /** Why, of those that were guessed. */
  because: planned(byName.optional(), ({ input: { columns } }) =>
    columns.because.size === 0 ? undefined : Object.fromEntries(columns.because),
  ),
  ...PlanFigures.members,
  sheets,
  /** What is wrong in the columns that the job uses. */
  damage: planned(z.array(JobDamageObject), ({ damage }) =>
    damage.columns.flatMap(({ findings, ...of }) =>
      findings.map((finding) => JobDamageObject.of({ ...of, ...finding })),
    ),
  ),
  /** Rows in which a cell is repaired, with `--repair`. */
  repaired: planned(z.number().optional(), ({ job, damage }) =>
    job.repair === true ? damage.repairableRows : undefined,
  ),
  ...ofChanges,
  /** The fields that answers have had so far, which `add` may name. */
  fields: planned(z.array(z.string()).optional(), ({ known }) => known?.paths),
  /** A value of each of them, from an answer. */
  field_examples: planned(z.record(z.string(), z.string()).optional(), ({ known }) =>
    known === undefined ? undefined : Object.fromEntries(known.examples),
  ),
  /** What is sent, where the job or its dialect says that itself. */
  requests: planned(z.array(RequestObject).optional(), ({ requests }) =>
    requests.length === 0 ? undefined : requests,
  ),
  /** What a person has to agree to once. */
  to_agree: planned(AgreementView.optional(), ({ toAgree }) => toAgree),
  /** Rows of the finished batch that the dialect of today would settle otherwise. */
  reread: planned(RereadObject.optional(), ({ reread }) => reread),
});
export type PlanObject = z.infer<typeof PlanObject>;

const undo = membersOf<{ readonly undoes: string; readonly planned: UndoPlan }>();
/** What `undo --dry-run` prints. */
export const UndoPlanObject = noun({
  undoes: undo(z.string(), ({ undoes }) => undoes),
  state: undo(z.enum(['plan', 'nothing', 'begun', 'undone']), (of) => of.planned.kind),
  /** The batch that has begun it or done it. */
  by: undo(z.string().nullable(), (of) => ('by' in of.planned ? of.planned.by : null)),
  ...ofChanges,
  changes: changes(z.array(PlannedChangeObject), (of) => ofChanges.changes.read(of) ?? []),
  not_undone: undo(z.array(NotUndoneObject), (of) => of.planned.left),
});
