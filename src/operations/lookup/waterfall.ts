import type { Code } from '../../core/cell-problems.ts';
import type { CallDescription, OperationDescription } from '../../core/described.ts';
import { type Advice, invariant, meantWord } from '../../core/errors.ts';
import { finding, NO_FINDINGS, refusedBy, together } from '../../core/finding.ts';
import type { Finding, Findings } from '../../core/findings.ts';
import { present } from '../../core/objects.ts';
import {
  type Answered,
  type Call,
  defineOperation,
  end,
  type InputField,
  type NextAction,
  type NullNames,
  type Operation,
  type OperationOptions,
  type Prepared,
  type RowInput,
  send,
} from '../../core/operation.ts';
import { foreignName, listed } from '../../core/plain-text.ts';
import type { Outcome } from '../../core/row.ts';
import { identifierText } from '../../values/blank.ts';
import { withoutTextMark } from '../../values/cell-text.ts';
import type { KindName } from '../../values/kind.ts';
import { isFilled } from '../../values/kinds.ts';
import { BLANK, type Read, type ReadAs, unusable } from '../../values/reading.ts';

/**
 * The parts that all operations share which look something up: identifiers are tried in turn until one
 * matches. `tiersPreparer` says which calls a row may need, and `nextTier` which of them is next. Both are
 * pure, and `lookUpOperation` puts them together.
 */

/**
 * An input that identifies the person or company to look up. Its name is also the name of the call's
 * parameter.
 */
export interface Identifier extends InputField {
  readonly read: Read;
  /** Reads the cell beside that of another identifier, where the row has both. */
  readonly beside?: {
    readonly name: string;
    readonly read: (cell: string, other: string, nothing: readonly string[]) => ReadAs;
  };
  /** Decides which words of its cells are blank. Left out: only those that are so in every cell. */
  readonly kind?: KindName;
  /**
   * Other identifiers. This one is read from their cells, with a blank between them, when its own cell has
   * nothing usable and none of theirs is blank.
   */
  readonly derivedFrom?: {
    readonly names: readonly string[];
    readonly read: Read;
  };
  /**
   * Nothing else can be read out of this identifier, and it out of nothing else, so it never repeats another
   * identifier.
   */
  readonly standsAlone?: true;
  readonly quote?: (cell: string) => string;
}

export interface Tier {
  /** The name in a waterfall and in `_matched_by`: `abn`, `abn+domain`. */
  readonly name: string;
  readonly call: Call;
}

export interface TieredInput {
  readonly tiers: readonly Tier[];
  /** The problems with identifiers that are left out. */
  readonly remark?: Findings;
}

// ------------------------------------------------------------------------------------------------- preparing

interface Reading {
  readonly identifier: Identifier;
  readonly cell: string | undefined;
  /** The reading of its own cell; blank without a column. */
  readonly readCell: ReadAs;
  /**
   * What is read out of the cells of `derivedFrom`, where its own cell is not usable. Most rows are asked
   * before anybody looks.
   */
  readonly derived?: () => DerivedReading | undefined;
}

/** The reading of the cells of `derivedFrom`, and the first of them that is blank, else the first. */
interface DerivedReading {
  readonly from: Identifier;
  readonly cell: string;
  readonly readValue: ReadAs;
  /** Whether `cell` is the text of several cells. */
  readonly isWhole: boolean;
}

interface UsableReading {
  readonly identifier: Identifier;
  readonly value: string;
  /** The identifiers from whose cells it was read. */
  readonly sources: readonly string[];
}

/**
 * Says the tiers of rows. Without a waterfall, these are all identifiers that a row gives, one at a time in
 * the operation's order, without those that only repeat an earlier one. With a waterfall, these are exactly
 * its tiers, as far as the row has them, and none twice. `options.waterfall` has passed `checkWaterfall`.
 * @param by what the vendor takes, the surest first. A job without a waterfall asks once, by the first that
 *   the row has whole.
 */
