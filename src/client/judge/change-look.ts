import { type Role, roleOf, type SubjectState } from '../../core/membership.ts';
import { isObject } from '../../core/objects.ts';
import type { Call, JsonValue } from '../../core/operation.ts';
import { wordsIn } from '../../core/plain-text.ts';
import type { Dialect } from '../dialect.ts';
import { type Asked, isWord, type Sent, withoutValues } from './asked.ts';
import { BATCHES, nameOf, STATUS_NAMES, WARNINGS } from './names.ts';
import { areSame } from './plain.ts';
import { isFilled, isMoment, textsIn, truthOf } from './values.ts';
import { LONGEST_TEXT, plainWords, type Sense, type Vocabulary, vocabularyOf } from './vocabulary.ts';

/**
 * What an answer to a change says and shows. It is looked through whole: whatever is not known counts against it, so that this is a list
 * of what counts as done, and not of what counts as failed.
 */

const set = (words: string): ReadonlySet<string> => new Set(wordsIn(words));

const REMOVED = set('removed deleted revoked closed deactivated');
/** Only what waits is cancelled; a removal that was cancelled was not made. */
const TAKEN_BACK = set('removed deleted revoked closed deactivated cancelled canceled');
const UPDATED = set('updated changed modified assigned granted');
const CREATED = set('created invited granted');
export const ALL_EFFECTS: ReadonlySet<string> = new Set([...TAKEN_BACK, ...UPDATED, ...CREATED]);

/** The words for what such a change does; those of any where nobody knows what the change is. */
const EFFECTS: Readonly<Record<SubjectState, ReadonlySet<string>>> = {
  gone: REMOVED,
  between: REMOVED,
  member: UPDATED,
  invited: CREATED,
  unsure: ALL_EFFECTS,
  done: ALL_EFFECTS,
};

/** Names that say how many, or that it was done, whatever it was. */
const COUNTED =
  /^(?:done|count|affected|rowsaffected|affectedrows|applied|processed|processedcount|successcount|succeededcount)$/;

/** Names beside which nothing has to be known: of the answer, of the thing itself, and of what holds it. */
const NEUTRAL: ReadonlySet<string> = set(
  `user member person invite invitation project account item items membership object type kind name firstname lastname fullname
   username description url odatacontext createdat updatedat removedat deletedat actions permissions servicedefault role roles id uid
   userid invitecode code attributes organization organizationid before after data result results response responses operations meta`,
);

/** What stands around a word of success and takes nothing from it. */
const FILLERS: ReadonlySet<string> = set(
  `the a an user users member members person invite invitation invites role project has have had been was were is now from of in to this your request
   operation workspace organization organisation org team group account removing deleting revoking updating changing and with it it's access all one 1 as`,
);

/** Deeper than that no answer shows what was changed. */
const DEEPEST = 6;

/** What is found in an answer. */
export interface Found {
  /** It says that the change was made. */
  yes: boolean;
  no: boolean;
  /** There is something of which nobody knows what it says. */
  odd: boolean;
  /** It is about something else than was asked for: another id, another role, an invite that has ended. */
  other: boolean;
  /** It names whom or what it was asked about. */
  thing: boolean;
  /** It shows the role that was asked for. */
  role: boolean;
  /** There is work by which the change is made later. */
  work: boolean;
  readonly says: Set<Sense>;
  status: number | undefined;
  readonly texts: string[];
}

interface Wanted {
  readonly asked: Asked;
  readonly vocabulary: Vocabulary;
  readonly effects: ReadonlySet<string>;
  readonly role: Role | undefined;
  readonly permissions: Dialect['permissions'];
}

class Look {
  readonly found: Found = {
    ...{ yes: false, no: false, odd: false, other: false, thing: false, role: false, work: false },
    ...{ says: new Set(), status: undefined, texts: [] },
  };
  readonly #wanted: Wanted;

  constructor(body: JsonValue, wanted: Wanted) {
    this.#wanted = wanted;
    if (typeof body === 'string') this.#say(body, false);
    else if (typeof body === 'boolean' || body === 1 || body === 0) this.#truth(body);
    else if (typeof body === 'number') this.found.odd = true;
    else this.#value('', body, DEEPEST, false);
  }

