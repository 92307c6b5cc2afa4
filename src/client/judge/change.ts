import { type Role, roleOf } from '../../core/membership.ts';
import type { Call } from '../../core/operation.ts';
import { wordsIn } from '../../core/plain-text.ts';
import { Heard, isTrouble } from './heard.ts';
import { isBlank, isFilled, isMoment, type Leaf, type Name, truthOf } from './names.ts';
import type { Question } from './question.ts';
import { isLater, plainWords, type Sense } from './words.ts';

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

/**
 * What the answer to a change says, and whether the change was made: a list of what counts as done, and not of what counts as failed.
 * It is looked through whole, and whatever is not known counts against it.
 */
export class HeardOfChange extends Heard {
  /** There is something of which nobody knows what it says. */
  odd = false;
  /** It names whom or what it was asked about. */
  thing = false;
  /** There is work by which the change is made later. */
  work = false;
  readonly #effects: ReadonlySet<string>;
  readonly #role: Role | undefined;
  /** The roles that it shows, and whether they are granted. */
  readonly #roles: (readonly [role: string, isGranted: boolean])[] = [];
  #isOther = false;
  #hasOtherId = false;

  constructor(question: Question, call: Call) {
    super(question);
    this.#effects = effectsOf(call);
    this.#role = roleOf(String(call.parameters.role ?? ''));
  }

  override listen(leaves: readonly Leaf[]): this {
    for (const leaf of leaves)
      this.#member(
        leaf,
        [...leaf.under, leaf.name].map(({ plain }) => plain),
      );
    return this;
  }

  /** It is about something else than was asked for: another id, another role, an invite that has ended. */
  get other(): boolean {
    const isOtherRole = this.#role !== undefined && this.#roles.length > 0 && !this.role;
    return this.#isOther || isOtherRole || (this.#hasOtherId && !this.thing && !this.no);
  }

  /** It shows the role that was asked for. */
  get role(): boolean {
    if (this.#role === undefined) return false;
    const wanted = [this.#role, this.question.dialect.permissions?.[this.#role]];
    const granted = this.#roles.flatMap(([word, isGranted]) => (isGranted ? [roleOf(word) ?? word] : []));
    const isRight = (word: string): boolean => wanted.includes(word);
    return granted.some(isRight) && granted.every((word) => isRight(word) || roleOf(word) === undefined);
  }

  /** Nobody knows what the change is. */
  get isAny(): boolean {
    return this.#effects === ANY;
  }

  /** @param names of it, and of what it is in. */
  #member(leaf: Leaf, names: readonly string[]): void {
    const { name, value = null } = leaf;
    this.trouble ||= isFilled(value) && (isTrouble(name) || leaf.under.some(isTrouble));
    if (this.#isOfChange(leaf, names)) return;
    this.odd ||= !isBlank(value) && !leaf.under.every((each) => this.#holdsWords(each));
    if (this.#isEffect(leaf) || this.#isNamed(leaf)) return;
    if (name.kind === 'found' && !leaf.isMember) this.no ||= truthOf(value) === false;
    if (name.kind === 'field' && isFilled(value) && this.named(leaf)) return;
    if (!this.hear(leaf, true)) this.#unknown(leaf);
  }

  /** What holds what an answer says. */
  #holdsWords({ kind, plain }: Name): boolean {
    const isWord = ['machine', 'described', 'success', 'trouble'].includes(kind);
    return isWord || NEUTRAL.test(plain) || this.#effects.has(plain);
  }

  #unknown(leaf: Leaf): void {
    const { value = null, isMember } = leaf;
    const { raw, kind, plain } = leaf.name;
    if (value === null || kind === 'about' || isMoment(value)) return;
    if (isMember && typeof value === 'string') this.say(value, leaf);
    // That something bad is not so says nothing.
    if (value === false) this.odd ||= this.question.vocabulary.justOf(raw) === undefined;
    else this.odd ||= value === true || (isMember && typeof value !== 'string') || !NEUTRAL.test(plain);
  }

  /** What only the answer to a change has. @returns whether it is that. */
  #isOfChange(leaf: Leaf, names: readonly string[]): boolean {
    const { name, under, value = null } = leaf;
    const isUnder = (pattern: RegExp): boolean => names.some((each) => pattern.test(each));
    // Who has done it, or given a role, may be anybody.
    if (isUnder(/(?:ed|or)by$/)) return true;
    if (isUnder(ROLE_NAMES)) {
      // A word, or the name of what is true where it is granted.
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

  /** @returns whether it says what was done. */
  #isEffect(leaf: Leaf): boolean {
    const { name, value, isMember } = leaf;
    const effect = name.plain.replaceAll(/^(?:is|was|has)(?=\p{L})|(?:at|on|count)$/gu, '');
    const isOurs = COUNTED.test(name.plain) || this.#effects.has(effect);
    const isList = isOurs || name.kind === 'success';
    if (isList && value !== undefined && this.question.includes(value)) this.yes = true;
    else if (isList && value === undefined) this.no = true;
    else if (isList && isMember) this.#isOther = true;
    else if (isOurs) this.#effect(leaf);
    // Another change is none of this one.
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

  /** @returns whether it was sent under that name, or is an id or an address. */
  #isNamed({ name, under, value }: Leaf): boolean {
    if (typeof value !== 'string' && typeof value !== 'number') return false;
    const { names, email } = this.question;
    const own = name.plain.replace(DONE_TO, '');
    const isEmail = email !== undefined && EMAIL_NAMES.test(own);
    const isSent = names.has(own) || names.has(`${own}id`);
    if (!isEmail && !isSent && !ID_NAMES.test(own)) return false;
    // A project and an account have ids and addresses of their own.
    if (OTHERS.test(under.at(-1)?.plain ?? '')) return true;
    const sendsId = ['userid', 'invitecode', 'id'].some((id) => names.has(id));
    const isOurs = this.question.includes(
      isEmail ? (/[^\s<>]+@[^\s<>]+/.exec(`${value}`)?.[0] ?? '') : value,
    );
    if (isOurs) {
      this.thing = true;
      // `{"removed": [{"id": …}]}`
      this.yes ||= under.some((each) => each.kind === 'success' || this.#effects.has(each.plain));
    }
    // An `id` may be that of the request.
    else if (own === 'id' && !isSent) this.#hasOtherId ||= sendsId;
    else this.#isOther ||= isEmail || isSent || sendsId;
    return true;
  }
}
