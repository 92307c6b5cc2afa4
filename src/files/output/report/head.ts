import { h } from 'preact';
import type { BatchSummary } from '../summary-words.ts';

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
  readonly sandbox: boolean;
  readonly words: Pick<BatchSummary, 'headline' | 'cost' | 'needs'>;
  readonly links: readonly FileLink[];
}

export function Head({ list, created_at: createdAt, sandbox, words, links }: HeadProps) {
  const { headline, cost, needs } = words;
  return h(
    'header',
    null,
    h('h1', null, list),
    h('p', { class: 'when' }, localTime(createdAt)),
    sandbox && h('p', { class: 'play' }, 'Play money: nothing here is real.'),
    h('p', { class: 'headline' }, h('strong', null, headline)),
    h('p', null, cost, cost !== undefined && h('br', null), needs),
    h(
      'p',
      null,
      links.map(({ href, words: shown }, at) => [at > 0 && ' · ', h('a', { href }, shown)]),
    ),
  );
}

/** `22 November 2026, 16:26 (Sydney)`, on the machine that shows it. */
function localTime(iso: string): string {
  const at = new Date(iso);
  // Each further format takes milliseconds.
  const format = new Intl.DateTimeFormat('en-AU', { dateStyle: 'long' });
  const day = format.format(at);
  const time = [at.getHours(), at.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':');
  const zone = format.resolvedOptions().timeZone;
  const city = zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' ');
  return `${day}, ${time} (${city})`;
}