export function tiersPreparer(
  identifiers: readonly Identifier[],
  options: OperationOptions,
  lookUp: (parameters: Call['parameters']) => Call,
  by?: readonly string[],
): (row: RowInput) => Prepared<TieredInput> {
  const waterfall = (options.waterfall ?? by)?.map(readTier);
  const isOnce = options.waterfall === undefined && by !== undefined;
  // A later tier of a row that is asked once may only tell it apart.
  const most = isOnce && options.tellsApart === undefined ? 1 : Number.POSITIVE_INFINITY;
  const cannotBeAsked = ({ identifier }: Reading): boolean =>
    options.unaskable?.includes(identifier.name) === true;
  // An identifier that the job leaves out on purpose, by its waterfall or by mapping no column, is no news to
  // the user.
  const isNamed = ({ identifier, cell }: Reading): boolean =>
    waterfall === undefined
      ? cell !== undefined
      : waterfall.some(({ members }) => members.includes(identifier.name));
  const readings = readingsBy(identifiers, options, cannotBeAsked);
  return (row) => {
    const all = readings(row);
    const fitting = waterfall === undefined ? singly(all, options) : asWritten(waterfall, all, most);
    const inTurn = toldApartFirst(fitting, options, lookUp);
    const askedInTurn = isOnce ? inTurn.slice(0, 1) : inTurn;
    const tiers = askedInTurn.map((readings) => tierOf(readings, lookUp));
    const isFlawless = all.every(({ readCell }) => readCell.kind !== 'unusable');
    if (askedInTurn.length > 0 && isFlawless) return { kind: 'ready', input: { tiers } };
    const named = all.filter(isNamed);
    // An identifier that the vendor does not accept is mentioned only when the row has no other.
    const remark = remarkOn(
      named.filter((reading) => !cannotBeAsked(reading)),
      askedInTurn.flat(),
    );
    if (askedInTurn.length > 0) return { kind: 'ready', input: { tiers, ...remarkedAs(remark) } };
    const lead = remark.length === 0 ? NO_FINDINGS : finding('nothing_usable', {});
    const findings = whyNothing(named, isOnce ? by : undefined);
    return { kind: 'invalid', findings, ...remarkedAs(together(lead, remark)) };
  };
}

const remarkedAs = (remark: Findings): { readonly remark?: Findings } =>
  remark.length === 0 ? {} : { remark };

/** Reads each cell of a row. What is read out of the cells of others is worked out on demand. */
function readingsBy(
  identifiers: readonly Identifier[],
  terms: OperationOptions,
  cannotBeAsked: (reading: Reading) => boolean,
): (row: RowInput) => readonly Reading[] {
  const absent = identifiers.map((identifier) => ({ identifier, cell: undefined, readCell: BLANK }));
  return (row) => {
    const all: readonly Reading[] = absent.map((each) => {
      const { identifier } = each;
      const cell = row[identifier.name];
      const alone =
        cell === undefined ? each : { identifier, cell, readCell: ownOf(identifier, cell, row, terms) };
      if (cannotBeAsked(alone)) return unaskable(alone);
      if (alone.readCell.kind === 'usable' || !mayBeDerived(identifier, row)) return alone;
      let derived: DerivedReading | undefined | 'open' = 'open';
      return {
        ...alone,
        derived() {
          if (derived === 'open') derived = derivedOf(identifier, all, terms);
          return derived;
        },
      };
    });
    return all;
  };
}

/** Whether the row has a column for everything that the identifier is read out of. */
function mayBeDerived({ derivedFrom }: Identifier, row: RowInput): boolean {
  for (const name of derivedFrom?.names ?? []) if (row[name] === undefined) return false;
  return derivedFrom !== undefined;
}

