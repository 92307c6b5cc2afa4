import { type AnswerPlace, placeOfAnswer } from '../../core/answer-body.ts';
import { describedCall } from '../../core/described.ts';
import type { Call } from '../../core/operation.ts';
import { isLeftOut } from '../../core/outcome.ts';
import { foreignName } from '../../core/plain-text.ts';
import { erasedRow, type InputRow, type RowNumber } from '../../core/row.ts';
import { inputOf, stepNames } from '../../core/steps.ts';
import { settingsKept } from '../../job/job-settings.ts';
import type {
  AttemptId,
  Batch,
  LedgerReader,
  MatchDecision,
  RowAnswer,
  RowRecord,
} from '../../ledger/ledger.ts';
import { formatAbn, abn as readAbn } from '../../values/number.ts';
import { companyProfile, personProfile } from '../../values/profile.ts';
import type { ReadAs } from '../../values/reading.ts';
import { isOtherCompany, isOtherPerson } from '../../values/same-name.ts';
import { isOtherProfile, isSameForm } from '../../values/same-profile.ts';
import { type HostReader, hostReader } from '../quality/shared-hosts.ts';
import { type About, abnsIn, linkedInPage, namesIn, profilesIn, textsOf } from './match/answer-about.ts';
import { answersOf, shownAnswers } from './shown-answer.ts';

/**
 * What `_match` says of a row: whether its answer is about another company or person. All of this is read out
 * of the ledger whenever the row is shown, so another run comes to the same words.
 */

/** What is said of a row's answer; the cell says all of it, in this order. */
export interface MatchSaid {
  /** What differs between the row and the answer: the ABN, the profile page or the name. */
  readonly kind: 'abn' | 'profile' | 'name';
  readonly words: string;
  /**
   * Whether a person has to decide: a name may be spelt in two ways, and two companies of a group share a
   * website.
   */
  readonly needsPerson: boolean;
  /** The answer that is about another company or person. */
  readonly answer: RowAnswer;
}

export interface RowMatch {
  /** The cell of `_match`; blank where there is nothing to say. */
  readonly words: string;
  /** The same in few words that many rows share: `ABN differs`. */
  readonly inShort: string;
  /** Whether a person has to decide. */
  readonly needsPerson: boolean;
  /** Whether the answer is about another company or person, so that a person may decide about the row. */
  readonly isOther: boolean;
  /** Whether it was found with another ABN than the list has, about which nobody has decided. */
  readonly hasOtherAbn: boolean;
  readonly decision: MatchDecision | undefined;
  /** What a decision is about: a row that shows other answers later is decided about again. */
  readonly about: string;
  /** The answers of the row without those whose cells are left blank. */
  readonly answers: RowRecord['answers'];
}

type AnsweredRow = Pick<RowRecord, 'answers'> & Partial<RowRecord>;

const noMatch = (answers: RowRecord['answers']): RowMatch => ({
  words: '',
  inShort: '',
  needsPerson: false,
  isOther: false,
  hasOtherAbn: false,
  decision: undefined,
  about: '',
  answers,
});

type MatchLedger = Pick<LedgerReader, 'matchDecisions' | 'cellsOf' | 'firstRowsOn'>;

type Decisions = ReadonlyMap<RowNumber, MatchDecision>;

/** The names of columns that tell two rows of one question apart, whether or not they feed an input. */
const CALLED_ABN = /(?:^|[^a-z])abn(?:[^a-z]|$)/i;
const CALLED_PROFILE = /linked ?in|^profile$|profile.{0,3}(?:url|link|page|address)/i;

/** Says of the rows of one batch whether their answers are the right ones. */
export class Matching {
  /** Whether any answer of the batch is compared with what was asked. */
  readonly isCompared: boolean;
  readonly #ledger: MatchLedger;
  readonly #batch: Batch;
  readonly #settings: ReturnType<typeof settingsKept>;
  readonly #decisions: Decisions;
  readonly #hostOf: HostReader | undefined;
  readonly #named: ReadonlyMap<string, number>;
  /** The first row with each answer that several rows share, and these rows as they stand in the list. */
  readonly #firsts = new Map<AttemptId, RowNumber>();
  readonly #shared = new Map<RowNumber, InputRow>();
  /** The columns by which two rows of one question are told apart. */
  readonly #numbers: readonly string[];
  readonly #profiles: readonly string[];

