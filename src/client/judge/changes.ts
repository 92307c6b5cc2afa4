import { fieldsOf, parsedFieldsOf, valueAt } from '../../core/answer-body.ts';
import { type Role, roleOf, type SubjectFacts } from '../../core/membership.ts';
import { isObject, present } from '../../core/objects.ts';
import type { Call, JsonObject, JsonValue } from '../../core/operation.ts';
import { wordsIn } from '../../core/plain-text.ts';
import { SO_ALREADY } from '../../core/row.ts';
import type { AnswerKind, RawReply } from '../../ledger/ledger.ts';
import { answerPlaceOf, type Dialect, type DialectOperation, dialectOperationOf } from '../dialect.ts';
import { Heard, type Place } from './heard.ts';
import type { Question } from './lookups.ts';
import { isFilled, isMoment, isPlain, membersOf, type NameKind, nameOf, truthOf } from './names.ts';
import { bodyMatches } from './rules.ts';
import {
  ACCEPTED,
  BY_STATUS,
  type Conclusion,
  firstOf,
  is2xx,
  namesRoute,
  type Row,
  row,
  wordless,
} from './table.ts';
import { LONGEST_TEXT, plainWords, type Sense } from './words.ts';

/** What an answer to a change means: a list of what counts as done, and not of what counts as failed. */

interface ChangeAnswer extends Pick<Look, 'yes' | 'odd' | 'other' | 'thing' | 'role' | 'work' | 'says'> {
  readonly no: boolean;
  /** The status of HTTP, or the one that a 2xx states. */
  readonly by: number;
  readonly http: number;
  readonly isEmpty: boolean;
  readonly published: ReturnType<typeof publishedIdIn>;
  readonly isPriced: boolean;
  readonly isService: boolean;
  /** Nobody knows what the change is. */
  readonly isAny: boolean;
  readonly isSoAlready: boolean;
  readonly isOfRoute: boolean;
}

const says = (sense: Sense) => (it: ChangeAnswer) => it.says.has(sense);
const OTHER = 'which shows something different from what was asked for';
const NOT_SAID = 'which does not say whether it was done';

export const CHANGES: readonly Row<ChangeAnswer>[] = [
  row('it says too fast', 'rate_limited', (it) => says('rate_limited')(it) && !it.yes && it.by !== 402),
  row('it is about its path', 'wrong_address', (it) => it.by === 404 && it.isOfRoute),
  row(
    'it refuses the request, and says that the key is dead',
    'key_dead',
    (it) => says('key_dead')(it) && [400, 403].includes(it.by),
  ),
  {
    ...row<ChangeAnswer>(
      'it says that it was so before',
      'refused',
      (it) => it.isSoAlready && !it.other && !it.yes,
    ),
    remark: SO_ALREADY,
  },
  ...BY_STATUS,
  row('it shows something else', 'in_doubt', (it) => it.other, OTHER),
  row('it has the id that is published for it', 'found', (it) => !it.no && it.published === 'came'),
  row(
    'it was accepted at once, as is published',
    'found',
    (it) => !it.no && it.published === 'accepted' && it.http !== ACCEPTED,
  ),
  row('an id is published for it', 'in_doubt', (it) => it.published !== 'none'),
  row('it says yes and no', 'in_doubt', (it) => (it.yes || it.role) && it.no),
  row('it says no to what may have cost', 'in_doubt', (it) => it.no && it.isPriced),
  row('it says out of credits', 'credits_used_up', says('credits_used_up')),
  row('it says that the key is dead', 'key_dead', says('key_dead')),
  row('it says that the key has no right', 'project_refused', says('project_refused')),
  row('it says that nobody is there', 'no_match', says('no_match')),
  row('it says no', 'refused', (it) => it.no),
  row('it says that it is not yet done', 'pending', (it) => says('pending')(it) || says('working')(it)),
  row('it was accepted, or names a task', 'pending', (it) => it.by === ACCEPTED || it.work),
  row('it shows the thing with the role', 'found', (it) => it.thing && it.role),
  wordless("it shows the thing of a call of one's own", (it) => it.isAny && it.thing && !it.yes),
  row("it says that a call of one's own was done", 'found', (it) => it.isAny && it.yes),
  row('there is something in it that nobody knows', 'in_doubt', (it) => it.odd, NOT_SAID),
  row('it says that it was done', 'found', (it) => it.yes || it.role),
  wordless('it is empty', (it) => it.isEmpty),
  wordless("it is a call of one's own", (it) => it.isAny),
  row('it does not say', 'in_doubt', () => true, NOT_SAID),
];

