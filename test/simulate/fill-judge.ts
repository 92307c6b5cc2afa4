/** What holds of lists that several vendors fill, by their own books. */
import fs from 'node:fs';
import { parse } from 'csv-parse/sync';
import type { Heard, Operation } from './finders.ts';
import {
  type Asking,
  askingIn,
  askingOf,
  CONCURRENCY,
  DEAREST,
  isTaking,
  keyOf,
  NAMES,
  type Name,
  PLACES,
  takenBy,
  type VERDICTS,
} from './finders.ts';
import type { Watch } from './invariants.ts';
import { CAUSES, causeOf, DOUBTFUL, saidIn } from './judge.ts';
import type { Job } from './later.ts';
import type { Question } from './network.ts';
import { DAY_MS } from './people.ts';
import { Permitted } from './permitted.ts';
import { promise } from './played.ts';
import type { Ended, Stage } from './stage.ts';
import { ALIKE_ID, type Charge } from './vendor.ts';

export interface Person {
  readonly who: number;
  readonly hasEmail: boolean;
  readonly hasTitle: boolean;
}

const FIRST_NAMES = 'Ann Ben Cleo Dora Emil Finn Gina Hugo Ida Jan Kim Lea'.split(' ');

/** The cells of a row, by the names of its columns. */
export function cellsOf({ who, hasEmail, hasTitle }: Person) {
  const First = FIRST_NAMES[who % FIRST_NAMES.length] ?? '';
  return {
    First,
    Last: 'Moss',
    Site: `s${who % 3}.example.com`,
    Email: hasEmail ? `${First.toLowerCase()}@list.example` : '',
    Title: hasTitle ? 'Head of the list' : '',
  };
}

/** Who is asked whether an address that was found is one, and the verdicts with which it counts. */
export interface Check {
  readonly account: Name;
  readonly accept: readonly (typeof VERDICTS)[number][];
}

export interface Step {
  readonly operation: Operation;
  readonly accounts: readonly Name[];
  readonly check?: Check | undefined;
}

export type Policy = 'hold' | 'skip' | 'retry';
export type Caps = Readonly<Partial<Record<Name, number>>>;

/** What somebody has typed. */
export interface FillRun {
  readonly list: string;
  readonly people: readonly Person[];
  readonly steps: readonly Step[];
  readonly policy: Policy;
  readonly isRefresh: boolean;
  readonly credits: number;
  readonly shares: Caps;
  readonly perDay: Caps;
}

export type Asked = Pick<Asking, 'operation' | 'body'>;

/** What a process has heard, or a person has told, of a question. */
interface Known {
  /** Blank: it found nothing. Of a check it is a verdict, or that the check was refused. */
  readonly value: string;
  readonly atMs: number;
  /** The id by which another question takes what is looked for. */
  readonly leadsTo?: string | undefined;
  /** By a person. */
  readonly isTold?: boolean;
  /** False: a process that was killed may have lost it. */
  isKept: boolean;
}

/** What a process has heard of a question that a vendor answers later. */
interface Accepted {
  /** By which it is asked. */
  readonly id: string;
  /** False: a process that was killed may have lost the id. */
  isKept: boolean;
}

/** For which batch a question was sent. */
interface Sent {
  readonly list: string;
  readonly era: number;
  readonly atMs: number;
}

/** How a run stands while it goes on. */
interface Going extends FillRun {
  /** All that was known before is too old. */
  readonly isAnew: boolean;
  /** How many requests each account has been sent since it was heard that it takes no more. */
  readonly ended: Map<Name, number>;
  /** Accounts that must have ended, because a later one was asked, each with that question. */
  readonly passedOver: Map<Name, string>;
  readonly heard: Known[];
  readonly accepted: Accepted[];
  /** Questions whose answers said nothing. */
  readonly freed: string[];
  hasAsked: boolean;
  readonly begunMs: number;
}

const ENDING: ReadonlySet<Heard['ailment']> = new Set(['dead-key', 'no-credits'] as const);
const MANY = 99;
/** These say nothing of the question, and cost nothing. */
const FREE: ReadonlySet<Heard['ailment']> = new Set([
  ...(['limit', 'limited', 'dead-key', 'no-credits', 'moved'] as const),
]);
/** A run that ends so has kept all that it heard. */
const KEPT: ReadonlySet<number | undefined> = new Set([0, 2, 3, 4, 75, 77]);
const NOTED = /Account (\w+) takes no more calls in this run/g;

