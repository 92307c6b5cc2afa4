import { isDeepStrictEqual } from 'node:util';
import type { AnswerPlace } from '../../../core/answer-body.ts';
import type { FieldSurvey } from '../../../core/answer-fields.ts';
import { stepNames } from '../../../core/steps.ts';
import { isOutputOfOther } from '../../../job/job-settings.ts';
import type { Batch, LedgerReader } from '../../../ledger/ledger.ts';
import { PAGE_ROWS } from '../../../ledger/rows.ts';
import type { CellSafety } from '../../../lib/formulas.ts';
import { identifierNames } from '../../columns/column-kind.ts';
import { type Addition, additionOf, automaticAddition, earlierNames, surveyFields } from './added-columns.ts';
import { type Additions, resultsFilesOf } from './destination.ts';

/**
 * The columns of an output are known for sure when every answer was read once. To read them all twice takes as long as
 * all the rest, so the fields of the first answers are taken for those of all, which is right for nearly every list; an
 * answer that has another one ends the copy, and it begins anew with the columns of all.
 */

interface Choosing {
  readonly ledger: Pick<LedgerReader, 'rows'>;
  readonly job: Additions;
  readonly answerPlace: AnswerPlace;
  readonly safety: CellSafety;
  readonly note: (sentence: string) => void;
  /** Whether it can be written again; a stream cannot. */
  readonly isFile: boolean;
}

export interface LikelyAddition extends Addition {
  /** The fields of the first answers, if the columns were made for these alone. */
  readonly first?: FieldSurvey;
}

/** So many rows that hardly any list has an answer with another field behind them. */
const FIRST_ROWS = 1_000;

/** An answer has a field for which there is no column. */
export class OtherFields extends Error {}

/** Answers with lists are large, so fewer of them are held at a time. */
export function pageRowsOf(job: Additions): number {
  return resultsFilesOf(job).length > 0 ? PAGE_ROWS.lists : PAGE_ROWS.single;
}

export async function likelyAddition(
  choosing: Choosing,
  header: readonly string[],
  batch: Batch,
): Promise<LikelyAddition> {
  const { ledger, job, answerPlace, isFile } = choosing;
  if (job.add !== undefined)
    return additionOf(header, job.add, job.onExisting, isOutputOfOther(batch.settings));
  // Rows that the input does not have are not copied, and their answers have fields as well.
  const mayGuess = isFile && resultsFilesOf(job).length === 0 && !batch.rowsBeyond;
  if (!mayGuess) return wholeAddition(choosing, header, batch);
  const firstRows: Choosing['ledger'] = {
    rows: async (id, from) => (from === 0 ? ledger.rows(id, 0, FIRST_ROWS) : []),
  };
  const first = await surveyFields(firstRows, batch, answerPlace, FIRST_ROWS, false);
  if (first.isCut) return wholeAddition(choosing, header, batch);
  return { ...(await additionOfFields(choosing, header, batch, first)), first };
}

/** The columns when every answer was read for them. */
export async function wholeAddition(
  choosing: Omit<Choosing, 'isFile'>,
  header: readonly string[],
  batch: Batch,
): Promise<Addition> {
  const { ledger, job, answerPlace } = choosing;
  const listsApart = resultsFilesOf(job).length > 0;
  const survey = await surveyFields(ledger, batch, answerPlace, pageRowsOf(job), listsApart);
  return additionOfFields(choosing, header, batch, survey);
}

/** What the columns of a batch that takes all that answers have may be called, where no number is behind their names. */
export async function automaticNames(
  ledger: LedgerReader,
  batch: Batch,
  job: Additions & { readonly answerPlace: AnswerPlace },
): Promise<readonly string[]> {
  const listsApart = resultsFilesOf(job).length > 0;
  const survey = await surveyFields(ledger, batch, job.answerPlace, pageRowsOf(job), listsApart);
  return survey.names.flatMap((name) => earlierNames(name, stepNames(batch.operation)));
}

async function additionOfFields(
  { safety, note }: Pick<Choosing, 'safety' | 'note'>,
  header: readonly string[],
  batch: Batch,
  { names, isCut }: FieldSurvey,
): Promise<Addition> {
  if (isCut) {
    note(
      `The answers have more than ${names.length} different fields, so only the first became columns. Name those that you need under add: in a job.`,
    );
  }
  const isOfOther = isOutputOfOther(batch.settings);
  return automaticAddition(
    header,
    names,
    safety,
    await identifierNames(),
    isOfOther,
    stepNames(batch.operation),
  );
}

/** @param first left out: there can be no other fields. @throws OtherFields */
export function requireNoOther(
  first: FieldSurvey | undefined,
  found: FieldSurvey | undefined,
  isEnd = false,
): void {
  if (first === undefined || found === undefined) return;
  if (found.size > first.size || (isEnd && !isDeepStrictEqual(found.names, first.names)))
    throw new OtherFields();
}
