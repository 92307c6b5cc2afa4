import {
  type AnswerPlace,
  jsonIn,
  type KeptBody,
  ownBodyIn,
  parsedFieldsOf,
  valueAt,
} from '../core/answer-body.ts';
import { valuesAt } from '../core/answer-path.ts';
import { nearestWord } from '../core/errors.ts';
import { verdictIn } from '../core/given.ts';
import type { JsonObject, JsonValue } from '../core/operation.ts';
import { FOUND_PREFIX } from '../core/row.ts';
import { foundAmong, kindNamedIn } from './found.ts';

/**
 * Puts every value of an answer under a name of its own, so that nothing that was paid for is left behind.
 */

/** What an answer says: values by our names, as `gives` has them, beside all of the vendor's own fields. */
export interface AnswerFields {
  readonly ours: JsonObject;
  readonly vendors: JsonValue | undefined;
}

const NONE: JsonObject = {};

export function saidIn(body: KeptBody, place: AnswerPlace): AnswerFields {
  return parsedSaidIn(jsonIn(body), place);
}

/** @param body where the place has steps: the bodies of the steps, by their names. */
export function parsedSaidIn(body: JsonValue | undefined, place: AnswerPlace): AnswerFields {
  if (place.steps === undefined) {
    const vendors = parsedFieldsOf(body, place);
    const ours =
      place.gives === undefined ? NONE : oursIn(place.gives, ownBodyIn(body, place), vendors, place);
    return { ours, vendors };
  }
  const ours: Record<string, JsonValue> = {};
  const vendors: Record<string, JsonValue> = {};
  for (const [step, at] of Object.entries(place.steps)) {
    const stepFields = parsedSaidIn(valueAt(body, step), at);
    for (const [name, value] of Object.entries(stepFields.ours)) ours[`${step}.${name}`] = value;
    if (stepFields.vendors !== undefined) vendors[step] = stepFields.vendors;
  }
  return { ours, vendors };
}

/**
 * The value at a path of `add`: one of our names as a whole, else a path into the vendor's fields. Where the
 * path leads through a list and says a kind, the first value of that kind; null where there is none.
 */
export function saidAt({ ours, vendors }: AnswerFields, path: string): JsonValue | undefined {
  if (Object.hasOwn(ours, path)) return ours[path];
  const name = kindNamedIn(path);
  if (name === undefined) return valueAt(vendors, path);
  const values = valuesAt(vendors, path).map(({ value }) => value);
  if (values.length === 0) return undefined;
  return values.find((value) => foundAmong([value], { name })?.kind === 'found') ?? null;
}

/**
 * The values of `gives` that the answer has; null where nothing of the kind that a name says stands in its
 * place. A cell of the vendor's that has one of these names, and says something else, gets another name.
 */
function oursIn(
  gives: NonNullable<AnswerPlace['gives']>,
  answer: JsonValue | undefined,
  vendors: JsonValue | undefined,
  place: AnswerPlace,
): JsonObject {
  const ours: Record<string, JsonValue> = {};
  for (const [name, path] of Object.entries(gives)) {
    const values = valuesAt(answer, path).map((each) => each.value);
    if (values.length === 0) continue;
    const value =
      place.byKind === true ? ofKind(name, values, place) : asItStands(name, valueAt(answer, path), place);
    ours[name] = value;
    const beside = valueAt(vendors, name);
    if (beside === undefined || values.includes(beside) || !isOneCell(beside)) continue;
    if (textOf(beside) !== textOf(value)) ours[FOUND_PREFIX + name] = beside;
  }
  return ours;
}

function ofKind(name: string, values: readonly JsonValue[], { verdicts }: AnswerPlace): JsonValue {
  const found = foundAmong(values, { name, verdicts });
  if (found?.kind === 'found') return found.value;
  // A word that the dialect does not have is the vendor's own all the same.
  return found?.kind === 'other' && name === 'verdict' ? found.value : null;
}

function asItStands(name: string, value: JsonValue = null, { verdicts }: AnswerPlace): JsonValue {
  const isVerdict = name === 'verdict' && verdicts !== undefined && value !== null;
  return isVerdict ? (verdictIn(value, verdicts) ?? value) : value;
}

/**
 * All values of an answer under the names that `add` takes.
 * @param without as for `wholeFields`.
 */
export function saidFields(
  { ours, vendors }: AnswerFields,
  without?: readonly JsonValue[],
): ReadonlyMap<string, string> {
  const first = wholeFields(ours);
  return new Map([...first, ...wholeFields(vendors, without), ...first]);
}

