import { h } from 'preact';
import { grouped } from '../../../core/plain-text.ts';
import type { FiguresObject } from '../../../objects/figures-object.ts';
import { rowsWords } from '../summary-words.ts';
import { Section } from './table.ts';

export interface NeedsProps {
  readonly reasons: FiguresObject['reasons'];
  /** The file of these rows, where there is one. */
  readonly href?: string | undefined;
}

/** The person who can help, by the kind of a reason. Any other reason is about a cell of the list. */
const WHO: Readonly<Record<string, string>> = {
  refused: 'The owner of the account can help',
  in_doubt: 'The person who started it can decide',
};
const OWNER_OF_LIST = 'The owner of the list can help';

/** The rows that need a person, by the person whom they need. */
export function Needs({ reasons, href }: NeedsProps) {
  const byWho = [...Map.groupBy(reasons, ({ kind }) => WHO[kind] ?? OWNER_OF_LIST)];
  return byWho.map(([who, all], at) => {
    const lines = all.map((reason) => {
      const which = rowsWords(reason);
      const shown = href === undefined ? which : h('a', { href }, which);
      return [grouped(reason.rows), reason.words, shown];
    });
    const title = at === 0 ? 'What needs you' : undefined;
    return h(Section, { title, words: `${who}:`, columns: ['#rows', 'why', 'which'], most: 8, lines });
  });
}
