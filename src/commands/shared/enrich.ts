import type { z } from 'zod';
import { checkInput } from '../../lib/checked-input.ts';
import { RunObject } from '../../objects/run-object.ts';
import { type EnrichedRow, enrichRows, type GivenRows } from '../../run/tasks/enrich.ts';
import run, { optionsOf, questionsOn } from '../run.ts';
import type { Own } from './command.ts';
import { silent } from './library.ts';
import { MAX_PAUSE_MS } from './spending.ts';

/** A run whose rows a program reads takes what a run does, but for what concerns a list and a file that is written. */
const input = run.input.omit({
  file: true,
  output: true,
  formulas: true,
  save_job: true,
  detach: true,
  events: true,
});

export type EnrichInput = z.input<typeof input>;

/** Rows to be read once, with `for await`, and how the run ended. */
export interface Enrichment<Row> extends AsyncIterable<EnrichedRow<Row>> {
  /**
   * How the run ended, as `run` tells it. After the loop it is there at once, also where the loop was left. Without a loop the rows
   * are worked through and nobody is told of them.
   */
  summary(): Promise<z.output<typeof RunObject>>;
}

/**
 * Works through rows as a run does, and gives each with what came of it. Nothing happens until the first is asked for. The rows
 * are read to their end before anything is bought, so that damage is known and the same rows are the same batch.
 * @param rows objects, at once or as they come, or the path of a list.
 * @throws StopError while it is read, where the run cannot begin; what stops it later is `stopped` in the summary.
 */
export function enrich(
  rows: string,
  input: EnrichInput,
  own?: Own,
): Enrichment<Readonly<Record<string, string>>>;
export function enrich<Row extends object>(
  rows: GivenRows<Row>,
  input: EnrichInput,
  own?: Own,
): Enrichment<Row>;
export function enrich<Row>(
  rows: string | GivenRows<Row>,
  given: EnrichInput,
  own: Own = {},
): Enrichment<Row> {
  const { wait, max_pause, accept, as, store, yes, ...entries } = checkInput('enrich', input, given);
  const { output: _, ...asked } = own;
  const reading = enrichRows<Row>(rows, {
    ...asked,
    ...optionsOf({ ...entries, yes }, own),
    ...questionsOn({ console: silent(own), own }, yes, entries.sample !== undefined),
    ...{ store, accept, operator: as, waitForLockMs: wait, maxPauseMs: max_pause ?? MAX_PAUSE_MS },
  });
  return {
    [Symbol.asyncIterator]: () => reading[Symbol.asyncIterator](),
    summary: async () => RunObject.of(await reading.summary()),
  };
}
