import { ROLES, type Role, roleOf, type SubjectState } from '../../core/membership.ts';
import { isObject } from '../../core/objects.ts';
import type { Call, JsonValue } from '../../core/operation.ts';
import { wordsIn } from '../../core/plain-text.ts';
import type { Dialect } from '../dialect.ts';
import { type Asked, isWord } from './asked.ts';
import { BATCHES, type Name, nameOf, WRAPPERS } from './names.ts';
import { areSame, plainValue } from './plain.ts';
import type { Statement } from './statement.ts';
import { ACCEPTED, isFilled, truthOf } from './values.ts';
import { LONGEST_TEXT, plainWords } from './vocabulary.ts';

/** What a 2xx to a change means by what it shows of the thing that was to be changed, and by what it says of itself. */

const set = (words: string): ReadonlySet<string> => new Set(wordsIn(words));

const REMOVED = set('removed deleted revoked');
/** Only what waits is cancelled; a removal that was cancelled was not made. */
const TAKEN_BACK = set('removed deleted revoked cancelled canceled');
const UPDATED = set('updated changed modified assigned granted');
const CREATED = set('created invited granted');

/** Under which names an answer says that such a change was made; `any` where nobody knows what the change is. */
const EFFECTS: Readonly<Record<SubjectState, ReadonlySet<string> | 'any'>> = {
  gone: REMOVED,
  between: REMOVED,
  member: UPDATED,
  invited: CREATED,
  unsure: 'any',
  done: 'any',
};

export function effectsOf({ change, operation }: Call): ReadonlySet<string> | 'any' | undefined {
  if (change === undefined) return undefined;
  return operation === 'delete-invite' ? TAKEN_BACK : EFFECTS[change.leaves.state];
}

function isRemoval(call: Call): boolean {
  const effects = effectsOf(call);
  return effects === REMOVED || effects === TAKEN_BACK;
}

// ------------------------------------------------------------------------------------------------- what it shows

/** What an answer shows of the thing that was to be changed. */
export interface Shown {
  /** The thing that was asked about. */
  thing: boolean;
  /** The role that was asked for. */
  role: boolean;
  /** Something else than what was asked for: another id, another role, a user who is still active. */
  otherwise: boolean;
  /** A failure, deeper than where an answer speaks of itself. */
  trouble: boolean;
  /** Nobody removed it at any time, unless the answer says so in words: many show a thing as it was. */
  isThere: boolean;
}

/** What the answer is held against. */
interface Wanted {
  readonly asked: Asked;
  readonly role: Role | undefined;
  /** The person's e-mail address, where it is known. */
  readonly email: string | undefined;
  /** The person, or the invite, is to be gone by it. */
  readonly isRemoval: boolean;
  readonly isInvite: boolean;
  readonly effects: ReadonlySet<string> | 'any' | undefined;
  readonly permissions: Dialect['permissions'];
}

/** Objects that show the thing itself; others show who did it, or what belongs to it. */
const THINGS = set(
  `user member person invite invitation project account item membership attributes properties removed deleted revoked
   updated changed created invited current after`,
);

/** Deeper than that no answer shows what was changed. */
const DEEPEST = 6;

/** @param texts what the answer says of itself. */
export function shownBy(
  body: JsonValue,
  call: Call,
  asked: Asked,
  { permissions }: Pick<Dialect, 'permissions'>,
  texts: readonly string[],
): Shown {
  const { role } = call.parameters;
  const effects = effectsOf(call);
  const wanted = {
    ...{ asked, permissions, effects, isRemoval: isRemoval(call), isInvite: effects === CREATED },
    role: typeof role === 'string' ? roleOf(role) : undefined,
    email: asked.email,
  };
  const shown: Shown = { thing: false, role: false, otherwise: false, trouble: false, isThere: false };
  look(shown, wanted, body, '', DEEPEST);
  for (const text of texts) lookAtText(shown, wanted, text.slice(0, LONGEST_TEXT));
  return shown;
}

