import { isInvite } from '../../core/described.ts';
import { accepting, StopError } from '../../core/errors.ts';
import { namesOfPeople } from '../../core/people.ts';
import { counted, grouped } from '../../core/plain-text.ts';
import type { Job } from '../../job/job.ts';
import type { GuardObject, PlannedChangeObject } from '../../objects/plan-object.ts';
import type { RunContext } from '../context.ts';
import { beginsWork, type ChangePlan, isSent } from './change-plan.ts';
import { rowAndWho } from './diff-words.ts';

/**
 * Guards hold back a run that would change more than the job allows, so that a wrong list does little harm.
 * They are checked before anything is sent. They hold for sandbox accounts, too, so that a trial shows what a
 * real run would do.
 */

type Guards = NonNullable<Job['guards']>;
type Sent = readonly PlannedChangeObject[];

/**
 * The share of the people in the affected projects that a run may remove because the list no longer names
 * them. A list that was cut off by accident has lost more people, and a list that is kept up to date loses
 * fewer from day to day.
 */
const DEFAULT_MAX_REMOVALS = '10%';

/**
 * Checks all guards. A resumed batch passes, because it was checked when it began. A person who has agreed to
 * exactly this plan may have accepted the changes that guards hold back.
 * @param idOf finds the id of the plan.
 * @throws StopError `guard` with everything that holds the run back.
 */
export async function checkGuards(
  context: Pick<RunContext, 'job' | 'allowAdmin' | 'isSweep' | 'accept' | 'planId'>,
  plan: ChangePlan,
  idOf: () => Promise<string>,
): Promise<void> {
  if (!beginsWork(plan, context.job.operation)) return;
  const isUndo = undoes(context.job);
  const isAccepted = context.accept?.includes('guards') === true && context.planId !== undefined;
  const problems = guardProblems(context, plan).filter(({ allows }) => allows === undefined || !isAccepted);
  if (problems.length === 0) return;
  const facts = problems.map(({ fact }) => fact).join('; ');
  const allow = problems.map((problem) => problem.allow).join(', and ');
  throw new StopError({
    code: 'guard',
    message: `Nothing was sent, because this ${isUndo ? 'undo' : 'run'} would ${facts}.`,
    next: `If that is right, ${allow}.`,
    // `undo --plan` takes the id of another plan, so this id would lead nowhere.
    ...(isUndo || problems.some(({ allows }) => allows === undefined)
      ? {}
      : { plan: await idOf(), choices: [accepting('guards', 'allow it, for this plan alone')] }),
  });
}

const undoes = ({ origin }: Job): boolean => origin !== undefined && 'undoes' in origin;

/** @param what would stop: a run, or an undo. */
export const guardLines = (guards: readonly GuardObject[], what: string): readonly string[] =>
  guards.map(({ fact, allow }) => `${what} would stop: it would ${fact}. If that is right, ${allow}.`);

export function guardProblems(
  { job, allowAdmin = false, isSweep = false }: Pick<RunContext, 'job' | 'allowAdmin' | 'isSweep'>,
  plan: ChangePlan,
): readonly GuardObject[] {
  const guards = job.guards ?? {};
  const sent = plan.changes.filter(isSent);
  return [
    removalProblem(guards, plan, sent),
    allowAdmin ? undefined : adminProblem(job, sent, isSweep),
    domainProblem(guards, sent),
    inviteProblem(guards, sent),
    ownUserProblem(plan, sent),
  ].filter((problem) => problem !== undefined);
}

/**
 * A percentage limits only the removals of people whom the list does not name; a number limits all removals.
 */
function removalProblem(
  { max_removals: maxRemovals = DEFAULT_MAX_REMOVALS }: Guards,
  { people }: ChangePlan,
  sent: Sent,
): GuardObject | undefined {
  const removed = sent.filter(({ action }) => action === 'remove');
  const problem = {
    allow: `set guards: { max_removals: ${removed.length} } in the job`,
    allows: { max_removals: removed.length },
  };
  if (typeof maxRemovals === 'number') {
    if (removed.length <= maxRemovals) return undefined;
    const who = namesOfPeople(removed);
    const fact = `make ${counted(removed.length, 'removal')}, and the limit is ${maxRemovals}`;
    const says = `${counted(removed.length, 'removal')}, and ${maxRemovals} are allowed`;
    return { fact: `${fact} ${namesOf(removed)}`, says, who: [...who], ...problem };
  }
  const missing = removed.filter(({ beyond }) => beyond === true);
  if (missing.length <= (people * Number.parseFloat(maxRemovals)) / 100) return undefined;
  const fact = `remove ${missing.length} of ${counted(people, 'person', 'people')} whom the file no longer names`;
  return {
    fact: `${fact}, and the limit is ${maxRemovals} ${namesOf(missing)}`,
    says: `${counted(missing.length, 'removal')} of ${grouped(people)}, and ${maxRemovals} are allowed`,
    who: [...namesOfPeople(missing)],
    ...problem,
  };
}