  constructor(ledger: MatchLedger, batch: Batch, decisions: Decisions) {
    this.#ledger = ledger;
    this.#batch = batch;
    this.#settings = settingsKept(batch.settings);
    this.isCompared = isCompared(batch) && this.#settings.mismatch !== 'ignore';
    this.#decisions = decisions;
    const { columns, named_hosts: named = {} } = this.#settings;
    this.#hostOf = hostReader(columns, batch.header);
    this.#named = new Map(Object.entries(named));
    this.#numbers = this.#columnsFor(['abn'], CALLED_ABN);
    this.#profiles = this.#columnsFor(['profile_url', 'profile_slug'], CALLED_PROFILE);
  }

  /** The same of rows whose cells are not at hand. */
  async ofAll(records: readonly RowRecord[]): Promise<readonly RowMatch[]> {
    const numbers = records.map(({ row }) => row);
    const cells = this.isCompared ? await this.#ledger.cellsOf(this.#batch.id, numbers) : undefined;
    await this.meet(records);
    return records.map((record) => this.of(cells?.get(record.row) ?? erasedRow(record.row), record));
  }

  /** Looks up which of these rows share an answer with an earlier one, before anything is said of them. */
  async meet(records: readonly RowRecord[]): Promise<void> {
    if (!this.isCompared || this.#numbers.length + this.#profiles.length === 0) return;
    const shown = records.flatMap((record) => shownAnswers(answersOf(record)));
    const found = await this.#ledger.firstRowsOn(
      this.#batch.id,
      shown.map(({ attempt }) => attempt),
    );
    for (const [attempt, row] of found) this.#firsts.set(attempt, row);
    const rows = [...new Set(found.values())].filter((row) => !this.#shared.has(row));
    const cells = rows.length === 0 ? [] : await this.#ledger.cellsOf(this.#batch.id, rows);
    for (const [row, listed] of cells) this.#shared.set(row, listed);
  }

  of(row: InputRow, record: AnsweredRow | undefined): RowMatch {
    const match = this.#compared(row, record);
    if (!this.isCompared || record === undefined) return match;
    const sharedRow = this.#shared.size === 0 ? '' : this.#sharedRow(row, match.answers);
    const sharedNames = this.#named.size === 0 ? '' : this.#sharedNames(row, answersOf(record));
    if (sharedRow === '' && sharedNames === '') return match;
    const words = [match.words, sharedRow, sharedNames].filter((each) => each !== '').join('; ');
    return { ...match, words };
  }

  /** A host that stands in the rows of several companies is asked by once. */
  #sharedNames(row: InputRow, answers: RowRecord['answers']): string {
    const isByHost = ({ call: { operation, parameters } }: RowAnswer): boolean =>
      describedCall(operation).isAbout === 'company' &&
      (parameters.domain ?? parameters.website) !== undefined;
    if (!shownAnswers(answers).some(isByHost)) return '';
    const names = this.#named.get(this.#hostOf?.(row)?.host ?? '');
    return names === undefined ? '' : `shared by ${names} names`;
  }

  /** Two rows asked one question, although another identifier of the list tells them apart. */
  #sharedRow(row: InputRow, answers: RowRecord['answers']): string {
    for (const { attempt, call } of shownAnswers(answers)) {
      const about = describedCall(call.operation).isAbout;
      const first = this.#shared.get(this.#firsts.get(attempt) ?? row.row);
      if (about === undefined || first === undefined || first.row >= row.row) continue;
      const isApart = areApart(this.#apartOf(first, about), this.#apartOf(row, about));
      if (isApart) return `shared with row ${first.row}`;
    }
    return '';
  }

