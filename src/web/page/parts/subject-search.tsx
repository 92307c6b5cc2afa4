import { useSignal } from '@preact/signals';
import type { SubjectView } from '../../api.ts';
import { Loaded } from '../loaded.tsx';
import { go, query } from '../router.ts';
import { text, wordOf } from '../text.ts';
import { Cut } from './controls.tsx';
import { counted, dateAndTime, grouped, moneyWords } from './figures.ts';
import { numbers, Table } from './table.tsx';
import { TableButton } from './table-button.tsx';
import { PlayMoney } from './tags.tsx';

const words = text.history.search;

type SubjectEntry = SubjectView['entries'][number];

export function SubjectSearch() {
  const about = query.value.get('about') ?? '';
  const typed = useSignal(about);
  return (
    <search class="search stack">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const wanted = typed.value.trim();
          go(wanted === '' ? '/history' : `/history?about=${encodeURIComponent(wanted)}`);
        }}
      >
        <label class="field" for="about">
          {words.label}
          <small id="about-what">{words.what}</small>
        </label>
        <div class="actions">
          <input
            id="about"
            type="search"
            aria-describedby="about-what"
            autocomplete="off"
            value={typed.value}
            onInput={({ currentTarget }) => (typed.value = currentTarget.value)}
          />
          <button type="submit">{words.go}</button>
        </div>
      </form>
      <div aria-live="polite">
        {about !== '' && (
          <Loaded<SubjectView> key={about} path={`/subjects?text=${encodeURIComponent(about)}`}>
            {(found) => <Found about={about} found={found} />}
          </Loaded>
        )}
      </div>
    </search>
  );
}

function Found({
  about,
  found: { values, entries, more },
}: {
  readonly about: string;
  readonly found: SubjectView;
}) {
  const others = values.filter((value) => value !== about);
  if (entries.length === 0)
    return (
      <div class="notice">
        <strong>{words.none(about)}</strong> {words.noneWhat([about, ...others].join(', '))}
      </div>
    );
  return (
    <>
      <Table
        name={words.label}
        caption={words.found(counted(entries.length, 'entry', 'entries'), about)}
        columns={[
          words.when,
          words.who,
          words.asked,
          words.ended,
          ...numbers(text.history.credits),
          words.row,
        ]}
        more={more ? words.more : undefined}
      >
        {entries.map((entry, at) => (
          <Entry key={at} entry={entry} />
        ))}
      </Table>
      <div class="actions">
        <TableButton of={{ what: 'log', about }} name={text.history.tables.about} />
      </div>
    </>
  );
}

function Entry({ entry }: { readonly entry: SubjectEntry }) {
  const { at, operator, batch, row, sandbox, account, charged, money } = entry;
  return (
    <tr>
      <td class="nowrap">{dateAndTime(at)}</td>
      <td>{operator ?? <span class="muted">{text.history.nobody}</span>}</td>
      <td>
        <What entry={entry} /> <span class="muted">{account}</span>
      </td>
      <td>
        <Ended entry={entry} />
      </td>
      <td class="number">
        {charged !== null && grouped(charged)} {sandbox && <PlayMoney />}
        {money !== null && money.amount > 0 && <div class="muted small">{moneyWords(money)}</div>}
      </td>
      <td>
        {batch !== null && row !== null && (
          <a href={`/batches/${batch}/rows/${row}`}>{words.rowOf(row, batch)}</a>
        )}
        {batch !== null && row === null && <a href={`/batches/${batch}`}>{batch}</a>}
      </td>
    </tr>
  );
}

function What({ entry: { kind, operation, subject, asked, hash, ended } }: { readonly entry: SubjectEntry }) {
  const sent = Object.entries(asked).map(([name, value]) => `${name} ${value}`);
  const about = hash === null ? (subject ?? sent.join(', ')) : words.erased(hash);
  const isRequest = kind === 'asked' || kind === 'changed';
  return (
    <>
      <strong>{isRequest ? operation : wordOf(words.acts, kind)}</strong>{' '}
      {kind === 'decided' && `${wordOf(words.decisions, ended ?? '')} `}
      <Cut look="muted" text={about} />
    </>
  );
}

function Ended({ entry: { kind, ended, subject } }: { readonly entry: SubjectEntry }) {
  if (ended === null || kind === 'decided') return null;
  return (
    <span class={`tag ${TONES[ended] ?? ''}`}>
      {subject !== null && ended === 'found' ? words.done : wordOf(words.ends, ended)}
    </span>
  );
}

const TONES: Readonly<Record<string, string>> = { found: 'good', in_doubt: 'warn', refused: 'bad' };