export function judgeChange(
  body: JsonValue,
  { status, body: bytes }: Pick<RawReply, 'status' | 'body'>,
  question: Question,
): Conclusion {
  const { dialect, operation, call } = question;
  const found = new Look(question).listen(body);
  const place = present({ fields: dialect.fields_at });
  const published = is2xx(status) ? publishedIdIn(operation, parsedFieldsOf(body, place)) : 'none';
  const isProved = found.yes || published === 'came';
  if (found.foundNone) found.says.add('no_match');
  const { yes, odd, other, thing, role, work } = found;
  const fitting = firstOf(CHANGES, {
    ...{ yes, odd, other, thing, role, work, says: found.says, published, http: status },
    isEmpty: !isFilled(body) && (isPlain(body) || membersOf(body).length === 0),
    no: found.no || found.trouble || found.foundNone || (found.status !== undefined && isProved),
    by: is2xx(status) && !isProved ? (found.status ?? status) : status,
    isPriced: operation.credits.most > 0,
    isService: dialect.vendor === 'service',
    isAny: effectsOf(call) === ALL_EFFECTS,
    isSoAlready: saysAlready(status, found.texts, call),
    isOfRoute: namesRoute(bytes),
  });
  const { invite_code: code, project_id: project } = operation.answer_fields ?? {};
  const isMissing = fitting.means === 'in_doubt' && published === 'missing' && !other;
  const because = isMissing ? `without ${JSON.stringify(code ?? project ?? '')}` : fitting.because;
  return { row: { ...fitting, because }, texts: found.texts };
}

/** Who is there, or has the role, before they are invited or given it. That a user exists says nothing of the project. */
const ALREADY =
  /\b(?:already (?:(?:an? |the )?member|in |part of |(?:been )?invited|assigned|has (?:this|that|the|an?)? ?role)|(?:member|invite|invitation) already (?:exists?|sent))/;

function saysAlready(status: number, texts: readonly string[], call: Call): boolean {
  if (!is2xx(status) && ![400, 409, 422].includes(status)) return false;
  const effects = effectsOf(call);
  const isOfPerson = effects === CREATED || effects === UPDATED;
  return (
    isOfPerson &&
    texts.map(plainWords).some((text) => ALREADY.test(text) && !/\bother\b|\banother\b/.test(text))
  );
}

/** Whether an answer shows something else than was asked for. */
export const showsOther = (body: JsonValue, question: Question): boolean =>
  new Look(question).listen(body).other;

// -------------------------------------------------------------------------------------------- what it says and shows

const set = (words: string): ReadonlySet<string> => new Set(wordsIn(words));

const REMOVED = set('removed deleted revoked closed deactivated');
/** Only what waits is cancelled; a removal that was cancelled was not made. */
const TAKEN_BACK = new Set([...REMOVED, ...set('cancelled canceled')]);
const UPDATED = set('updated changed modified assigned granted');
const CREATED = set('created invited granted');
const ALL_EFFECTS: ReadonlySet<string> = new Set([...TAKEN_BACK, ...UPDATED, ...CREATED]);
/** An invite of which one of these is said is none any more. */
const ENDED = new Set([...TAKEN_BACK, 'expired']);
const ENDS_OR_DOES = new Set([...ALL_EFFECTS, ...ENDED]);

/** The words for what a change does; those of any where nobody knows what it is. */
function effectsOf({ change, operation }: Call): ReadonlySet<string> {
  if (operation === 'delete-invite') return TAKEN_BACK;
  const state = change?.leaves.state ?? 'done';
  if (state === 'gone' || state === 'between') return REMOVED;
  return state === 'member' ? UPDATED : state === 'invited' ? CREATED : ALL_EFFECTS;
}

/** Names that say how many, or that it was done, whatever it was. */
const COUNTED =
  /^(?:done|count|affected|rowsaffected|affectedrows|applied|processed(?:count)?|(?:success|succeeded)count)$/;
/** `{"deleteUser": false}` */
const NAMED_FOR = /^(?:remove|delete|revoke|update|change|create|invite|grant|assign)/;
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
const FILLERS: ReadonlySet<string> = set(
  `the a an user users member members person invite invitation invites role project has have had been was were is now from of in to this your request
   operation workspace organization organisation org team group account removing deleting revoking updating changing and with it it's access all one 1 as`,
);

/** Of these it is said what they mean, wherever they stand. */
const SPEAKING_KINDS: readonly NameKind[] = ['machine', 'success', 'found', 'trouble', 'prose', 'described'];

/** None of these says that it was refused. */
const LATER: readonly Sense[] = ['rate_limited', 'pending', 'working'];

