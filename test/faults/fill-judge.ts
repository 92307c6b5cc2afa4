import { canonicalJson } from '../../src/sandbox/json.ts';
import {
  ACCEPTED,
  type Asked,
  FINDER_NAMES,
  type FillVendor,
  type FillVendors,
  type Person,
} from './finders.ts';
import { LEAVES_DOUBT } from './promises.ts';
import type { OutputRow } from './workplace.ts';

/** What filling blanks promises, held against the books of the vendors and what they know, and against nothing that the program wrote. */

/** One row of the list. */
export interface FillRow extends Person {
  readonly email: string;
  readonly title: string;
}

/** The credits that may be charged from a moment on. */
export interface Caps {
  readonly sinceMs: number;
  readonly total: number;
  /** By the names of accounts. */
  readonly accounts: Readonly<Record<string, number>>;
}

/** What befell the runs, by the clock of the machine. */
export interface History {
  /** Oldest first. Left out: no budget may be reached. */
  readonly caps: readonly Caps[];
  readonly killedMs: readonly number[];
  /** When the key of an account was dead. */
  readonly deadKeys: readonly { readonly of: string; readonly fromMs: number; readonly toMs: number }[];
  /** What was said about calls in doubt, by the books. */
  readonly told: readonly Told[];
}

const BLANK = /^(?:|n\/a|-|null)$/i;
export const isBlank = (cell = ''): boolean => BLANK.test(cell.trim());

const isNamed = ({ first, last, domain }: Person): boolean =>
  [first, last, domain].every((cell) => cell !== '');

/** A call in doubt was found or missed, or the vendor had done nothing for it, so that it was asked again. */
export interface Told {
  readonly of: string;
  readonly question: string;
  readonly atMs: number;
  readonly isDone: boolean;
}

interface Judged {
  readonly list: readonly FillRow[];
  readonly output: readonly OutputRow[];
  readonly vendors: FillVendors;
  readonly history: History;
  /** Whether no account ended, so that each cell is that of the first vendor that knows it. */
  readonly isCalm: boolean;
}

/** How often each promise was broken. */
export function brokenByFill(judged: Judged): Readonly<Record<string, number>> {
  const { list, output, vendors, history } = judged;
  const finders = FINDER_NAMES.map((name) => vendors.all[name]);
  const people = [...new Map(list.map((row) => [canonicalJson({ ...row }), row])).values()];
  const order = people.map((person) => orderOf(person, vendors, history));
  // The answer to what was accepted is asked for again where a kill took it away.
  const isSentAgain = ({ isAnswered, isPoll }: Asked): boolean => isAnswered && !isPoll;
  const again = sum(vendors.each.map(({ asked }) => repeats(asked, isSentAgain)));
  return {
    'charged twice by a book': sum(
      vendors.each.map(({ asked }) => repeats(asked, ({ credits }) => credits > 0)),
    ),
    'asked again after an answer': Math.max(again - count(history.told, ({ isDone }) => !isDone), 0),
    'requests for cells of the list': sum(people.map((person) => forFilled(person, vendors))),
    'requests after a vendor had found it': sum(order.map(({ afterFound }) => afterFound)),
    'requests before the vendors in front': sum(order.map(({ tooEarly }) => tooEarly)),
    'requests by an address of nobody': addressesOfNobody(people, finders, vendors),
    'rows lost': rowsLost(list, output),
    'cells not as the books have them': count(list, (row, at) => !isAsBooked(row, output[at] ?? {}, judged)),
    'blank cells without a reason': count(output, (row) => !hasReason(row)),
  };
}

/** How often a question that is counted was counted before. */
function repeats(asked: readonly Asked[], isCounted: (request: Asked) => boolean): number {
  const questions = asked.filter(isCounted).map(({ question }) => question);
  return questions.length - new Set(questions).size;
}

function forFilled(person: FillRow, { each }: FillVendors): number {
  return sum(
    each.map((vendor) => {
      const { operation } = vendor.kind;
      const isFilled = !isBlank(operation === 'enrich-person' ? person.title : person.email);
      if (!isFilled) return 0;
      const question = operation === 'find-email' ? vendor.questionOf(person) : byEmail(person.email);
      return vendor.asked.filter((each) => each.question === question).length;
    }),
  );
}

