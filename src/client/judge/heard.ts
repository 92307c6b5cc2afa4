import { type Role, roleOf } from '../../core/membership.ts';
import type { Call, JsonValue } from '../../core/operation.ts';
import { wordsIn } from '../../core/plain-text.ts';
import type { Question } from './asked.ts';
import {
  CONTAINERS,
  isFilled,
  isMoment,
  isPlain,
  membersOf,
  nameOf,
  SPEAKING,
  STATUS_NAMES,
  truthOf,
} from './names.ts';
import { LONGEST_TEXT, plainWords, type Sense } from './words.ts';

/** Deeper than that no answer speaks of itself. */
const DEEPEST = 6;

/** Codes that say nothing: no error, and the status of a success. */
const NO_CODE = /^(?:0*|[123]\d\d|null|none|no|n)$/i;

/** None of these says that it was refused. */
const LATER: readonly Sense[] = ['rate_limited', 'pending', 'working'];

const set = (words: string): ReadonlySet<string> => new Set(wordsIn(words));

const REMOVED = set('removed deleted revoked closed deactivated');
/** Only what waits is cancelled; a removal that was cancelled was not made. */
const TAKEN_BACK = new Set([...REMOVED, ...set('cancelled canceled')]);
const UPDATED = set('updated changed modified assigned granted');
const CREATED = set('created invited granted');
const ANY = new Set([...TAKEN_BACK, ...UPDATED, ...CREATED]);
/** An invite of which one of these is said is none any more. */
const ENDED = new Set([...TAKEN_BACK, 'expired']);

/** The words for what a change does; those of any where nobody knows what it is. */
function effectsOf({ change, operation }: Call): ReadonlySet<string> {
  if (operation === 'delete-invite') return TAKEN_BACK;
  const state = change?.leaves.state ?? 'done';
  if (state === 'gone' || state === 'between') return REMOVED;
  return state === 'member' ? UPDATED : state === 'invited' ? CREATED : ANY;
}

/** Names that say how many, or that it was done, whatever it was. */
const COUNTED =
  /^(?:done|count|affected|rowsaffected|affectedrows|applied|processed(?:count)?|(?:success|succeeded)count)$/;
/** `removed_user_id` says which user it is, as `user_id` does. */
const DONE_TO = /^(?:removed|deleted|revoked|updated|changed|invited|created|target)(?=\p{L})/u;
const IS_THERE = /^(?:is|account|user)?(?:active|enabled|member)$/;
/** What has an id and an address of its own. */
const OTHERS = /^(?:project|account|organi[sz]ation|workspace|inviter|creator|actor)$/;
const WORK = /^(?:job|jobid|jobstatus|task|taskid|asyncjobid|operationid)$/;
const ROLE_NAMES =
  /^(?:roles?|newrole|userrole|rolename|rolekey|accesslevel|orgrole|permissions?)$|^role(?=viewer|editor|admin)/;
const EMAIL_NAMES = /^(?:(?:user|member|person|invitee|recipient)?e?mail(?:address)?|invitee|recipient)$/;
const ID_NAMES = /^(?:id|uid|user|(?:member|person|user|account|invite|invitation)id)$/;

/** Names beside which nothing has to be known: of the thing itself, and of what holds it. */
const NEUTRAL =
  /^(?:user|member|person|invite|invitation|project|account|items?|membership|object|type|kind|(?:first|last|full|user)?name|description|url|actions|servicedefault|id|uid|userid|invitecode|code|attributes|organization(?:id)?|before|after|data|results?|responses?|operations|meta)$/;

/** What stands around a word of success and takes nothing from it. */
const FILLERS = set(
  `the a an user users member members person invite invitation invites role project has have had been was were is now from of in to this your request
   operation workspace organization organisation org team group account removing deleting revoking updating changing and with it it's access all one 1 as`,
);

/** Where a member stands. */
interface Place {
  /** The plain name of what it is in. */
  readonly under: string;
  readonly deepest: number;
  /** It tells what went wrong, where every name and value may. */
  readonly inTrouble: boolean;
}

/**
 * What an answer says of itself, by codes, by sentences, and by marks such as `success: false`; of a change also whether it was
 * made. The answer to a change is looked through whole, and whatever is not known counts against it.
 */