  #value(name: string, value: JsonValue, deepest: number, inTrouble: boolean): void {
    if (deepest < 0) this.found.odd = true;
    else if (Array.isArray(value)) this.#list(name, value, deepest, inTrouble);
    else if (isObject(value)) {
      if (this.#isEffect(name)) this.found.odd = true;
      for (const [key, each] of Object.entries(value))
        this.#member(key, name, each as JsonValue, deepest - 1, inTrouble);
    }
  }

  #list(name: string, list: readonly JsonValue[], deepest: number, inTrouble: boolean): void {
    if (this.#isEffect(name)) {
      this.#done(list);
      return;
    }
    const speaks = name === '' || WRAPS.has(name);
    for (const each of list) {
      if (typeof each === 'object') this.#value(name, each, deepest, inTrouble);
      else if (typeof each === 'string' && (speaks || inTrouble)) this.#say(each, false);
      else if (typeof each === 'boolean' && speaks) this.#truth(each);
    }
  }

  /** A list of whom it was done to. */
  #done(list: readonly JsonValue[]): void {
    const { asked } = this.#wanted;
    const isOurs = (each: JsonValue): boolean =>
      typeof each === 'string' || typeof each === 'number'
        ? asked.includes(each)
        : isObject(each) && (Object.values(each) as JsonValue[]).some(isOurs);
    if (list.length === 0) this.found.no = true;
    else if (list.every(isOurs)) this.found.yes = true;
    else this.found.other = true;
  }

  #member(key: string, under: string, value: JsonValue, deepest: number, inTrouble: boolean): void {
    const { kind, plain } = nameOf(key);
    if (this.#ofChange(key, value, deepest)) return;
    if (kind === 'trouble') this.#error(value, deepest);
    else if (kind === 'success') this.#success(value);
    else if (kind === 'found') this.#none(truthOf(value) === false);
    else if (this.#isNamed(plain, under, value)) return;
    else if (value !== null && typeof value === 'object') this.#inner(key, value, deepest, inTrouble);
    else if (kind === 'machine' || /status$/.test(plain)) this.#code(plain, value);
    else if (kind === 'prose' || kind === 'described') this.#texts(plain, value);
    else if (inTrouble && typeof value === 'string') this.#say(value, !/\s/.test(value));
    else this.#unknown(key, value);
  }

  /** What only the answer to a change has. @returns whether it is that. */
  #ofChange(key: string, value: JsonValue, deepest: number): boolean {
    const { plain } = nameOf(key);
    const isActive =
      typeof value === 'boolean' && IS_THERE.test(plain) && this.#wanted.effects.has('removed');
    if (WARNINGS.has(plain)) this.#warning(value);
    else if (ROLE_NAMES.has(plain) || key.startsWith('role:')) this.#roles(key, value);
    else if (isActive) this.#isThere(value);
    else if (WORK.test(plain)) this.found.work ||= isFilled(value) && !(isObject(value) && 'title' in value);
    else if (this.#isEffect(plain)) this.#effect(plain, value, deepest);
    else if (ALL_EFFECTS.has(plain) || RECORDED.test(plain)) this.#recorded(plain, value);
    else return false;
    return true;
  }

  #success(value: JsonValue): void {
    if (Array.isArray(value)) this.#done(value);
    else this.#truth(value);
  }

  #unknown(key: string, value: JsonValue): void {
    const { kind, plain } = nameOf(key);
    const { found } = this;
    if (value === null) found.odd ||= /user$/.test(plain);
    else if (value === false) found.no ||= this.#isNamedFor(key);
    else if (!this.#saysByName(key, value))
      found.odd ||= value === true || !(NEUTRAL.has(plain) || kind === 'about' || isMoment(value));
  }

  /** The name of what is true or filled may say no, or not yet: `skipped`, `rateLimited`. @returns whether it does. */
  #saysByName(key: string, value: JsonValue): boolean {
    const { vocabulary, effects } = this.#wanted;
    if (effects === CREATED && /^(?:is_?)?expired$/i.test(key) && value === true) this.found.other = true;
    const sense = vocabulary.senseOfCode(key);
    if (sense === undefined || sense === 'done' || !vocabulary.isJust(key, sense) || !isFilled(value))
      return false;
    this.found.says.add(sense);
    this.found.no ||= !LATER.has(sense);
    return true;
  }

  /** A warning proves nothing, but one that says the opposite leaves nothing proved. */
  #warning(value: JsonValue): void {
    const { vocabulary, asked } = this.#wanted;
    const senses = textsIn(value).flatMap((text) =>
      vocabulary.sensesOf(withoutValues(text.slice(0, LONGEST_TEXT), asked)),
    );
    this.found.odd ||= senses.some((sense) => sense !== 'rate_limited');
  }

  /** What is to be gone is no longer active, or is still. */
  #isThere(isActive: boolean): void {
    if (isActive) this.found.other = true;
    else this.found.yes = true;
  }

  /** Whether a name is that of the change: with `{"deleteUser": false}` it was not made. */
  #isNamedFor(key: string): boolean {
    const [verb = ''] = plainWords(key).split(' ');
    return [verb, `${verb}d`, `${verb}ed`].some((each) => this.#wanted.effects.has(each));
  }

  #inner(key: string, value: JsonValue, deepest: number, inTrouble: boolean): void {
    const { kind, plain } = nameOf(key);
    if ((kind === 'about' && plain !== 'meta') || this.#saysByName(key, value)) return;
    const isKnown = NEUTRAL.has(plain) || inTrouble || kind === 'machine' || kind === 'described';
    this.found.odd ||= !isKnown && isFilled(value);
    this.#value(plain, value, deepest, inTrouble);
  }

  // -------------------------------------------------------------------------------------------- words

  /** @param isCode it is one word, and no sentence. */
  #say(text: string, isCode: boolean): void {
    const { asked, vocabulary, effects } = this.#wanted;
    const { found } = this;
    found.texts.push(text);
    const own = withoutValues(text.slice(0, LONGEST_TEXT), asked);
    const words = plainWords(own)
      .split(' ')
      .filter((word) => word !== '');
    const others = words.filter((word) => ALL_EFFECTS.has(word) && !effects.has(word));
    const left = vocabulary.without(own, ['done']);
    const rest = left.split(' ').filter((word) => word !== '' && !FILLERS.has(word));
    const isPraise = left !== plainWords(own);
    if (isPraise && rest.length === 0 && others.length === 0) {
      found.yes = true;
      return;
    }
    const senses = isCode ? [vocabulary.senseOfCode(own)] : vocabulary.sensesOf(own);
    const said = senses.filter((each) => each !== undefined && each !== 'done');
    for (const sense of said) found.says.add(sense as Sense);
    const isNo = said.some((each) => each === 'refused' || !(isPraise || LATER.has(each as Sense)));
    if (isNo) found.no = true;
    else if (said.length === 0 || isPraise) found.odd = true;
    if (
      isCode &&
      effects === CREATED &&
      (others.some((each) => TAKEN_BACK.has(each)) || words.includes('expired'))
    )
      found.other = true;
    this.#namesOther(own);
  }

  /** A sentence may name somebody else, or another role. */
  #namesOther(text: string): void {
    const { role } = this.#wanted;
    const told = roleOf(/\b(?:to|now|as) (?:an? |the )?([a-z]{3,20})\b/i.exec(text)?.[1] ?? '');
    if (role !== undefined && told !== undefined && told !== role) this.found.other = true;
    if (/\b[a-z]{1,10}[_-][a-z0-9]*\d[a-z0-9_-]*/i.test(text)) this.found.odd = true;
  }

  #texts(plain: string, value: JsonValue): void {
    if (typeof value === 'boolean') this.#truth(value);
    else if (typeof value === 'string' && !this.#wanted.asked.names.has(plain)) this.#say(value, false);
  }

  #code(plain: string, value: JsonValue): void {
    if (typeof value === 'boolean') {
      if (STATUS_NAMES.has(plain)) this.#truth(value);
      else this.found.odd = true;
      return;
    }
    const code = String(value ?? '').trim();
    if (/^(?:0*|[123]\d\d|null|none|no|n)$/i.test(code)) return;
    if (/^[45]\d\d$/.test(code)) this.found.status ??= Number(code);
    else if (/^-\d+$/.test(code)) this.found.no = true;
    else this.#say(code, !/\s/.test(code));
  }

  #error(value: JsonValue, deepest: number): void {
    if (!isFilled(value) || /^(?:none|no|n)$/i.test(String(value).trim())) return;
    this.found.no = true;
    if (typeof value === 'string') this.#say(value, !/\s/.test(value.trim()));
    else if (typeof value === 'object') this.#value('error', value, deepest, true);
  }

  // -------------------------------------------------------------------------------------------- truths

  #truth(value: JsonValue): void {
    const truth = truthOf(value);
    this.found.yes ||= truth === true;
    this.found.no ||= truth === false;
    if (truth === undefined) {
      if (typeof value === 'string') this.#say(value, true);
      else this.found.odd = true;
    }
  }

  #none(isNobody: boolean): void {
    if (!isNobody) return;
    this.found.no = true;
    this.found.says.add('no_match');
  }

  #isEffect = (plain: string): boolean =>
    COUNTED.test(plain) ||
    this.#wanted.effects.has(plain.replace(/^(?:is|was|has)(?=\p{L})/u, '').replace(/count$/, ''));

  #effect(plain: string, value: JsonValue, deepest: number): void {
    const { found } = this;
    if (value === null || value === '') found.odd = true;
    else if (typeof value === 'object') this.#value(plain, value, deepest, false);
    else if (typeof value === 'string' && this.#wanted.asked.includes(value)) found.yes = true;
    else if (isMoment(value)) found.yes = true;
    else if (truthOf(value) === undefined) {
      found.odd = true;
      found.other ||= /@|\d/.test(String(value)) && !/\s/.test(String(value));
    } else this.#truth(value);
  }

  /** When and by whom a thing was made is nothing that was done to it now; that another change was made is none of this one. */
  #recorded(plain: string, value: JsonValue): void {
    if (/^(?:deleted|removed|revoked)at$/.test(plain) && this.#wanted.effects.has(plain.replace(/at$/, '')))
      this.#effect(plain, value, 0);
    else if (ALL_EFFECTS.has(plain) && !isMoment(value) && isFilled(value)) this.found.odd = true;
  }

  // -------------------------------------------------------------------------------------------- whom it shows

  /** @returns whether it was sent under that name, or is the id or the address of the thing. */
  #isNamed(plain: string, under: string, value: JsonValue): boolean {
    if (typeof value !== 'string' && typeof value !== 'number') return false;
    const text = String(value);
    // A project and an account have ids and addresses of their own, and so has an entry of a batch.
    if (OTHERS.has(under) && under !== plain) return ID_NAMES.test(plain) || EMAIL_NAMES.test(plain);
    if (BATCHES.has(under) && (plain === 'name' || (plain === 'id' && !this.#isOfKind(text)))) return true;
    const own = plain.replace(DONE_TO, '');
    const sent = this.#sentAs(own, under, text);
    const { email } = this.#wanted.asked;
    if (sent !== undefined) this.#holdAgainst(sent.text, text, isWord(sent));
    else if (email !== undefined && EMAIL_NAMES.test(own))
      this.#holdAgainst(email, /[^\s<>]+@[^\s<>]+/.exec(text)?.[0] ?? text, true);
    else if (ID_NAMES.test(own)) this.#id(own, text);
    else return false;
    return true;
  }

  /** What was sent under that name: as it is, as the id of what it stands in, or as the id of what it names. */
  #sentAs(own: string, under: string, text: string): Sent | undefined {
    const { names } = this.#wanted.asked;
    const inner = own === 'id' || own === 'code' ? names.get(under + own) : undefined;
    const idOf = names.get(`${own}id`);
    const isIt = idOf !== undefined && (areSame(idOf.text, text) || areOfOneKind(idOf.text, text));
    return names.get(own) ?? inner ?? (isIt ? idOf : undefined);
  }

  #holdAgainst(sent: string, shown: string, isSure: boolean): void {
    if (areSame(sent, shown)) this.found.thing = true;
    else if (isSure && !/[*•…]/.test(shown)) this.found.other = true;
  }

  /** An `id` may be that of the thing, or one of the request. */
  #id(name: string, id: string): void {
    const ids = this.#ids;
    if (ids.some((each) => areSame(each, id))) this.found.thing = true;
    else if (this.#isOfKind(id) || (name !== 'id' && ids.length > 0)) this.found.other = true;
  }

  /** Those of whom or what is changed, and not of where. */
  get #ids(): readonly string[] {
    return [...this.#wanted.asked.names].flatMap(([plain, { text }]) =>
      /(?:id|code)$/.test(plain) && !/^(?:project|organi[sz]ation)/.test(plain) ? [text] : [],
    );
  }

  #isOfKind(id: string): boolean {
    return this.#ids.some((each) => areOfOneKind(each, id));
  }

  // -------------------------------------------------------------------------------------------- roles

  #roles(key: string, value: JsonValue): void {
    const { role, permissions } = this.#wanted;
    const named = key.startsWith('role:') ? rolesIn({ [key]: value }) : rolesIn(value);
    if (role === undefined) return;
    const granted = named.filter(({ isGranted }) => isGranted).map(({ word }) => roleOf(word) ?? word);
    const isWanted = (word: string): boolean => word === role || word === permissions?.[role];
    if (granted.some(isWanted) && !granted.some((word) => !isWanted(word) && roleOf(word) !== undefined))
      this.found.role = true;
    else if (named.length > 0) this.found.other = true;
  }
}

