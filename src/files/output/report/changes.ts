import { h } from 'preact';
import { withoutWordWords } from '../../../core/action-words.ts';
import { grouped, sentence } from '../../../core/plain-text.ts';
import { END_WORDS } from '../change-words.ts';
import type { ChangeEnd, ChangesDone, EndCounts } from '../changes-done.ts';
import { capital } from '../summary-words.ts';
import { Section, Table } from './table.ts';

/** How the changes for people ended, by project and role. An invalid row counts, and has neither. */
export function Changes({ counts, projects, without_a_word: confirmed }: Omit<ChangesDone, 'missing'>) {
  const ends = END_WORDS.filter(([end]) => counts[end] !== undefined);
  const cells = (of: EndCounts) => ends.map(([end]) => (of[end] === undefined ? '' : grouped(of[end])));
  const lines = projects.map(({ project, to, counts: of }) => {
    return [project ?? '', to === 'none' ? 'to be out' : to, ...cells(of)];
  });
  const columns = ['project', 'wanted', ...ends.map(([, word]) => `#${word}`)];
  return h(
    'section',
    null,
    h('h2', null, 'Changes'),
    confirmed > 0 && h('p', null, capital(sentence(withoutWordWords(confirmed)))),
    h(Table, { columns, lines: [...lines, ['all', '', ...cells(counts)]] }),
    h('p', null, ends.map(([, word, meaning]) => capital(`${word}: ${meaning}.`)).join(' ')),
  );
}

/** People whom the list does not name. They have no row in the output that could show their end. */
export function NotInList({ missing }: Pick<ChangesDone, 'missing'>) {
  const lines = missing.map(({ email, userId, project = '', ended, reason }) => {
    const word = ended === 'applied' ? 'removed' : endWord(ended);
    return [email ?? userId ?? '', project, word, reason];
  });
  const columns = ['who', 'project', 'what became of it', 'reason'];
  return h(Section, { title: 'Not in the list', columns, lines });
}

const endWord = (end: ChangeEnd): string => END_WORDS.find(([each]) => each === end)?.[1] ?? end;
