import { useSignal } from '@preact/signals';
import type { BatchStatusObject, DoubtListObject, DoubtObject } from '../../../api.ts';
import { Loaded, RefusedNotice } from '../../loaded.tsx';
import { Button, Select } from '../../parts/controls.tsx';
import { counted, grouped } from '../../parts/figures.ts';
import { Stop } from '../../parts/stop.tsx';
import { ask } from '../../session.ts';
import { goOn, useGoingOn } from './going-on.ts';

interface DoubtsProps {
  readonly batch: BatchStatusObject;
  /** Only this row; left out: all of them. */
  readonly row?: number;
}

/** Rows whose answers were lost: decided at once, with what each choice costs. */
export function Doubts({ batch, row }: DoubtsProps) {
  const body = { batch: batch.batch, ...(row === undefined ? {} : { row }) };
  return (
    <Loaded<DoubtListObject> path="/settle" body={body} again={JSON.stringify(batch.counts)}>
      {(list) => (list.in_doubt.length === 0 ? null : <Choices batch={batch} list={list} row={row} />)}
    </Loaded>
  );
}

interface ChoicesProps {
  readonly batch: BatchStatusObject;
  readonly list: DoubtListObject;
  readonly row: number | undefined;
}

function Choices({ batch, list, row }: ChoicesProps) {
  const { in_doubt: doubts, at_risk: most, extra_used: used } = list;
  const going = useGoingOn(batch);
  const knows = useSignal(false);
  const isBusy = going.isBusy.value;
  const about = row === undefined ? {} : { row };
  const settle = (decision: object): Promise<unknown> =>
    ask('/settle', { body: { batch: batch.batch, ...about, ...decision } });
  const retry = (): void => going.go({}, () => settle({ retry: true, extra_credits: used + most }));
  const skip = (): void => going.run(() => settle({ skip: true }));
  return (
    <Stop says={doubtWords(doubts, most)} action={going}>
      <Button says={againWords(doubts, most)} disabled={isBusy} onClick={retry} />
      <Button
        says={doubts.length === 1 ? 'Leave it out' : 'Leave them out'}
        disabled={isBusy}
        onClick={skip}
      />
      <Button
        says="I know what came of it…"
        aria-expanded={knows.value}
        onClick={() => (knows.value = !knows.value)}
      />
      {knows.value && <Known batch={batch} doubts={doubts} />}
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

type Told = 'not_done' | 'no_match' | 'found';

const TOLD: readonly (readonly [Told, string])[] = [
  ['not_done', 'Nothing came of it, and it cost nothing'],
  ['no_match', 'It was asked, and nothing was found'],
  ['found', 'It was answered, and I have the answer'],
];

/** What a person has seen at the vendor, such as in its own history: of one row, or of all alike. */
function Known({ batch, doubts }: Pick<ChoicesProps, 'batch'> & { readonly doubts: readonly DoubtObject[] }) {
  const rows = [...new Set(doubts.map(({ row }) => row))];
  const chosen = useSignal<number | undefined>(undefined);
  // What was told last is no row of these any more.
  const row = rows.length === 1 ? rows[0] : rows.find((each) => each === chosen.value);
  const told = useSignal<Told>('not_done');
  const facts = useSignal('');
  const going = useGoingOn(batch);
  const tell = (): void =>
    going.run(async () => {
      const about =
        row !== undefined ? { row } : told.value === 'not_done' ? {} : { all_like: String(rows[0]) };
      await ask('/settle', { body: { batch: batch.batch, ...about, ...saidAs(told.value, facts.value) } });
      // What was not done is asked anew, which goes on by itself.
      if (told.value === 'not_done') await goOn(batch.batch);
    });
  return (
    <div class="row known">
      {rows.length > 1 && (
        <Select
          name="Which row"
          value={String(row ?? '')}
          options={[
            ['', `all ${grouped(rows.length)} alike`],
            ...rows.map((each) => [String(each), `row ${each}`] as const),
          ]}
          onChosen={(word) => (chosen.value = Number(word))}
        />
      )}
      <Select
        name="What came of it"
        value={told.value}
        options={TOLD}
        onChosen={(word) => (told.value = word as Told)}
      />
      {told.value === 'found' && (
        <label class="field">
          The answer, one fact in each line, such as name = Acme
          <textarea rows={3} onInput={({ currentTarget }) => (facts.value = currentTarget.value)} />
        </label>
      )}
      <Button look="go" says="That is so" disabled={going.isBusy.value} onClick={tell} />
      <RefusedNotice refused={going.refused.value} />
    </div>
  );
}

function saidAs(told: Told, facts: string): object {
  if (told === 'not_done') return { not_done: true };
  if (told === 'no_match') return { answer: ['no_match'] };
  const lines = facts.split('\n').filter((line) => line.includes('='));
  return { answer: lines.map((line) => line.replace(/\s*=\s*/, '=').trim()) };
}
