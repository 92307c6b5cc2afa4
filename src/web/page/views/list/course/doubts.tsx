import { countedElsewhere } from '../../../../../files/output/counted-elsewhere.ts';
import type { BatchStatusObject, DoubtListObject } from '../../../../api.ts';
import { Act, Loaded, lazyPart } from '../../../parts/asking.tsx';
import { Notice, Popover } from '../../../parts/controls.tsx';
import { counted, heldIn } from '../../../parts/figures.ts';
import { ask } from '../../../session.ts';
import { goOn } from './go-on.ts';

const Answer = lazyPart(async () => (await import('./told.tsx')).Answer);

interface DoubtsProps {
  readonly batch: BatchStatusObject;
  readonly row?: number;
}

/** Rows whose answers were lost: decided at once, with what each choice costs. */
export function Doubts({ batch, row }: DoubtsProps) {
  const of = { batch: batch.batch, row };
  return (
    <Loaded<DoubtListObject> path="/settle" body={of} again={JSON.stringify(batch.counts)}>
      {(list) => (list.in_doubt.length === 0 ? null : <Choices batch={batch} of={of} list={list} />)}
    </Loaded>
  );
}

function Choices({ batch, list, of }: DoubtsProps & { readonly list: DoubtListObject; readonly of: object }) {
  const { in_doubt: doubts, rows, at_risk: most, extra_used: used } = list;
  const settle = (decision: object): Promise<unknown> => ask('/settle', { body: { ...of, ...decision } });
  const retry = { retry: true, extra_credits: used + most };
  const { budget } = batch.credits;
  // What the button says that it costs is allowed beside what was.
  const again = (decision: object, more = 0): Promise<void> => {
    const limit = budget === null ? undefined : Math.max(budget, heldIn(batch.credits) + more);
    return settle(decision).then(() => goOn({ batch }, { part: true, budget: limit }));
  };
  const [first, ...others] = new Set(doubts.map((doubt) => doubt.row));
  const about = others.length === 0 ? { row: first } : {};
  return (
    <Notice says={doubtWords(list)}>
      <Act
        look="quiet"
        says={rows === 1 ? 'Leave it out' : 'Leave them out'}
        does={() => settle({ skip: true })}
      />
      <Popover name="What happened" says="I know the answer…" look="quiet">
        {(close) => (
          <Answer
            again={isOfTeam(doubts) ? 'Send it again' : againWords(doubts, most)}
            isOne={others.length === 0}
            changes={isOfTeam(doubts) ? doubts.map(({ operation }) => operation) : undefined}
            onTold={(answer) =>
              (answer ? settle({ ...about, answer }) : again({ not_done: true })).then(close)
            }
          />
        )}
      </Popover>
      <Act says={againWords(doubts, most)} does={() => again(retry, most)} />
    </Notice>
  );
}

type InDoubt = DoubtListObject['in_doubt'];

/** A change costs nothing, but may have been made. */
const isOfTeam = (doubts: InDoubt): boolean => doubts.every(({ subject }) => subject !== null);

function doubtWords({ in_doubt: doubts, rows, at_risk: most }: DoubtListObject): string {
  const [only] = doubts;
  if (doubts.length === 1 && rows === 1 && only && isOfTeam(doubts))
    return `${cameWords(doubts, ` for the ${changeWord(doubts)} of ${only.subject}`)} It may have been made or not.`;
  const questionWord = doubts.length === 1 ? 'it' : 'them';
  const each = cameWords(doubts, rows === 1 ? '' : ` for ${counted(rows, 'row')}`);
  const questions = counted(doubts.length, 'question');
  const shared = cameWords(doubts, ` to ${questions}; ${counted(rows, 'row')} wait for ${questionWord}`);
  const fact = rows > doubts.length ? shared : each;
  if (isOfTeam(doubts)) return `${fact} The change may have been made or not.`;
  return `${fact} ${doubts.length === 1 ? 'It' : 'They'} may have cost ${counted(most, 'credit')}${countedElsewhere(doubts)}.`;
}

/** An answer that says neither yes nor no came all the same, and has a status to ask about. */
function cameWords(doubts: InDoubt, about: string): string {
  const statuses = new Set(doubts.map(({ findings }) => statusIn(findings)));
  if (statuses.has(undefined)) return `No answer came${about}.`;
  return `What was answered${about} cannot be read as yes or no (status ${[...statuses].join(', ')}).`;
}

const statusIn = (findings: InDoubt[number]['findings']) =>
  findings.flatMap((each) => (each.code === 'answer' ? [each.facts.status] : []))[0];

function againWords(doubts: InDoubt, most: number): string {
  if (!isOfTeam(doubts)) return `Ask again (${counted(most, 'more credit')})`;
  const stakes = new Set(doubts.flatMap(({ at_stake: stake }) => stake ?? []));
  return `Send ${sentWords(doubts)} again${stakes.size === 0 ? '' : ` (${[...stakes].join(', ')})`}`;
}

/** `the invite`, `3 invites`: a name or an address would make the button wider than its place. */
const sentWords = (doubts: InDoubt): string =>
  doubts.length === 1 ? `the ${changeWord(doubts)}` : counted(doubts.length, changeWord(doubts));

function changeWord(doubts: InDoubt): string {
  const [first, ...others] = new Set(doubts.map(({ operation }) => operation));
  return (others.length === 0 && CHANGES[first ?? '']) || 'change';
}

const CHANGES: Readonly<Record<string, string>> = {
  'create-invite': 'invite',
  'update-user': 'role',
  'remove-user': 'removal',
};
