import { useSignal } from '@preact/signals';
import type { DoubtsView, DoubtView } from '../../api.ts';
import { changesOf } from '../live.ts';
import { Loaded } from '../loaded.tsx';
import { DoubtForm } from '../parts/doubt-form.tsx';
import { counted, exactTime, grouped } from '../parts/figures.ts';
import { About, askedWords } from '../parts/row-words.tsx';
import { Told } from '../parts/told.tsx';
import { text } from '../text.ts';

/** What is in doubt in a batch, with the money at risk, and what a person decides about it. */
export function Doubts({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const batch = params.id ?? '';
  const decided = useSignal(0);
  return (
    <>
      <div class="title">
        <h1>{text.doubts.title}</h1>
        <a class="button" href={`/batches/${batch}`}>
          {text.rows.back}
        </a>
      </div>
      <Loaded<DoubtsView> path={`/batches/${batch}/doubts`} again={`${changesOf(batch)} ${decided.value}`}>
        {(list) => <Shown list={list} onDecided={() => (decided.value += 1)} />}
      </Loaded>
    </>
  );
}

function Shown({ list, onDecided }: { readonly list: DoubtsView; readonly onDecided: () => void }) {
  const { in_doubt, at_risk, retries, undecidable, open, waiting = [] } = list;
  const chosen = useSignal<ReadonlySet<number>>(new Set());
  return (
    <>
      <About of={list} />
      {in_doubt.length === 0 && waiting.length === 0 && (
        <section class="empty">
          <h2>{text.doubts.none}</h2>
          <p>{text.doubts.noneWhat}</p>
        </section>
      )}
      {in_doubt.length > 0 && (
        <>
          <p>{text.doubts.what}</p>
          {list.over !== undefined && <Over of={list.over} />}
          <dl class="figures">
            <Figure name={text.doubts.atRisk} value={at_risk} />
            <Figure name={text.doubts.calls} value={in_doubt.length} />
            {undecidable > 0 && (
              <Figure name={text.doubts.undecidable} value={undecidable} what={text.doubts.undecidableWhat} />
            )}
          </dl>
          <Table
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
              onDecided();
            }}
          />
        </>
      )}
      {retries.calls > 0 && (
        <p class="notice">
          {retries.enough === undefined
            ? text.doubts.again(counted(retries.calls, 'call'), counted(retries.credits, 'credit'))
            : text.doubts.heldBack(
                counted(retries.calls, 'call'),
                grouped(retries.extra_credits.used),
                counted(retries.extra_credits.most ?? 0, 'extra credit'),
                grouped(retries.enough),
              )}
        </p>
      )}
      {open > 0 && <p class="notice">{text.doubts.open(grouped(open))}</p>}
      {waiting.length > 0 && (
        <section class="stack">
          <h2>{text.doubts.waiting}</h2>
          <ul class="card timeline">
            {waiting.map(({ row, reason }) => (
              <li key={row}>
                <a href={`/batches/${list.batch}/rows/${row}`}>{text.row.title(grouped(row))}</a>:{' '}
                <Told batch={list.batch}>{reason}</Told>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

/** Why nothing is sent again, and what can be done instead. */
function Over({ of: { why, decide_in, changed } }: { readonly of: NonNullable<DoubtsView['over']> }) {
  return (
    <p class="notice">
      {text.doubts.over(why)}{' '}
      {decide_in === null ? (
        text.doubts.tell(changed)
      ) : (
        <a href={`/batches/${decide_in}/doubts`}>{text.doubts.decideThere(decide_in)}</a>
      )}
    </p>
  );
}

function Figure({
  name,
  value,
  what,
}: {
  readonly name: string;
  readonly value: number;
  readonly what?: string;
}) {
  return (
    <div title={what}>
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

function Table({ list, chosen, onChoose }: Choice) {
  return (
    <div class="scroll grid">
      <table>
        <thead>
          <tr>
            <th scope="col">{text.doubts.pick}</th>
            <th scope="col" class="number">
              {text.doubts.row}
            </th>
            <th scope="col">{text.doubts.call}</th>
            <th scope="col">{text.doubts.why}</th>
            <th scope="col">{text.doubts.since}</th>
            <th scope="col" class="number">
              {text.doubts.credits}
            </th>
          </tr>
        </thead>
        <tbody>
          {list.in_doubt.map((doubt, at) => (
            <Line
              key={at}
              doubt={doubt}
              batch={list.batch}
              isChosen={doubt.own && chosen.has(doubt.row)}
              onChoose={onChoose}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Line({
  doubt,
  batch,
  isChosen,
  onChoose,
}: Pick<Choice, 'onChoose'> & {
  readonly doubt: DoubtView;
  readonly batch: string;
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
        {own ? (
          <a href={`/batches/${batch}/rows/${row}`}>{number}</a>
        ) : (
          <span class="muted">{text.doubts.other}</span>
        )}
      </th>
      <td class="told">
        {operation}: {subject ?? askedWords(parameters)}
        {at_stake !== null && <span class="tag warn">{at_stake}</span>}
      </td>
      <td class="told">
        {why}
        {looks.map(({ said, why: because, at }) => (
          <div class="muted small" key={at}>
            {text.row.looked(said.replaceAll('_', ' '), because)}
          </div>
        ))}
        {decision !== null && <div class="small">{text.row.decided(decision.why)}</div>}
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
