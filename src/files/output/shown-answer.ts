import { type AnswerPlace, bytesOf, jsonIn, type KeptBody, placeOfAnswer } from '../../core/answer-body.ts';
import type { JsonObject } from '../../core/operation.ts';
import type { Batch, RowAnswer, RowRecord } from '../../ledger/ledger.ts';
import { isPlain } from '../../values/answer-fields.ts';

/** The answer of a row from which its added cells are read. */
export interface ShownAnswer {
  readonly body: KeptBody;
  /** The place of the fields in the body, which depends on the accounts that answered. */
  readonly place: AnswerPlace;
  /** The accounts that answered, with the names of the steps where there are several. */
  readonly from: readonly { readonly step?: string; readonly accountIdentity: string }[];
}

type Answers = RowRecord['answers'];

/**
 * The answers that are shown: those that fill the row's steps. A row that was kept without these shows what
 * was found.
 */
export const shownAnswers = (answers: Answers): Answers =>
  answers.filter(({ kind, fills }) => fills ?? kind === 'found');

/**
 * The answers of a row; the last one fills a match: it counted as found when the row ended by it, whatever is
 * read in it today.
 */
export function answersOf({ answers, outcome }: Pick<RowRecord, 'answers'> & Partial<RowRecord>): Answers {
  const isKept = answers.some(({ kind, fills }) => fills !== undefined || kind === 'found');
  if (isKept || outcome?.kind !== 'matched') return answers;
  return answers.map((each, at) => (at === answers.length - 1 ? { ...each, fills: true } : each));
}

/** The bodies of several steps are read as one, in which each stands under the name of its step. */
export function shownAnswer(answers: Answers, place: AnswerPlace): ShownAnswer | undefined {
  const shown = shownAnswers(answers);
  if (place.steps === undefined) return shownOfStep(shown, place);
  const steps = Object.keys(place.steps).flatMap((name) => {
    const ownAnswers = shown.filter(({ call }) => call.operation === name);
    const step = shownOfStep(ownAnswers, place);
    const value = step && jsonIn(step.body);
    return step === undefined || value === undefined ? [] : [{ ...step, name, value }];
  });
  if (steps.length === 0) return undefined;
  return {
    body: bytesOf(Object.fromEntries(steps.map(({ name, value }) => [name, value]))),
    place: { steps: Object.fromEntries(steps.map((step) => [step.name, step.place])) },
    from: steps.flatMap(({ name: step, from }) => from.map((each) => ({ ...each, step }))),
  };
}

/** The name of the account whose answer has the value at a path of `add`. */
export function accountAt(
  batch: Pick<Batch, 'accounts'>,
  { from }: ShownAnswer,
  path: string,
): string | undefined {
  const found = from.find(({ step }) => step === undefined || path.startsWith(`${step}.`));
  return found && accountNameIn(batch, found);
}

/** The name that the account of an answer has in a batch. */
export function accountNameIn(
  { accounts }: Pick<Batch, 'accounts'>,
  { accountIdentity }: Pick<RowAnswer, 'accountIdentity'>,
): string {
  return accounts.find(({ identity }) => identity === accountIdentity)?.name ?? accountIdentity;
}

function shownOfStep(shown: Answers, place: AnswerPlace): ShownAnswer | undefined {
  const last = shown.at(-1);
  if (last === undefined) return undefined;
  const { call, accountIdentity } = last;
  const body = call.change === undefined ? last.body : bodyOfChanges(shown, last);
  return { body, place: placeOfAnswer(place, call.operation, accountIdentity), from: [{ accountIdentity }] };
}

/**
 * The changes of one row are steps, so their bodies are read as one: first the project that was made, then
 * the invite. A later body overrides an earlier one. Bodies of different projects stand side by side.
 */
function bodyOfChanges(found: Answers, last: RowAnswer): KeptBody {
  if (found.length === 1) return last.body;
  const isMade = found.some(({ call }) => call.project === undefined);
  const projects = Map.groupBy(found, ({ call }) => (isMade ? undefined : call.project));
  const bodies: readonly JsonObject[] = [...projects.values()].map((of) =>
    Object.fromEntries(of.flatMap(({ body }) => Object.entries(membersOf(body)))),
  );
  if (bodies.length === 1) return bytesOf(bodies[0] ?? null);
  // A row of several projects has several values of each name, such as codes of invites.
  const names = bodies.flatMap((body) => Object.keys(body));
  return bytesOf(Object.fromEntries(names.map((name) => [name, bodies.flatMap((body) => body[name] ?? [])])));
}

function membersOf(bytes: KeptBody): JsonObject {
  const value = jsonIn(bytes) ?? null;
  return isPlain(value) || Array.isArray(value) ? {} : (value as JsonObject);
}
