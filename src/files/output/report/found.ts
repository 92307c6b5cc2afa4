import { h } from 'preact';
import { grouped } from '../../../core/plain-text.ts';
import type { FiguresObject } from '../../../objects/figures-object.ts';
import type { StepObject } from '../../../objects/run-object.ts';
import type { BatchSummary } from '../summary-words.ts';
import { Section } from './table.ts';

/** What was found: of how many rows, in which columns, and by which account. */

export interface FunnelProps extends Pick<FiguresObject, 'rows' | 'usable' | 'asked' | 'found'> {
  readonly words: Pick<BatchSummary, 'identifiers'>;
}

export function Funnel({ rows, usable, asked, found, words: { identifiers } }: FunnelProps) {
  const steps = [
    [rows, rows === 1 ? 'row' : 'rows'],
    [usable, 'usable'],
    [asked, 'asked'],
    [found, 'found'],
  ] as const;
  const shown = steps.map(([count, word]) => h('li', null, h('b', null, grouped(count)), ` ${word}`));
  return [h('ol', { class: 'funnel' }, shown), identifiers !== '' && h('p', null, identifiers)];
}

export function Columns({ columns, found }: Pick<FiguresObject, 'columns' | 'found'>) {
  const lines = columns.map(({ name, filled }) => {
    const share = found === 0 ? 0 : filled / found;
    const bar = h('span', { class: 'bar', style: `width:${(share * 12).toFixed(2)}rem` });
    return [name, [bar, ` ${grouped(filled)} of ${grouped(found)}`]];
  });
  return h(Section, { title: 'What came back', columns: ['column', 'filled'], lines });
}

/** What each account was asked and found, where there are several. */
export function Accounts({ steps }: { readonly steps: readonly StepObject[] }) {
  const lines = steps.map(({ operation, account, reached, found, credits }) => {
    const rows = [grouped(found), grouped(reached)];
    return [account, operation, ...rows, grouped(credits.spent), grouped(credits.for_misses)];
  });
  const columns = ['account', 'asked for', '#found', '#of', '#credits', '#for misses'];
  return h(Section, { title: 'Who found it', columns, lines });
}
