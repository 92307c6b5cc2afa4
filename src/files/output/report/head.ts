import { h } from 'preact';
import { listed } from '../../../core/plain-text.ts';
import type { BatchFigures } from '../batch-figures.ts';
import { changesSentence } from '../change-words.ts';
import type { ChangesDone } from '../changes-done.ts';
import { summaryOf } from '../summary-words.ts';

/** A file beside the report. */
export interface FileLink {
  readonly href: string;
  readonly words: string;
}

export interface HeadProps {
  /** The name that people use for the list. */
  readonly list: string;
  /** ISO 8601. */
  readonly created_at: string;
  /** The people who worked on it, by the names that they gave. */
  readonly operators: readonly string[];
  readonly operation: string;
  readonly sandbox: boolean;
  readonly figures: BatchFigures;
  /** Present for a batch that changes something. */
  readonly changes?: Omit<ChangesDone, 'people'> | undefined;
  readonly links: readonly FileLink[];
}

/** A manager reads this first: the list, the result, the cost, and the number of rows that need her. */
export function Head({ list, created_at: at, operators, figures, changes, links, ...of }: HeadProps) {
  const words = summaryOf(of, figures, changes && changesSentence(changes));
  const by = operators.length === 0 ? [] : [listed(operators)];
  const lines = [words.cost ?? '', words.besides, words.needs].filter((line) => line !== '');
  return h(
    'header',
    null,
    h('p', { class: 'when' }, [list, localTime(at), ...by].join(' · ')),
    of.sandbox && h('p', { class: 'play' }, 'Play money: nothing here is real.'),
    h('h1', null, words.headline),
    lines.map((line) => h('p', null, line)),
    h(
      'p',
      { class: 'files' },
      links.map(({ href, words: shown }, nth) => [nth > 0 && ' · ', h('a', { href }, shown)]),
    ),
  );
}

/** `22 November 2026, 16:26 (Sydney)`, on the machine that shows it. */
export function localTime(iso: string): string {
  const at = new Date(iso);
  // Each further format takes milliseconds.
  const format = new Intl.DateTimeFormat('en-AU', { dateStyle: 'long' });
  const day = format.format(at);
  const time = [at.getHours(), at.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':');
  const zone = format.resolvedOptions().timeZone;
  const city = zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' ');
  return `${day}, ${time} (${city})`;
}