/** An answer is looked through whole: whatever is not known counts against it. */
class Look extends Heard {
  /** It says that the change was made. */
  yes = false;
  /** There is something of which nobody knows what it says. */
  odd = false;
  /** It is about something else than was asked for: another id, another role, an invite that has ended. */
  other = false;
  /** It names whom or what it was asked about. */
  thing = false;
  /** It shows the role that was asked for. */
  role = false;
  /** There is work by which the change is made later. */
  work = false;
  readonly #permissions: Dialect['permissions'];
  readonly #effects: ReadonlySet<string>;
  readonly #wanted: Role | undefined;

  constructor({ asked, vocabulary, dialect, call }: Question) {
    super(asked, vocabulary, true);
    this.#permissions = dialect.permissions;
    this.#effects = effectsOf(call);
    this.#wanted = roleOf(String(call.parameters.role ?? ''));
  }

  override listen(body: JsonValue): this {
    this.odd = typeof body === 'number' && body > 1;
    if (typeof body === 'number' && body < 2) this.truth(body);
    return super.listen(body);
  }

  protected override inside(value: JsonValue, place: Place): void {
    if (place.deepest < 0) this.odd = true;
    if (!Array.isArray(value)) super.inside(value, place);
    else if (this.#isEffect(place.under)) this.#done(value);
    else super.inside(value, place);
  }

  protected override member(key: string, value: JsonValue, place: Place): void {
    const { kind, plain } = nameOf(key);
    if (this.#ofChange(key, value, place) || this.#isNamed(plain, place.under, value)) return;
    if (kind === 'success' && Array.isArray(value)) this.#done(value);
    else if (!isPlain(value) && kind !== 'trouble') this.#part(key, value, place);
    else if (SPEAKING_KINDS.includes(kind)) super.member(key, value, place);
    else if (place.inTrouble && typeof value === 'string') this.say(value, !/\s/.test(value));
    else this.#unknown(key, value);
  }

  /** What only the answer to a change has. @returns whether it is that. */
  #ofChange(key: string, value: JsonValue, place: Place): boolean {
    const { plain } = nameOf(key);
    const effect = plain.replace(/(?:at|on)$/, '');
    if (ROLE_NAMES.test(plain)) this.#roles(rolesIn(key.startsWith('role:') ? { [key]: value } : value));
    else if (typeof value === 'boolean' && IS_THERE.test(plain) && this.#effects.has('removed'))
      this[value ? 'other' : 'yes'] = true;
    else if (WORK.test(plain)) this.work ||= isFilled(value);
    else if (this.#isEffect(plain) || (REMOVED.has(effect) && this.#effects.has(effect)))
      this.#effect(plain, value, place);
    // When and by whom a thing was made is nothing that was done to it now; that another change was made is none of this one.
    else if (ALL_EFFECTS.has(effect)) this.odd ||= isFilled(value) && !isMoment(value);
    // A warning proves nothing, and may say the opposite.
    else if (/^(?:warnings?|notices?)$/.test(plain)) this.odd ||= isFilled(value);
    else return /(?:ed|or)by$/.test(plain);
    return true;
  }

  #part(key: string, value: JsonValue, { deepest, inTrouble }: Place): void {
    const { kind, plain } = nameOf(key);
    if ((kind === 'about' && plain !== 'meta') || this.#saysByName(key, value)) return;
    const isKnown = NEUTRAL.test(plain) || inTrouble || kind === 'machine' || kind === 'described';
    this.odd ||= !isKnown && isFilled(value);
    this.inside(value, { under: plain, deepest: deepest - 1, inTrouble });
  }

  #unknown(key: string, value: JsonValue): void {
    const { kind, plain } = nameOf(key);
    if (value === false) this.no ||= NAMED_FOR.test(plain);
    else if (value !== null && !this.#saysByName(key, value))
      this.odd ||= value === true || !(NEUTRAL.test(plain) || kind === 'about' || isMoment(value));
  }

  /** The name of what is true or filled may say no, or not yet: `skipped`, `rateLimited`. @returns whether it does. */
  #saysByName(key: string, value: JsonValue): boolean {
    if (value === true && this.#effects === CREATED && ENDED.has(nameOf(key).plain)) this.other = true;
    const sense = this.vocabulary.justOf(key);
    if (sense === undefined || sense === 'done' || !isFilled(value)) return false;
    this.says.add(sense);
    this.no ||= !LATER.includes(sense);
    return true;
  }

  protected override say(text: string, isCode: boolean): readonly Sense[] {
    const own = this.asked.without(text.slice(0, LONGEST_TEXT));
    const words = plainWords(own);
    const others = words.split(' ').filter((word) => ENDS_OR_DOES.has(word) && !this.#effects.has(word));
    const beside = this.vocabulary.besidePraise(own);
    const isPraise = beside.join(' ') !== words;
    const senses = super.say(text, isCode);
    if (isPraise && others.length === 0 && beside.every((word) => FILLERS.has(word))) {
      this.yes = true;
      return senses;
    }
    const said = senses.filter((sense) => sense !== 'done');
    if (said.some((sense) => sense === 'refused' || !(isPraise || LATER.includes(sense)))) this.no = true;
    else if (said.length === 0 || isPraise) this.odd = true;
    if (isCode && this.#effects === CREATED && others.some((word) => ENDED.has(word))) this.other = true;
    return senses;
  }

  protected override truth(value: JsonValue): void {
    this.yes ||= truthOf(value) === true;
    super.truth(value);
  }

  #isEffect(plain: string): boolean {
    const effect = plain.replace(/^(?:is|was|has)(?=\p{L})/u, '').replace(/count$/, '');
    return COUNTED.test(plain) || this.#effects.has(effect);
  }

  #effect(plain: string, value: JsonValue, { deepest, inTrouble }: Place): void {
    if (value === null || value === '') this.odd = true;
    else if (Array.isArray(value)) this.#done(value);
    else if (typeof value === 'object') {
      this.odd = true;
      this.inside(value, { under: plain, deepest: deepest - 1, inTrouble });
    } else if (this.#isAsked(value) || isMoment(value)) this.yes = true;
    else if (truthOf(value) !== undefined) this.truth(value);
    else {
      this.odd = true;
      this.other ||= /^\S*[@\d]\S*$/.test(String(value));
    }
  }

  /** A list of whom it was done to. */
  #done(list: readonly JsonValue[]): void {
    const isOurs = (each: JsonValue): boolean =>
      this.#isAsked(each) || membersOf(each).some(([, inner]) => isOurs(inner));
    if (list.length === 0) this.no = true;
    else this[list.every(isOurs) ? 'yes' : 'other'] = true;
  }

  #isAsked = (value: JsonValue): boolean =>
    (typeof value === 'string' || typeof value === 'number') && this.asked.includes(value);

  // -------------------------------------------------------------------------------------------- whom it shows

  /** @returns whether it was sent under that name, or is an id or an address. */
  #isNamed(plain: string, under: string, value: JsonValue): boolean {
    if (typeof value !== 'string' && typeof value !== 'number') return false;
    const own = plain.replace(DONE_TO, '');
    const [isId, isEmail] = [ID_NAMES.test(own), this.asked.email !== undefined && EMAIL_NAMES.test(own)];
    // A project and an account have ids and addresses of their own.
    if (OTHERS.test(under)) return isId || isEmail;
    const text = isEmail ? (/[^\s<>]+@[^\s<>]+/.exec(`${value}`)?.[0] ?? '') : String(value);
    const sent = this.#sentAs(own, text);
    if (sent === undefined && !isEmail && !isId) return false;
    if (this.#isAsked(text)) this.thing = true;
    // A text of several words is no id.
    else
      this.other ||=
        sent === undefined ? isEmail || this.#isOtherId(own, text) : !/\s/.test(sent.text.trim());
    return true;
  }

  /** What was sent under that name, also as the id of what it names. */
  #sentAs(own: string, text: string) {
    const { names } = this.asked;
    const idOf = names.get(`${own}id`);
    return names.get(own) ?? (idOf !== undefined && areOfOneKind(idOf.text, text) ? idOf : undefined);
  }

  /** An `id` may be that of the request. */
  #isOtherId(name: string, id: string): boolean {
    const ids = this.#ids;
    return ids.some((each) => areOfOneKind(each, id)) || (name !== 'id' && ids.length > 0);
  }

  /** Those of whom or what is changed, and not of where. */
  get #ids(): readonly string[] {
    return [...this.asked.names].flatMap(([plain, { text }]) =>
      /(?:id|code)$/.test(plain) && !/^(?:project|organi[sz]ation)/.test(plain) ? [text] : [],
    );
  }

