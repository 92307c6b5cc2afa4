import { useSignal } from '@preact/signals';
import type { BatchStatusObject, DoubtListObject, DoubtObject } from '../../../api.ts';
import { Loaded } from '../../loaded.tsx';
import { Act, Form } from '../../parts/act.tsx';
import { Button, Select } from '../../parts/controls.tsx';
import { counted, grouped } from '../../parts/figures.ts';
import { Stop } from '../../parts/stop.tsx';
import { ask } from '../../session.ts';
import { goOn } from './stopped.tsx';

interface DoubtsProps {
  readonly batch: BatchStatusObject;
  /** Only this row; left out: all of them. */
  readonly row?: number;
}

/** Rows whose answers were lost: decided at once, with what each choice costs. */
export function Doubts({ batch, row }: DoubtsProps) {
  const of = { batch: batch.batch, row };
  return (
    <Loaded<DoubtListObject> path="/settle" body={of} again={JSON.stringify(batch.counts)}>
      {(list) => (list.in_doubt.length === 0 ? null : <Choices batch={batch} list={list} of={of} />)}
    </Loaded>
  );
}

interface ChoicesProps {
  readonly batch: BatchStatusObject;
  readonly list: DoubtListObject;
  /** What is decided about: the list, or one of its rows. */
  readonly of: object;
}

function Choices({ batch, list, of }: ChoicesProps) {
  const { in_doubt: doubts, at_risk: most, extra_used: used } = list;
  const knows = useSignal(false);
  const settle = (decision: object): Promise<unknown> => ask('/settle', { body: { ...of, ...decision } });
  const again = async (decision: object): Promise<void> => {
    await settle(decision);
    await goOn({ batch });
  };
  const [first, ...others] = new Set(doubts.map((doubt) => doubt.row));
  const about = others.length === 0 ? { row: first } : { all_like: String(first) };
  return (
    <Stop says={doubtWords(doubts, most)}>
      <Act says={againWords(doubts, most)} does={() => again({ retry: true, extra_credits: used + most })} />
      <Act
        says={doubts.length === 1 ? 'Leave it out' : 'Leave them out'}
        does={() => settle({ skip: true })}
      />
      <Button
        says="I know what came of it…"
        aria-expanded={knows.value}
        onClick={() => (knows.value = !knows.value)}
      />
      {knows.value && (
        <Told
          // What was not done is asked anew, which goes on by itself.
          onTold={(answer) =>
            answer === 'not_done' ? again({ not_done: true }) : settle({ ...about, answer })
          }
        />
      )}
    </Stop>
  );
}

/** A change costs nothing, but may have been made. */
const isOfTeam = (doubts: readonly DoubtObject[]): boolean => doubts.every(({ subject }) => subject !== null);

function doubtWords(doubts: readonly DoubtObject[], most: number): string {
  const rows = new Set(doubts.map(({ row }) => row)).size;
  const fact = `No answer came${rows === 1 ? '' : ` for ${grouped(rows)} rows`}.`;
  if (isOfTeam(doubts)) return `${fact} The change may have been made or not.`;
  return `${fact} ${doubts.length === 1 ? 'It' : 'They'} may have cost ${counted(most, 'credit')}.`;
}

function againWords(doubts: readonly DoubtObject[], most: number): string {
  if (!isOfTeam(doubts)) return `Ask again (${counted(most, 'more credit')})`;
  const stakes = new Set(doubts.flatMap(({ at_stake: stake }) => stake ?? []));
  return `Send it again${stakes.size === 0 ? '' : ` (${[...stakes].join(', ')})`}`;
}

const TOLD = [
  ['not_done', 'Nothing came of it, and it cost nothing'],
  ['no_match', 'It was asked, and nothing was found'],
  ['found', 'It was answered, and I have the answer'],
] as const;

interface ToldProps {
  onTold(answer: 'not_done' | readonly string[]): Promise<unknown>;
}

/** What a person has seen at the vendor, such as in its own history. One row of several is told beside the table. */
function Told({ onTold }: ToldProps) {
  const told = useSignal<string>('not_done');
  const tell = ({ facts = '' }: Readonly<Record<string, unknown>>): Promise<unknown> => {
    if (told.value === 'not_done') return onTold('not_done');
    if (told.value === 'no_match') return onTold(['no_match']);
    const lines = String(facts).split('\n');
    const said = lines.filter((line) => line.includes('='));
    return onTold(said.map((line) => line.replace(/\s*=\s*/, '=').trim()));
  };
  return (
    <Form look="row" says="That is so" sends={tell}>
      <Select
        name="What came of it"
        value={told.value}
        options={TOLD}
        onChosen={(word) => (told.value = word)}
      />
      {told.value === 'found' && (
        <label>
          The answer, one fact in each line, such as name = Acme
          <textarea name="facts" rows={3} />
        </label>
      )}
    </Form>
  );
}
