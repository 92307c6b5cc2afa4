import { stop } from '../core/errors.ts';
import { present } from '../core/objects.ts';
import { asFlag, faces, phrase, typing } from '../core/phrase.ts';
import { foreignName, listed } from '../core/plain-text.ts';
import { type RowNumber, rowsAsked } from '../core/row.ts';
import { stepNames } from '../core/steps.ts';
import { type AskedAnew, settingsKept } from '../job/job-settings.ts';
import type { Batch } from '../ledger/ledger.ts';

/**
 * A person asks for some rows, or for one step, again: `--refresh` with `--only` or `--step`. Then a new
 * batch of the list begins in which these calls are bought anew. All its other rows and steps keep the
 * answers that they have, however old these are, and buy nothing.
 */

interface Chosen {
  readonly refresh?: boolean | undefined;
  readonly only?: string | undefined;
  readonly step?: string | undefined;
}

/** What a run asks anew of a list; undefined where it asks nothing anew, or everything. */
export function askedAnew({ refresh = false, only, step }: Chosen): AskedAnew | undefined {
  return refresh && (only ?? step) !== undefined ? present({ only, step }) : undefined;
}

export const askedAnewBy = ({ settings }: Pick<Batch, 'settings'>): AskedAnew | undefined =>
  settingsKept(settings).asked_anew;

/** Whether a new batch begins although the list has an open one, which was begun for something else. */
export function endsOpenBatch(chosen: Chosen, existing: Batch | undefined): boolean {
  const wanted = askedAnew(chosen);
  if (wanted === undefined || existing?.state !== 'open') return false;
  const begun = askedAnewBy(existing);
  return begun?.only !== wanted.only || begun?.step !== wanted.step;
}

/** Tells a call by its row, and by the step that asks for it. */
type OfCall = (row: RowNumber, step: string) => boolean;

const ANY: OfCall = () => true;

/** Whether these are rows and a step that a person has named. No header has a row of a list. */
function naming({ only, step }: AskedAnew | Chosen): OfCall {
  const rows = rowsAsked({ header: { first: 0, last: 0 } }, { only });
  return (row, name) => rows?.has(row) !== false && (step === undefined || step === name);
}

export interface Asking {
  /** Whether an answer to a call that is too old for its batch is bought again. */
  readonly isAnew: OfCall;
  /**
   * Whether the run buys the call: of a step that was named no other one, and of a list that was asked anew
   * for some rows no other row.
   */
  readonly mayBuy: OfCall;
}

/** @param batch of the run, or the one that it would begin. */
export function askingOf(chosen: Chosen, { settings = {} }: Partial<Pick<Batch, 'settings'>>): Asking {
  const anew = askedAnewBy({ settings });
  return {
    isAnew: anew === undefined ? ANY : naming(anew),
    mayBuy: chosen.step === undefined && anew === undefined ? ANY : naming(chosen),
  };
}

/** @throws StopError `usage` for a step that the job does not have. */
export function requireStep(operation: string, step: string | undefined): void {
  const names = stepNames(operation);
  if (step === undefined || names.includes(step)) return;
  const fact = phrase`${faces(asFlag('--step', step), foreignName(step))} is no step of this job.`;
  throw stop('usage', fact, phrase`${typing`Name one of these: `}${listed(names)}.`);
}