/** @param isSweep whether no one has typed a flag, nor could. */
function adminProblem(job: Job, sent: Sent, isSweep: boolean): GuardObject | undefined {
  const { admins } = job.guards ?? {};
  const made = sent.filter(({ action, to }) => to === 'admin' && action !== 'remove');
  if (admins === 'allow' || made.length === 0) return undefined;
  const who = namesOfPeople(made);
  const inRun = `${isSweep ? '' : 'add --allow-admin, or '}set guards: { admins: allow } in the job`;
  return {
    fact: `make ${counted(who.length, 'person', 'people')} admin ${namesOf(made)}`,
    says: `${grouped(who.length)} ${who.length === 1 ? 'becomes' : 'become'} admin`,
    who: [...who],
    allow: undoes(job) ? 'agree to the undo' : inRun,
    allows: { admins: 'allow' },
  };
}

/**
 * The changes that send an invite. An invite that is created anew for another role counts, because it sends a
 * mail.
 */
function invitesOf(sent: Sent): Sent {
  return sent.filter(({ calls = [] }) => calls.some(isInvite));
}

function domainProblem({ domains }: Guards, sent: Sent): GuardObject | undefined {
  if (domains === undefined) return undefined;
  const known = new Set(domains.map((domain) => domain.replace(/^@/, '')));
  const outside = invitesOf(sent).filter(({ email }) => !known.has(domainOf(email ?? '')));
  if (outside.length === 0) return undefined;
  const theirs = [...new Set(outside.map(({ email }) => domainOf(email ?? '')))];
  const who = namesOfPeople(outside);
  const isOutside = `outside ${[...known].join(', ')}`;
  return {
    fact: `invite ${counted(who.length, 'person', 'people')} ${isOutside} ${namesOf(outside)}`,
    says: `${grouped(who.length)} ${who.length === 1 ? 'is' : 'are'} invited ${isOutside}`,
    who: [...who],
    allow: `add ${theirs.join(', ')} to the guards' domains in the job`,
    allows: { domains: [...known, ...theirs] },
  };
}

function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase();
}

function inviteProblem(guards: Guards, sent: Sent): GuardObject | undefined {
  const { max_invites: maxInvites } = guards;
  const invites = invitesOf(sent);
  if (maxInvites === undefined || invites.length <= maxInvites) return undefined;
  return {
    fact: `send ${counted(invites.length, 'invite')}, and the limit is ${maxInvites} ${namesOf(invites)}`,
    says: `${counted(invites.length, 'invite')}, and ${grouped(maxInvites)} are allowed`,
    who: [...namesOfPeople(invites)],
    allow: `set guards: { max_invites: ${invites.length} } in the job`,
    allows: { max_invites: invites.length },
  };
}

/**
 * A key stops working when its user loses access, and could not restore it. So no setting allows such a
 * change.
 */
function ownUserProblem(plan: ChangePlan, sent: Sent): GuardObject | undefined {
  const { ownUser } = plan;
  if (ownUser === undefined) return undefined;
  const ownChanges = sent.filter(
    ({ action, email, user_id: userId }) =>
      (action === 'remove' || action === 'change_role') &&
      ((email !== null && email.toLowerCase() === ownUser.email?.toLowerCase()) ||
        (userId !== undefined && userId === ownUser.userId)),
  );
  if (ownChanges.length === 0) return undefined;
  return {
    fact: `change the rights of the user who owns this key ${namesOf(ownChanges)}`,
    says: 'The owner of this key would change',
    who: [...namesOfPeople(ownChanges)],
    allow: "use another person's key",
  };
}

const NAMES_SHOWN = 5;

/** `(row 4, jo@x.com in Sales; row 9, …; and 3 more)`. */
function namesOf(changes: Sent): string {
  const names = changes.slice(0, NAMES_SHOWN).map(rowAndWho);
  const more = changes.length - names.length;
  return `(${[...names, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')})`;
}
