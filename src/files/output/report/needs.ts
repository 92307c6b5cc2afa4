import { h } from 'preact';
import { grouped } from '../../../core/plain-text.ts';
import type { FiguresObject } from '../../../objects/figures-object.ts';
import type { BatchSummary } from '../summary-words.ts';
import { Section } from './table.ts';

export interface NeedsProps {
  readonly reasons: FiguresObject['reasons'];
  /** Which rows, in the order of the reasons. */
  readonly rows: BatchSummary['rows'];
  /** The file of these rows, where there is one. */
  readonly href?: string | undefined;
}

/** The rows that a person has to look at, and why. */
export function Needs({ reasons, rows, href }: NeedsProps) {
  const lines = reasons.map(({ rows: count, words }, at) => {
    const which = rows[at] ?? '';
    return [grouped(count), words, href === undefined ? which : h('a', { href }, which)];
  });
  return h(Section, { title: 'What needs you', columns: ['#rows', 'why', 'which'], lines });
}
