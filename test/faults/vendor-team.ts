/** Who is in which project and what was sent to whom, as the vendor has it: the judge of onboarding. */

/** Somebody in a project, as the vendor's state has it. Roles are written as the service's API writes them. */
interface Person {
  readonly project: string;
  readonly email: string;
  readonly role: string;
}

interface Invite extends Person {
  readonly invite: string;
  readonly state: 'pending' | 'accepted' | 'deleted';
}

interface User extends Person {
  readonly user: string;
}

/** What `GET /sandbox/state` says, oldest first. */
export interface TeamState {
  readonly projects: readonly { readonly project: string; readonly name: string }[];
  readonly invites: readonly Invite[];
  readonly users: readonly User[];
  readonly mails: readonly (Person & { readonly invite: string })[];
}

export type Role = 'viewer' | 'editor' | 'admin';

/** Where somebody stands in one project. */
export interface Standing {
  readonly as: 'invited' | 'member';
  readonly role: Role;
}

export class VendorTeam {
  readonly #state: TeamState;

  constructor(state: TeamState) {
    this.#state = state;
  }

  get projects(): TeamState['projects'] {
    return this.#state.projects;
  }

  /** Undefined: not in the project, and not invited either. */
  standing(project: string, email: string): Standing | undefined {
    const invite = this.#invites(project, email).find(({ state }) => state === 'pending');
    const user = this.#user(project, email);
    if (user !== undefined) return { as: 'member', role: ourRole(user) };
    return invite === undefined ? undefined : { as: 'invited', role: ourRole(invite) };
  }

  /** Everybody who is in a project or invited to it: `PROJECT EMAIL` → the role. */
  roles(inProject: (project: string) => boolean = () => true): Readonly<Record<string, Role>> {
    const waiting = this.#state.invites.filter(({ state }) => state === 'pending');
    const people = [...waiting, ...this.#state.users].filter(({ project }) => inProject(project));
    return Object.fromEntries(people.map((person) => [nameOf(person), ourRole(person)]));
  }

  /** The code of the newest invite of that role which was not deleted. */
  inviteCode(project: string, email: string, role: string): string | undefined {
    const invites = this.#invites(project, email).filter(
      (invite) => invite.state !== 'deleted' && ourRole(invite) === role,
    );
    return invites.at(-1)?.invite;
  }

  /** Every mail to them about the project, by the role that it offers, oldest first. */
  mailsTo(project: string, email: string): readonly Role[] {
    return this.#state.mails.filter(isFor(project, email)).map(ourRole);
  }

  /** People who have two invites to one project, or are in it and invited all the same; there must be none. */
  invitedTwice(): readonly string[] {
    const waiting = this.#state.invites.filter(({ state }) => state === 'pending').map(nameOf);
    const users = new Set(this.#state.users.map(nameOf));
    return waiting.filter((name, index) => users.has(name) || waiting.indexOf(name) !== index);
  }

  #invites(project: string, email: string): readonly Invite[] {
    return this.#state.invites.filter(isFor(project, email));
  }

  userId(project: string, email: string): string | undefined {
    return this.#user(project, email)?.user;
  }

  #user(project: string, email: string): User | undefined {
    return this.#state.users.find(isFor(project, email));
  }
}

interface InProject {
  readonly project?: string;
  readonly email: string;
}

/** Somebody in one project. */
export const nameOf = ({ project = '', email }: InProject): string => `${project} ${email}`;

const isFor = (project: string, email: string) => (person: Person) =>
  person.project === project && person.email === email;

const ourRole = ({ role }: Pick<Person, 'role'>): Role => role.replace('role:', '') as Role;
