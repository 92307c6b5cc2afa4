import { parsedResultsOf } from '../../core/answer-body.ts';
import { type CallDescription, describedCall } from '../../core/described.ts';
import { present } from '../../core/objects.ts';
import type { JsonValue } from '../../core/operation.ts';
import { holdsNothing, isBlankText } from '../../values/blank.ts';
import { foundAmong } from '../../values/found.ts';
import type { JudgedCall } from './judged-call.ts';
import {
  CONTAINERS,
  ID,
  isBlank,
  isPlain,
  type Leaf,
  type Name,
  type NameKind,
  OF_JOB,
  pathOf,
} from './names.ts';

/** Whether an answer to a lookup holds the data that was asked for. */

/**
 * `details`: a plain value or two that may only explain the answer's own message. `empty`: the place for the
 * data is there, with nothing in it. `ids`: nothing but ids. `nothing`: none of these.
 */
export type Content = 'data' | 'details' | 'empty' | 'ids' | 'nothing';

type Finds = NonNullable<CallDescription['finds']>;

/**
 * The thing that an operation looks for, by the names that answers give it, and the values that no vendor
 * lacks who has found it.
 */
const OWN: Readonly<Partial<Record<Finds, Readonly<Record<'things' | 'values', RegExp>>>>> = {
  person: {
    things: /^(?:person|people|profiles?|contacts?)$/,
    values:
      /^(?:(?:work|business|professional|personal)?e?mails?(?:address(?:es)?)?|(?:full|first|last|given|family)?name|(?:phone|mobile)s?(?:numbers?)?)$/,
  },
  company: {
    things: /^(?:compan(?:y|ies)|organi[sz]ations?)$/,
    values: /^(?:company|legal|organi[sz]ation|entity|business)?name$/,
  },
};
/** Without its call it is not known whom an answer is about. */
const ownOf = ({ call }: JudgedCall) => OWN[describedCall(call?.operation ?? '').finds ?? 'verdict'];

/** The company of a person is not the person. */
const OF_EMPLOYER = /^(?:company|organi[sz]ation|employer)/;

/** A record shows more fields than this, or a field that only a record has. */
const MOST_DETAILS = 2;
/**
 * An answer with more fields than these is also a record, whatever they hold, such as a verifier's results
 * for an address.
 */
const MOST_BESIDE = 4;

/**
 * Fields that no answer has about itself. An e-mail address may be that of the support, and a website or a
 * profile may repeat what was asked.
 */
const OF_RECORDS =
  /name$|^(?:employee|founded|(?:about|bio|sector)$)|(?:(?:phone|mobile)(?:s|numbers?)?|industry|headcount|revenue|jobtitle)$/;

export function contentOf(body: JsonValue, leaves: readonly Leaf[], judgedCall: JudgedCall): Content {
  const { dialect } = judgedCall;
  const listed = listIn(body, judgedCall);
  if (listed) return contentOfList(listed);
  const place = placeIn(leaves, dialect.fields_at);
  const parts = partsIn(place);
  const data = dataIn(place, judgedCall);
  if (isWithoutOwn(place, parts, data, judgedCall)) return 'empty';
  if (data.length > MOST_DETAILS) return 'data';
  const isAllBlank = (each: readonly Leaf[]): boolean => each.every(({ value }) => isBlank(value));
  const isEmpty = isAllBlank(place.leaves) || parts.some(([, each]) => isAllBlank(each));
  const isScant = hasFewFields(place.leaves) && data.every((leaf) => isDetail(leaf, place.depth));
  if (data.length > 0 && !(isEmpty && isScant)) return isScant ? 'details' : 'data';
  if (isEmpty || place.leaves.some((leaf) => leaf.isEmptyList && leaf.name.kind !== 'trouble'))
    return 'empty';
  return leaves.some(isFilledId) ? 'ids' : 'nothing';
}

type Place = ReturnType<typeof placeIn>;
type Thing = readonly [Name, readonly Leaf[]];