const emailAsked = (email: string): string => JSON.stringify({ email });
const PARAMETERS = ['first_name', 'last_name', 'domain', 'email', 'id'];
/** What is asked, as the request has it. */
export const bodyOf = (parameters: object): string => JSON.stringify(parameters, PARAMETERS);
const findAsked = ({ First, Last, Site }: Cells): string =>
  JSON.stringify({ first_name: First, last_name: Last, domain: Site });

const isChecking = ({ operation }: Pick<Asking, 'operation'>): boolean => operation === 'check-email';
const checkOf = ({ account: name }: Check, email: string): string =>
  keyOf({ name, operation: 'check-email', body: emailAsked(email) });
const REFUSED = 'refused';
const NOT_KNOWN = { leadsTo: undefined, value: '', atMs: 0, isKept: false };
/** Of several people no one is taken. */
const onlyIdIn = ({ people = [] }: { people?: readonly { id: string }[] }): string | undefined =>
  people.length === 1 ? people[0]?.id : undefined;
/** Of an address that a vendor does not know, the verdict is that. */
const valueFor = (asking: Asking, text: string): string =>
  text === '' && isChecking(asking) ? 'unknown' : text;

export class FillJudge {
  readonly #stage: Stage;
  readonly #watch: Watch;
  readonly #permitted: Permitted;
  readonly #known = new Map<string, Known>();
  /** All that was ever known of each question. A row that has ended rests on what was known then. */
  readonly #ever = new Map<string, Set<string>>();
  /** The ids that each question has led to. */
  readonly #led = new Map<string, Set<string>>();
  /** Questions that a vendor has accepted, whose answers are to come. */
  readonly #accepted = new Map<string, Accepted>();
  /** The ids under which each was ever accepted, as far as a process has heard. */
  readonly #ids = new Map<string, Set<unknown>>();
  /** Ids that several of them have, or had. */
  readonly #shared = new Set<string>();
  /** Questions of which an answer is lost; `unsure`: or not. */
  readonly #doubts = new Map<string, 'lost' | 'unsure'>();
  /** The same of those that were sent again. What says nothing leaves the first request in doubt. */
  readonly #before = new Map<string, 'lost' | 'unsure'>();
  /** Questions that a person has left out, each with its list. */
  readonly #leftOut = new Set<string>();
  /** Questions that were in doubt until a person told their answer: the job may have left them out before. */
  readonly #wereInDoubt = new Set<string>();
  /** Credits that requests may have cost at most, by the budgets that they are in. */
  readonly #reserved = new Map<string, number>();
  /** When a list was refreshed last. */
  readonly #refreshing = new Map<string, number>();
  /** Lists whose last run has ended them. */
  readonly #finished = new Set<string>();
  /** Lists of which a refresh goes on with the batch, or begins anew: a run that was killed may not have begun. */
  readonly #unsure = new Set<string>();
  /** Questions about people who were forgotten, and since when. */
  readonly #forgotten = new Map<string, number>();
  #mayBeErased = false;
  /** Addresses of people who were forgotten. */
  readonly #gone = new Set<string>();
  /** What was charged, by the budgets. */
  readonly #charged = new Map<string, number>();
  readonly #counted = new Set<object>();
  /** When each question was sent last. */
  readonly #leftAt = new Map<string, number>();
  readonly #sends = new Map<string, Sent[]>();
  /** How many batches each list has begun. */
  readonly #eras = new Map<string, number>();
  /** What each budget is. */
  readonly #caps = new Map<string, number>();
  #kills = 0;
  /** When the last run began that was killed. */
  #killedFromMs = Number.NEGATIVE_INFINITY;
  #run: Going | undefined;

  constructor(stage: Stage, watch: Watch) {
    this.#stage = stage;
    this.#watch = watch;
    this.#permitted = new Permitted(stage);
  }

  // ---------------------------------------------------------------------------------------------- each run

  begins(typed: FillRun): void {
    const { list } = typed;
    // A batch that goes on does not ask again what it has bought itself.
    const isAnew = typed.isRefresh && this.#finished.has(list);
    const mayBeAnew = this.#unsure.has(list) || !this.#refreshing.has(list);
    if (isAnew || (typed.isRefresh && mayBeAnew)) {
      this.#refreshing.set(list, this.#stage.trueMs);
      this.#permitted.again(this.#permitted.asked);
      this.#eras.set(list, this.#eraOf(list) + 1);
      for (const scope of this.#charged.keys())
        if (scope.startsWith(`batch ${list}`)) this.#charged.delete(scope);
    }
    this.#setCaps(typed);
    this.#run = {
      ...typed,
      isAnew,
      ended: new Map(),
      passedOver: new Map(),
      heard: [],
      accepted: [],
      freed: [],
      hasAsked: false,
      begunMs: this.#stage.trueMs,
    };
  }