  #roles(named: readonly (readonly [role: string, isGranted: boolean])[]): void {
    const wanted = this.#wanted;
    if (wanted === undefined) return;
    const granted = named.flatMap(([word, isGranted]) => (isGranted ? [roleOf(word) ?? word] : []));
    const isWanted = (word: string): boolean => word === wanted || word === this.#permissions?.[wanted];
    if (granted.some(isWanted) && granted.every((word) => isWanted(word) || roleOf(word) === undefined))
      this.role = true;
    else if (named.length > 0) this.other = true;
  }
}

/** Ids of one kind begin alike, or are numbers. */
function areOfOneKind(one: string, other: string): boolean {
  const [first, second] = [one, other].map((id) =>
    /^[a-z]+(?=[_-])|^\d+$/i.exec(id)?.[0].replace(/^\d+$/, '0'),
  );
  return first !== undefined && first.toLowerCase() === second?.toLowerCase();
}

/** The roles that a value names: a word, a list of words, or an object in which what is granted is true. */
function rolesIn(value: JsonValue): readonly (readonly [role: string, isGranted: boolean])[] {
  if (typeof value === 'string') return value.trim() === '' ? [] : [[value, true]];
  if (value === null || typeof value !== 'object') return [];
  if (isObject(value) && value.to !== undefined) return rolesIn(value.to as JsonValue);
  return (Object.entries(value) as [string, JsonValue][]).flatMap(([word, each]) => {
    if (typeof each === 'boolean') return [[word.replace(/^role:/, ''), each] as const];
    // Who has given a role may be an admin.
    return /by$/i.test(word) ? [] : rolesIn(each);
  });
}