/** `removed_user_id` says which user it is, as `user_id` does. */
const DONE_TO = /^(?:removed|deleted|revoked|updated|changed|invited|created|target)(?=\p{L})/u;
const IS_THERE = /^(?:is|account|user)?(?:active|enabled|member)$/;
const OTHERS = set('project account organization organisation workspace inviter creator actor');
/** None of these says that it was refused. */
const LATER: ReadonlySet<Sense> = new Set<Sense>(['rate_limited', 'pending', 'working']);
const WRAPS = set('data result results response responses operations outcomes');
const WORK = /^(?:job|jobid|jobstatus|task|taskid|asyncjobid|operationid)$/;
const RECORDED = /^(?:created|updated|modified|changed|deleted|removed|revoked)(?:at|on|by)?$/;
const ROLE_NAMES = set(
  'role roles newrole userrole rolename rolekey accesslevel orgrole permission permissions',
);
const EMAIL_NAMES = /^(?:(?:user|member|person|invitee|recipient)?e?mail(?:address)?|invitee|recipient)$/;
const ID_NAMES = /^(?:id|uid|user|memberid|personid|userid|accountid|inviteid|invitationid)$/;

/** Ids of one kind begin alike, or are numbers. */
const areOfOneKind = (one: string, other: string): boolean =>
  beginningOf(one) === ''
    ? /^\d+$/.test(one) && /^\d+$/.test(other)
    : beginningOf(one) === beginningOf(other);