export class Heard {
  /** What codes, sentences and the names of what is true say. */
  readonly says = new Set<Sense>();
  /** What a code says, and nothing else with it: `"status": "no_match"`. */
  readonly codes = new Set<Sense>();
  /** How many codes and sentences say no. */
  noes = 0;
  /** `success` or `ok` is false, or a change was not made. */
  no = false;
  /** An `error`, `errors` or `failed` is filled. */
  trouble = false;
  /** One is filled with more than how many have failed. */
  isError = false;
  countedNone = false;
  /** A status of HTTP from 400 to 599 that stands as a code. */
  status: number | undefined;
  /** Texts and codes as they stand in the answer. */
  readonly texts: string[] = [];
  /** It says that the change was made. */
  yes = false;
  /** There is something of which nobody knows what it says. */
  odd = false;
  /** It names whom or what it was asked about. */
  thing = false;
  /** It shows the role that was asked for. */
  role = false;
  /** There is work by which the change is made later. */
  work = false;
  readonly #question: Question;
  readonly #isAlone: boolean;
  /** What the change does; undefined for a question. */
  readonly #effects: ReadonlySet<string> | undefined;
  readonly #role: Role | undefined;
  #isOther = false;
  #hasOtherId = false;

  /** @param isAlone nothing that was asked for is in the answer, so what stands where it would be speaks as well. */
  constructor(question: Question, isAlone: boolean) {
    const { call } = question;
    this.#question = question;
    this.#isAlone = isAlone;
    this.#effects = call?.change === undefined ? undefined : effectsOf(call);
    this.#role = roleOf(String(call?.parameters.role ?? ''));
  }

  /** It is about something else than was asked for: another id, another role, an invite that has ended. */
  get other(): boolean {
    return this.#isOther || (this.#hasOtherId && !this.thing && !this.no);
  }

  /** Nobody knows what the change is. */
  get isAny(): boolean {
    return this.#effects === ANY;
  }

  listen(body: JsonValue): this {
    if (this.#isAlone || !Array.isArray(body))
      this.#inside(body, '', { under: '', deepest: DEEPEST, inTrouble: false });
    return this;
  }

  #inside(value: JsonValue, under: string, { deepest, inTrouble }: Place): void {
    if (deepest < 0) this.odd = true;
    else if (typeof value === 'string') this.#say(value, false);
    else if (typeof value === 'boolean') this.#truth(value);
    else if (typeof value === 'number') this.odd = true;
    else if (Array.isArray(value))
      for (const each of value) this.#inside(each, under, { under, deepest, inTrouble });
    else
      for (const [name, each] of membersOf(value))
        this.#member(name, each, { under, deepest: deepest - 1, inTrouble });
  }

  #member(name: string, value: JsonValue, place: Place): void {
    const { kind, plain, isThing } = nameOf(name);
    const isChange = this.#effects !== undefined;
    // What was sent by that name is a field of what was asked about.
    if (isChange ? this.#ofChange(name, value, place) : this.#question.names.has(plain)) return;
    const isPlace = this.#isAlone && (isThing || (CONTAINERS as readonly string[]).includes(plain));
    const isOpen = isChange || place.inTrouble || isPlace || SPEAKING.test(plain);
    if (kind === 'trouble') this.#trouble(value, place);
    else if (isPlain(value) || !isOpen) this.#plain(name, value, place);
    else if ((kind !== 'about' || plain === 'meta') && !this.#named(name, value)) {
      this.odd ||=
        isFilled(value) &&
        !(NEUTRAL.test(plain) || place.inTrouble || ['machine', 'described'].includes(kind));
      this.#inside(value, plain, place);
    }
  }

  #plain(name: string, value: JsonValue, { inTrouble }: Place): void {
    const { kind, plain } = nameOf(name);
    if (kind === 'machine') this.#code(plain, value);
    else if (kind === 'success') this.#truth(value);
    else if (kind === 'found' && truthOf(value) === false) {
      this.no ||= this.#effects !== undefined;
      this.says.add('no_match');
      // What a question of one's own asks about may have such a field.
      if (!this.#question.isOwn) this.codes.add('no_match');
    } else if (kind === 'total' && this.#effects === undefined) this.countedNone ||= value === 0;
    else if (kind === 'prose' || kind === 'described') this.#texts(plain, value, inTrouble);
    else if (inTrouble && typeof value === 'string') this.#say(value, !/\s/.test(value));
    else if (!this.#named(name, value) && this.#effects !== undefined) this.#unknown(name, value);
  }

  #unknown(name: string, value: JsonValue): void {
    const { kind, plain } = nameOf(name);
    if (value === null || kind === 'about' || isMoment(value)) return;
    // That something bad is not so says nothing.
    if (value === false) this.odd ||= this.#question.vocabulary.justOf(name) === undefined;
    else this.odd ||= value === true || !NEUTRAL.test(plain);
  }

  #trouble(value: JsonValue, place: Place): void {
    if (!isFilled(value)) return;
    this.trouble = true;
    this.isError ||= typeof value !== 'number';
    if (isPlain(value)) this.#code('errorcode', value);
    else this.#inside(value, 'error', { ...place, inTrouble: true });
  }

