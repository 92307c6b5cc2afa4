import { type ComponentChildren, h } from 'preact';
import { listed } from '../../../core/plain-text.ts';
import type { ReportObject } from '../report-object.ts';

export interface HeadProps
  extends Pick<ReportObject, 'list' | 'created_at' | 'operators' | 'sandbox' | 'words'> {
  /** The ways to the files. */
  readonly files: ComponentChildren;
}

/** A manager reads this first: the list, the result, the cost, and the number of rows that need her. */
export function Head({ list, created_at: at, operators, sandbox, words, files }: HeadProps) {
  const by = operators.length === 0 ? [] : [listed(operators)];
  const lines = [words.cost ?? '', words.besides, words.needs].filter((line) => line !== '');
  return h(
    'header',
    null,
    h('p', { class: 'when' }, [list, localTime(at), ...by].join(' · ')),
    sandbox && h('p', { class: 'play' }, 'Play money: nothing here is real.'),
    h('h1', null, words.headline),
    lines.map((line) => h('p', null, line)),
    h('p', { class: 'files' }, files),
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
