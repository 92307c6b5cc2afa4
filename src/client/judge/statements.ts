import { describedCall } from '../../core/described.ts';
import { type Role, roleOf } from '../../core/membership.ts';
import type { Call } from '../../core/operation.ts';
import { wordsIn } from '../../core/plain-text.ts';
import type { JudgedCall } from './judged-call.ts';
import { isBlank, isFilled, isMoment, type Leaf, type Name, truthOf } from './names.ts';
import { isLater, LONGEST_TEXT, plainWords, type Sense } from './words.ts';

/** Codes that say nothing: no error, or the status of a success. */
const NO_CODE = /^(?:0*|[123]\d\d|null|none|no|n)$/i;

/** Objects in which an answer speaks of itself, as it does at its top. */
const SPEAKING = /^(?:meta|status|response)$/;
/** Lists of errors, in place of a sentence. */
const DETAILS = /^(?:detail|message)s?$/;

const isTrouble = ({ kind }: Name): boolean => kind === 'trouble';
const isReason = ({ name }: Leaf): boolean => name.plain === 'reason';

/** Whether a leaf says yes or no about the request as a whole. */
function isMark({ name: { kind, plain }, value }: Leaf): boolean {
  if (kind === 'success' || typeof value !== 'boolean') return kind === 'success';
  return plain === '' || (kind === 'machine' && /(?:status|result|outcome|code)$/.test(plain));
}

/**
 * Whether a leaf is a text of the answer about itself. A title and a description may belong to the thing in
 * question.
 */
function isText({ name: { kind, plain }, under, isMember }: Leaf, isAlone: boolean): boolean {
  if (plain === '' || kind === 'prose' || (isMember && SPEAKING.test(plain))) return true;
  if (under.some((each) => DETAILS.test(each.plain))) return true;
  return kind === 'described' && (isAlone || !/^(?:title|description)$/.test(plain));
}

/**
 * The statements of an answer about itself, by codes, by sentences, and by marks such as `success: false`.
 */
export class Statements {
  /** The senses of codes, of sentences, and of names whose value is true. */
  readonly says = new Set<Sense>();
  /** The senses of codes that say nothing else besides: `"status": "no_match"`. */
  readonly codes = new Set<Sense>();
  /** `yes`: a mark of success says so. `no`: a mark denies it, or a change was not made. */
  yes = false;
  no = false;
  /** `trouble`: an `error`, `errors` or `failed` is filled. `isError`: with more than a count of failures. */
  trouble = false;
  isError = false;
  countedNone = false;
  /** An HTTP status from 400 to 599 that stands as a code. */
  status: number | undefined;
  /** Texts, codes and marks. */
  readonly stated: Leaf[] = [];
  protected readonly judgedCall: JudgedCall;

  constructor(judgedCall: JudgedCall) {
    this.judgedCall = judgedCall;
  }

  /**
   * @param isAlone whether the answer has none of the data that was asked for, so that values in its place
   *   speak as well.
   */
  listen(leaves: readonly Leaf[], isAlone: boolean): this {
    // Where no data stands, all that is no echo of the request is the answer's own.
    const speaks = ({ kind, plain }: Name): boolean => (isAlone && kind !== 'about') || SPEAKING.test(plain);
    // Beside data, a list says nothing about the answer.
    if (!isAlone && /^\d/.test(leaves[0]?.keys[0] ?? leaves[0]?.key ?? '')) return this;
    const readLeaf = (leaf: Leaf): void => {
      const error = leaf.under.findIndex(isTrouble);
      const above = error < 0 ? leaf.under : leaf.under.slice(0, error);
      if (above.every(speaks) && !this.readStatement(leaf, isAlone) && isAlone) this.#hearField(leaf);
    };
    for (const leaf of leaves) if (!isReason(leaf)) readLeaf(leaf);
    // In a success, a reason belongs to the data: it says why the data is as it is.
    for (const leaf of leaves) if (isReason(leaf) && (!this.yes || this.no)) readLeaf(leaf);
    return this;
  }