  #truth(value: JsonValue): void {
    const truth = truthOf(value);
    this.yes ||= truth === true;
    this.no ||= truth === false;
    if (typeof value === 'string' && truth === undefined) this.#code('status', value);
  }

  #code(plain: string, value: JsonValue): void {
    const isStatus = STATUS_NAMES.test(plain);
    if (typeof value === 'boolean' && isStatus && plain !== 'errorcode') this.#truth(value);
    if (typeof value !== 'string' && typeof value !== 'number') return;
    const code = String(value).trim();
    if (NO_CODE.test(code)) return;
    if (/^[45]\d\d$/.test(code)) this.status ??= Number(code);
    // Codes of failure, whatever their number.
    else if (/^-\d+$/.test(code)) this.no ||= isStatus && !this.#question.isOwn;
    else this.#say(code, !/\s/.test(code));
    const just = isStatus ? this.#question.vocabulary.justOf(code) : undefined;
    if (just !== undefined) this.codes.add(just);
  }

  /** A title and a description may be those of the thing itself. */
  #texts(plain: string, value: JsonValue, inTrouble: boolean): void {
    if ((plain === 'title' || plain === 'description') && !this.#isAlone && !inTrouble) return;
    for (const each of [value].flat() as JsonValue[]) if (typeof each === 'string') this.#say(each, false);
  }

  /** `{"queued": true}` says so by its name, in the answer to a change whatever it holds; `errorReporting` is a setting. @returns whether it does. */
  #named(name: string, value: JsonValue): boolean {
    const { kind, plain } = nameOf(name);
    if (value === true && this.#effects === CREATED && ENDED.has(plain)) this.#isOther = true;
    const speaks = this.#effects === undefined ? kind === 'field' && value === true : isFilled(value);
    const sense = speaks ? this.#question.vocabulary.justOf(name) : undefined;
    if (sense === undefined || sense === 'done') return false;
    this.#say(name, true);
    return true;
  }

  /** @param isCode it is one word, and no sentence. */
  #say(text: string, isCode: boolean): void {
    this.texts.push(text);
    const { vocabulary } = this.#question;
    const own = this.#question.without(text.slice(0, LONGEST_TEXT));
    const senses = isCode ? [vocabulary.senseOfCode(own) ?? []].flat() : vocabulary.sensesOf(own);
    for (const sense of senses) {
      this.says.add(sense);
      if (![...LATER.slice(1), 'done'].includes(sense)) this.noes += 1;
    }
    if (this.#effects !== undefined) this.#weigh(own, senses, isCode, this.#effects);
  }

  // --------------------------------------------------------------------------------------------- of a change

  #weigh(text: string, senses: readonly Sense[], isCode: boolean, effects: ReadonlySet<string>): void {
    const words = plainWords(text);
    const others = words
      .split(' ')
      .filter((word) => (ANY.has(word) || ENDED.has(word)) && !effects.has(word));
    const beside = this.#question.vocabulary.besidePraise(text);
    const isPraise = beside.join(' ') !== words;
    const said = senses.filter((sense) => sense !== 'done');
    if (isPraise && others.length === 0 && beside.every((word) => FILLERS.has(word))) this.yes = true;
    else if (said.some((sense) => sense === 'refused' || !(isPraise || LATER.includes(sense))))
      this.no = true;
    else if (said.length === 0 || isPraise) this.odd = true;
    if (isCode && effects === CREATED && others.some((word) => ENDED.has(word))) this.#isOther = true;
  }

  /** What only the answer to a change has. @returns whether it is that. */
  #ofChange(name: string, value: JsonValue, place: Place): boolean {
    const { kind, plain } = nameOf(name);
    const isThere =
      typeof value === 'boolean' && IS_THERE.test(plain) && this.#effects?.has('removed') === true;
    if (ROLE_NAMES.test(plain)) this.#roles(rolesIn(name.startsWith('role:') ? { [name]: value } : value));
    else if (isThere && value) this.#isOther = true;
    else if (isThere) this.yes = true;
    else if (WORK.test(plain)) this.work ||= isFilled(value);
    else if (kind === 'success' && Array.isArray(value)) this.#done(value);
    else
      return (
        /(?:ed|or)by$/.test(plain) ||
        this.#isEffect(plain, value, place) ||
        this.#isNamed(plain, place.under, value)
      );
    return true;
  }

  #isEffect(plain: string, value: JsonValue, place: Place): boolean {
    const effect = plain.replaceAll(/^(?:is|was|has)(?=\p{L})|(?:at|on|count)$/gu, '');
    const isWhen = /(?:at|on)$/.test(plain) && !REMOVED.has(effect);
    if (COUNTED.test(plain) || (this.#effects?.has(effect) === true && !isWhen)) this.#effect(value, place);
    // When a thing was made is nothing that was done to it now, another change is none of this one, and a warning proves nothing.
    else if (ANY.has(effect) || /^(?:warnings?|notices?)$/.test(plain))
      this.odd ||= isFilled(value) && !isMoment(value);
    else return false;
    return true;
  }

  #effect(value: JsonValue, place: Place): void {
    if (Array.isArray(value)) this.#done(value);
    else if (isPlain(value) && (this.#question.includes(value) || isMoment(value))) this.yes = true;
    else if (value !== null && truthOf(value) !== undefined) this.#truth(value);
    else {
      this.odd = true;
      if (!isPlain(value)) this.#inside(value, '', place);
      this.#isOther ||= /^\S*[@\d]\S*$/.test(isPlain(value) ? String(value) : '');
    }
  }

  /** A list of whom it was done to. */
  #done(list: readonly JsonValue[]): void {
    const isOurs = (each: JsonValue): boolean =>
      isPlain(each) ? this.#question.includes(each) : membersOf(each).some(([, inner]) => isOurs(inner));
    if (list.length === 0) this.no = true;
    else if (list.every(isOurs)) this.yes = true;
    else this.#isOther = true;
  }

  /** @returns whether it was sent under that name, or is an id or an address. */
  #isNamed(plain: string, under: string, value: JsonValue): boolean {
    if (typeof value !== 'string' && typeof value !== 'number') return false;
    const { names, email } = this.#question;
    const own = plain.replace(DONE_TO, '');
    const sent = names.get(own) ?? names.get(`${own}id`);
    const isEmail = email !== undefined && EMAIL_NAMES.test(own);
    if (!(isEmail || ID_NAMES.test(own) || sent !== undefined)) return false;
    // A project and an account have ids and addresses of their own.
    if (OTHERS.test(under)) return true;
    if (this.#question.includes(isEmail ? addressIn(`${value}`) : value)) this.thing = true;
    else if (isEmail) this.#isOther = true;
    // A text of several words is no id, and an `id` may be that of the request.
    else if (sent !== undefined) this.#isOther ||= !/\s/.test(sent.text.trim());
    else if (own === 'id') this.#hasOtherId ||= this.#sendsId();
    else this.#isOther ||= this.#sendsId();
    return true;
  }

  /** Whether the id of whom or what is changed was sent, and not only that of where. */
  #sendsId(): boolean {
    return [...this.#question.names.keys()].some(
      (name) => /(?:id|code)$/.test(name) && !/^(?:project|organi[sz]ation)/.test(name),
    );
  }

  #roles(named: readonly (readonly [role: string, isGranted: boolean])[]): void {
    if (this.#role === undefined) return;
    const wanted = [this.#role, this.#question.dialect.permissions?.[this.#role]];
    const granted = named.flatMap(([word, isGranted]) => (isGranted ? [roleOf(word) ?? word] : []));
    const isRight = (word: string): boolean => wanted.includes(word);
    if (granted.some(isRight) && granted.every((word) => isRight(word) || roleOf(word) === undefined))
      this.role = true;
    else if (named.length > 0) this.#isOther = true;
  }
}

const addressIn = (text: string): string => /[^\s<>]+@[^\s<>]+/.exec(text)?.[0] ?? '';

/** The roles that a value names: a word, a list of words, or an object in which what is granted is true. */
function rolesIn(value: JsonValue): readonly (readonly [role: string, isGranted: boolean])[] {
  if (isPlain(value)) return typeof value === 'string' && value.trim() !== '' ? [[value, true]] : [];
  return (Object.entries(value as object) as [string, JsonValue][]).flatMap(([word, each]) => {
    if (typeof each === 'boolean') return [[word.replace(/^role:/, ''), each] as const];
    // Who has given a role may be an admin.
    return /by$/i.test(word) ? [] : rolesIn(each);
  });
}
