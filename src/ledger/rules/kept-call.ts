import { present } from '../../core/objects.ts';
import type { Call } from '../../core/operation.ts';

/** How stores keep a call: some of it in columns, and the rest, which most calls do not have, as its terms. */

/** What rules need of the terms of a change. */
export interface Terms {
  readonly project?: string;
  readonly after?: number;
  readonly change?: {
    readonly subject: { readonly project?: string; readonly name: string };
    readonly leaves?: { readonly state?: string };
  };
}

/** The terms without what they say of anybody. @param name of the subject, which may be emptied as well. */
export function emptiedTerms({ project, after, change }: Terms, erasedAtMs: number, name?: string): Terms {
  const subject = change && {
    ...present({ project: change.subject.project || undefined }),
    name: name ?? change.subject.name,
  };
  const leaves = { state: change?.leaves?.state ?? 'done' };
  return { ...{ erasedAtMs }, ...present({ project, after, change: subject && { subject, leaves } }) };
}

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
