import type { Role } from '../../core/membership.ts';
import {
  defineOperation,
  type Operation,
  type OperationOptions,
  type Prepared,
  type RowInput,
} from '../../core/operation.ts';
import {
  type Names,
  ofAnother,
  type PersonAction,
  type PersonInProject,
  type PersonWork,
  personIn,
  workOf,
} from './change-action.ts';
import { HEEDED } from './change-inputs.ts';
import { nextOfPerson } from './change-steps.ts';

/**
 * A person in one project, and the role that the person should have there; without a role, the person should
 * not be there.
 */
interface WantedMembership extends Names {
  readonly project: string;
  readonly role?: Role;
}

interface PersonOperation<Wished extends WantedMembership>
  extends Pick<Operation, 'name' | 'summary' | 'inputs' | 'readsAnswers'> {
  prepare(row: RowInput, options: OperationOptions): Prepared<Wished>;
  actionOf(person: PersonInProject, wish: Wished): PersonAction;
}

/** An operation of the service whose rows are each about one person in one project. */
export function personOperation<Wished extends WantedMembership>({
  prepare,
  actionOf,
  ...described
}: PersonOperation<Wished>): Operation {
  return defineOperation<Wished, PersonWork>({
    ...described,
    vendor: 'service',
    heeds: HEEDED,
    tiers: [],
    preparer: (options) => (row) => prepare(row, options),
    change: {
      isState: true,
      resolve(wish, team) {
        const slip = ofAnother(team, wish);
        if (slip !== undefined) return slip;
        const person = personIn(team, wish.project, wish);
        return { kind: 'ready', input: workOf(person, wish.role ?? 'none', actionOf(person, wish)) };
      },
    },
    next: nextOfPerson,
  });
}

/** Refuses a row that names nobody. @param id the input that may stand in the place of the e-mail address. */
export function namingSomebody<Wished extends WantedMembership>(
  id: string,
  prepared: Prepared<Wished>,
): Prepared<Wished> {
  if (prepared.kind === 'invalid') return prepared;
  const { email, userId, inviteCode } = prepared.input;
  if ((email ?? userId ?? inviteCode) !== undefined) return prepared;
  return { kind: 'invalid', reason: `${id}: blank; e-mail: blank. Give one of the two` };
}
