import { type ComponentChild, h } from 'preact';
import { grouped, listed } from '../../../core/plain-text.ts';
import type { FiguresObject } from '../../../objects/figures-object.ts';
import { Section } from './table.ts';

export type Reason = FiguresObject['reasons'][number];

export interface NeedsProps {
  readonly reasons: readonly Reason[];
  /** Shows the rows of a reason, such as with a way to them. */
  readonly which: (reason: Reason) => ComponentChild;
}

/** The person who can help, by the kind of a reason. Any other reason is about a cell of the list. */
const WHO: Readonly<Record<string, string>> = {
  refused: 'The owner of the account can help',
  in_doubt: 'The person who started it can decide',
};
const OWNER_OF_LIST = 'The owner of the list can help';

/** The rows that need a person, by the person whom they need. */
export function Needs({ reasons, which }: NeedsProps) {
  const byWho = [...Map.groupBy(reasons, ({ kind }) => WHO[kind] ?? OWNER_OF_LIST)];
  return byWho.map(([who, all], at) => {
    const lines = all.map((reason) => [grouped(reason.rows), reason.words, which(reason)]);
    const title = at === 0 ? 'What needs you' : undefined;
    return h(Section, { title, words: `${who}:`, columns: ['#rows', 'why', 'which'], most: 8, lines });
  });
}

/** `rows 12, 13 and 4 more`. */
export function rowsWords({ rows, first_rows: first }: Pick<Reason, 'rows' | 'first_rows'>): string {
  const more = rows > first.length ? [`${grouped(rows - first.length)} more`] : [];
  return `${rows === 1 ? 'row' : 'rows'} ${listed([...first.map(String), ...more])}`;
}
