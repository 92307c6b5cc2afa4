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

interface Choosing {
  readonly ledger: Pick<LedgerReader, 'rows'>;
  readonly job: Additions;
  readonly answerPlace: AnswerPlace;
  readonly safety: CellSafety;
  readonly note: (sentence: string) => void;
}

/** Answers with lists are large, so fewer of them are held at a time. */
export function pageRowsOf(job: Additions): number {
  return resultsFilesOf(job).length > 0 ? PAGE_ROWS.lists : PAGE_ROWS.single;
}

/** The columns of an output. Where the job names none, every answer is read for them. */
export async function additionFor(
  { ledger, job, answerPlace, safety, note }: Choosing,
  header: readonly string[],
  batch: Batch,
): Promise<Addition> {
  const isOfOther = isOutputOfOther(batch.settings);
  if (job.add !== undefined) return additionOf(header, job.add, job.onExisting, isOfOther);
  const { names, isCut } = await fieldsIn(ledger, batch, { ...job, answerPlace });
  if (isCut) {
    note(
      `The answers have more than ${names.length} different fields, so only the first became columns. Name those that you need under add: in a job.`,
    );
  }
  const steps = stepNames(batch.operation);
  return automaticAddition(header, names, safety, await identifierNames(), isOfOther, steps);
}

/** What the columns of a batch that takes all that answers have may be called, where no number is behind their names. */
export async function automaticNames(
  ledger: LedgerReader,
  batch: Batch,
  job: FieldsOf,
): Promise<readonly string[]> {
  const { names } = await fieldsIn(ledger, batch, job);
  return names.flatMap((name) => earlierNames(name, stepNames(batch.operation)));
}

type FieldsOf = Additions & { readonly answerPlace: AnswerPlace };

function fieldsIn(ledger: Choosing['ledger'], batch: Batch, job: FieldsOf): Promise<FieldSurvey> {
  return surveyFields(ledger, batch, job.answerPlace, pageRowsOf(job), resultsFilesOf(job).length > 0);
}