  #apartOf(row: InputRow, about: About): Apart {
    const [number] = this.#numbers.flatMap(
      (column) => usableIn(readAbn.read(this.#cellIn(row, column))) ?? [],
    );
    return { abn: number, profile: this.#profileOf(row, about) };
  }

  #profileOf(row: InputRow, about: About): string | undefined {
    for (const column of this.#profiles) {
      const profile = profileIn(this.#cellIn(row, column), about);
      if (profile !== undefined) return profile;
    }
    return undefined;
  }

  /** The columns that feed these inputs in any step, and those that are called like them and feed none. */
  #columnsFor(inputs: readonly string[], called: RegExp): readonly string[] {
    const feeding = Object.entries(this.#settings.columns);
    const ownColumns = feeding.flatMap(([name, column]) => (inputs.includes(inputOf(name)) ? [column] : []));
    return [...new Set([...ownColumns, ...this.#batch.header.filter((name) => called.test(name))])];
  }

  #compared(row: InputRow, record: AnsweredRow | undefined): RowMatch {
    const { mismatch = 'flag' } = this.#settings;
    const answers = record === undefined ? [] : answersOf(record);
    if (!this.isCompared || answers.length === 0) return noMatch(answers);
    const remarks = shownAnswers(answers).flatMap((answer) => this.#saidOf(row, answer, answers));
    if (remarks.length === 0) return noMatch(answers);
    const others = new Set(remarks.map(({ answer }) => answer));
    const decision = this.#decisions.get(row.row);
    const about = aboutOf(answers);
    const isDecided = decision?.about === about;
    // Of a row that she has left out she is asked nothing.
    const isOut = record?.outcome !== undefined && isLeftOut(record.outcome);
    const isFound = record?.outcome?.kind === 'matched';
    const isBlank = (isDecided ? decision.kind : mismatch) === 'blank';
    const words = [...new Set(remarks.map((each) => each.words))].join('; ');
    return {
      words: isDecided ? `${words} (${DECIDED[decision.kind]})` : words,
      inShort: [...new Set(remarks.map(({ kind }) => IN_SHORT[kind]))].join('; '),
      needsPerson: !isDecided && !isOut && remarks.some((each) => each.needsPerson),
      isOther: true,
      hasOtherAbn: isFound && !isDecided && remarks.some(({ kind }) => kind === 'abn'),
      decision: isDecided ? decision : undefined,
      about,
      answers: isBlank ? answers.filter((answer) => !others.has(answer)) : answers,
    };
  }

  #saidOf(row: InputRow, answer: RowAnswer, all: readonly RowAnswer[]): readonly MatchSaid[] {
    const about = describedCall(answer.call.operation).isAbout;
    if (about === undefined) return [];
    const askedValue = this.#askedOf(row, answer, all, about);
    const ownAbn = askedValue.abn ?? askedValue.listedAbn;
    if (ownAbn === undefined && askedValue.profile === undefined && askedValue.name === undefined) return [];
    const texts = textsOf(answer, this.#placeOf(answer), about);
    const remarks: MatchSaid[] = [];
    const abn = ownAbn === undefined ? undefined : otherAbn(ownAbn, abnsIn(texts));
    if (abn !== undefined) {
      const needsPerson = askedValue.abn !== undefined;
      remarks.push({ kind: 'abn', words: `ABN differs: ${formatAbn(abn)}`, needsPerson, answer });
    }
    const profiles = askedValue.profile === undefined ? [] : profilesIn(texts, about);
    const profile = otherProfile(askedValue.profile, profiles);
    if (profile !== undefined) {
      const words = `profile differs: ${profile.replace('https://', '')}`;
      remarks.push({ kind: 'profile', words, needsPerson: true, answer });
    }
    // A profile proves more than a name.
    const isProven = askedValue.profile !== undefined && profiles.includes(askedValue.profile);
    const name =
      askedValue.name === undefined || isProven
        ? undefined
        : otherName(askedValue.name, namesIn(texts, about), about);
    if (name !== undefined) {
      const words = `name differs: ${foreignName(name)}`;
      remarks.push({ kind: 'name', words, needsPerson: false, answer });
    }
    return remarks;
  }

  #placeOf({ call, accountIdentity }: RowAnswer): AnswerPlace {
    return placeOfAnswer(this.#settings.answer_at, call.operation, accountIdentity);
  }

  /** By what the row was asked, as far as an answer can be compared with it. */
  #askedOf(row: InputRow, { call }: RowAnswer, all: readonly RowAnswer[], about: About) {
    const askedParameters = parametersOf(call, all);
    const cellOf = (input: string): string => this.#cellOf(row, call.operation, input);
    const slug =
      askedParameters.profile_slug === undefined
        ? undefined
        : linkedInPage(askedParameters.profile_slug, about);
    const profile = askedParameters.profile_url ?? slug ?? this.#profileOf(row, about);
    if (about === 'company') {
      const { abn, number, domain, website } = askedParameters;
      const isSure = [abn, number, domain, website].some((each) => each !== undefined);
      const name = isSure ? undefined : (askedParameters.name ?? cellOf('name'));
      // The number found nothing, and the website did: the list still says which company is meant.
      const listedAbn = usableIn(readAbn.read(cellOf('abn')));
      return { abn, listedAbn, profile, name };
    }
    const isSure = [askedParameters.email, askedParameters.profile_url, slug].some(
      (each) => each !== undefined,
    );
    const whole =
      askedParameters.full_name ??
      [askedParameters.first_name ?? '', askedParameters.last_name ?? ''].join(' ').trim();
    const name = isSure || whole === '' ? undefined : whole;
    return { abn: undefined, listedAbn: undefined, profile, name };
  }

  #cellOf(row: InputRow, operation: string, input: string): string {
    const { columns } = this.#settings;
    const isOfSteps = stepNames(this.#batch.operation).length > 1;
    const column = columns[isOfSteps ? `${operation}.${input}` : input];
    return column === undefined ? '' : this.#cellIn(row, column);
  }

  #cellIn({ cells, unreadable }: InputRow, column: string): string {
    const at = unreadable === undefined ? this.#batch.header.indexOf(column) : -1;
    return cells[at] ?? '';
  }
}

/** What tells two rows of one question apart. A second address or telephone number does not. */
interface Apart {
  readonly abn: string | undefined;
  readonly profile: string | undefined;
}

function areApart(one: Apart, other: Apart): boolean {
  const areNumbers = one.abn !== undefined && other.abn !== undefined && one.abn !== other.abn;
  const [profile, another] = [one.profile, other.profile];
  return areNumbers || (profile !== undefined && another !== undefined && isOtherProfile(profile, another));
}

const usableIn = (read: ReadAs): string | undefined => (read.kind === 'usable' ? read.value : undefined);

const IN_SHORT = { abn: 'ABN differs', profile: 'profile differs', name: 'name differs' } as const;
const DECIDED = { keep: 'kept', blank: 'left blank' } as const;

const isCompared = ({ operation }: Batch): boolean =>
  stepNames(operation).some((name) => describedCall(name).isAbout !== undefined);

export async function matchingOf(ledger: MatchLedger, batch: Batch): Promise<Matching> {
  const decisions: Decisions = isCompared(batch) ? await ledger.matchDecisions(batch.id) : new Map();
  return new Matching(ledger, batch, decisions);
}

const aboutOf = (answers: RowRecord['answers']): string =>
  shownAnswers(answers)
    .map(({ attempt }) => attempt)
    .join();

/**
 * By what the calls ask that led to an answer. One that takes what an earlier one has found has only its id.
 */
function parametersOf(call: Call, all: readonly RowAnswer[]): Readonly<Record<string, string | undefined>> {
  const texts: Record<string, string> = {};
  const add = ({ parameters }: Call): void => {
    for (const name in parameters) {
      const value = parameters[name];
      if (typeof value === 'string') texts[name] = value;
    }
  };
  for (const { kind, call: led } of all)
    if (kind === 'found' && led !== call && led.operation === call.operation) add(led);
  add(call);
  return texts;
}

const otherAbn = (askedAbn: string, ownAbns: readonly string[]): string | undefined =>
  ownAbns.includes(askedAbn) ? undefined : ownAbns[0];

function profileIn(cell: string, about: About): string | undefined {
  const read = (about === 'company' ? companyProfile : personProfile).read(cell);
  return read.kind === 'usable' ? read.value : undefined;
}

function otherProfile(askedProfile: string | undefined, ownProfiles: readonly string[]): string | undefined {
  if (askedProfile === undefined) return undefined;
  const [first, ...others] = ownProfiles.filter((each) => isSameForm(askedProfile, each));
  const isEach =
    first !== undefined && [first, ...others].every((each) => isOtherProfile(askedProfile, each));
  return isEach ? first : undefined;
}

function otherName(askedName: string, ownNames: readonly string[], about: About): string | undefined {
  const isOther = about === 'company' ? isOtherCompany : isOtherPerson;
  return ownNames.every((each) => isOther(askedName, each)) ? ownNames[0] : undefined;
}
