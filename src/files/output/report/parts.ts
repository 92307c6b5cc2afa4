import { type ComponentChild, h } from 'preact';
import { capital, grouped } from '../../../core/plain-text.ts';
import { percent } from '../summary-words.ts';

export interface TableProps {
  /** A name that begins with # is that of a column of numbers. */
  readonly columns: readonly string[];
  readonly lines: readonly (readonly ComponentChild[])[];
}

export function Table({ columns, lines }: TableProps) {
  const classes = columns.map((name) => (name.startsWith('#') ? 'n' : undefined));
  const names = columns.map((name) => capital(name.replace(/^#/, '')));
  const heads = names.map((name, at) => h('th', { class: classes[at] }, name));
  const rows = lines.map((line) => {
    const cells = line.map((cell, at) => h('td', { class: classes[at] }, cell));
    return h('tr', null, cells);
  });
  return h('table', null, h('tr', null, heads), rows);
}

interface SectionedProps extends Pick<TableProps, 'lines'> {
  readonly title: string;
  /** The lines beyond so many are in a fold. */
  readonly most?: number;
  show(lines: TableProps['lines']): ComponentChild;
}

/** A heading above lines: the first are shown, the others are in a fold; nothing without a line. */
export function Sectioned({ title, most = 10, lines, show }: SectionedProps) {
  if (lines.length === 0) return null;
  const more = lines.slice(most);
  return h(
    'section',
    null,
    h('h2', null, title),
    show(lines.slice(0, most)),
    more.length > 0 && h(Fold, { title: `${grouped(more.length)} more` }, show(more)),
  );
}

export function Fold({ title, children }: { readonly title: string; readonly children?: ComponentChild }) {
  return h('details', null, h('summary', null, title), children);
}

export interface ShareProps {
  readonly part: number;
  readonly all: number;
}

export interface BarProps extends ShareProps {
  /** Left out where the words beside it say the same. */
  readonly says?: string;
}

/** A share as a picture. */
export function Bar({ part, all, says }: BarProps) {
  const width = all === 0 ? 0 : (part / all) * 100;
  const size = { viewBox: '0 0 100 6', preserveAspectRatio: 'none' };
  return h(
    'svg',
    { class: 'share', ...(says ? { role: 'img', 'aria-label': says } : { 'aria-hidden': 'true' }), ...size },
    h('rect', { width: width.toFixed(1), height: 6 }),
  );
}

/** `264 of 269, 98 %`. */
export const shareWords = ({ part, all }: ShareProps): string =>
  `${grouped(part)} of ${grouped(all)}${all === 0 ? '' : `, ${percent(part, all)}`}`;
