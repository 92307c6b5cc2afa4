import type { Signal } from '@preact/signals';
import type { Choices, OperationView } from '../../../api.ts';

/** What is chosen for a list so far, as the parts of its view change it. */

export interface Choosing {
  readonly operation: OperationView;
  readonly choices: Signal<Choices>;
}

/** What is undefined, or without a member, is as if it had never been chosen. */
export function choose(
  choices: Signal<Choices>,
  more: { readonly [K in keyof Choices]?: Choices[K] | undefined },
): void {
  const all = Object.entries({ ...choices.value, ...more });
  choices.value = Object.fromEntries(all.filter(([, chosen]) => chosen !== undefined)) as Choices;
}

export const unlessEmpty = (map: Readonly<Record<string, string>>): Record<string, string> | undefined =>
  Object.keys(map).length === 0 ? undefined : map;