function derivedOf(
  { name, derivedFrom }: Identifier,
  all: readonly Reading[],
  terms: OperationOptions,
): DerivedReading | undefined {
  const { names = [], read } = derivedFrom ?? {};
  const sources = names.map((each) => {
    const source = all.find(({ identifier }) => identifier.name === each);
    invariant(source !== undefined, `${name} is derived from ${each}, which is no identifier`);
    return source;
  });
  const cells = sources.flatMap(({ cell }) => cell ?? []);
  const from = sources.find(({ readCell }) => readCell.kind === 'blank') ?? sources[0];
  if (read === undefined || from?.cell === undefined) return undefined;
  const isWhole = from.readCell.kind !== 'blank' && cells.length > 1;
  const cell = isWhole ? cells.map(withoutTextMark).join(' ') : from.cell;
  return { from: from.identifier, cell, readValue: read(cell, terms), isWhole };
}

/** Reads an identifier's own cell. */
const ownOf = (identifier: Identifier, cell: string, row: RowInput, terms: OperationOptions): ReadAs =>
  readWith(identifier, cell, (input) => row[input], terms);

/** @param cellOf the other cells of the row, by their inputs. */
function readWith(
  { name, read, beside }: Identifier,
  cell: string,
  cellOf: (input: string) => string | undefined,
  terms: OperationOptions,
): ReadAs {
  const other = beside === undefined ? undefined : cellOf(beside.name);
  if (beside === undefined || other === undefined) return read(cell, terms);
  return beside.read(cell, other, terms.nullNames?.[name] ?? []);
}

/** Turns a usable identifier into an unusable one that the vendor cannot look up, whatever the row says. */
function unaskable({ identifier, cell, readCell }: Reading): Reading {
  return { identifier, cell, readCell: readCell.kind === 'usable' ? unusable('unaskable') : readCell };
}

function usableReading({ identifier, readCell, derived }: Reading): UsableReading | undefined {
  if (readCell.kind === 'usable') return { identifier, value: readCell.value, sources: [identifier.name] };
  const readValue = derived?.()?.readValue;
  if (readValue?.kind !== 'usable') return undefined;
  return { identifier, value: readValue.value, sources: identifier.derivedFrom?.names ?? [] };
}

/** The default order. A call that could only repeat an earlier answer is not worth its credit. */
function singly(all: readonly Reading[], terms: OperationOptions): readonly UsableReading[][] {
  const keptReadings: UsableReading[] = [];
  for (const reading of all) {
    const usable = usableReading(reading);
    if (usable !== undefined && !keptReadings.some((earlier) => saysTheSame(earlier, usable, terms)))
      keptReadings.push(usable);
  }
  return keptReadings.map((reading) => [reading]);
}

/** Whether one can be read out of the other, such as a website on a domain, or a slug in a profile URL. */
function saysTheSame(one: UsableReading, other: UsableReading, terms: OperationOptions): boolean {
  if (one.identifier.standsAlone || other.identifier.standsAlone) return false;
  if (isOfOneCell(one, other)) return true;
  return isReadFrom(one, other.value, terms) || isReadFrom(other, one.value, terms);
}

const isOfOneCell = ({ sources: [one, ...more] }: UsableReading, { sources }: UsableReading): boolean =>
  one !== undefined && more.length === 0 && sources.length === 1 && sources[0] === one;

function isReadFrom({ identifier, value }: UsableReading, cell: string, terms: OperationOptions): boolean {
  const readValue = identifier.read(cell, terms);
  return readValue.kind === 'usable' && readValue.value === value;
}

/**
 * The first tiers that the row has. A tier that sends the same as an earlier one could only repeat its
 * answer.
 */
function asWritten(
  waterfall: readonly WrittenTier[],
  all: readonly Reading[],
  most: number,
): readonly (readonly UsableReading[])[] {
  const askedReadings: (readonly UsableReading[])[] = [];
  for (const tier of waterfall) {
    if (askedReadings.length === most) break;
    const sent = sentBy(tier, all);
    if (sent.length > 0 && !askedReadings.some((earlier) => areOfTheSame(earlier, sent)))
      askedReadings.push(sent);
  }
  return askedReadings;
}