/** The things that the place names, with their leaves. */
function partsIn({ leaves, depth }: Place): Thing[] {
  const partOf = ({ under, name }: Leaf): Name => under[depth] ?? name;
  const inThings = leaves.filter((leaf) => partOf(leaf).isThing);
  return inThings.length === 0 ? [] : [...Map.groupBy(inThings, partOf)];
}

/**
 * Whether the answer names the thing itself with nothing in it but what was asked: everything beside the
 * thing belongs to something else. So does what stands beside the thing's own values, where all are blank.
 */
function isWithoutOwn(
  { leaves, depth }: Place,
  parts: readonly Thing[],
  data: readonly Leaf[],
  judgedCall: JudgedCall,
): boolean {
  const ownValues = judgedCall.dialect.fields_at === undefined ? ownOf(judgedCall) : undefined;
  if (ownValues === undefined) return false;
  const isKnown = ({ value, under, isMember }: Leaf): boolean =>
    isBlank(value) || ((under.length > depth || isMember) && judgedCall.repeats(String(value)));
  const things = parts.filter(([name]) => ownValues.things.test(name.plain));
  if (things.length > 0) return things.every(([, each]) => each.every(isKnown));
  const isOfThing = ({ name, under, isMember }: Leaf): boolean => {
    if (ownValues === OWN.person && OF_EMPLOYER.test((under[depth] ?? name).plain)) return false;
    return isMember || under.length > depth || OF_RECORDS.test(name.plain);
  };
  // Most answers with data end here.
  if (data.some(isOfThing)) return false;
  const values = leaves.filter(
    ({ name, under }) => under.length <= depth && ownValues.values.test(name.plain),
  );
  return values.length > 0 && values.every(({ value }) => holdsNothing(value));
}

/** Whether an address, a number or a name of the thing stands in the answer, and is one. */
export function showsOwn(leaves: readonly Leaf[], judgedCall: JudgedCall): boolean {
  const ownValues = ownOf(judgedCall)?.values;
  return (
    ownValues !== undefined &&
    leaves.some((leaf) => ownValues.test(leaf.name.plain) && isData(leaf, 0, judgedCall))
  );
}

/** The data at the place; not all of it where that is a record, whatever else the answer holds. */
function dataIn({ leaves, depth }: Place, judgedCall: JudgedCall): readonly Leaf[] {
  const data: Leaf[] = [];
  for (const leaf of leaves) {
    if (isData(leaf, depth, judgedCall)) data.push(leaf);
    if (data.length > MOST_DETAILS) break;
  }
  return data;
}

function hasFewFields(leaves: readonly Leaf[]): boolean {
  return leaves.filter(({ name, value }) => name.kind === 'field' && !isBlank(value)).length <= MOST_BESIDE;
}

const isId = ({ name }: Leaf): boolean => OF_JOB.test(name.plain) || ID.test(name.raw);
const isFilledId = (leaf: Leaf): boolean => leaf.under.length === 0 && isId(leaf) && !isBlank(leaf.value);

/** No id is longer, and none has a blank. */
const AN_ID = /^\S{1,300}$/;

/** Where a value stands that looks like the id of what was found, and not like that of the vendor's work. */
export function placeOfThing(leaves: readonly Leaf[], judgedCall: JudgedCall): string | undefined {
  return placeOfId(
    leaves.filter(({ name, under }) => ![name, ...under].some(({ plain }) => OF_JOB.test(plain))),
    judgedCall,
  );
}

/** Where a value stands that looks like the id of the vendor's work, the likeliest of several. */
export function placeOfId(leaves: readonly Leaf[], judgedCall: JudgedCall): string | undefined {
  const ids = leaves.filter(
    (leaf) =>
      (typeof leaf.value === 'string' || typeof leaf.value === 'number') &&
      isId(leaf) &&
      AN_ID.test(String(leaf.value)) &&
      !judgedCall.repeats(leaf.value),
  );
  const [first] = ids.toSorted((one, other) => one.keys.length - other.keys.length);
  const likeliest = ids.find(({ name }) => OF_JOB.test(name.plain)) ?? first;
  return likeliest && pathOf(likeliest);
}