const byEmail = (email: string): string => canonicalJson({ email });

/** The address that a finder has, and that the checker does not refuse. */
export function goodCell(
  finder: FillVendor,
  question: string,
  { fred }: FillVendors['all'],
): string | undefined {
  const cell = finder.cellOf(question);
  const verdict = cell === undefined ? undefined : fred.cellOf(byEmail(cell));
  return verdict !== undefined && ACCEPTED.includes(verdict) ? cell : undefined;
}

/**
 * Order is money: a vendor is asked when those in front have said that they do not know, or what they have was refused by its check,
 * or they had ended; and no one is asked for what a book says was found.
 */
function orderOf(
  person: FillRow,
  { all }: FillVendors,
  history: History,
): { readonly afterFound: number; readonly tooEarly: number } {
  const finders = FINDER_NAMES.map((name) => all[name]);
  const asked = finders.map((vendor) => {
    const question = vendor.questionOf(person);
    return { vendor, question, requests: vendor.asked.filter((each) => each.question === question) };
  });
  const foundMs = asked.flatMap(({ vendor, question, requests }) =>
    goodCell(vendor, question, all) === undefined
      ? []
      : requests.filter(({ credits }) => credits > 0).map(({ atMs }) => atMs),
  );
  const firstMs = Math.min(...foundMs);
  const isKnown = (vendor: FillVendor, question: string, atMs: number): boolean => {
    const isOf = (each: { readonly question: string; readonly atMs: number }): boolean =>
      each.question === question && each.atMs < atMs;
    const isSaid = vendor.asked.some((each) => isOf(each) && each.isSaid);
    return isSaid || history.told.some((each) => each.of === vendor.name && isOf(each) && each.isDone);
  };
  const isReady = ({ vendor, question }: (typeof asked)[number], atMs: number): boolean => {
    if (hadEnded(vendor, atMs, history)) return true;
    if (!isKnown(vendor, question, atMs) || goodCell(vendor, question, all) !== undefined) return false;
    const cell = vendor.cellOf(question);
    return cell === undefined || isKnown(all.fred, byEmail(cell), atMs);
  };
  const isEarly = (atMs: number, at: number): boolean =>
    !asked.slice(0, at).every((before) => isReady(before, atMs));
  const buying = asked.map(({ requests }) => requests.filter(({ isPoll }) => !isPoll));
  const afterFound = sum(buying.map((requests) => count(requests, ({ atMs }) => atMs > firstMs)));
  const tooEarly = sum(buying.map((requests, at) => count(requests, ({ atMs }) => isEarly(atMs, at))));
  if (afterFound + tooEarly > 0) tellCourse(person, asked);
  return { afterFound, tooEarly };
}

/** What each vendor was asked about somebody, for whoever looks for the fault. */
function tellCourse(
  person: FillRow,
  asked: readonly { readonly vendor: FillVendor; readonly requests: readonly Asked[] }[],
): void {
  const lines = asked.flatMap(({ vendor, requests }) =>
    requests.map(
      ({ at, status, fault, credits }) => `${at} ${vendor.name} ${status} ${fault ?? ''} ${credits}`,
    ),
  );
  console.error([JSON.stringify(person), ...lines.toSorted()].join('\n'));
}

/** How long an answer may be on its way that a kill takes away. */
const ON_ITS_WAY_MS = 500;

/** Whether the account could be asked nothing: its key was dead, or its share was used up, with what is in doubt. */
function hadEnded(
  { name, asked }: FillVendor,
  atMs: number,
  { caps, killedMs, deadKeys, told }: History,
): boolean {
  if (deadKeys.some(({ of, fromMs, toMs }) => of === name && fromMs <= atMs && atMs <= toMs)) return true;
  const cap = caps.findLast(({ sinceMs }) => sinceMs <= atMs)?.accounts[name];
  if (cap === undefined) return false;
  const own = told.filter(({ of }) => of === name);
  const before = asked.filter((each) => each.atMs <= atMs);
  const isUnsure = ({ atMs: sentMs, fault, credits, question, isPoll }: Asked): boolean =>
    credits === 0 &&
    !isPoll &&
    own.every((each) => each.question !== question || each.atMs < sentMs || each.atMs > atMs) &&
    (LEAVES_DOUBT.test(fault ?? '') ||
      killedMs.some((killed) => sentMs <= killed && killed < sentMs + ON_ITS_WAY_MS));
  // A kill leaves calls in doubt that never came to the vendor.
  const unseen = own.filter(
    (each) =>
      each.atMs > atMs &&
      !asked.some(({ question, atMs: sentMs }) => question === each.question && sentMs < each.atMs),
  );
  const charged = sum(before.map(({ credits }) => credits));
  return charged + count(before, isUnsure) + unseen.length >= cap;
}

