import { type Signal, useSignal } from '@preact/signals';
import type { DoubtsView, DoubtView } from '../../api.ts';
import { Loaded, RefusedNotice } from '../loaded.tsx';
import { useAction } from '../parts/action.ts';
import { Button, ButtonLink } from '../parts/controls.tsx';
import { counted, exactTime, grouped } from '../parts/figures.ts';
import { numbers, Table } from '../parts/table.tsx';
import { About, askedWords } from '../parts/tags.tsx';
import { ask, beat } from '../session.ts';
import { plainWord, text } from '../text.ts';

export function Doubts({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const batch = params.id ?? '';
  return (
    <>
      <div class="title">
        <h1>{text.doubts.title}</h1>
        <ButtonLink to={`/batches/${batch}`} says={text.rows.back} />
      </div>
      <Loaded<DoubtsView> path={`/batches/${batch}/doubts`} again={beat.value}>
        {(list) => <DoubtsShown list={list} />}
      </Loaded>
    </>
  );
}

function DoubtsShown({ list }: { readonly list: DoubtsView }) {
  const { in_doubt, at_risk, open, waiting = [] } = list;
  const chosen = useSignal<ReadonlySet<number>>(new Set());
  const isNoted = useSignal(false);
  return (
    <>
      <About of={list} />
      <div role="status">
        {isNoted.value && (
          <p class="notice">
            {text.doubts.noted} <a href={`/batches/${list.batch}`}>{text.doubts.toBatch}</a>
          </p>
        )}
      </div>
      {in_doubt.length === 0 && waiting.length === 0 && (
        <section class="empty">
          <h2>{text.doubts.none}</h2>
          <p>{text.doubts.noneWhat}</p>
        </section>
      )}
      {in_doubt.length > 0 && (
        <>
          <p>{text.doubts.what}</p>
          <dl class="figures">
            <DoubtFigure name={text.doubts.atRisk} value={at_risk} />
            <DoubtFigure name={text.doubts.calls} value={in_doubt.length} />
          </dl>
          <Calls
            list={list}
            chosen={chosen.value}
            onChoose={(row, isChosen) => {
              const rows = new Set(chosen.value);
              if (isChosen) rows.add(row);
              else rows.delete(row);
              chosen.value = rows;
            }}
          />
          <DoubtForm
            list={list}
            chosen={[...chosen.value]}
            onDecided={() => {
              chosen.value = new Set();
              isNoted.value = true;
              beat.value += 1;
            }}
          />
        </>
      )}
      {open > 0 && <p class="notice">{text.doubts.open(grouped(open))}</p>}
      {waiting.length > 0 && (
        <section class="stack">
          <h2>{text.doubts.waiting}</h2>
          <ul class="card stack">
            {waiting.map(({ row, reason }) => (
              <li key={row}>
                {text.doubts.rowOf(grouped(row))}: {reason}
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

interface FigureProps {
  readonly name: string;
  readonly value: number;
}

function DoubtFigure({ name, value }: FigureProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{grouped(value)}</dd>
    </div>
  );
}

interface Choice {
  readonly list: DoubtsView;
  readonly chosen: ReadonlySet<number>;
  readonly onChoose: (row: number, isChosen: boolean) => void;
}

function Calls({ list, chosen, onChoose }: Choice) {
  return (
    <Table
      name={text.doubts.title}
      look="grid"
      columns={[
        text.doubts.pick,
        ...numbers(text.doubts.row),
        text.doubts.call,
        text.doubts.why,
        text.doubts.since,
        ...numbers(text.doubts.credits),
      ]}
    >
      {list.in_doubt.map((doubt, at) => (
        <DoubtLine key={at} doubt={doubt} isChosen={doubt.own && chosen.has(doubt.row)} onChoose={onChoose} />
      ))}
    </Table>
  );
}

function DoubtLine({
  doubt,
  isChosen,
  onChoose,
}: Pick<Choice, 'onChoose'> & {
  readonly doubt: DoubtView;
  readonly isChosen: boolean;
}) {
  const { row, own, operation, parameters, subject, at_stake, why, since, credits, looks, decision } = doubt;
  const number = grouped(row);
  return (
    <tr>
      <td>
        <input
          type="checkbox"
          aria-label={text.doubts.pickRow(number)}
          checked={isChosen}
          disabled={!own}
          onChange={(event) => onChoose(row, event.currentTarget.checked)}
        />
      </td>
      <th scope="row" class="number">
        {own ? number : <span class="muted">{text.doubts.other}</span>}
      </th>
      <td class="told">
        {operation}: {subject ?? askedWords(parameters)}
        {at_stake !== null && <span class="tag warn">{at_stake}</span>}
      </td>
      <td class="told">
        {why}
        {looks.map(({ kind, said, why: because, at }) => (
          <div class="muted small" key={at}>
            {kind === 'person' ? text.doubts.seen(because) : text.doubts.looked(plainWord(said), because)}
          </div>
        ))}
        {decision !== null && <div class="small">{text.doubts.decided(decision.why)}</div>}
      </td>
      <td class="nowrap">
        <time dateTime={since}>{exactTime(since)}</time>
      </td>
      <td class="number" title={counted(credits, 'credit')}>
        {grouped(credits)}
      </td>
    </tr>
  );
}

type Decided = 'retry' | 'skip' | 'not_done' | 'answer';
type Pair = readonly [name: string, value: string];

interface DoubtFormProps {
  readonly list: DoubtsView;
  readonly chosen: readonly number[];
  readonly onDecided: () => void;
}

function DoubtForm({ list, chosen, onDecided }: DoubtFormProps) {
  // Nothing is chosen for a person, because asking again may be paid for twice.
  const how = useSignal<Decided | undefined>(undefined);
  const pairs = useSignal<readonly Pair[]>([['', '']]);
  const extra = useSignal<number | undefined>(undefined);
  const most = extra.value ?? list.extra_used + list.at_risk;
  const action = useAction();
  const about = list.in_doubt.filter(({ row, own }) => chosen.length === 0 || (own && chosen.includes(row)));
  const credits = about.reduce((sum, doubt) => sum + doubt.credits, 0);
  const isOne = about.length === 1;
  const isNoting = action.isBusy.value;
  const send = (): void =>
    action.run(async () => {
      if (how.value === undefined) return;
      await settle(list.batch, chosen, decisionOf(how.value, pairs.value, most));
      how.value = undefined;
      extra.value = undefined;
      onDecided();
    });
  return (
    <form
      class="card stack"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <h2>{text.doubts.decide}</h2>
      <p>
        <strong>
          {chosen.length === 0
            ? text.doubts.all(grouped(about.length))
            : text.doubts.chosen(grouped(chosen.length))}
        </strong>
        , {counted(credits, 'credit')}
      </p>
      <fieldset class="stack">
        <legend class="sr">{text.doubts.how}</legend>
        <Option how={how} value="retry" what={text.doubts.retryWhat(counted(credits, 'credit'))} />
        {how.value === 'retry' && credits > 0 && (
          <label class="field">
            {text.doubts.extra}
            <input
              type="number"
              min={0}
              step={1}
              class="amount"
              required
              value={most}
              onInput={({ currentTarget: { value } }) => (extra.value = Number(value))}
            />
          </label>
        )}
        <Option how={how} value="skip" what={text.doubts.skipWhat(counted(credits, 'credit'))} />
        <Option how={how} value="not_done" what={text.doubts.notDoneWhat(counted(credits, 'credit'))} />
        <Option
          how={how}
          value="answer"
          what={isOne ? text.doubts.answerWhat(counted(credits, 'credit')) : text.doubts.answerOne}
          isOff={!isOne}
        />
        {how.value === 'answer' && isOne && <Pairs pairs={pairs} />}
      </fieldset>
      <div class="actions">
        <Button
          type="submit"
          class="primary"
          disabled={isNoting || how.value === undefined || (how.value === 'answer' && !isOne)}
          says={isNoting ? text.doubts.noting : text.doubts.submit}
        />
      </div>
      <RefusedNotice refused={action.refused.value} />
    </form>
  );
}

const NAMES: Readonly<Record<Decided, string>> = {
  retry: text.doubts.retry,
  skip: text.doubts.skip,
  not_done: text.doubts.notDone,
  answer: text.doubts.answer,
};

interface OptionProps {
  readonly how: Signal<Decided | undefined>;
  readonly value: Decided;
  readonly what: string;
  readonly isOff?: boolean;
}

function Option({ how, value, what, isOff = false }: OptionProps) {
  return (
    <label class="box">
      <input
        type="radio"
        name="how"
        checked={how.value === value}
        disabled={isOff}
        onChange={() => (how.value = value)}
      />
      <span>
        <strong>{NAMES[value]}</strong> <span class="muted">{what}</span>
      </span>
    </label>
  );
}

function Pairs({ pairs }: { readonly pairs: Signal<readonly Pair[]> }) {
  const change = (at: number, pair: Pair): void => {
    pairs.value = pairs.value.map((each, place) => (place === at ? pair : each));
  };
  return (
    <div class="stack">
      {pairs.value.map(([name, value], at) => (
        <div class="actions" key={at}>
          <input
            aria-label={text.doubts.name}
            placeholder={text.doubts.name}
            value={name}
            onInput={({ currentTarget }) => change(at, [currentTarget.value, value])}
          />
          <input
            aria-label={text.doubts.value}
            placeholder={text.doubts.value}
            value={value}
            onInput={({ currentTarget }) => change(at, [name, currentTarget.value])}
          />
        </div>
      ))}
      <Button
        class="plain"
        onClick={() => (pairs.value = [...pairs.value, ['', '']])}
        says={text.doubts.addValue}
      />
    </div>
  );
}

/** The entries of `settle` for it. */
function decisionOf(how: Decided, pairs: readonly Pair[], extra: number): object {
  const told = pairs.map(([name, value]) => [name.trim(), value]).filter(([name]) => name !== '');
  if (how === 'answer') return { answer: told.map((pair) => pair.join('=')) };
  return { [how]: true, ...(how === 'retry' ? { extra_credits: extra } : {}) };
}

/** @throws Refused in the words of the command. */
async function settle(batch: string, rows: readonly number[], decision: object): Promise<void> {
  const about = rows.length === 0 ? [{}] : rows.map((row) => ({ row }));
  for (const each of about) await ask('/settle', { body: { batch, ...each, ...decision } });
}
