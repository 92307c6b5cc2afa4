import type { BatchList, LogEntryObject, LogObject } from '../../../../api.ts';
import { Loaded } from '../../../parts/asking.tsx';
import { dayAndTime } from '../../../parts/figures.ts';
import { ANSWERS } from '../../../parts/vendor.tsx';
import { ask } from '../../../session.ts';

/** What was done with a person so far, in any project and by any list: the oldest first. */

interface Found {
  readonly entries: LogObject['entries'];
  readonly batches: BatchList['batches'];
}

/** @param who an address or an id, as the list spells it. */
export const History = ({ who, again }: { readonly who: string; readonly again: unknown }) => (
  <Loaded<Found> path={`/log ${who}`} question={(signal) => found(who, signal)} again={again}>
    {({ entries, batches }) => {
      const changes = entries.filter(({ subject }) => subject !== null).toReversed();
      if (changes.length === 0) return null;
      return (
        <section aria-label="History">
          <h3>History</h3>
          <ul class="stack tight">
            {changes.map((entry, at) => (
              <Line key={at} entry={entry} batches={batches} />
            ))}
          </ul>
        </section>
      );
    }}
  </Loaded>
);

async function found(who: string, signal: AbortSignal): Promise<Found> {
  const [{ entries }, { batches }] = await Promise.all([
    ask<LogObject>('/log', { body: { about: who }, signal, isLook: true }),
    ask<BatchList>('/batches', { signal, isLook: true }),
  ]);
  return { entries, batches };
}

/** `today 21:54: invited to proj-care as viewer · team.csv, this computer`. */
function Line({ entry, batches }: Pick<Found, 'batches'> & { readonly entry: LogEntryObject }) {
  const { at, batch, operator } = entry;
  const of = batches.find((each) => each.batch === batch);
  const name = of === undefined ? 'an earlier list' : `${of.undoes ? 'undo of ' : ''}${of.input}`;
  return (
    <li>
      {dayAndTime(at)}: {doneWords(entry)}{' '}
      <small>
        · {batch === null ? name : <a href={`/files/${batch}`}>{name}</a>}
        {operator && `, ${operator}`}
      </small>
    </li>
  );
}

const DONE: Readonly<Record<string, string>> = {
  'create-invite': 'invited',
  'update-user': 'role changed',
  'delete-invite': 'invite deleted',
  'remove-user': 'removed',
  'note-person': 'told by a list',
};

const DECIDED: Readonly<Record<string, string>> = {
  retry: 'send it again',
  skip: 'left out',
  told: 'told by a person',
};

function doneWords({ kind, operation, subject, ended }: LogEntryObject): string {
  // The person is named above, and the project and the role follow.
  const where = subject?.replace(/^.*? in /, 'in ') ?? '';
  const what = `${DONE[operation ?? ''] ?? operation} ${where}`;
  if (kind === 'decided') return `${what}: ${DECIDED[ended ?? ''] ?? ended}`;
  return ended === 'found' ? what : `${what}: ${ANSWERS[ended ?? ''] ?? ended}`;
}
