/**
 * The subject of a change, and the known facts about it. A change is planned against the known facts, so that
 * the same list does nothing twice, and is refused when others have altered its subject since.
 */

/** Roles in the order of their rights, the lowest first; the dialect says how the vendor writes them. */
export const ROLES = ['viewer', 'editor', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/**
 * The role that a person (`Editor`) or the service (`role:editor`) writes; undefined for every other word.
 */
export function roleOf(word: string): Role | undefined {
  const text = word.trim().toLowerCase();
  return ROLES.find((each) => text === each || (each !== 'admin' && text === `role:${each}`));
}

export interface Subject {
  /**
   * The project's id; absent for a subject that belongs to the account itself, such as a project that is
   * made.
   */
  readonly project?: string;
  /** An e-mail address in lower case, or `user:ID`, `invite:CODE`, `project:NAME`, `call:HASH`. */
  readonly name: string;
}

/**
 * - `invited`: an invite waits, as far as is known: no one tells us when it is accepted.
 * - `member`: has accepted.
 * - `reinvite_due`: the invite was deleted in order to be created again, which has not happened yet.
 * - `gone`: the invite was deleted, or the user removed.
 * - `accepted_or_deleted`: the vendor has the invite no more: it was accepted, or others deleted it.
 * - `done`: of a subject that is no person: the project was made, the call was answered.
 */
export type SubjectState = 'invited' | 'member' | 'reinvite_due' | 'gone' | 'accepted_or_deleted' | 'done';

export interface SubjectFacts {
  readonly state: SubjectState;
  readonly role?: Role;
  readonly email?: string;
  readonly inviteCode?: string;
  readonly userId?: string;
  readonly projectId?: string;
}

/** The ledger's memory of a subject for which a change was ever sent. */
export interface KnownSubject {
  readonly subject: Subject;
  /**
   * How many changes of the subject were settled. Each change is fixed to the number at which it was planned.
   */
  readonly sequence: number;
  /** The facts after the last applied change; absent when none was applied. */
  readonly facts?: SubjectFacts;
  /**
   * The batch that made these facts, and when; absent while none did. A change that was refused leaves a
   * subject as it was.
   */
  readonly batch?: string;
  readonly changedAtMs?: number;
  /** A change without an answer: no one knows whether it was applied. */
  readonly doubt?: SubjectDoubt;
}

/** `isOpen`: the answer is not known as lost. It is on its way, or the run that waited for it was killed. */
export interface SubjectDoubt {
  readonly batch: string;
  readonly row: number;
  readonly operation: string;
  readonly isOpen?: true;
}

/**
 * The effect of a change on its subject. It is kept with the call, so that the code that settles the call
 * knows what to remember.
 */
export interface Change {
  readonly subject: Subject;
  /**
   * The facts once the change is applied; the answer's own facts, such as an invite's code, are added to
   * them.
   */
  readonly leaves: SubjectFacts;
  /** The facts when the vendor says that it does not have the subject of the call. Left out: as before. */
  readonly missing?: SubjectFacts;
  /** The facts, but for the state, when the vendor says that the person is a member or is invited already. */
  readonly already?: Omit<SubjectFacts, 'state'>;
  /** The possible harm while the answer is lost, such as "may have no invite". */
  readonly atStake?: string;
}

/** Equal subjects have equal texts. Neither a project's id nor a name contains a line end. */
export function subjectText({ project = '', name }: Subject): string {
  return `${project}\n${name}`;
}

const KIND_OF_NAME = /^(user|invite|project|call):/;

/**
 * The subject in words: `jo@x.com in proj-1`, `user u-1 in proj-1`, `project Sales`,
 * `project Sales of org-2`.
 */
export function subjectWords({ project, name }: Subject): string {
  const words = name.replace(KIND_OF_NAME, '$1 ').replace(BEFORE_ORGANIZATION, ' of ');
  return project === undefined ? words : `${words} in ${project}`;
}

/** The name of a person who is known only by a user id or an invite code. */
export const subjectOfUser = (userId: string): string => `user:${userId}`;
export const userIn = ({ name }: Subject): string | undefined => /^user:(.+)$/s.exec(name)?.[1];
export const subjectOfInvite = (inviteCode: string): string => `invite:${inviteCode}`;
export const inviteIn = ({ name }: Subject): string | undefined => /^invite:(.+)$/s.exec(name)?.[1];
/** No name and no id of a list contains this character. */
const BEFORE_ORGANIZATION = '\t';

/**
 * Two spellings of one name are one project, because a second one could not be deleted again.
 * @param organization given where it differs from the account's.
 */
export function subjectOfProject(name: string, organization?: string): string {
  const ownSubject = `project:${name.trim().toLowerCase()}`;
  return organization === undefined ? ownSubject : `${ownSubject}${BEFORE_ORGANIZATION}${organization}`;
}

/** The known subjects, to be looked up by any identifier of a row. */
export class Team {
  readonly #byName = new Map<string, KnownSubject>();
  readonly #byUser = new Map<string, KnownSubject>();
  readonly #byInvite = new Map<string, KnownSubject>();
  /** The e-mail address of each person who is known by a user id or an invite code, in any project. */
  readonly #emails = new Map<string, string>();
  readonly all: readonly KnownSubject[];
  readonly #remembered: Team;

  /**
   * @param remembered the ledger's own facts, where the service has told others; left out: the same facts.
   */
  constructor(known: readonly KnownSubject[], remembered?: Team) {
    this.all = known;
    this.#remembered = remembered ?? this;
    for (const each of known) {
      const { project } = each.subject;
      this.#byName.set(subjectText(each.subject), each);
      const { userId, inviteCode, email } = each.facts ?? {};
      const index = (map: Map<string, KnownSubject>, name: string | undefined): void => {
        if (name === undefined) return;
        const text = subjectText(project === undefined ? { name } : { project, name });
        // A person who is known by e-mail is found by that record, also where an older one names the user
        // alone.
        if (!map.has(text) || email === each.subject.name) map.set(text, each);
      };
      index(this.#byUser, userId);
      index(this.#byInvite, inviteCode);
      if (email === undefined) continue;
      if (userId !== undefined) this.#emails.set(subjectOfUser(userId), email);
      if (inviteCode !== undefined) this.#emails.set(subjectOfInvite(inviteCode), email);
    }
  }

  find(subject: Subject): KnownSubject | undefined {
    return this.#byName.get(subjectText(subject));
  }

  /** The ledger's facts about the subject, whatever the service said just now. */
  remembered(subject: Subject): SubjectFacts | undefined {
    return this.#remembered.find(subject)?.facts;
  }

  ofUser(project: string, userId: string): KnownSubject | undefined {
    return this.#byUser.get(subjectText({ project, name: userId }));
  }

  ofInvite(project: string, inviteCode: string): KnownSubject | undefined {
    return this.#byInvite.get(subjectText({ project, name: inviteCode }));
  }

  otherThan(
    email: string,
    { userId, inviteCode }: Pick<SubjectFacts, 'userId' | 'inviteCode'>,
  ): { readonly input: 'user_id' | 'invite_code'; readonly id: string; readonly whose: string } | undefined {
    const isOther = (whose: string | undefined): whose is string => whose !== undefined && whose !== email;
    const ofUser = userId && this.#emails.get(subjectOfUser(userId));
    if (userId !== undefined && isOther(ofUser)) return { input: 'user_id', id: userId, whose: ofUser };
    const ofInvite = inviteCode && this.#emails.get(subjectOfInvite(inviteCode));
    return inviteCode !== undefined && isOther(ofInvite)
      ? { input: 'invite_code', id: inviteCode, whose: ofInvite }
      : undefined;
  }

  /** @param organization given where it differs from the account's. */
  project(name: string, organization?: string): KnownSubject | undefined {
    return this.find({ name: subjectOfProject(name, organization) });
  }

  inProject(project: string): readonly KnownSubject[] {
    return this.inProjects().filter(({ subject }) => subject.project === project);
  }

  /** Everybody with access to a project, as far as is known. */
  inProjects(): readonly KnownSubject[] {
    return this.all.filter(
      ({ facts }) =>
        facts !== undefined && ['invited', 'member', 'accepted_or_deleted'].includes(facts.state),
    );
  }
}
