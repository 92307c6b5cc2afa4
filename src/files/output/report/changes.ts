import { h } from 'preact';
import { type PlannedAction, withoutWordWords } from '../../../core/operation.ts';
import { capital, counted, grouped, sentence } from '../../../core/plain-text.ts';
import type { ChangesObject } from '../../../objects/batch-view.ts';
import type { ChangeEnd, ChangesDone, PersonChange } from '../report-object.ts';
import { Ruled } from './arranged.ts';
import { Sectioned, Table } from './parts.ts';

/** What a batch of changes has done. These are changes, and nothing that was found. */

const SIGNS: Readonly<Record<PlannedAction, string>> = {
  create_project: '+ made',
  invite: '+ invited',
  change_role: '~ role changed',
  remove: '− removed',
  call: '+ done',
};

/** The changes that were made, by project, each with a sign, the person and the role. */
export function People({ persons }: Pick<ChangesDone, 'persons'>) {
  const changed = persons.filter(({ ended, who }) => ended === 'applied' && who !== '');
  const byProject = [...Map.groupBy(changed, ({ project }) => project ?? '')];
  const lines = byProject.flatMap(([project, all]) =>
    all.map((each, at) => [at === 0 ? project : '', signOf(each), each.who, roleWords(each)]),
  );
  const show = (shown: typeof lines) => h(Ruled, { cells: 4, lines: shown });
  return h(Sectioned, { title: 'What was changed', most: 20, lines, show });
}

const signOf = ({ action, taken_back: isBack }: PersonChange): string =>
  isBack ? '= taken back since' : SIGNS[action];

function roleWords({ action, from = '', to, beyond }: PersonChange): string {
  if (action === 'remove') return beyond ? `${from} (not in the list)` : from;
  return action === 'change_role' && from !== '' ? `${from} → ${to}` : to;
}

/** People whom the list does not name and who are still there. They have no row that could show why. */
export function HeldBack({ persons }: Pick<ChangesDone, 'persons'>) {
  const lines = persons
    .filter(({ beyond, ended }) => beyond && ended !== 'applied')
    .map(({ who, project, ended, reason }) => [
      project ?? '',
      who,
      [endWord(ended), reason].filter(Boolean).join(': '),
    ]);
  const show = (shown: typeof lines) => h(Ruled, { cells: 3, lines: shown });
  return h(Sectioned, { title: 'Not in the list, and not removed', lines, show });
}

const endWord = (end: ChangeEnd): string => END_WORDS.find(([each]) => each === end)?.[1] ?? end;

/** Whom the list has and the start did not change, by a condition or a decision, each by name. */
export function LeftOut({ left_out: people }: Pick<ChangesDone, 'left_out'>) {
  const sorted = people.toSorted((one, other) => Number(isKeeping(other)) - Number(isKeeping(one)));
  const lines = sorted.map(({ row, who, reason }) => [`Row ${grouped(row)}`, who, reason]);
  const show = (shown: typeof lines) => h(Ruled, { cells: 3, lines: shown });
  return h(Sectioned, { title: `Left out: ${counted(people.length, 'row')}`, most: 20, lines, show });
}

const isKeeping = ({ keeps_access: keeps }: ChangesDone['left_out'][number]): boolean => keeps === true;

/** Who is admin since, and who has let that be: nobody becomes one unless a person allows it. */
export function Admins({ persons, by }: Pick<ChangesDone, 'persons'> & { readonly by: string | undefined }) {
  const made = persons.filter(
    ({ ended, action, to, taken_back: isBack }) =>
      // Who was invited already when the invite was sent may be so by a request whose answer was lost.
      (ended === 'applied' || (ended === 'unchanged' && action === 'invite')) &&
      action !== 'remove' &&
      to === 'admin' &&
      !isBack,
  );
  const allowed = by === undefined ? '' : `allowed by ${by}`;
  const lines = made.map(({ project, who }) => [project ?? '', who, allowed]);
  const show = (shown: typeof lines) => h(Ruled, { cells: 3, lines: shown });
  return h(Sectioned, { title: 'Became admin', lines, show });
}

/** People with one change made and another still to do. */
export function HalfDone({ persons }: Pick<ChangesDone, 'persons'>) {
  const half = persons.filter(({ beyond, ended }) => !beyond && ended === 'pending');
  const byRow = new Map(half.map(({ row, who, reason }) => [row, [`row ${row}`, who, reason]]));
  const lines = [...byRow.values()];
  const show = (shown: typeof lines) => h(Ruled, { cells: 3, lines: shown });
  return h(Sectioned, { title: 'Half done', lines, show });
}

/** How the changes ended, by project and role. An invalid row counts, and has neither. */
export function Changes({ counts, projects, without_a_word: confirmed }: ChangesObject) {
  const ends = END_WORDS.filter(([end]) => counts[end] !== undefined);
  const words = (of: ChangesObject['counts']): string =>
    ends.flatMap(([end, word]) => (of[end] === undefined ? [] : endWords(of[end], word))).join(', ');
  const lines = projects.map(({ project, to, counts: of }) => {
    return [project ?? '', to === 'none' ? 'to be out' : to, words(of)];
  });
  return [
    h(Table, { columns: ['project', 'wanted', 'how many'], lines: [...lines, ['all', '', words(counts)]] }),
    confirmed > 0 && h('p', null, capital(sentence(withoutWordWords(confirmed)))),
    h('p', null, ends.map(([, word, meaning]) => capital(`${word}: ${meaning}.`)).join(' ')),
  ];
}

/** How a change ended: its kind, in words, and their meaning. */
const END_WORDS: readonly (readonly [ChangeEnd, string, string])[] = [
  ['applied', 'changed', 'as asked'],
  ['unchanged', 'unchanged', 'already so'],
  ['held_back', 'held back', 'not in the list, and not removed, for the reason given'],
  ['refused', 'refused', 'not done, for the reason given'],
  ['in_doubt', 'in doubt', 'an answer was lost or cannot be read; it may have been done'],
  ['skipped', 'left out', 'by a condition, or by you while in doubt'],
  ['invalid', 'need attention', 'cannot be used, so nothing was sent'],
  ['pending', 'pending', 'not worked on yet'],
];

/** `2 need attention`, `1 needs attention`. */
const endWords = (count: number, word: string): string =>
  `${grouped(count)} ${count === 1 ? word.replace('need ', 'needs ') : word}`;