/** @param under the plain name of the object that is looked at; '' for the answer itself and what wraps it. */
function look(shown: Shown, wanted: Wanted, value: JsonValue, under: string, deepest: number): void {
  for (const [key, member] of membersIn(value)) {
    const name = nameOf(key);
    shown.trouble ||= saysTrouble(name, member) || (member === false && isNamedFor(wanted, key));
    shown.isThere ||= member === null && isOfWhom(under) && wanted.isRemoval && isNamedFor(wanted, key);
    const isRole = wanted.role !== undefined && ROLE_NAMES.has(name.plain) && isOfThing(under);
    if (isRole) lookAtRole(shown, wanted, member);
    else if (member === null || typeof member !== 'object') lookAtMember(shown, wanted, name, member, under);
    else if (deepest > 0) look(shown, wanted, member, isWrapper(name) ? under : name.plain, deepest - 1);
  }
}

/** The members of an object, or of all objects of a list. */
function membersIn(value: JsonValue): readonly (readonly [string, JsonValue])[] {
  if (Array.isArray(value)) return value.flatMap(membersIn);
  return isObject(value) ? (Object.entries(value) as [string, JsonValue][]) : [];
}

const isWrapper = ({ plain }: Name): boolean =>
  !BATCHES.has(plain) && (WRAPPERS.has(plain) || plain === 'response');

function saysTrouble({ kind }: Name, value: JsonValue): boolean {
  return kind === 'trouble' ? isFilled(value) : kind === 'success' && (value === false || value === 0);
}

/** Whether a name is that of the change: with `{"deleteUser": false}`, or `deleted` in the thing itself, it was not made. */
function isNamedFor({ effects }: Wanted, key: string): boolean {
  if (effects === undefined || effects === 'any') return false;
  const [verb = ''] = plainWords(key).split(' ');
  return [verb, `${verb}d`, `${verb}ed`].some((each) => effects.has(each));
}

const isOfThing = (under: string): boolean => under === '' || THINGS.has(under) || BATCHES.has(under);

/** A project and an account have times and e-mail addresses of their own. */
const isOfWhom = (under: string): boolean => isOfThing(under) && under !== 'project' && under !== 'account';

/** Words and flags of a user who still has access. */
const STILL_THERE = set('active enabled member accepted');
const IS_THERE = /^(?:is|account|user)?(?:active|enabled|member)$/;

function isStillThere({ kind, plain }: Name, value: JsonValue): boolean {
  if (IS_THERE.test(plain)) return truthOf(value) === true;
  return kind === 'machine' && typeof value === 'string' && STILL_THERE.has(plainValue(value));
}

function isExpired({ kind, plain }: Name, value: JsonValue): boolean {
  if (/^(?:is)?expired$/.test(plain)) return truthOf(value) === true;
  return kind === 'machine' && typeof value === 'string' && plainValue(value) === 'expired';
}

function lookAtMember(shown: Shown, wanted: Wanted, name: Name, value: JsonValue, under: string): void {
  if (!isOfThing(under) || (BATCHES.has(under) && isOfEntry(name, value, wanted.asked))) return;
  const { isRemoval, isInvite } = wanted;
  if ((isRemoval && isStillThere(name, value)) || (isInvite && isExpired(name, value)))
    shown.otherwise = true;
  if ((typeof value !== 'string' && typeof value !== 'number') || name.kind === 'described') return;
  const text = String(value);
  if (plainValue(text) === '') return;
  const plain = name.plain.replace(DONE_TO, '');
  if (wanted.email === undefined || !EMAIL_NAMES.test(plain)) lookAtNamed(shown, wanted, plain, text, under);
  else if (isOfWhom(under)) lookAtEmail(shown, wanted.email, text);
}

/** An entry of a batch has a name and an id of its own, unless the id begins as that of the thing does: `u-17` and `u-99`. */
function isOfEntry({ plain }: Name, value: JsonValue, { names }: Asked): boolean {
  if (plain !== 'id') return plain === 'name';
  const beginning = beginningOf(String(value));
  return beginning === '' || ![...names.values()].some(({ text }) => beginningOf(text) === beginning);
}

function lookAtNamed(shown: Shown, { asked }: Wanted, plain: string, text: string, under: string): void {
  const isOfUnder = plain === 'id' || plain === 'code';
  const sent = asked.names.get(plain) ?? (isOfUnder ? asked.names.get(under + plain) : undefined);
  if (sent === undefined) lookAtOther(shown, asked, plain, text);
  else if (areSame(sent.text, text)) shown.thing = true;
  else if (isWord(sent)) shown.otherwise = true;
}

