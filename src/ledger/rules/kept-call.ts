import type { Call } from '../../core/operation.ts';

/** How stores keep a call: some of it in columns, and the rest, which most calls do not have, as its terms. */

/** Undefined where nothing has no column. */
export function termsOf({ operation: _, creditsMost: __, parameters: ___, ifLost, ...others }: Call) {
  const terms = ifLost === 'hold' ? others : { ...others, ifLost };
  return Object.keys(terms).length === 0 ? undefined : terms;
}

/** The call of which these are the columns. One that does not say what is done when it is lost is held back. */
export function callOf(
  operation: string,
  creditsMost: number | null,
  parameters: Call['parameters'],
  terms: Partial<Call> | null,
): Call {
  const call: Call = { operation, ifLost: 'hold', parameters, ...terms };
  return creditsMost === null ? call : { ...call, creditsMost };
}