  #eraOf(list: string): number {
    return this.#eras.get(list) ?? 0;
  }

  #setCaps(run: FillRun): void {
    for (const name of NAMES) {
      const caps = [run.credits, run.shares[name], run.perDay[name]];
      for (const [index, scope] of this.#scopesOf(name, run.list).entries())
        this.#caps.set(scope, caps[index] ?? Number.POSITIVE_INFINITY);
    }
  }

  ends(ended: Ended): void {
    const { exitCode, stderr } = ended;
    const run = this.#going;
    if (!KEPT.has(exitCode)) {
      this.#kills += 1;
      this.#killedFromMs = run.begunMs;
      for (const each of [...run.heard, ...run.accepted]) each.isKept = false;
      for (const key of run.freed) this.#doubts.set(key, 'unsure');
    }
    const mayNotHaveBegun = !KEPT.has(exitCode) && !run.hasAsked;
    if (mayNotHaveBegun) this.#unsure.add(run.list);
    else this.#unsure.delete(run.list);
    if (exitCode === 0 || exitCode === 3) this.#finished.add(run.list);
    else if (!mayNotHaveBegun) this.#finished.delete(run.list);
    if (!KEPT.has(exitCode)) return;
    const noted = [...stderr.matchAll(NOTED)].map(([, name]) => name);
    for (const [name, question] of run.passedOver)
      promise(noted.includes(name), `${name} is passed over, and has not ended: ${question}`);
    this.#requireStop(ended, run);
  }

  /** It says why it stopped, and without a stop every row has ended. */
  #requireStop(ended: Ended, { people }: Going): void {
    const said = saidIn(ended) as Said | undefined;
    if (said === undefined) return;
    const { stopped, counts = {} } = said;
    const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
    if (stopped === null) promise(rows === people.length, `not stopped, and ${rows} rows have ended`);
    const causes = stopped === null ? undefined : CAUSES[causeOf(stopped)];
    if (causes === undefined || stopped === null) return;
    const heard = this.#stage.sellers.flatMap(({ arrivals }) => arrivals.map(({ ailment }) => ailment));
    const isCaused = heard.some((ailment) => causes.some((each) => each === ailment));
    const isUnmade = Object.keys(this.#stage.weather.unmade).length > 0;
    promise(isCaused || isUnmade, `stopped without a reason: ${stopped.code}: ${stopped.message}`);
  }

  get #going(): Going {
    promise(this.#run !== undefined, 'a command that only looks has sent something');
    return this.#run;
  }

  // ---------------------------------------------------------------------------------------------- each request

  left(question: Question): void {
    if (question.method !== 'POST') return;
    const run = this.#going;
    run.hasAsked = true;
    const asking = askingIn(question);
    const key = keyOf(asking);
    const step = run.steps.find(({ operation }) => operation === asking.operation);
    const isCheck = run.steps.some(({ check }) => check?.account === asking.name && isChecking(asking));
    promise(isCheck || step?.accounts.includes(asking.name) === true, `no step asks so: ${key}`);
    const known = this.#known.get(key);
    promise(known?.isKept !== true || this.#isTooOld(known), `answered, and asked again: ${key}`);
    this.#requireNotAccepted(key, known);
    this.#requireNotForgotten(key, run);
    const isWanted = this.#bodiesOf(asking).some((body) => this.#isWanted({ ...asking, body }, run));
    promise(isWanted, `no row wants it of ${run.steps.length} steps: ${key}`);
    // What is in doubt is sent again before anybody else is asked.
    const isAgain = this.#mayBeInDoubt(key);
    if (isAgain && run.policy === 'retry') this.#permitted.again([key]);
    const [first, ...others] = this.#bodiesOf(asking);
    // Of several rows that lead to one id no one can tell which one asks.
    const isOne = first !== undefined && others.length === 0;
    if (step !== undefined && isOne && !isAgain) this.#requireNext({ ...asking, body: first }, step);
    const sinceEnd = run.ended.get(asking.name);
    promise(sinceEnd === undefined || sinceEnd < CONCURRENCY, `asked though it has ended: ${key}`);
    if (sinceEnd !== undefined) run.ended.set(asking.name, sinceEnd + 1);
    if (isAgain) this.#before.set(key, this.#doubts.get(key) ?? 'unsure');
    else this.#before.delete(key);
    this.#doubts.set(key, 'lost');
    this.#leaves(key, asking.name, run.list);
  }

  /** Only what was answered long ago is asked anew. */
  #requireNotAccepted(key: string, known: Known | undefined): void {
    const isAccepted = this.#accepted.get(key)?.isKept === true;
    const isOld = known !== undefined && this.#isTooOld(known);
    promise(!isAccepted || isOld, `accepted, and sent again: ${key}`);
    this.#accepted.delete(key);
  }

  /** Only a refresh asks again about somebody who was forgotten. */
  #requireNotForgotten(key: string, { list }: FillRun): void {
    const isAsked = this.#forgotten.has(key) && !this.#refreshing.has(list);
    promise(!isAsked, `asked about somebody who was forgotten: ${key}`);
  }

  #leaves(key: string, name: Name, list: string): void {
    const atMs = this.#stage.trueMs;
    this.#leftAt.set(key, atMs);
    this.#sends.set(key, [...(this.#sends.get(key) ?? []), { list, era: this.#eraOf(list), atMs }]);
    for (const scope of this.#scopesOf(name, list))
      this.#reserved.set(scope, (this.#reserved.get(scope) ?? 0) + DEAREST);
  }

  #scopesOf(name: Name, list: string, atMs = this.#stage.trueMs) {
    return [`batch ${list}`, `batch ${list} ${name}`, `day ${Math.floor(atMs / DAY_MS)} ${name}`] as const;
  }

  /** In a refresh. */
  #isTooOld({ atMs }: Known): boolean {
    return atMs <= (this.#refreshing.get(this.#going.list) ?? Number.NEGATIVE_INFINITY);
  }

  /** Some row has a blank cell for it, and what is asked by is in its list or was found. */
  #isWanted({ operation, body }: Asking, { people, steps, heard }: Going): boolean {
    const [{ accounts = [], check } = {}] = steps;
    return people.map(cellsOf).some((cells) => {
      const find = { operation: 'find-email', body: findAsked(cells) } as const;
      if (operation === 'find-email') return cells.Email === '' && body === find.body;
      const found = NAMES.flatMap((name) => this.#soldFor({ name, ...find }));
      const emails = found.map(({ facts }) => String(facts.email));
      if (operation === 'check-email') {
        // A row that waits for one address to be checked does not hear of a verdict about its other address.
        const isFilled = accounts.some((name) => {
          const email = this.#known.get(keyOf(this.#last({ name, ...find })))?.value ?? '';
          const verdict = check && this.#known.get(checkOf(check, email));
          const isNew = verdict !== undefined && heard.includes(verdict);
          return !isNew && this.#isFound({ name, ...find }, check) === true;
        });
        return cells.Email === '' && !isFilled && emails.some((email) => body === emailAsked(email));
      }
      const asked = emails.filter((email) => this.#isTaken(email, check) !== false);
      const by = cells.Email === '' ? asked : [cells.Email];
      return cells.Title === '' && by.some((email) => body === emailAsked(email));
    });
  }

  /** By whom a row asks so: by what stands there, or by what has led to it. */
  #bodiesOf(asking: Asking): readonly string[] {
    if (!isTaking(asking)) return [asking.body];
    const { name, operation, body } = asking;
    const ways = [...this.#led].map(([key, ids]) => ({ ...askingOf(key), ids }));
    const own = ways.filter((each) => each.name === name && each.operation === operation);
    return own.flatMap((each) => ([...each.ids].some((id) => takenBy(id) === body) ? [each.body] : []));
  }

  /** The question, and those by which was taken what it has led to. */
  #keysOf(asking: Asking): readonly string[] {
    const key = keyOf(asking);
    const ids = [...(this.#led.get(key) ?? [])];
    return [key, ...ids.map((id) => keyOf({ ...asking, body: takenBy(id) }))];
  }

  #soldFor(asking: Asking) {
    const keys = this.#keysOf(asking);
    return this.#stage.charges.filter(({ key }) => keys.includes(key));
  }

  /** The question whose answer has what is looked for, as far as is known. */
  #last(asking: Asking): Asking {
    const { leadsTo, ...known } = this.#known.get(keyOf(asking)) ?? NOT_KNOWN;
    const leads = leadsTo !== undefined && known.isKept && !this.#isTooOld(known);
    return leads ? { ...asking, body: takenBy(leadsTo) } : asking;
  }

  /** Whether an address counts; undefined: no one has said so for sure. */
  #isTaken(email: string, check: Check | undefined): boolean | undefined {
    if (check === undefined) return true;
    const known = this.#known.get(checkOf(check, email));
    if (known?.isKept !== true || this.#isTooOld(known)) return undefined;
    return check.accept.some((verdict) => verdict === known.value);
  }

  /** Whether an account has found what counts; undefined: only a check can tell. */
  #isFound(asking: Asking, check: Check | undefined): boolean | undefined {
    const known = this.#known.get(keyOf(this.#last(asking)));
    const isThere = known?.isKept === true && known.value !== '' && !this.#isTooOld(known);
    return isThere && this.#isTaken(known.value, check);
  }

  /** No other account of the step has it, and those before it were asked. */
  #requireNext(asking: Asking, { accounts, check }: Step): void {
    const at = accounts.indexOf(asking.name);
    for (const [index, name] of accounts.entries())
      if (index !== at) this.#requireNot(this.#last({ ...asking, name }), index < at, keyOf(asking), check);
  }

  /** @param other an account of the step beside that which is asked now, by `now`. */
  #requireNot(other: Asking, isBefore: boolean, now: string, check: Check | undefined): void {
    const run = this.#going;
    const key = keyOf(other);
    const known = this.#known.get(key);
    const doubt = this.#doubts.get(key);
    const isOut = this.#isLeftOut(key, run);
    promise(
      doubt !== 'lost' || known !== undefined || isOut,
      `${other.name} may have it, which is in doubt: ${now}`,
    );
    if (known !== undefined && !(run.isAnew && this.#isTooOld(known) && doubt === undefined)) {
      const isFound = this.#isFound(other, check);
      promise(isFound !== true, `${other.name} has found it: ${now}`);
      const verdict = check && this.#known.get(checkOf(check, known.value));
      // A process that was killed may have kept the verdict, and what a person tells may be old or new.
      const isLost = verdict?.isKept === false && verdict.value !== REFUSED;
      // A batch that goes on does not check again what it has checked itself. An old verdict stands again where
      // the new check is in doubt.
      const isOwn = !run.isAnew || (check !== undefined && this.#doubts.has(checkOf(check, known.value)));
      const mayBe = isLost || verdict?.isTold === true || (verdict !== undefined && isOwn);
      promise(isFound !== undefined || mayBe, `what ${other.name} has found is not checked: ${now}`);
      return;
    }
    // A batch that goes on uses what is too old for one that begins anew.
    const mayBeOwn = known !== undefined && this.#unsure.has(run.list);
    if (!isBefore || isOut || doubt === 'unsure' || mayBeOwn) return;
    promise(this.#mayHaveEnded(other.name), `${other.name} comes before it, and was not asked: ${now}`);
    run.passedOver.set(other.name, now);
  }

  /** By a person, or by the job. */
  #isLeftOut(key: string, { list, policy }: FillRun): boolean {
    if (this.#leftOut.has(`${list} ${key}`)) return true;
    // A job leaves out nothing at which the vendor is still at work.
    const isAtWork = this.#accepted.get(key)?.isKept === true;
    return policy === 'skip' && !isAtWork && this.#mayBeInDoubt(key);
  }

  #mayBeInDoubt(key: string): boolean {
    if (this.#doubts.has(key) || this.#known.get(key)?.isKept === false) return true;
    const leftAtMs = this.#leftAt.get(key) ?? Number.NEGATIVE_INFINITY;
    return leftAtMs <= this.#killedFromMs && this.#keysIn(['doubt', 'retried']).has(key);
  }

  /** Only the ledger knows what a killed run was about to send, and what a person is asked about. */
  #keysIn(states: readonly string[]): ReadonlySet<string> {
    const { tables } = this.#watch;
    const calls = [...(tables?.calls.values() ?? [])].filter(({ state }) => states.includes(state));
    const keys = calls.map(({ account, operation, asked }) => {
      const name = tables?.names.get(account) as Name;
      return keyOf({ name, operation: operation as Operation, body: bodyOf(JSON.parse(asked).parameters) });
    });
    return new Set(keys);
  }

  #mayHaveEnded(name: Name): boolean {
    const run = this.#going;
    if (run.ended.has(name)) return true;
    const slack = (this.#kills + 2) * CONCURRENCY * DEAREST;
    const [batch, share, day] = this.#scopesOf(name, run.list).map((scope) => this.#reserved.get(scope) ?? 0);
    const isOver = (sum = 0, cap = Number.POSITIVE_INFINITY, others = 1): boolean =>
      sum + slack * others > cap;
    return (
      isOver(batch, run.credits, NAMES.length) ||
      isOver(share, run.shares[name]) ||
      isOver(day, run.perDay[name])
    );
  }

  heard({ ailment, answer, poll, ...asking }: Heard): void {
    const run = this.#going;
    const key = keyOf(asking);
    // A question for an answer that is not there yet says nothing of the answer.
    const isOfAccount = poll === undefined || ailment === 'dead-key' || ailment === 'gateway';
    if (isOfAccount) this.#mayEnd(asking.name, ailment, run);
    if (poll === 'not yet') return;
    if (ailment === 'gateway') this.#doubts.set(key, 'unsure');
    else if (FREE.has(ailment)) {
      const before = this.#before.get(key);
      if (before === undefined) this.#doubts.delete(key);
      else this.#doubts.set(key, before);
      run.freed.push(key);
    } else if (ailment === 'slow' || !DOUBTFUL.has(ailment)) this.#answers({ ailment, answer, ...asking });
  }

  #answers({ ailment, answer, isFirst, ...asking }: Heard): void {
    const run = this.#going;
    const key = keyOf(asking);
    const facts = ailment === 'missing' || ailment === 'refusing' ? {} : JSON.parse(answer);
    if ('id' in facts) {
      const accepted = { isKept: true, id: `${asking.name} ${facts.id}` };
      this.#ids.set(key, new Set(this.#ids.get(key)).add(facts.id));
      if (this.#isShared(key, accepted.id)) return;
      this.#accepted.set(key, accepted);
      run.accepted.push(accepted);
      return;
    }
    // Nothing came of what was accepted.
    if (ailment === 'refusing') this.#accepted.delete(key);
    const isRefused = isChecking(asking) && ailment === 'refusing';
    const found = isFirst ? '' : String(facts[PLACES[asking.operation]] ?? '');
    const value = isRefused ? REFUSED : valueFor(asking, found);
    const leadsTo = isFirst ? onlyIdIn(facts) : undefined;
    if (leadsTo !== undefined) this.#led.set(key, new Set(this.#led.get(key)).add(leadsTo));
    // What was refused in a series is asked again.
    const known: Known = { value, leadsTo, atMs: this.#stage.trueMs, isKept: ailment !== 'refusing' };
    this.#learn(key, known);
    this.#doubts.delete(key);
    if (this.#before.has(key)) this.#reopens();
    run.heard.push(known);
  }

  /** An id that two questions have, which wait, is no one's: both are in doubt, and so is whatever has it later. */
  #isShared(key: string, id: string): boolean {
    const waiting = [...this.#accepted].filter(
      ([other, each]) => other !== key && each.id === id && this.#known.get(other)?.isKept !== true,
    );
    if (waiting.length > 0) this.#shared.add(id);
    for (const [other] of waiting) this.#accepted.delete(other);
    return this.#shared.has(id);
  }

  /** What moved ends the whole run. The page of a gateway may be about the key, or not. */
  #mayEnd(one: Name, ailment: Heard['ailment'], { ended }: Going): void {
    if (ailment === 'gateway') ended.set(one, ended.get(one) ?? -MANY);
    const all = ailment === 'moved' ? NAMES : ENDING.has(ailment) ? [one] : [];
    for (const name of all) ended.set(name, Math.max(0, ended.get(name) ?? 0));
  }

  #learn(key: string, known: Known): void {
    this.#known.set(key, known);
    if (known.leadsTo === undefined) this.#ever.set(key, this.#everOf(key).add(known.value));
  }

  #everOf(key: string): Set<string> {
    return this.#ever.get(key) ?? new Set();
  }

  /** A question for the answer to what was accepted. */
  polls({ key, acceptedAtMs }: Job): void {
    const sinceMs = this.#forgotten.get(key);
    const isGivenUp = sinceMs !== undefined && acceptedAtMs < sinceMs;
    promise(!isGivenUp, `asked for the answer about somebody who was forgotten: ${key}`);
  }

  // ---------------------------------------------------------------------------------------------- a person

  /** The address of a person in the list, or one that was found. */
  addressOf(person: Person): string | undefined {
    const cells = cellsOf(person);
    if (cells.Email !== '') return cells.Email;
    const body = findAsked(cells);
    const keys = NAMES.flatMap((name) => this.#keysOf({ name, operation: 'find-email', body }));
    const found = keys.map((key) => this.#known.get(key));
    return found.find((known) => known?.isKept === true && known.value !== '')?.value;
  }

  /** @param was `unsure`: the process was killed. */
  forgets(email: string, was: 'yes' | 'no' | 'unsure'): void {
    // Rows of the person may have been erased that no one was asked about yet.
    this.#mayBeErased = true;
    if (was === 'no') return;
    if (was === 'yes') this.#gone.add(email);
    this.#reopens();
    for (const key of this.#leftAt.keys()) {
      const known = this.#known.get(key);
      const accepted = this.#accepted.get(key);
      if (!key.includes(JSON.stringify(email)) && known?.value !== email) continue;
      const isKept = known?.isKept === true || accepted?.isKept === true;
      if (was === 'yes' && isKept) this.#forgotten.set(key, this.#stage.trueMs);
      // Who was killed may have given it up.
      this.#accepted.delete(key);
    }
  }

  /** The ids that questions by an address have led to. */
  idsBy(email: string): readonly string[] {
    const led = [...this.#led].filter(([key]) => key.includes(JSON.stringify(email)));
    // One that stands in an answer to everybody is no one's own.
    return led.flatMap(([, ids]) => [...ids]).filter((id) => id !== ALIKE_ID);
  }

  /** Where a question may be in doubt. */
  inDoubtAt(asked: Asked): readonly Name[] {
    const doubted = this.#keysIn(['doubt']);
    return NAMES.filter((name) => doubted.has(keyOf({ ...asked, name })));
  }

  /** What is in doubt, once each. */
  mayRepeat(): void {
    this.#permitted.again(this.#keysIn(['doubt']));
  }

  /** @param names of which cannot be told which one is meant. */
  decided(list: string, names: readonly Name[], asked: Asked, decision: string): void {
    this.#reopens();
    const isSure = names.length === 1;
    for (const name of names.length === 0 ? NAMES : names) {
      const key = keyOf({ ...asked, name });
      if (decision !== 'skip') this.#accepted.delete(key);
      if (decision === 'skip') this.#leftOut.add(`${list} ${key}`);
      else if (decision === 'retry') this.#permitted.again([key]);
      else this.#told(key, decision, isSure);
    }
  }

  /** A row that waited goes on, which may have opened a batch that had ended. */
  #reopens(): void {
    for (const list of this.#finished) this.#unsure.add(list);
    this.#finished.clear();
  }

  #told(key: string, decision: string, isKept: boolean): void {
    this.#wereInDoubt.add(key);
    if (isKept) this.#doubts.delete(key);
    else this.#doubts.set(key, 'unsure');
    const value = valueFor(askingOf(key), decision === 'no_match' ? '' : decision.replace(/^\w+=/, ''));
    if (decision === 'not-done') this.#known.delete(key);
    // An answer that came, and that cannot be read, has a date already.
    else this.#learn(key, { value, atMs: this.#leftAt.get(key) ?? this.#stage.trueMs, isKept, isTold: true });
  }

  // ---------------------------------------------------------------------------------------------- the books

  /** Once all has arrived. */
  requireBooks(): void {
    this.#permitted.require();
    this.#run = undefined;
    const before = new Map(this.#charged);
    for (const charge of this.#stage.charges.filter((each) => !this.#counted.has(each))) {
      for (const scope of this.#scopesFor(charge))
        this.#charged.set(scope, (this.#charged.get(scope) ?? 0) + charge.credits);
      this.#counted.add(charge);
    }
    for (const [scope, now] of this.#charged) {
      const most = Math.max(this.#caps.get(scope) ?? Number.POSITIVE_INFINITY, before.get(scope) ?? 0);
      promise(now <= most, `${now} credits are charged in ${scope}, whose budget is ${most}`);
    }
  }

  /** What was accepted is charged in the budgets under which it was sent. */
  #scopesFor({ key, atMs, acceptedAtMs = atMs }: Charge): readonly string[] {
    const sent = this.#sends.get(key)?.findLast((each) => each.atMs <= acceptedAtMs);
    promise(sent !== undefined, `charged, and never sent: ${key}`);
    const { name } = askingOf(key);
    const [batch, share, day] = this.#scopesOf(name, sent.list, sent.atMs);
    return sent.era === this.#eraOf(sent.list) ? [batch, share, day] : [day];
  }

  // ---------------------------------------------------------------------------------------------- the output

  /** Of a list that has ended. */
  requireOutput(path: string, typed: FillRun): void {
    const { people, steps } = typed;
    const shown: readonly Row[] = parse(fs.readFileSync(path), { columns: true, bom: true });
    promise(shown.length === people.length, `${path} has ${shown.length} rows, its list ${people.length}`);
    for (const [index, person] of people.entries())
      for (const step of steps) this.#requireCell(step, cellsOf(person), shown[index] ?? {}, typed);
  }

  #requireCell({ operation, accounts, check }: Step, cells: Cells, row: Row, typed: FillRun): void {
    const isFind = operation === 'find-email';
    const column = isFind ? 'Email' : 'Title';
    const { Email: email = '', [column]: cell = '', [`${column}_source`]: source = '' } = row;
    const body = isFind ? findAsked(cells) : emailAsked(email);
    const isErased = this.#mayBeErased && /erased on/.test(row._reason ?? '');
    const of = `${column} ${cell} of ${source}: ${Object.values(row).join(', ')}`;
    // Of a row of which something was erased, what no one has forgotten stays.
    if (isErased && cell === '') return;
    const isGone = isErased && cell !== cells[column] && this.#gone.has(cell);
    promise(!isGone, `what was forgotten is shown: ${of}`);
    if (cells[column] !== '')
      promise(cell === cells[column] && source === 'list', `not the cell of the list: ${of}`);
    else if (cell !== '') {
      promise(this.#isSold(cell, source, { operation, accounts }, body), `not as the book has it: ${of}`);
      promise(this.#wasTaken(cell, check), `its address was not accepted: ${of}`);
    } else {
      promise(source === '', `a blank cell has a source: ${of}`);
      if (isFind || email !== '') this.#requireNobody({ operation, accounts, check }, body, typed, of);
    }
  }

  /**
   * A vendor that gives an id again answers the first question with what it has for the second one. Where the
   * id of the second one was lost on its way, no one can know.
   */
  #isSold(cell: string, source: string, { operation, accounts }: Step, body: string): boolean {
    const name = accounts.find((each) => each === source);
    if (name === undefined) return false;
    const ids = this.#ids.get(keyOf({ name, operation, body }));
    const lent = this.#stage.charges.filter(
      ({ key, id }) => ids?.has(id) === true && askingOf(key).name === name,
    );
    const sold = [...this.#soldFor({ name, operation, body }), ...lent];
    return sold.some(({ facts }) => facts[PLACES[operation]] === cell);
  }

  #wasTaken(email: string, check: Check | undefined): boolean {
    if (check === undefined) return true;
    const verdicts = this.#everOf(checkOf(check, email));
    return check.accept.some((verdict) => verdicts.has(verdict));
  }

  /** Each account has nothing that counts, or was left out; a check that was refused or left out ends the row. */
  #requireNobody({ operation, accounts, check }: Step, body: string, typed: FillRun, of: string): void {
    const ways = accounts.map((name) => this.#keysOf({ name, operation, body }));
    const found = ways.flat().flatMap((key) => [...this.#everOf(key)]);
    const checks = check === undefined ? [] : found.map((email) => checkOf(check, email));
    if (checks.some((key) => this.#everOf(key).has(REFUSED) || this.#isLeftOut(key, typed))) return;
    for (const keys of ways) {
      const values = keys.flatMap((key) => [...this.#everOf(key)]);
      const isBlank = values.some((value) => value === '' || !this.#mayBeTaken(value, check));
      const wasOut = typed.policy === 'skip' && keys.some((key) => this.#wereInDoubt.has(key));
      const isOut = wasOut || keys.some((key) => this.#isLeftOut(key, typed));
      promise(isBlank || isOut, `not asked, or has it: ${keys[0]}: ${of}`);
    }
  }

  /** No one has ever said that an address does not count. */
  #mayBeTaken(email: string, check: Check | undefined): boolean {
    const verdicts = check === undefined ? [] : [...this.#everOf(checkOf(check, email))];
    return verdicts.every((verdict) => check?.accept.some((each) => each === verdict));
  }
}

type Cells = ReturnType<typeof cellsOf>;
type Row = Readonly<Record<string, string>>;

interface Said {
  readonly counts?: Readonly<Record<string, number>>;
  readonly stopped: Parameters<typeof causeOf>[0] | null;
}