// -------------------------------------------------------------------------------------------- what is published of it

/**
 * How the subject stands once its change is settled like this; undefined when it stands as before. It makes no
 * difference whether the vendor answered, repeated its answer, or a person told it.
 */
export function leftBy(
  call: Call,
  answer: AnswerKind,
  raw: Pick<RawReply, 'body'>,
  dialect: Dialect,
): SubjectFacts | undefined {
  const { change } = call;
  if (change === undefined || answer === 'refused') return undefined;
  if (answer === 'no_match') return change.missing;
  const fields = fieldsOf(raw.body, answerPlaceOf(dialect));
  const told = changeFields(dialectOperationOf(dialect, call), fields);
  const textOf = (name: string): string | undefined =>
    typeof told[name] === 'string' ? (told[name] as string) : undefined;
  return {
    ...change.leaves,
    ...present({
      inviteCode: textOf('invite_code'),
      userId: textOf('user_id'),
      projectId: textOf('project_id'),
      state: told.accepted === true ? ('member' as const) : undefined,
    }),
  };
}

/** The members of a found answer to a change, by our names: `invite_code`, `user_id`, `project_id`, `accepted`. */
export function changeFields(operation: DialectOperation, fields: JsonValue | undefined): JsonObject {
  const { answer_fields: places = {}, accepted } = operation;
  const own = fields ?? null;
  const wrapped = unwrapped(own);
  const told = Object.entries(places).flatMap(([name, path]) => {
    const value = path === undefined ? undefined : wrapped.map((each) => valueAt(each, path)).find(isId);
    return isId(value) ? [[name, String(value)] as const] : [];
  });
  // A test of the whole is one of the whole answer: `{}` within another one says nothing.
  const isAccepted = [accepted ?? []]
    .flat()
    .some((test) =>
      (test.path === undefined ? [own] : wrapped).some((value) => bodyMatches(test, { kind: 'json', value })),
    );
  return { ...Object.fromEntries(told), ...(isAccepted ? { accepted: true } : {}) };
}

const isId = (value: JsonValue | undefined): value is string | number =>
  typeof value === 'string' || typeof value === 'number';

/** The fields themselves, and what some vendors wrap them in: `data`, `result`, or a list of one. */
function unwrapped(fields: JsonValue): readonly JsonValue[] {
  const inner = ['data', 'result', 'results'].map((name) => valueAt(fields, name));
  return [fields, ...inner].flatMap((each) => {
    if (Array.isArray(each)) return each.length === 1 ? (each as JsonValue[]) : [];
    return each === fields || isObject(each) ? [each as JsonValue] : [];
  });
}

/** What some write where there is no id: a word for nothing, or zeros alone. */
const NO_ID = /^\s*(?:null|nil|none|undefined|n\/a|false|true|error|failed|invalid|-1|[0-]*)\s*$/i;

/** Ids without which nobody can say what was made, by the operation's own words: they came, or should have come. */
export function publishedIdIn(
  operation: DialectOperation,
  fields: JsonValue | undefined,
): 'came' | 'accepted' | 'missing' | 'none' {
  const { invite_code: code, project_id: project } = operation.answer_fields ?? {};
  if (code === undefined && project === undefined) return 'none';
  const told = changeFields(operation, fields);
  const id = code === undefined ? told.project_id : told.invite_code;
  if (id !== undefined) return NO_ID.test(String(id)) ? 'missing' : 'came';
  if (told.accepted !== true) return 'missing';
  // Whoever has an id is there, whatever the status says of the request.
  return isId(told.user_id) ? 'came' : 'accepted';
}