/** The identifiers that a tier sends for a row; empty when the row lacks them. */
function sentBy({ members, isAll }: WrittenTier, all: readonly Reading[]): readonly UsableReading[] {
  const usable: UsableReading[] = [];
  for (const member of members) {
    const reading = all.find(({ identifier }) => identifier.name === member);
    invariant(reading !== undefined, `a waterfall that names "${member}" was not refused`);
    const found = usableReading(reading);
    if (found !== undefined) usable.push(found);
    else if (!isAll) return [];
  }
  return isAll ? withoutRepeated(usable) : usable;
}

/** Whether both are readings of the same identifiers, each at most once in a tier. */
function areOfTheSame(one: readonly UsableReading[], other: readonly UsableReading[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ identifier }) => other.some((each) => each.identifier === identifier))
  );
}

/** Leaves out an identifier that is read out of a cell which is sent itself: it would say nothing new. */
function withoutRepeated(usable: readonly UsableReading[]): readonly UsableReading[] {
  const isOwn = ({ identifier, sources }: UsableReading): boolean => sources.includes(identifier.name);
  const ownNames = usable.filter(isOwn).map(({ identifier }) => identifier.name);
  return usable.filter((each) => isOwn(each) || !each.sources.every((source) => ownNames.includes(source)));
}

function tierOf(readings: readonly UsableReading[], lookUp: (parameters: Call['parameters']) => Call): Tier {
  const parameters: Record<string, string> = {};
  for (const { identifier, value } of readings) parameters[identifier.name] = value;
  return { name: Object.keys(parameters).join('+'), call: lookUp(parameters) };
}

// ------------------------------------------------------------------------------------------------ told apart

/**
 * Two companies of one domain have two ABNs, and two people of one name have two profiles. A second address
 * or telephone number tells no one apart.
 */
const PROFILE = ['profile_url', 'profile_slug'];

/** Whether a tier tells rows apart that ask the same by another one. */
function tellsMore(by: readonly string[], askedNames: readonly string[]): boolean {
  if (askedNames.includes('abn')) return false;
  const hasProfile = (members: readonly string[]): boolean => PROFILE.some((each) => members.includes(each));
  return by.includes('abn') || (hasProfile(by) && !hasProfile(askedNames));
}

/** The tiers of a row, that one first which tells it apart from rows that ask the same by their first. */
function toldApartFirst(
  fitting: readonly (readonly UsableReading[])[],
  { tellsApart }: OperationOptions,
  lookUp: (parameters: Call['parameters']) => Call,
): readonly (readonly UsableReading[])[] {
  const [first] = fitting;
  if (tellsApart === undefined || first === undefined) return fitting;
  const askedNames = namesOf(first);
  const by = fitting.find((each) => each !== first && tellsMore(namesOf(each), askedNames));
  if (by === undefined || !tellsApart(tierOf(first, lookUp).call, tierOf(by, lookUp).call)) return fitting;
  return [by, ...fitting.filter((each) => each !== by)];
}

const namesOf = (readings: readonly UsableReading[]): readonly string[] =>
  readings.map(({ identifier: { name } }) => name);

/** Whether a list with columns for these inputs may have rows that a later tier tells apart. */
export function mayTellApart(tiers: readonly string[], mapped: readonly string[]): boolean {
  const isThere = (name: string): boolean =>
    mapped.includes(name) || (name === 'profile_slug' && mapped.includes('profile_url'));
  const all = tiers.map((tier) => readTier(tier).members);
  return all.some((members, at) => {
    const by = members.filter(isThere);
    return all
      .slice(0, at)
      .some((askedReadings) => askedReadings.some(isThere) && tellsMore(by, askedReadings));
  });
}

// --------------------------------------------------------------------------------------------------- reasons