  /** A field may hold a word or a sentence about the answer: `{"content":[{"text":"Nobody was found."}]}`. */
  #hearField(leaf: Leaf): void {
    const { name, value } = leaf;
    if (typeof value !== 'string') return;
    if (name.isStated && this.judgedCall.vocabulary.justOf(value) !== undefined) this.#code(leaf);
    else if (/\s/.test(value.trim()) && this.judgedCall.vocabulary.read(value).senses.length > 0)
      this.say(value, leaf);
  }

  /** @returns whether the leaf says anything. */
  protected readStatement(leaf: Leaf, isAlone: boolean): boolean {
    const { name, under, value = null } = leaf;
    const isWithin = under.some(isTrouble);
    if (!isWithin && !isTrouble(name)) return this.#speaks(leaf, isText(leaf, isAlone));
    if (!isFilled(value)) return true;
    this.trouble = true;
    this.isError ||= isWithin || typeof value !== 'number';
    if (value === true) this.stated.push(leaf);
    return this.#speaks(leaf, true);
  }

  #speaks(leaf: Leaf, isText: boolean): boolean {
    const { value = null } = leaf;
    const { kind } = leaf.name;
    const isCode = (kind === 'machine' && !leaf.isMember) || kind === 'trouble';
    if (isMark(leaf)) this.truth(leaf);
    else if (isCode) this.#code(leaf);
    else if (kind === 'found' && truthOf(value) === false && !leaf.isMember) {
      this.says.add('no_match');
      // The subject of an api-call of the job may have such a field.
      if (!this.judgedCall.isOwn) this.codes.add('no_match');
    } else if (kind === 'total' && value === 0) this.countedNone = true;
    else if (typeof value === 'string' && isText) this.say(value, leaf);
    else return kind === 'described' || (kind === 'field' && value === true && this.named(leaf));
    return true;
  }

  /**
   * `{"queued": true}` makes a statement by its name; `errorReporting` is a setting.
   * @returns whether the leaf makes one.
   */
  protected named(leaf: Leaf): boolean {
    const { raw } = leaf.name;
    const sense = this.judgedCall.vocabulary.justOf(raw);
    if (sense === undefined || sense === 'done') return false;
    this.say(raw, leaf);
    // A thing is `active` or `verified`, and only a job is `searching`.
    if (sense === 'working') this.codes.add(sense);
    return true;
  }

  protected truth(leaf: Leaf): void {
    const truth = truthOf(leaf.value ?? null);
    this.yes ||= truth === true;
    this.no ||= truth === false;
    if (truth === false) this.stated.push(leaf);
    if (truth === undefined) this.#code(leaf);
  }

  #code(leaf: Leaf): void {
    const { value = null } = leaf;
    const code = String(value).trim();
    if (typeof value === 'boolean' || NO_CODE.test(code)) return;
    if (/^(?:[45]\d\d|-\d+)$/.test(code)) {
      // A negative code means failure, whatever its number.
      if (code.startsWith('-')) this.no ||= !this.judgedCall.isOwn;
      else this.status ??= Number(code);
      this.stated.push(leaf);
    } else this.say(code, leaf);
    const just = this.judgedCall.vocabulary.justOf(code);
    if (just !== undefined) this.codes.add(just);
  }

  protected say(text: string, leaf: Leaf): void {
    if (isBlank(text.trim())) return;
    this.stated.push(leaf);
    const plainText = this.judgedCall.without(text.slice(0, LONGEST_TEXT));
    const { senses, rest } = this.judgedCall.vocabulary.read(plainText);
    for (const sense of senses) this.says.add(sense);
    this.weigh(plainText, senses, rest);
  }

  protected weigh(_text: string, _senses: readonly Sense[], _rest: string): void {}
}

// ------------------------------------------------------------------------------------ the answer to a change

const set = (words: string): ReadonlySet<string> => new Set(wordsIn(words));