/** An address of the list is not checked; one that a check refuses brings no title. */
function addressesOfNobody(
  people: readonly FillRow[],
  finders: readonly FillVendor[],
  { all }: FillVendors,
): number {
  const found = new Set<string>();
  const good = new Set(people.map(({ email }) => byEmail(email)));
  for (const person of people)
    for (const vendor of finders) {
      const question = vendor.questionOf(person);
      if (bookedCell(vendor, question) === undefined) continue;
      found.add(byEmail(vendor.cellOf(question) ?? ''));
      good.add(byEmail(goodCell(vendor, question, all) ?? ''));
    }
  const strange = count(all.fred.asked, ({ question }) => !found.has(question));
  return strange + count(all.egon.asked, ({ question }) => !good.has(question));
}

const OWN = ['No', 'First', 'Last', 'Website'] as const;

function rowsLost(list: readonly FillRow[], output: readonly OutputRow[]): number {
  const ended = count(list, ({ first, last, domain }, at) => {
    const row = output[at] ?? {};
    const cells = [String(at + 1), first, last, domain];
    const isSame = OWN.every((column, index) => row[column] === cells[index]);
    return isSame && !['', 'pending', 'in_doubt', undefined].includes(row._status);
  });
  return list.length - ended + Math.abs(output.length - list.length);
}

/** Whether both cells are what the vendor that is named has in its book for the row, or the list's, or rightly blank. */
function isAsBooked(row: FillRow, out: OutputRow, { vendors, isCalm }: Judged): boolean {
  const finders = isNamed(row) ? FINDER_NAMES.map((name) => vendors.all[name]) : [];
  const isEmail = isCellOf(row.email, out.Email, out.Email_source, (source) => {
    const knowing = finders.filter(
      (vendor) => goodCell(vendor, vendor.questionOf(row), vendors.all) !== undefined,
    );
    const named = source === '' ? undefined : knowing.find(({ name }) => name === source);
    if (source === '') return knowing.length === 0 ? '' : undefined;
    if (named === undefined || (isCalm && named !== knowing[0])) return undefined;
    return bookedCell(named, named.questionOf(row));
  });
  const email = isBlank(out.Email) ? undefined : out.Email;
  const { egon } = vendors.all;
  const isTitle = isCellOf(row.title, out.Title, out.Title_source, (source) => {
    const known = email === undefined ? undefined : egon.cellOf(byEmail(email));
    if (source === '') return known === undefined ? '' : undefined;
    return source === 'egon' && email !== undefined ? bookedCell(egon, byEmail(email)) : undefined;
  });
  return isEmail && isTitle;
}

/** @param rightFor the cell that a source gives; undefined where it gives none. */
function isCellOf(
  cell: string,
  out = '',
  source = '',
  rightFor: (source: string) => string | undefined,
): boolean {
  if (!isBlank(cell)) return out === cell && source === 'list';
  return source === '' ? isBlank(out) && rightFor(source) === '' : out === rightFor(source);
}

function bookedCell(vendor: FillVendor, question: string): string | undefined {
  const isBooked = vendor.asked.some((each) => each.question === question && each.credits > 0);
  return isBooked ? vendor.cellOf(question) : undefined;
}

const REASONED = ['no_match', 'refused', 'invalid'];

const hasReason = ({ Email, Title, _status = '', _reason = '' }: OutputRow): boolean =>
  !(isBlank(Email) || isBlank(Title)) || _reason !== '' || REASONED.includes(_status);

function count<T>(list: readonly T[], holds: (each: T, at: number) => boolean): number {
  return list.filter(holds).length;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
