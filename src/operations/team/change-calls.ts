import type { Change, Role, Subject, SubjectFacts } from '../../core/membership.ts';
import { present } from '../../core/objects.ts';
import type { Call } from '../../core/operation.ts';

/**
 * The changes that the service can be asked for, with what each of them leaves of its subject. How they are written is
 * the dialect's: a `role` becomes the vendor's permissions on the way out.
 */

/** A subject at the moment of a change: how many of its changes were settled before, and what is known of it. */
export interface SubjectNow {
  readonly subject: Subject;
  readonly sequence: number;
  readonly facts?: SubjectFacts;
  /** The person's e-mail address, where it is known. */
  readonly email?: string;
}

/** After so many more changes of the same row. */
export function afterMore(now: SubjectNow, changes: number): SubjectNow {
  return { ...now, sequence: now.sequence + changes };
}

/** Nobody knows whether the mail went out, and a second one must not. */
export function createInvite(
  now: SubjectNow,
  { email, role, atStake }: { readonly email: string; readonly role: Role; readonly atStake?: string },
): Call {
  const leaves = { ...identityOf(now), state: 'invited', role, email } as const;
  return changing(now, {
    operation: 'create-invite',
    parameters: { role, email },
    ifLost: 'hold',
    change: { subject: now.subject, leaves, ...present({ atStake }) },
  });
}

/** @param leaves how the person stands without the invite. */
export function deleteInvite(now: SubjectNow, inviteCode: string, leaves: 'between' | 'gone'): Call {
  const identity = identityOf(now);
  return changing(now, {
    operation: 'delete-invite',
    parameters: { invite_code: inviteCode },
    ifLost: { repeat: 'an invite can be deleted only once' },
    change: {
      subject: now.subject,
      // With the code, so that a list that deletes by it finds nothing left to do.
      leaves: { ...identity, state: leaves, ...(leaves === 'gone' ? { inviteCode } : {}) },
      missing: { ...identity, state: 'unsure', inviteCode },
    },
  });
}

export function updateUser(now: SubjectNow, userId: string, role: Role): Call {
  const { subject, facts } = now;
  const identity = identityOf(now);
  return changing(now, {
    operation: 'update-user',
    parameters: { user_id: userId, role },
    ifLost: { repeat: 'a role that is set twice is the same role' },
    change: {
      subject,
      leaves: { ...identity, state: 'member', role, userId },
      // An id that only the list gives may be the wrong one, so nothing is concluded about the person.
      ...(facts?.userId === userId ? { missing: { ...identity, state: 'unsure' } } : {}),
    },
  });
}

export function removeUser(now: SubjectNow, userId: string): Call {
  const { subject, facts, email } = now;
  const identity = identityOf(now);
  // When only the list gives a person whom we know by e-mail this id, the answer says nothing about that person.
  const isTheirs = facts?.userId === userId || email === undefined;
  return changing(now, {
    operation: 'remove-user',
    parameters: { user_id: userId },
    ifLost: { repeat: 'a user can be removed only once' },
    change: {
      subject,
      leaves: { ...identity, state: 'gone', userId },
      ...(isTheirs ? { missing: { ...identity, state: 'gone' } } : {}),
    },
  });
}

/** A project that is to be made; its id is the service's to give. */
export interface NewProject {
  readonly name: string;
  readonly description: string;
  readonly organizationId: string;
}

/** A project cannot be deleted again, so it must not be made twice. */
export function createProject(
  { subject, sequence }: SubjectNow,
  { name, description, organizationId }: NewProject,
): Call {
  return {
    operation: 'create-project',
    parameters: { name, description, organization_id: organizationId },
    ifLost: 'hold',
    after: sequence,
    change: { subject, leaves: { state: 'done' } },
  };
}

/** What stays true of a person whatever is changed. */
function identityOf({ email, facts }: SubjectNow): Pick<SubjectFacts, 'email' | 'userId'> {
  return present({ email, userId: facts?.userId });
}

function changing(
  { subject, sequence }: SubjectNow,
  call: Pick<Call, 'operation' | 'parameters' | 'ifLost'> & { readonly change: Change },
): Call {
  return { ...call, ...present({ project: subject.project }), after: sequence };
}