/** `removed_user_id` says which user it is, as `user_id` does. */
const DONE_TO = /^(?:removed|deleted|revoked|updated|changed|invited|created|target)(?=\p{L})/u;

/** Looks at what was not sent by that name: an id, or what has its id as its value. */
function lookAtOther(shown: Shown, asked: Asked, plain: string, text: string): void {
  const idOf = asked.names.get(`${plain}id`);
  if (ID_NAMES.has(plain)) lookAtId(shown, asked, text);
  else if (idOf !== undefined && areSame(idOf.text, text)) shown.thing = true;
  else if (idOf !== undefined && areOfOneKind(idOf.text, text)) shown.otherwise = true;
}

/** Names of the e-mail address of whom it is about, and not of who did it. */
const EMAIL_NAMES = /^(?:(?:user|member|person|invitee|recipient)?e?mail(?:address)?|invitee|recipient)$/;

const ADDRESS = /[^\s<>:,;"'()]+@[^\s<>,;"'()]+/g;
const MASKED = /[*•…]/;

/** One that is masked, such as `j***@acme.example`, may be the same; one may have the name before it: `Jo <jo@acme.example>`. */
function lookAtEmail(shown: Shown, email: string, text: string): void {
  const addresses = text.match(ADDRESS) ?? [];
  if (addresses.some((each) => areSame(email, each))) shown.thing = true;
  else if (addresses.some((each) => !MASKED.test(each))) shown.otherwise = true;
}

/** Names of the id of whom it is about. */
const ID_NAMES = set('id uid memberid personid userid accountid inviteid invitationid');

/** An `id` may be that of the thing, or one of the request: those of one kind begin alike, such as `u-17` and `u-99`. */
function lookAtId(shown: Shown, { names }: Asked, id: string): void {
  const ids = [...names].flatMap(([name, sent]) => (/(?:id|code)$/.test(name) ? [sent] : []));
  if (ids.some(({ text }) => areSame(text, id))) shown.thing = true;
  else if (ids.some(({ text }) => beginningOf(text) === beginningOf(id))) shown.otherwise = true;
}

/** Ids of one kind begin alike, or are numbers. */
function areOfOneKind(one: string, other: string): boolean {
  const beginning = beginningOf(one);
  return beginning === ''
    ? /^\d+$/.test(one) && /^\d+$/.test(other)
    : beginning === beginningOf(other) && !/\s/.test(other);
}

function beginningOf(id: string): string {
  return /^[a-z]+(?=[_-])/i.exec(id)?.[0].toLowerCase() ?? '';
}

/** A sentence may name somebody else, or another role. */
function lookAtText(shown: Shown, { asked: { names }, role }: Wanted, text: string): void {
  const [, word = ''] = TO_ROLE.exec(text) ?? [];
  const told = roleOf(word);
  if (role !== undefined && told !== undefined && told !== role) shown.otherwise = true;
  const ids = [...names.values()].filter(({ text: id }) => beginningOf(id) !== '');
  for (const [other] of ids.length === 0 ? [] : text.matchAll(ID_IN_TEXT)) {
    const alike = ids.filter(({ text: id }) => beginningOf(id) === beginningOf(other));
    if (alike.length > 0 && !alike.some(({ text: id }) => areSame(id, other))) shown.otherwise = true;
  }
}

const TO_ROLE = /\b(?:to|now|as) (?:an? |the )?([a-z]{3,20})\b/i;
const ID_IN_TEXT = /\b[a-z]{1,10}[_-][a-z0-9]*\d[a-z0-9_-]*/gi;

// ------------------------------------------------------------------------------------------------------- roles

const ROLE_NAMES = set('role roles newrole userrole rolename rolekey accesslevel permission permissions');

function lookAtRole(shown: Shown, { asked, permissions, role }: Wanted, value: JsonValue): void {
  const isKnown = ({ word }: NamedRole): boolean =>
    roleOf(word) !== undefined || Object.values(permissions ?? {}).includes(word);
  const all = rolesIn(Array.isArray(value) ? value.filter((each) => !isElsewhere(each, asked)) : value);
  // What a role may do has many names, of which none says which role it is.
  const named = all.length > 1 ? all.filter(isKnown) : all;
  if (role === undefined || named.length === 0) return;
  const isWanted = ({ word, isGranted }: NamedRole): boolean =>
    isGranted && (roleOf(word) === role || word === permissions?.[role]);
  // Who is still an admin besides was not made an editor.
  const isHigher = ({ word, isGranted }: NamedRole): boolean =>
    isGranted && ROLES.indexOf(roleIn(word, permissions) ?? role) > ROLES.indexOf(role);
  if (named.some(isWanted) && !named.some(isHigher)) shown.role = true;
  else shown.otherwise = true;
}

/** Whether a role in a list is one in another project. */
function isElsewhere(listed: JsonValue, { names }: Asked): boolean {
  const { text: project } = names.get('projectid') ?? {};
  if (project === undefined || !isObject(listed)) return false;
  const { project_id: id, projectId = id, project: other = projectId } = listed;
  return typeof other === 'string' && !areSame(project, other) && areOfOneKind(project, other);
}

function roleIn(word: string, permissions: Dialect['permissions']): Role | undefined {
  return roleOf(word) ?? ROLES.find((each) => permissions?.[each] === word);
}

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
    if (typeof each === 'boolean') return [{ word, isGranted: each }];
    // Who has given a role may be an admin.
    return /by$/i.test(word) ? [] : rolesIn(each as JsonValue);
  });
}