/** @param by what no row may lack all of; undefined: each tier of its waterfall. */
function whyNothing(named: readonly Reading[], by: readonly string[] | undefined): Findings {
  const complaints = new Map<string, Findings>();
  for (const reading of named) {
    if (usableReading(reading) !== undefined) continue;
    const { about, parts, findings } = complaint(reading);
    // A website may be unusable as a domain, too. One complaint about a cell, or about a pair of cells, is
    // enough.
    if (![about, ...parts].some((each) => complaints.has(each))) complaints.set(about, findings);
  }
  if (complaints.size === 0) return together(finding('nothing_usable', {}), finding('no_column_chosen', {}));
  const isIncomplete = named.some((reading) => usableReading(reading) !== undefined);
  const lead = isIncomplete
    ? finding('nothing_complete', present({ of: by?.slice() }))
    : finding('nothing_usable', {});
  return together(lead, ...complaints.values());
}

/** What the cells are called that are read together. */
const WHOLE = 'name';

/**
 * What is wrong with an unusable identifier.
 * @returns `about`: the identifier to which the cell belongs, or `name` for cells that are read together,
 *   with their identifiers as `parts`.
 */
function complaint(reading: Reading) {
  const { identifier, cell, readCell } = reading;
  const derived = reading.derived?.();
  if (cell !== undefined || derived === undefined) {
    const about = readCell.kind === 'unusable' && readCell.whole !== undefined ? WHOLE : identifier.name;
    return { about, parts: [], findings: problemOf(about, identifier, cell, readCell) };
  }
  const { from, isWhole, readValue } = derived;
  const parts = isWhole ? (identifier.derivedFrom?.names ?? []) : [];
  const about = parts.length > 1 ? WHOLE : from.name;
  return { about, parts, findings: problemOf(about, from, derived.cell, readValue) };
}

/**
 * The complaints about unusable cells. An unusable number or e-mail address was mistyped, and the row asks
 * for its correction; an unusable web address is often all that there is.
 */
function remarkOn(named: readonly Reading[], askedReadings: readonly UsableReading[]): Findings {
  const wrong = named.filter(
    (reading) => reading.readCell.kind === 'unusable' && !isOfUse(reading, named, askedReadings),
  );
  const complaints = wrong.map((reading) => {
    const { findings } = complaint(reading);
    const isToCorrect = reading.identifier.standsAlone && !isRight(reading.readCell);
    return isToCorrect ? findings.map(toCorrect) : findings;
  });
  return together(...complaints);
}

const toCorrect = (each: Finding): Finding =>
  ({ ...each, facts: { ...each.facts, correct: true } }) as Finding;

/** Whether the row is asked by the cell as another identifier, or asked without it and the cell is right. */
function isOfUse(
  { identifier: { name }, cell, readCell }: Reading,
  named: readonly Reading[],
  askedReadings: readonly UsableReading[],
): boolean {
  const isAsked = askedReadings.some(({ identifier, sources }) => {
    if (sources.includes(name)) return true;
    // A column may feed two inputs where one could be read out of the other.
    const other = named.find((each) => each.identifier === identifier);
    return identifier.derivedFrom?.names.includes(name) === true && other?.cell === cell;
  });
  return (
    isAsked || (askedReadings.length > 0 && readCell.kind === 'unusable' && ELSEWHERE.has(readCell.code))
  );
}

/** Why a page that is as it should be is none that the vendor is asked by: no one has to correct the cell. */
const ELSEWHERE: ReadonlySet<Code> = new Set<Code>([
  'unsupported_network',
  'person_profile',
  'company_profile',
  'not_a_person_profile',
  'not_a_company_profile',
  'only_a_fragment',
]);

/** An address of a department is right as it is. */
const isRight = (readValue: ReadAs): boolean =>
  readValue.kind === 'unusable' && readValue.code === 'role_address';

