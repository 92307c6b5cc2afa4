import type { ListJobChoice } from '../../../api.ts';
import type { Filter } from './scene.ts';

/**
 * What rows have to say in a column, to be shown and to be asked. A filter has it in the words of a job, and
 * a person reads it in hers. Each column has one condition at most.
 */

type Wanted = NonNullable<ListJobChoice['only_if']>[string];

export type Conditions = Readonly<Record<string, Wanted>>;

export const HOW = ['is', 'is_not', 'blank', 'filled', 'differs'] as const;
export type How = (typeof HOW)[number];

export interface Condition {
  readonly column: string;
  readonly how: How;
  /** The words of its cells, `blank` among them; for one that differs, the other column. */
  readonly values: readonly string[];
}

const OPPOSITE = { blank: 'filled', filled: 'blank' } as const;

export const wordOf = (wanted: Wanted): 'blank' | 'filled' | undefined =>
  wanted === 'blank' || wanted === 'filled' ? wanted : undefined;

export function conditionsIn({
  only_if = {},
  unless = {},
  differs = {},
}: Partial<Filter>): readonly Condition[] {
  const values = (wanted: Wanted): readonly string[] => [wanted].flat().map(String);
  return [
    ...Object.entries(only_if).map(([column, wanted]): Condition => {
      const word = wordOf(wanted);
      return word ? { column, how: word, values: [] } : { column, how: 'is', values: values(wanted) };
    }),
    ...Object.entries(unless).map(([column, wanted]): Condition => {
      const word = wordOf(wanted);
      if (word !== undefined) return { column, how: OPPOSITE[word], values: [] };
      return { column, how: 'is_not', values: values(wanted) };
    }),
    ...Object.entries(differs).map(([column, other]): Condition => {
      return { column, how: 'differs', values: [other] };
    }),
  ];
}

/** `Status is not Customer` */
export function conditionWords({ column, how, values }: Condition): string {
  if (how === 'blank' || how === 'filled') return `${column} is ${how}`;
  if (how === 'differs') return `${column} differs from ${values[0]}`;
  const is = how === 'is' ? 'is' : 'is not';
  if (values.length > MOST_SAID) return `${column} ${is} one of ${values.length}`;
  return `${column} ${is} ${values.join(' or ')}`;
}

const MOST_SAID = 3;
