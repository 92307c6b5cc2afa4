/** What holds of a team, by the service's own book. */
import fs from 'node:fs';
import { parse } from 'csv-parse/sync';
import type { UndoObject } from '../../src/objects/run-object.ts';
import { requireForgotten } from './forgotten.ts';
import { promise } from './played.ts';
import type { Entry, Role, Service, Standing } from './service.ts';
import type { Ended, Stage } from './stage.ts';
import type { Told } from './worlds/team.ts';

/** What a list wants of a person. */
export interface Wish {
  readonly email: string;
  readonly role: Role;
  /** By its name. */
  readonly project: string;
}

type Kind = 'run' | 'undo' | 'other';
type Json = Readonly<Record<string, unknown>>;
type Row = Readonly<Record<string, string>>;

interface Command {
  readonly kind: Kind;
  readonly first: number;
  readonly firstExchange: number;
  readonly before: ReadonlyMap<string, Standing>;
}

const place = (project: string, email: string): string => `${project} ${email}`;

export class TeamJudge {
  readonly #stage: Stage;
  readonly #service: Service;
  readonly #removesMissing: boolean;
  readonly #mayRepeat = new Set<string>();
  readonly #forgotten = new Set<string>();
  /** What the service did for each batch, as far as a run that ended named the batch. */
  readonly #doneFor = new Map<string, readonly Entry[]>();
  /** Entries whose answers a process has kept: it heard them, and ended by itself. */
  readonly #kept = new Set<Entry>();
  readonly firstDayMs: number;
  wishes: readonly Wish[] = [];
  #command: Command = { kind: 'other', first: 0, firstExchange: 0, before: new Map() };

  constructor(stage: Stage, service: Service, { removesMissing }: { readonly removesMissing: boolean }) {
    this.#stage = stage;
    this.#service = service;
    this.#removesMissing = removesMissing;
    this.firstDayMs = stage.startMs;
  }

  // -------------------------------------------------------------------------------------------- each command

  begin(kind: Kind): void {
    const { book } = this.#service;
    const { length: firstExchange } = this.#stage.exchanges;
    this.#command = { kind, first: book.length, firstExchange, before: this.#service.standings() };
  }

  end({ ended, object: { batch } }: Told): void {
    const now = this.#entries();
    if (this.#command.kind === 'run' && typeof batch === 'string') {
      const done = now.filter((entry) => entry.isDone && this.#isOfCommand(entry));
      this.#doneFor.set(batch, [...(this.#doneFor.get(batch) ?? []), ...done]);
    }
    for (const entry of now) this.#stage.tell(`  ${entryWords(entry)}`);
    if (ended.how === 'ended') for (const entry of now) if (entry.isHeard) this.#kept.add(entry);
    for (const entry of now) {
      this.#requireOneInvite(entry);
      this.#requireNotSentAgain(entry);
      if (entry.isDone && this.#command.kind === 'run' && this.#isOfCommand(entry))
        this.#requireWanted(entry);
    }
    promise(
      this.#command.kind !== 'other' || now.length === 0,
      'a command that only looks has sent something',
    );
  }

  #entries(): readonly Entry[] {
    return this.#service.book.slice(this.#command.first);
  }

  #exchanges() {
    return this.#stage.exchanges.slice(this.#command.firstExchange);
  }