/** The members of a list of objects that get columns of their own; the others are counted. */
const MEMBERS_SHOWN = 3;

/** Stands behind the name of a list for the number of its other members. */
const REST = 'more';

/**
 * At this depth the rest is one value. No vendor nests further, and each level is a part of a column's name.
 */
const DEEPEST = 12;

/**
 * The limit for all answers of a batch together: some vendors name members by an id, and each row would add
 * columns.
 */
const MOST_FIELDS = 1_000;

const FIELDS_QUOTED = 12;

/**
 * The path and text of every value, such as `location.city`. Plain values of a list are joined by "; ".
 * Objects of a list are numbered from 0 like a path of `add`, and `emails.more` is the number of others.
 * Numbers are as the vendor wrote them.
 * @param without a list of the answer that goes elsewhere; left out: all of the answer is told.
 */
export function wholeFields(
  answer: JsonValue | undefined,
  without?: readonly JsonValue[],
): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  const addMembers = (prefix: string, members: JsonValue, deepest: number): void => {
    const entries = Object.entries(members ?? {});
    const shown = Array.isArray(members) ? entries.slice(0, MEMBERS_SHOWN) : entries;
    for (const [name, value] of shown) {
      if (value === without) continue;
      if (deepest === 0 || isOneCell(value)) addText(fields, prefix + name, textOf(value));
      else addMembers(`${prefix}${name}.`, value, deepest - 1);
    }
    if (shown.length < entries.length) addText(fields, prefix + REST, String(entries.length - shown.length));
  };
  if (answer !== undefined && answer !== without && !isPlain(answer)) addMembers('', answer, DEEPEST);
  return fields;
}

/** Two values have one name only where a member has a dot in its own name. */
function addText(fields: Map<string, string>, name: string, text: string): void {
  const before = fields.get(name);
  fields.set(name, before === undefined || before === '' ? text : `${before}; ${text}`);
}

export function isPlain(value: JsonValue): boolean {
  return value === null || typeof value !== 'object';
}

function isPlainList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value) && value.every(isPlain);
}

function isOneCell(value: JsonValue): boolean {
  return isPlain(value) || isPlainList(value) || Object.keys(value ?? {}).length === 0;
}

function textOf(value: JsonValue): string {
  return isPlain(value) || Object.keys(value ?? {}).length > 0 ? cellText(value) : '';
}

/** Lists of plain values are joined with "; ", anything deeper is written as JSON. */
export function cellText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'object') return String(value);
  return isPlainList(value) ? value.map((item) => cellText(item)).join('; ') : JSON.stringify(value);
}

export class FieldSurvey {
  /** Whether any answer has a value at the path. */
  readonly #filled = new Map<string, boolean>();
  answers = 0;
  isCut = false;

  add(answer: JsonValue | undefined, without?: readonly JsonValue[]): void {
    this.addFields(wholeFields(answer, without));
  }