const REMOVED = set('removed deleted revoked closed deactivated');
/** Only a waiting invite or request is cancelled; a removal that was cancelled was not made. */
const TAKEN_BACK = new Set([...REMOVED, ...set('cancelled canceled')]);
const UPDATED = set('updated changed modified assigned granted');
const CREATED = set('created invited granted');
const ANY = new Set([...TAKEN_BACK, ...UPDATED, ...CREATED]);
/** An invite with one of these words no longer exists. */
const ENDED = new Set([...TAKEN_BACK, 'expired']);

/** The word in a name for something that was done: `isRemoved`, `deleted_at`, `deletedUsers`. */
const effectIn = ({ plain }: Name): string =>
  plain.replace(/^(?:is|was|has)(?=\p{L})/u, '').replace(TO_WHOM, '');

/** The words for what a change does; the words for any change where it is not known which it is. */
function effectsOf({ change, operation }: Call): ReadonlySet<string> {
  if (describedCall(operation).changes === 'takes_invite_back') return TAKEN_BACK;
  const state = change?.leaves.state ?? 'done';
  if (state === 'gone' || state === 'reinvite_due') return REMOVED;
  return state === 'member' ? UPDATED : state === 'invited' ? CREATED : ANY;
}

/** Names that say how many, or that it was done, whatever the change was. */
const COUNTED =
  /^(?:done|count|affected|rowsaffected|affectedrows|applied|processed(?:count)?|(?:success|succeeded)count)$/;
/** `removed_user_id` says which user was meant, like `user_id`. */
const DONE_TO = /^(?:removed|deleted|revoked|updated|changed|invited|created|target)(?=\p{L})/u;
const IS_THERE = /^(?:is|account|user)?(?:active|enabled|member)$/;
/** The object of a change may stand behind the word: `deletedUsers`. */
const TO_WHOM =
  /(?<=.)(?:users?|members?|people|persons?|accounts?|invites?|invitations?)?(?:ids?|at|on|count)?$/u;
/** A name for the act itself: `userManagementDeleteUser`. */
const DOES = /(?:delete|remove|deactivate|revoke|cancel|update|change|assign|invite|create|add)/;
/** Names for the present state of the changed person. */
const STANDS = /^(?:user|member|account|person|invite|invitation)(?:status|state)$/;
/** GraphQL names the change that was sent: `{"data":{"userSuspend":{"success":true}}}`. */
const isOfGraphql = ({ name, under }: Leaf): boolean =>
  name.kind === 'success' && under.length === 2 && under[0]?.plain === 'data';
/** Objects that have an id and an address of their own. */
const OTHERS = /^(?:project|account|organi[sz]ation|workspace|inviter|creator|actor)$/;
const WORK = /^(?:job|jobid|jobstatus|task|taskid|asyncjobid|operationid)$/;
const ROLE_NAMES =
  /^(?:roles?|newrole|userrole|rolename|rolekey|accesslevel|orgrole|permissions?)$|^role(?=viewer|editor|admin)/;
const EMAIL_NAMES = /^(?:(?:user|member|person|invitee|recipient)?e?mail(?:address)?|invitee|recipient)$/;
const ID_NAMES = /^(?:id|uid|user|(?:member|person|user|account|invite|invitation)id)$/;

/** Names with values that need not be known: names of the thing itself, and of its containers. */
const NEUTRAL =
  /^(?:users?|members?|people|person|invites?|invitations?|project|accounts?|items?|membership|object|type|kind|(?:first|last|full|user)?name|description|url|actions|servicedefault|id|uid|userid|invitecode|code|attributes|organization(?:id)?|before|after|data|results?|responses?|operations|meta)$/;

/** Words around a word of success that take nothing from it. */
const FILLERS = set(
  `the a an user users member members person invite invitation invites role project has have had been was
   were is now from of in to this your request operation workspace organization organisation org team group
   account removing deleting revoking updating changing and with it it's id access all one 1 as`,
);

/**
 * The statements of the answer to a change, and whether the change was made. A list of words counts as done;
 * everything else does not. The whole answer is read, and every unknown part counts against the change.
 */