  /** A request of a process that was killed may arrive later. */
  #isOfCommand({ asked }: Entry): boolean {
    return this.#exchanges().some(({ key }) => asked.endsWith(` ${key}`));
  }

  /** A person has said that it may be sent twice. */
  mayRepeat(project: string, email: string): void {
    this.#mayRepeat.add(place(project, email));
  }

  #requireOneInvite(entry: Entry): void {
    const { operation, project, name, before } = entry;
    if (operation !== 'create-invite' || before === undefined) return;
    const earlier = this.#service.book.findLast(
      (each) =>
        each.number < entry.number &&
        each.name === name &&
        each.project === project &&
        each.operation === operation &&
        each.isDone,
    );
    // No one knows of those whom others have put there, or who were forgotten.
    if (earlier === undefined || this.#forgotten.has(name)) return;
    const isLost = !this.#kept.has(earlier) || !earlier.isPlain;
    const mayRepeat = this.#mayRepeat.has(place(project, name));
    // Whoever is to be invited anew is so where a repeated deletion finds no invite: the lost one may have deleted it.
    if (this.#isDeletionUnclear(earlier)) return;
    promise(isLost && mayRepeat, `${name} is ${before.kind} in ${project}, and invited again`);
  }

  #isDeletionUnclear({ number, project }: Entry): boolean {
    const isOfIt = (text: string): boolean =>
      text.includes(`invite/delete {"invite_code":"invite-${number}"}`);
    const deletions = this.#service.book.filter(({ asked, project: of }) => of === project && isOfIt(asked));
    // An empty 200 says that the invite was deleted, also where the service is out of its mind.
    if (deletions.some(({ status, isDone }) => status < 300 && !isDone)) return true;
    // No one knows of a request that a crash took with it whether it left.
    const begun = this.#stage.exchanges.filter(({ key }) => isOfIt(key));
    return (
      begun.length > 1 &&
      (begun.length > deletions.length ||
        deletions.some((each) => each.status >= 500 || !each.isPlain || !this.#kept.has(each)))
    );
  }

  #requireNotSentAgain(entry: Entry): void {
    if (entry.operation === 'create-project') {
      const same = [...this.#service.projects.values()].filter((name) => name === entry.name);
      const mayRepeat = this.#mayRepeat.has(place('', ''));
      promise(same.length <= 1 || mayRepeat, `the project ${entry.name} is made twice`);
    }
    const since = this.#service.book.filter(
      ({ project, name, isDone, number }) =>
        isDone && project === entry.project && name === entry.name && number < entry.number,
    );
    const last = since.at(-1);
    const isAnswered = last?.asked === entry.asked && this.#kept.has(last) && last.isPlain;
    const isAgain = isAnswered && !this.#isDeletionUnclear(last) && !this.#forgotten.has(entry.name);
    promise(!isAgain, `sent again though it was answered: ${entry.asked}`);
  }

  #wish(project: string, email: string): Wish | undefined {
    return this.wishes.find(
      (wish) => wish.email === email && this.#service.projects.get(project) === wish.project,
    );
  }

  /** What a run has done is what its list says. */
  #requireWanted(entry: Entry): void {
    const { operation, project, name, role, before } = entry;
    if (operation === 'create-project') {
      promise(
        this.wishes.some((wish) => wish.project === name),
        `nobody wants the project ${name}`,
      );
      return;
    }
    const wish = this.#wish(project, name);
    if (operation === 'remove-user' || operation === 'delete-invite') {
      if (wish === undefined)
        promise(this.#removesMissing, `${name} is removed, and the job does not say so`);
      else
        promise(
          operation === 'delete-invite' && before?.role !== wish.role,
          `${name} is removed from ${project}, though the list names them as ${wish.role}`,
        );
      return;
    }
    promise(wish !== undefined, `${operation} of ${name} in ${project}, whom the list does not name`);
    const wasRefused = this.#entries().some(
      (each) =>
        each.operation === 'create-invite' &&
        each.name === name &&
        each.number < entry.number &&
        each.status >= 400,
    );
    promise(role === wish.role || wasRefused, `${name} gets ${role}, and the list says ${wish.role}`);
  }

  // -------------------------------------------------------------------------------------------- plan, undo, forget

  /** What was planned is sent, where nothing came between. */
  requireAsPlanned(plan: Told, run: Told): void {
    const now = this.#entries();
    const isQuiet =
      now.every(({ isHeard, isPlain, status }) => isHeard && isPlain && status < 400) &&
      this.#exchanges().every(({ mishap }) => mishap === undefined);
    // What is in doubt may be sent again; the plan counts such rows by themselves.
    if (!isQuiet || plan.object.in_doubt !== 0 || run.ended.exitCode !== 0 || plan.ended.exitCode !== 0)
      return;
    const changes = (plan.object.changes ?? []) as readonly { readonly calls?: readonly string[] }[];
    const planned = changes.flatMap(({ calls = [] }) => calls).sort();
    const sent = now.map(({ operation }) => operation).sort();
    promise(planned.join() === sent.join(), `planned ${planned.join()}, sent ${sent.join()}`);
  }

  /** Each row of the undo that says so is as it says. */
  requireUndone({ ended, object }: Told): void {
    if (ended.how !== 'ended' || typeof object.output !== 'string') return;
    for (const { email = '', role, project_id: project = '', _status: status, _reason: reason } of rowsIn(
      object.output,
    )) {
      if (status !== 'applied' && status !== 'unchanged') continue;
      const now = this.#service.standing(project, email);
      // A repeat that finds no invite counts as done. Who had accepted before the lost request came is met by what is done next.
      const mayHaveAccepted = role === 'none' && this.#foundNoInvite(project);
      promise(
        mayHaveAccepted || (now?.role ?? 'none') === role,
        `the undo says that ${email} is ${role} in ${project} (${reason}), and the service has ${now?.role}`,
      );
    }
  }

  /** Whoever is not as before the undone batch is named by the undo, with what keeps them so. */
  requireAllNamed({ ended, object }: Told): void {
    const { undoes, not_undone: left, output, stopped } = object as unknown as UndoObject;
    if (ended.how !== 'ended' || left === undefined || stopped !== null) return;
    const rows = typeof output === 'string' ? rowsIn(output) : [];
    const isNamed = ({ project, name }: Entry): boolean =>
      rows.some(({ email, project_id: id }) => email === name && id === project) ||
      left.some(({ subject }) => subject.includes(name));
    for (const entry of this.#firstsFor(undoes)) {
      const { project, name, before } = entry;
      const now = this.#service.standing(project, name);
      const is = `${before?.role ?? 'nobody'} before ${undoes} and is ${now?.role ?? 'nobody'}`;
      const isAsBefore = now?.role === before?.role || this.#forgotten.has(name);
      promise(isAsBefore || isNamed(entry), `the undo does not name ${name}, who was ${is} in ${project}`);
    }
  }

  /** What a batch did first to each person in each project. */
  #firstsFor(batch: string): Iterable<Entry> {
    const firsts = new Map<string, Entry>();
    for (const entry of this.#doneFor.get(batch) ?? []) {
      const { project, name } = entry;
      const key = place(project, name);
      if (name !== '' && !firsts.has(key)) firsts.set(key, entry);
    }
    return firsts.values();
  }

  #foundNoInvite(of: string): boolean {
    // An undo that goes on says what came of the commands before. An empty 200 counts as done, whoever sent it.
    const isIt = ({ status, isDone }: Entry): boolean => status === 404 || (status < 300 && !isDone);
    return this.#service.book.some(
      (each) => each.operation === 'delete-invite' && each.project === of && isIt(each),
    );
  }

  /** Nothing in the store names a person who was forgotten. A command that was killed may have done so. */
  forgotten(email: string, { how, exitCode }: Ended): void {
    this.#forgotten.add(email);
    if (how !== 'ended' || exitCode !== 0) return;
    requireForgotten(this.#stage, [email, this.#service.userId(email)]);
  }

  // -------------------------------------------------------------------------------------------- the end

  isAtRest({ exitCode }: Ended, { stopped }: Json): boolean {
    // What is refused is asked again by each run: here an invite that waits, whose first answer was lost.
    const isLeft = ({ before, status, isDone }: Entry): boolean =>
      !(status === 409 && before?.kind === 'invited' && !isDone);
    return (exitCode === 0 || exitCode === 3) && stopped === null && !this.#entries().some(isLeft);
  }

  /** Everybody of the list is where it says, or their row says truly why not. */
  requireAllWell({ output }: Json): void {
    promise(typeof output === 'string', 'a run that has ended has an output');
    for (const row of rowsIn(output)) this.#requireTrue(row);
  }

  #requireTrue({
    Email: email = '',
    Role: role,
    Project: cell = '',
    _status: status,
    _reason = '',
  }: Row): void {
    const wrong = cell.split('; ').flatMap((name) => {
      const project = this.#service.projectNamed(name) ?? '';
      const now = this.#service.standing(project, email);
      return now?.role === role ? [] : [{ name, now }];
    });
    const said = `${email} as ${role} in ${cell}: ${status} (${_reason})`;
    switch (status) {
      case 'applied':
      case 'unchanged':
        promise(
          wrong.length === 0 ||
            /already a member|already, with an unknown role|can only be set by user_id/.test(_reason),
          `the service has it otherwise: ${said}`,
        );
        return;
      case 'skipped':
        promise(this.#forgotten.has(email) || /skip/.test(_reason), `skipped for nothing: ${said}`);
        return;
      case 'refused':
        // Of somebody who has accepted no one can say it: the invite is gone, and the role may well be the right one.
        promise(
          wrong.length > 0 || UNKNOWN_ROLE.some((each) => each.test(_reason)),
          `refused, and it is so: ${said}`,
        );
        for (const { name, now } of wrong) requireTrueReason(now, reasonFor(name, _reason), said);
        return;
      default:
        if (this.#forgotten.has(email) && /erased on/.test(_reason)) return;
        promise(/has to be created|not known/.test(_reason) && status === 'invalid', `not well: ${said}`);
    }
  }
}

const INVITE_WAITS = /has a pending invite/;
const INVITE_IS_GONE = /is not there any more/;
const HAS_ACCEPTED = /has accepted, so their role can only be set by user_id/;
/** Reasons that say nothing of the role that somebody has. */
const UNKNOWN_ROLE = [INVITE_IS_GONE, INVITE_WAITS, HAS_ACCEPTED];

/** A row of several projects has a reason for each: `Alpha: …; Beta: skipped, …`. */
function reasonFor(project: string, reason: string): string {
  const parts = reason.split(/; (?=\w+: )/);
  return parts.find((part) => part.startsWith(`${project}: `)) ?? reason;
}

function requireTrueReason(now: Standing | undefined, reason: string, said: string): void {
  const isMember = now?.kind === 'member';
  if (HAS_ACCEPTED.test(reason)) promise(isMember, `nobody has accepted: ${said}`);
  else if (INVITE_IS_GONE.test(reason)) promise(now?.kind !== 'invited', `the invite is there: ${said}`);
  else if (/: skipped/.test(reason)) return;
  else if (/already a member/.test(reason)) promise(isMember, `nobody is a member: ${said}`);
  else if (INVITE_WAITS.test(reason)) promise(now?.kind === 'invited', `no invite waits: ${said}`);
  else promise(false, `no reason: ${said}`);
}

const rowsIn = (path: string): readonly Row[] =>
  parse(fs.readFileSync(path), { columns: true, bom: true }) as Row[];

function entryWords({
  number,
  operation,
  project,
  name,
  role,
  before,
  isDone,
  status,
  isHeard,
}: Entry): string {
  const was = before === undefined ? '' : ` (was ${before.kind} as ${before.role})`;
  const how = [isDone ? 'done' : 'not done', isHeard ? 'heard' : 'not heard'].join(', ');
  return `${number} ${operation} ${project} ${name} ${role ?? ''}${was}: ${status}, ${how}`;
}