const beginningOf = (id: string): string => /^[a-z]+(?=[_-])/i.exec(id)?.[0].toLowerCase() ?? '';

interface NamedRole {
  readonly word: string;
  readonly isGranted: boolean;
}

/** The roles that a value names: a word, a list of words, or an object in which what is granted is true. */
function rolesIn(value: JsonValue): readonly NamedRole[] {
  if (typeof value === 'string') return value.trim() === '' ? [] : [{ word: value, isGranted: true }];
  if (value === null || typeof value !== 'object') return [];
  if (isObject(value) && value.to !== undefined) return rolesIn(value.to as JsonValue);
  return Object.entries(value).flatMap(([word, each]) => {
    if (typeof each === 'boolean') return [{ word: word.replace(/^role:/, ''), isGranted: each }];
    // Who has given a role may be an admin.
    return /by$/i.test(word) ? [] : rolesIn(each as JsonValue);
  });
}

export interface ChangeQuestion {
  readonly dialect: Dialect;
  readonly call: Call;
  readonly asked: Asked;
}

export const effectsOf = ({ change, operation }: Call): ReadonlySet<string> =>
  operation === 'delete-invite' ? TAKEN_BACK : EFFECTS[change?.leaves.state ?? 'done'];

export function lookAtChange(body: JsonValue, { dialect, call, asked }: ChangeQuestion): Found {
  const { role } = call.parameters;
  return new Look(body, {
    ...{ asked, effects: effectsOf(call), permissions: dialect.permissions },
    vocabulary: vocabularyOf(dialect.words),
    role: typeof role === 'string' ? roleOf(role) : undefined,
  }).found;
}

/** Whether an answer shows something else than was asked for. */
export const showsOther = (body: JsonValue, question: ChangeQuestion): boolean =>
  lookAtChange(body, question).other;