export class ChangeStatements extends Statements {
  /** Whether a part of the answer has an unknown meaning. */
  odd = false;
  /** Whether the answer names the person or thing of the call. */
  thing = false;
  /** Whether the answer names work that makes the change later. */
  work = false;
  readonly #effects: ReadonlySet<string>;
  readonly #role: Role | undefined;
  /** The roles that the answer shows, and whether they are granted. */
  readonly #roles: (readonly [role: string, isGranted: boolean])[] = [];
  #isOther = false;
  #hasOtherId = false;

  constructor(judgedCall: JudgedCall, call: Call) {
    super(judgedCall);
    this.#effects = effectsOf(call);
    this.#role = roleOf(String(call.parameters.role ?? ''));
  }

  override listen(leaves: readonly Leaf[]): this {
    for (const leaf of leaves) this.#member(leaf);
    return this;
  }

  /**
   * Whether the answer is about something else than the call: another id, another role, an invite that
   * has ended.
   */
  get other(): boolean {
    const isOtherRole = this.#role !== undefined && this.#roles.length > 0 && !this.role;
    return this.#isOther || isOtherRole || (this.#hasOtherId && !this.thing && !this.no);
  }

  /** Whether the answer shows the role that was asked for. */
  get role(): boolean {
    if (this.#role === undefined) return false;
    const wanted = [this.#role, this.judgedCall.dialect.permissions?.[this.#role]];
    const granted = this.#roles.flatMap(([word, isGranted]) => (isGranted ? [roleOf(word) ?? word] : []));
    const isRight = (word: string): boolean => wanted.includes(word);
    return granted.some(isRight) && granted.every((word) => isRight(word) || roleOf(word) === undefined);
  }

  /** Whether no one knows what the change is. */
  get isAny(): boolean {
    return this.#effects === ANY;
  }

  #member(leaf: Leaf): void {
    const { name, value = null } = leaf;
    this.trouble ||= isFilled(value) && (isTrouble(name) || leaf.under.some(isTrouble));
    if (this.#isOfChange(leaf)) return;
    if (typeof value === 'string' && STANDS.test(name.plain)) {
      this.say(value, leaf);
      return;
    }
    this.odd ||= !isBlank(value) && !leaf.under.every((each) => this.#holdsWords(each)) && !isOfGraphql(leaf);
    if (this.#isEffect(leaf) || this.#isNamed(leaf)) return;
    if (name.kind === 'found' && !leaf.isMember) this.no ||= truthOf(value) === false;
    if (name.kind === 'field' && isFilled(value) && this.named(leaf)) return;
    if (!this.readStatement(leaf, true)) this.#unknown(leaf);
  }

  /** Whether a name may contain statements. */
  #holdsWords({ kind, plain }: Name): boolean {
    const isWord = ['machine', 'described', 'success', 'trouble'].includes(kind);
    return isWord || NEUTRAL.test(plain) || DOES.test(plain);
  }

  #unknown(leaf: Leaf): void {
    const { value = null, isMember } = leaf;
    const { raw, kind, plain } = leaf.name;
    if (value === null || kind === 'about' || isMoment(value)) return;
    if (isMember && typeof value === 'string') this.say(value, leaf);
    // A `false` for something bad says nothing.
    if (value === false) this.odd ||= this.judgedCall.vocabulary.justOf(raw) === undefined;
    else this.odd ||= value === true || (isMember && typeof value !== 'string') || !NEUTRAL.test(plain);
  }

  /** Reads a leaf that only the answer to a change has. @returns whether the leaf is one. */
  #isOfChange({ name, under, value = null }: Leaf): boolean {
    const isUnder = (pattern: RegExp): boolean => [...under, name].some(({ plain }) => pattern.test(plain));
    // The person who has done it, or given a role, may be anybody.
    if (isUnder(/(?:ed|or)by$/)) return true;
    if (isUnder(ROLE_NAMES)) {
      // The role is a word, or the name of a value that is true where the role is granted.
      const role = typeof value === 'boolean' ? name.raw.replace(/^role:/, '') : String(value ?? '');
      if (role.trim() !== '') this.#roles.push([role, value !== false]);
    } else if (typeof value === 'boolean' && IS_THERE.test(name.plain) && this.#effects.has('removed'))
      this[value ? 'odd' : 'yes'] = true;
    else if (isUnder(WORK)) this.work ||= isFilled(value);
    // A warning proves nothing.
    else if (isUnder(/^(?:warnings?|notices?)$/)) this.odd ||= isFilled(value);
    else return under.some(({ kind, plain }) => kind === 'about' && plain !== 'meta');
    return true;
  }

  protected override named(leaf: Leaf): boolean {
    this.#isOther ||= this.#isEnded(leaf.name.plain);
    return super.named(leaf);
  }

  #isEnded(text: string): boolean {
    return this.#effects === CREATED && ENDED.has(text);
  }

  protected override weigh(text: string, senses: readonly Sense[], rest: string): void {
    const words = plainWords(text);
    const isOurs = words.split(' ').every((word) => !ANY.has(word) || this.#effects.has(word));
    const isPraise = senses.length > 0 && senses.every((sense) => sense === 'done');
    const isFull = rest.split(/ +/).every((word) => word === '' || FILLERS.has(word));
    if (isPraise && isOurs && isFull) this.yes = true;
    else if (senses.some((sense) => sense !== 'done' && !isLater(sense))) this.no = true;
    else this.odd ||= !senses.some(isLater);
    this.#isOther ||= this.#isEnded(words);
  }

  /** @returns whether the leaf says what was done. */
  #isEffect(leaf: Leaf): boolean {
    const { name, value, isMember } = leaf;
    const effect = effectIn(name);
    const isOurs = COUNTED.test(name.plain) || this.#effects.has(effect);
    const isList = isOurs || name.kind === 'success';
    if (isList && value !== undefined && this.judgedCall.includes(value)) this.yes = true;
    else if (isList && value === undefined) this.no = true;
    else if (isList && isMember) this.#isOther = true;
    else if (isOurs) this.#effect(leaf);
    // Another change is not this one.
    else if (ANY.has(effect)) this.odd ||= isFilled(value ?? null) && !isMoment(value ?? null);
    else return false;
    return true;
  }

  #effect(leaf: Leaf): void {
    const { value = null } = leaf;
    if (isMoment(value)) this.yes = true;
    else if (value !== null && truthOf(value) !== undefined) this.truth(leaf);
    else this.odd = true;
  }

