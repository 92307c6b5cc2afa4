import type { ChangesView } from '../../api.ts';
import { text, wordOf } from '../text.ts';
import { grouped } from './figures.ts';
import { numbers, Table } from './table.tsx';

/** What was changed in a team: each person once, and not each row. */

const words = text.changes;

export function changeFigures({
  done,
  counts,
  without_a_word: withoutWord,
}: ChangesView): readonly (readonly [string, number])[] {
  const made = Object.entries(words.done).flatMap(([action, word]) => some(word, done[action]));
  return [
    ...made,
    ...some(words.withoutWord, withoutWord),
    [words.unchanged, counts.unchanged ?? 0],
    ...some(words.heldBack, counts.held_back),
  ];
}

const some = (name: string, count = 0): readonly (readonly [string, number])[] =>
  count === 0 ? [] : [[name, count]];

/** The same by project and role. An invalid row counts, and has neither. */
export function Changes({ changes: { counts, projects } }: { readonly changes: ChangesView }) {
  const ends = Object.keys(words.ends).filter((end) => counts[end] !== undefined);
  if (projects.length === 0) return null;
  return (
    <section class="card stack">
      <h2>{words.title}</h2>
      <Table
        name={words.title}
        columns={[words.project, words.wanted, ...numbers(...ends.map((end) => wordOf(words.ends, end)))]}
      >
        {projects.map(({ project, to, counts }) => (
          <tr key={`${project} ${to}`}>
            <td>{project}</td>
            <td>{to === 'none' ? words.out : to}</td>
            <Counts counts={counts} ends={ends} />
          </tr>
        ))}
        <tr>
          <td>{words.all}</td>
          <td />
          <Counts counts={counts} ends={ends} />
        </tr>
      </Table>
    </section>
  );
}

interface CountsProps {
  readonly counts: ChangesView['counts'];
  readonly ends: readonly string[];
}

function Counts({ counts, ends }: CountsProps) {
  return (
    <>
      {ends.map((end) => (
        <td key={end} class="number">
          {counts[end] === undefined ? '' : grouped(counts[end])}
        </td>
      ))}
    </>
  );
}
