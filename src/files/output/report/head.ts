import { h } from 'preact';
import { listed } from '../../../core/plain-text.ts';
import type { ReportObject } from '../report-object.ts';
import { accountWords } from '../summary-words.ts';

type HeadProps = Pick<
  ReportObject,
  'list' | 'created_at' | 'operators' | 'accounts_named' | 'sandbox' | 'words' | 'changes'
>;

/** A manager reads this first: the list, the result, the cost, and the number of rows that need her. */
export function Head({ list, created_at: at, operators, sandbox, words, ...of }: HeadProps) {
  const by = operators.length === 0 ? [] : [listed(operators)];
  const lines = [words.cost ?? '', words.besides, words.again ?? '', words.needs].filter(
    (line) => line !== '',
  );
  return h(
    'header',
    null,
    h('p', { class: 'soft' }, [list, localTime(at), ...by, accountsWords(of)].join(' · ')),
    sandbox && h('p', { class: 'soft' }, 'Play money: nothing here is real.'),
    h('h1', null, words.headline),
    h('p', null, lines.join(' ')),
  );
}

/** `account Hunter`; of a team `service account data`. */
function accountsWords({ accounts_named: names, changes }: Pick<HeadProps, 'accounts_named' | 'changes'>) {
  const words = names.length === 1 ? 'account' : 'accounts';
  return `${changes === undefined ? '' : 'service '}${words} ${listed(names.map(accountWords))}`;
}

/**
 * `22 November 2026, 16:26 (Australian Eastern Daylight Time)`, on the machine that shows it. `Intl` would
 * take 12 ms of each run.
 */
export function localTime(iso: string): string {
  const at = new Date(iso);
  const time = [at.getHours(), at.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':');
  const zone = /\(.+\)$/.exec(at.toString())?.[0] ?? '';
  return `${at.getDate()} ${MONTHS[at.getMonth()]} ${at.getFullYear()}, ${time} ${zone}`.trimEnd();
}

const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
];
