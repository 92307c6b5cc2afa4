import { type ComponentChild, h } from 'preact';
import { grouped, listed } from '../../../core/plain-text.ts';
import type { FiguresObject } from '../../../objects/batch-view.ts';
import { Section } from './table.ts';

export type Reason = FiguresObject['reasons'][number];

export interface NeedsProps {
  readonly reasons: readonly Reason[];
  /** Shows the rows of a reason, such as with a way to them. */
  readonly which: (reason: Reason) => ComponentChild;
}

/** The person who can help, by the kind of a reason. */
const WHO: Readonly<Record<string, string>> = {
  invalid: 'The owner of the list can help',
  refused: 'The owner of the account can help',
  in_doubt: 'The person who started it can decide',
};

const DONE = 'Damaged cells of rows that are done';
const OTHERS = 'Answers about another company or person';

/** The rows that need a person, by the person whom they need. A row that is done may have a damaged cell. */
export function Needs({ reasons, which }: NeedsProps) {
  const section = (title: string | undefined, all: readonly Reason[], words?: string) => {
    const lines = all.map((reason) => [grouped(reason.rows), reason.words, which(reason)]);
    return h(Section, { title, words, columns: ['#rows', 'why', 'which'], most: 8, lines });
  };
  const whoOf = ({ kind, is_other: isOther }: Reason): string => (isOther ? OTHERS : (WHO[kind] ?? DONE));
  const byWho = Map.groupBy(reasons, whoOf);
  const needing = [...byWho].filter(([who]) => who !== DONE && who !== OTHERS);
  return [
    ...needing.map(([who, all], at) => section(at === 0 ? 'What needs you' : undefined, all, `${who}:`)),
    section(OTHERS, byWho.get(OTHERS) ?? []),
    section(DONE, byWho.get(DONE) ?? []),
  ];
}

/** `rows 12, 13 and 4 more`. */
export function rowsWords({ rows, first_rows: first }: Pick<Reason, 'rows' | 'first_rows'>): string {
  const more = rows > first.length ? [`${grouped(rows - first.length)} more`] : [];
  return `${rows === 1 ? 'row' : 'rows'} ${listed([...first.map(String), ...more])}`;
}