  /** @returns whether the value was sent under that name, or is an id or an address. */
  #isNamed({ name, under, value }: Leaf): boolean {
    if (typeof value !== 'string' && typeof value !== 'number') return false;
    const { judgedCall } = this;
    const plainName = name.plain.replace(DONE_TO, '');
    const isEmail = judgedCall.email !== undefined && EMAIL_NAMES.test(plainName);
    const isSent = judgedCall.hasSent(plainName) || judgedCall.hasSent(`${plainName}id`);
    if (!isEmail && !isSent && !ID_NAMES.test(plainName)) return false;
    // A project and an account have ids and addresses of their own.
    if (OTHERS.test(under.at(-1)?.plain ?? '')) return true;
    const sendsId = ['userid', 'invitecode', 'id'].some((id) => judgedCall.hasSent(id));
    const isOurs = judgedCall.includes(isEmail ? (/[^\s<>]+@[^\s<>]+/.exec(`${value}`)?.[0] ?? '') : value);
    if (isOurs) {
      this.thing = true;
      // `{"removed": [{"id": …}]}`
      this.yes ||= under.some((each) => each.kind === 'success' || this.#effects.has(effectIn(each)));
    }
    // An `id` may belong to the request.
    else if (plainName === 'id' && !isSent) this.#hasOtherId ||= sendsId;
    else this.#isOther ||= isEmail || isSent || sendsId;
    return true;
  }
}