  addFields(fields: ReadonlyMap<string, string>): void {
    this.answers += 1;
    for (const [name, text] of fields) {
      const known = this.#filled.get(name);
      if (known === undefined && this.#filled.size === MOST_FIELDS) this.isCut = true;
      else if (known !== true) this.#filled.set(name, text !== '');
    }
  }

  /**
   * The names of the fields. An object or a list that some answers leave empty appears only by its members.
   */
  get names(): readonly string[] {
    const parents = new Set([...this.#filled.keys()].flatMap(parentsOf));
    return [...this.#filled].flatMap(([name, isFilled]) => (isFilled || !parents.has(name) ? [name] : []));
  }
}

function parentsOf(path: string): readonly string[] {
  const names = path.split('.');
  return names.slice(1).map((_, at) => names.slice(0, at + 1).join('.'));
}

/** Answers of a step, or of one account in a step, and the paths of `add` that none of them has so far. */
class StepSearch {
  readonly survey = new FieldSurvey();
  readonly missing: Set<string>;
  readonly #paths: number;

  constructor(paths: readonly string[]) {
    this.missing = new Set(paths);
    this.#paths = paths.length;
  }

  add(answer: AnswerFields, fields: ReadonlyMap<string, string>): void {
    for (const path of this.missing) if (saidAt(answer, path) !== undefined) this.missing.delete(path);
    this.survey.addFields(fields);
  }

  /** Whether nothing that the answers have goes into a column. */
  get fillsNothing(): boolean {
    return this.#paths > 0 && this.missing.size === this.#paths;
  }

  missed(path: string): MissingPath {
    const names = pathsIn(this.survey);
    const { answers } = this.survey;
    return { path, answers, nearest: nearestWord(path, names) ?? null, known: names.slice(0, FIELDS_QUOTED) };
  }
}

/**
 * Looks for paths of `add` in answers, to suggest the path that was probably meant for those that no answer
 * has.
 */
export class PathSearch {
  readonly #paths: readonly string[];
  /** By what stands before the paths of the step. */
  readonly #steps = new Map<string, StepSearch>();
  /** The same for each account. */
  readonly #accounts = new Map<string, Map<string, StepSearch>>();

  constructor(paths: readonly string[]) {
    this.#paths = paths;
  }

  /** @param steps what stands before the paths of each step that the answer is from. */
  look(answer: AnswerFields, steps: readonly string[] = [''], account = ''): void {
    const fields = [...saidFields(answer)];
    const ofAccount = this.#accounts.get(account) ?? new Map<string, StepSearch>();
    this.#accounts.set(account, ofAccount);
    for (const step of steps) {
      const named = new Map(fields.filter(([name]) => name.startsWith(step)));
      for (const searches of [this.#steps, ofAccount]) {
        const search = searches.get(step) ?? new StepSearch(this.#pathsOf(step));
        searches.set(step, search);
        search.add(answer, named);
      }
    }
  }

  #pathsOf(step: string): readonly string[] {
    return this.#paths.filter((path) => path.startsWith(step));
  }

  get hasAnswers(): boolean {
    return this.#steps.size > 0;
  }

  get paths(): readonly string[] {
    return [...this.#steps.values()].flatMap(({ survey }) => pathsIn(survey));
  }

  /** Whether some answer has each path, and the account fills something in each of its steps. */
  isComplete(account = ''): boolean {
    const steps = [...this.#steps];
    const isMet = (path: string): boolean =>
      steps.some(([step, { missing }]) => path.startsWith(step) && !missing.has(path));
    const searches = [...(this.#accounts.get(account)?.values() ?? [])];
    return this.#paths.every(isMet) && !searches.some(({ fillsNothing }) => fillsNothing);
  }

  /**
   * The paths that no answer of their step has, and those of an account whose answers fill no column at all;
   * none before the first answer of it.
   */
  missing(): MissingPath[] {
    const nowhere = [...this.#steps.values()].flatMap((search) =>
      [...search.missing].map((path) => search.missed(path)),
    );
    const ofAccounts = [...this.#accounts].flatMap(([account, searches]) =>
      [...searches].flatMap(([step, search]) => {
        const others = this.#steps.get(step)?.missing;
        const here = search.fillsNothing ? [...search.missing].filter((path) => !others?.has(path)) : [];
        return here.map((path) => ({ ...search.missed(path), account }));
      }),
    );
    return [...nowhere, ...ofAccounts];
  }
}

/** The paths that an `add` may name: a count of ours is no path. */
const pathsIn = ({ names }: FieldSurvey): readonly string[] =>
  names.filter((name) => !name.endsWith(`.${REST}`));

/**
 * A path of `add` that none of this many answers of its step has, the path that was probably meant, and some
 * paths that the answers have.
 */
export interface MissingPath {
  readonly path: string;
  readonly answers: number;
  readonly nearest: string | null;
  readonly known: string[];
  /** The account that fills no column, where another one has the path. */
  readonly account?: string;
}

export function missingWords({ path, answers, nearest: meant, known, account }: MissingPath): string {
  const of = account === undefined ? '' : ` of ${account}`;
  const where =
    answers === 1 ? `is not in the one answer${of} so far` : `is in none of ${answers} answers${of}`;
  const blank = account === undefined ? '' : ` What ${account} finds stays blank.`;
  if (meant !== null) return `\`${path}\` ${where}; did you mean \`${meant}\`?${blank}`;
  const have = known.length === 0 ? 'no field that could be added' : known.join(', ');
  const more = known.length === FIELDS_QUOTED ? ', and others' : '';
  return `\`${path}\` ${where}; they have ${have}${more}.${blank}`;
}

/** This many matches show that a path is wrong when none of them has it. */
const SHOWN_BY = 20;

/** Whether a person has to look at a path: another path is near, or many answers do not have it. */
export const isWrongPath = ({ answers, nearest: meant }: MissingPath): boolean =>
  meant !== null || answers >= SHOWN_BY;