// ------------------------------------------------------------------------------------------------------ meaning

/**
 * What is known of the ids that the operation publishes: they came, or in the place of one the word that an invite was accepted, they
 * should have come, or there are none.
 */
type PublishedId = 'came' | 'accepted' | 'missing' | 'none';

/** `wordless`: it was done as far as is published, and the answer does not say so. */
type ChangeMeaning =
  | 'found'
  | 'wordless'
  | 'no_match'
  | 'refused'
  | 'project_refused'
  | 'credits_used_up'
  | 'key_dead';

/** What the answer says of itself, what it shows, and what there is to know of the operation. */
interface ChangeAnswer {
  readonly said: Statement;
  readonly shown: Shown;
  readonly publishedId: PublishedId;
  readonly isPriced: boolean;
  readonly status: number;
}

/** @returns undefined where nobody can say what was done. */
export function changeMeaning(answer: ChangeAnswer): ChangeMeaning | undefined {
  const { said, shown, publishedId, isPriced } = answer;
  if (shown.otherwise || publishedId === 'missing') return undefined;
  const speaksAgainst = said.no || said.trouble || said.status !== undefined;
  if (shown.trouble && !speaksAgainst) return undefined;
  const against = AGAINST.find((sense) => said.says(sense)) ?? (speaksAgainst ? 'refused' : undefined);
  if (publishedId !== 'none') return against === undefined && isPublished(answer) ? 'found' : undefined;
  if (against === undefined) return praised(answer);
  return isPriced || speaksFor(answer) ? undefined : against;
}

/** With a 202 and no id it is the request that was accepted. */
function isPublished({ said, publishedId, status }: ChangeAnswer): boolean {
  return !said.ofOther && !(publishedId === 'accepted' && status === ACCEPTED);
}

/** What words against it mean, the weightiest first. */
const AGAINST = ['credits_used_up', 'key_dead', 'project_refused', 'no_match', 'refused'] as const;

export function speaksFor({ said, shown }: Pick<ChangeAnswer, 'said' | 'shown'>): boolean {
  return said.yes || shown.role || said.says('done');
}

/** What an answer means against which nothing speaks. */
function praised({ said, shown, status }: ChangeAnswer): 'found' | 'wordless' | undefined {
  if (status === ACCEPTED || said.says('pending') || said.says('unclear')) return undefined;
  if (said.isLater && !said.hasEnded) return undefined;
  if (speaksFor({ said, shown })) return 'found';
  if (said.otherNo || shown.isThere) return undefined;
  return said.unknownProse || (said.unknownCode && !shown.thing) ? undefined : 'wordless';
}