/** @param input what the cell, or the cells that are read together, are called. */
function problemOf(input: string, { quote }: Identifier, cell: string | undefined, read: ReadAs): Findings {
  if (cell === undefined) return finding('no_column', { input });
  if (cell.trim() === '') return finding('blank', { input });
  const whole = (read.kind === 'unusable' ? read.whole : undefined) ?? quote?.(cell) ?? cell;
  const text = whole.trim().slice(0, MOST_KEPT);
  if (read.kind !== 'unusable') return finding('counts_as_blank', { input, cell: text });
  return finding(read.code, { input, cell: text, ...present({ about: read.about }) });
}

/** A cell may have any length, and its row stands beside the finding. */
const MOST_KEPT = 200;

// -------------------------------------------------------------------------------------------------- stepping

/**
 * The next lookup of a row, or how the row ended, by the answers so far. The first tier without an answer is
 * asked. The first tier that finds something ends the row. A tier that the vendor refuses does not end the
 * row: the next one is tried.
 */
export function nextTier(input: TieredInput, answered: Answered): NextAction {
  const missed: string[] = [];
  const refused: Findings[] = [];
  for (const tier of input.tiers) {
    const answer = answered(tier.call);
    if (answer === undefined) return send(tier.call);
    if (answer.kind === 'found')
      return end({ kind: 'matched', matchedBy: tier.name, findings: input.remark ?? NO_FINDINGS });
    if (answer.kind === 'no_match') missed.push(tier.name);
    else refused.push(refusedBy(tier.name, answer.findings));
  }
  return end(unmatched(missed, refused, input.remark));
}

/** What an operation that looks something up says of itself, beside its identifiers. */
export interface LookUp extends Omit<OperationDescription, 'calls'> {
  readonly name: string;
  readonly summary: string;
  /** What a row is asked by where neither the dialect nor the job says otherwise. */
  readonly by?: readonly string[];
  /** Its only call, with its identifiers as parameters. */
  readonly call: Omit<CallDescription, 'parameters' | 'together' | 'changes' | 'bringsRequest'>;
}

export function lookUpOperation(
  { name, summary, by, call, ...description }: LookUp,
  identifiers: readonly Identifier[],
) {
  const alone = by ?? identifiers.filter(({ needsBy }) => !needsBy).map((each) => each.name);
  const others = identifiers.map((each) => each.name).filter((each) => !alone.includes(each));
  const parameters = { parameters: alone, together: others, changes: undefined, bringsRequest: false };
  const described = { ...description, calls: { [name]: { ...call, ...parameters } } };
  return lookUpBy({ name, summary, described }, identifiers, by);
}

function lookUpBy(
  about: Pick<Operation, 'name' | 'summary' | 'described'>,
  identifiers: readonly Identifier[],
  by?: readonly string[],
): Operation {
  const { name } = about;
  // A lost answer may have been charged, so only the user may pay again.
  const lookUp = (parameters: Call['parameters']): Call => ({ operation: name, parameters, ifLost: 'hold' });
  return defineOperation<TieredInput>({
    ...about,
    vendor: 'provider',
    inputs: identifiers.map((each) => ({
      ...each,
      isBlank: (cell: string) => !isFilled(cell, each.kind),
      countsAsBlank: (cell: string, cellOf: (input: string) => string | undefined, nullNames?: NullNames) =>
        identifierText(cell, each.kind) === '' &&
        readWith(each, cell, cellOf, present({ nullNames })).kind === 'blank',
    })),
    tiers: identifiers.map((identifier) => identifier.name),
    ...present({ by }),
    askedBy(givenWaterfall = by, named = []) {
      const members = givenWaterfall && identifiersIn(givenWaterfall);
      const taken = identifiers.filter(
        (each) =>
          named.includes(each.name) || (members === undefined ? !each.needsBy : members.includes(each.name)),
      );
      const sources = taken.flatMap(({ derivedFrom }) => derivedFrom?.names ?? []);
      const neededIdentifiers = identifiers.filter(
        (each) => taken.includes(each) || sources.includes(each.name),
      );
      const askedIdentifiers = neededIdentifiers.map(({ needsBy: _, ...identifier }) => identifier);
      return lookUpBy(about, askedIdentifiers, givenWaterfall);
    },
    lacks(mapped) {
      const isThere = (member: string): boolean => {
        const { names } = identifiers.find(({ name }) => name === member)?.derivedFrom ?? {};
        return mapped.includes(member) || names?.every((each) => mapped.includes(each)) === true;
      };
      const tiers = (by ?? []).map((tier) => {
        const { members } = readTier(tier);
        const lacking = members.filter((member) => !isThere(member));
        return { lacking, share: lacking.length / members.length };
      });
      // The tier that the list has most of is the one that was meant.
      return tiers.toSorted((one, other) => one.share - other.share)[0]?.lacking[0];
    },
    preparer: (options) => tiersPreparer(identifiers, options, lookUp, by),
    next: nextTier,
  });
}

