import type { OperationView, Ways } from '../../api.ts';
import { text, wordOf } from '../text.ts';

/** Several operations over one list, shown like one whose inputs are called by the operation that each is of. */

export const PAIR = ['enrich-company', 'enrich-person'] as const;

/** Undefined where one of them is not there. */
export function severalView(
  operations: readonly OperationView[],
  names: readonly string[],
): OperationView | undefined {
  const all = names.flatMap((name) => operations.find((each) => each.name === name) ?? []);
  const [first] = all;
  if (first === undefined || all.length < names.length) return undefined;
  return {
    ...first,
    name: names.join(','),
    summary: text.todo.inSteps,
    inputs: all.flatMap(({ name, inputs }) =>
      inputs.map((input) => ({ ...input, name: `${name}.${input.name}`, required: false })),
    ),
    tiers: [],
    settings: [],
  };
}

type Fit = Ways['facts']['operations'][number];

/** Which columns would feed each of several operations; undefined where one of them finds none. */
export function severalFit({ facts }: Pick<Ways, 'facts'>, names: readonly string[]): Fit | undefined {
  const fits = names.flatMap((name) => facts.operations.find(({ operation }) => operation === name) ?? []);
  const [first] = fits;
  if (first === undefined || fits.length < names.length || fits.some(({ problem }) => problem !== null))
    return undefined;
  const named = (of: (fit: Fit) => Readonly<Record<string, string>>) =>
    Object.fromEntries(
      fits.flatMap((fit) =>
        Object.entries(of(fit)).map(([input, word]) => [`${fit.operation}.${input}`, word]),
      ),
    );
  return {
    ...first,
    operation: names.join(','),
    columns: named(({ columns }) => columns),
    because: named(({ because }) => because),
    likely: [],
  };
}

/** An input or a field of one of several operations. */
export const OF_ONE = /^([a-z]+-[a-z]+)\.(.+)$/;

/** `profile url`, or `people: profile url` of one of several operations. */
export function inputWords(input: string): string {
  const [, operation, name] = OF_ONE.exec(input) ?? [];
  if (operation === undefined || name === undefined) return input.replaceAll('_', ' ');
  return `${wordOf(text.columns.of, operation)}: ${name.replaceAll('_', ' ')}`;
}