function listIn(body: JsonValue, { operation, dialect }: JudgedCall): readonly JsonValue[] | undefined {
  const { credits, results } = operation;
  if (results === undefined && credits.per_result === undefined) return undefined;
  return parsedResultsOf(body, present({ fields: dialect.fields_at, results }));
}

/** A single word may be the answer's own. */
function contentOfList(listed: readonly JsonValue[]): Content {
  if (listed.every(isBlank)) return 'empty';
  return listed.some((each) => !isPlain(each) && !isBlank(each)) ? 'data' : 'nothing';
}

const isDetail = ({ name, under, isMember }: Leaf, depth: number): boolean =>
  under.length === depth && !isMember && !OF_RECORDS.test(name.plain);

/**
 * The place where the data may stand, and its depth. Where an answer has such a place, everything beside it
 * is ignored.
 */
function placeIn(leaves: readonly Leaf[], fields: string | undefined) {
  const isNamed = (leaf: Leaf): boolean => `${pathOf(leaf)}.`.startsWith(`${fields}.`);
  const named = fields === undefined ? [] : leaves.filter(isNamed);
  const depth = fields?.split('.').filter((name) => !/^\d+$/.test(name)).length ?? 0;
  if (named.length > 0) return { leaves: named, depth };
  // A word in the place of an object, such as "no_match", is the answer's own.
  const within = leaves.filter(({ under: [top], name, value, isMember }) =>
    top === undefined
      ? CONTAINERS.includes(name.raw) && (isMember || isBlank(value))
      : CONTAINERS.includes(top.raw),
  );
  return within.length > 0 ? { leaves: within, depth: 1 } : { leaves, depth: 0 };
}

/**
 * Whether a value says something about the subject of the call. A statement of the answer about itself,
 * an id and an echo of what was asked do not.
 */
export function isData(
  { name, under, value, isMember }: Leaf,
  depth: number,
  judgedCall: JudgedCall,
): boolean {
  if (value === undefined || value === null || value === false || value === 0) return false;
  const isNameless = under.length < depth || name.raw === '';
  // A value outside of all objects is the answer's own.
  if (isNameless && !isMember) return false;
  if (!isNameless && !isField(name, value, isMember, judgedCall)) return false;
  if (!(depth === 0 ? under : under.slice(depth)).every(isOpen)) return false;
  if (value === true) return true;
  if (judgedCall.repeats(value, name.raw) || isBlankText(String(value))) return false;
  if (typeof value === 'number') return true;
  // A text without a name is the answer's own where it says no: `["No company found"]`.
  if (isNameless) return judgedCall.vocabulary.read(value).senses.every((sense) => sense === 'done');
  return !isStatement(name, value, judgedCall);
}

/**
 * Whether a text under a name is no fact: a word about the answer, a text in the place of an address that is
 * none, and a sentence that says that nothing was found.
 */
function isStatement({ plain, isStated }: Name, text: string, { vocabulary, isOwn }: JudgedCall): boolean {
  if (isStated && vocabulary.justOf(text) !== undefined) return true;
  if (OF_EMAIL.test(plain)) return foundAmong([text], { name: 'email' })?.kind !== 'found';
  if (isOwn || !/\s/.test(text) || OF_RECORDS.test(plain)) return false;
  return vocabulary.read(text).senses.includes('no_match');
}

const OF_EMAIL = /e?mails?(?:address(?:es)?)?$/;

/**
 * Inside lists and objects with fields, these names may belong to a company: `{"result":{"name":"Acme"}}`.
 */
const OPEN: ReadonlySet<NameKind> = new Set(['field', 'effect', 'described', 'found', 'machine']);
const isOpen = ({ kind, plain, isThing }: Name): boolean => (OPEN.has(kind) && plain !== 'status') || isThing;

function isField(name: Name, value: JsonValue, isMember: boolean, { vocabulary }: JudgedCall): boolean {
  if (name.kind === 'field') return value !== true || vocabulary.read(name.raw).senses.length === 0;
  return name.kind === 'effect' ? typeof value !== 'boolean' : isMember && isOpen(name);
}