/**
 * A vendor that knew at least one identifier and found no one has answered. A vendor that refused all of them
 * has not.
 */
function unmatched(missed: readonly string[], refused: readonly Findings[], remark = NO_FINDINGS): Outcome {
  const none = missed.length === 0 ? NO_FINDINGS : finding('no_match', { by: [...missed] });
  const kind = missed.length === 0 ? 'refused' : 'no_match';
  return { kind, findings: together(none, ...refused, remark) };
}

interface WaterfallProblem {
  readonly message: string;
  readonly next: Advice;
}

/** The prefix of a tier that needs only some of its identifiers: `all:email+profile_url`. */
const ALL = 'all:';

export function tierOfAll(members: readonly string[]): string {
  return `${ALL}${members.join('+')}`;
}

export function tierWords(tier: string): string {
  const { members, isAll } = readTier(tier);
  return isAll ? `whatever the row has of ${listed(members)}` : members.join('+');
}

export const identifiersIn = (tiers: readonly string[]): readonly string[] =>
  tiers.flatMap((tier) => readTier(tier).members);

interface WrittenTier {
  readonly members: readonly string[];
  /**
   * True: the call has the members that the row has. False: a row without one of the members has no such
   * call.
   */
  readonly isAll: boolean;
}

function readTier(tier: string): WrittenTier {
  const isAll = tier.startsWith(ALL);
  const members = (isAll ? tier.slice(ALL.length) : tier).split('+').map((member) => member.trim());
  // With a single member, both mean the same.
  return { members, isAll: isAll && members.length > 1 };
}

/** The most calls that a row needs when nothing matches. Two tiers of the same identifiers are one call. */
export function mostCalls({ inputs }: Pick<Operation, 'inputs'>, waterfall?: readonly string[]): number {
  if (waterfall === undefined) return Math.max(1, inputs.filter(({ needsBy }) => !needsBy).length);
  const written = waterfall.map(readTier);
  return new Set(written.map(({ members, isAll }) => [isAll, ...members.toSorted()].join('+'))).size;
}

/**
 * Checks a job's waterfall before any row is read; undefined when it may be used. `tiers` are the tiers of
 * the operation.
 */
export function checkWaterfall(
  tiers: readonly string[],
  waterfall: readonly string[],
): WaterfallProblem | undefined {
  if (tiers.length === 0)
    return { message: 'this operation has no waterfall', next: 'Remove `waterfall` from the job.' };
  const choice =
    `Use one or more of ${tiers.join(', ')}; join two with "+" to send both in one call, or write { all: ` +
    '[…] } to send whichever ones a row has.';
  if (waterfall.length === 0) return { message: 'the waterfall is empty', next: choice };
  const unknown = identifiersIn(waterfall).find((member) => !tiers.includes(member));
  if (unknown === undefined) return undefined;
  const message = `the waterfall names ${foreignName(unknown)}, which this operation does not know`;
  return { message, next: meantWord(unknown, tiers) };
}
