import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { DamageObject, ListDescription, ListView, Reading } from '../../api.ts';
import { Loaded, RefusedNotice } from '../loaded.tsx';
import { useAction, useAsked } from '../parts/action.ts';
import { ButtonLink, Checkbox, Cut } from '../parts/controls.tsx';
import { counted, grouped } from '../parts/figures.ts';
import { Steps } from '../parts/steps.tsx';
import { numbers, Table } from '../parts/table.tsx';
import { ask } from '../session.ts';
import { text, wordOf } from '../text.ts';
import { How, ListStart } from './list/how.tsx';

export function List({ params: { id = '' } }: { readonly params: Readonly<Record<string, string>> }) {
  return (
    <>
      <Steps list={id} at={0} />
      <Loaded<ListView> path={`/lists/${id}`}>{(list) => <ListShown first={list} />}</Loaded>
    </>
  );
}

function ListShown({ first }: { readonly first: ListView }) {
  const list = useSignal(first);
  const action = useAction();
  const { id, name, reading } = list.value;
  const words = JSON.stringify(reading.read);
  const described = useAsked<ListDescription>(
    (signal) => ask('/plan', { body: { file: id, ...reading.read }, signal }),
    [id, words],
  );
  const { value, refused, waits } = described.value;
  // A way of reading that is refused leaves what is known, so that another sheet can still be chosen.
  const known = useRef<ListDescription | undefined>(undefined);
  const found = value ?? known.current;
  known.current = found;
  const change = (more: Partial<Reading>): void =>
    action.run(async () => {
      list.value = await ask<ListView>(`/lists/${id}/reading`, {
        method: 'PUT',
        body: { ...reading, ...more },
      });
    });
  return (
    <>
      <div class="title">
        <div class="heading">
          <h1 class="cut" title={name}>
            {name}
          </h1>
          <p class="muted" role="status">
            {found === undefined ? waits && text.list.reading : summaryOf(found)}
          </p>
        </div>
        {refused === undefined && (
          <div class="actions">
            <ButtonLink to={`/lists/${id}/do`} says={text.list.next} look="primary" />
          </div>
        )}
      </div>
      {refused?.choices === undefined ? (
        <RefusedNotice refused={refused ?? action.refused.value} />
      ) : (
        <ListStart choices={refused.choices} reading={reading} change={change} />
      )}
      <How
        reading={reading}
        found={found}
        isWorkbook={/\.xls[xm]$/i.test(name)}
        isRefused={refused !== undefined}
        change={change}
      />
      {found && (
        <>
          <Trouble found={found} />
          <Repairs found={found} reading={reading} change={change} />
          <ColumnTable found={found} />
        </>
      )}
    </>
  );
}

function summaryOf({ rows, columns, encoding, delimiter }: ListDescription): string {
  const separated = delimiter === 'cells' ? [] : [text.list.separated(delimiter)];
  return [counted(rows, 'row'), counted(columns.length, 'column'), encoding, ...separated].join(' · ');
}

function Trouble({ found: { unreadable, duplicates } }: { readonly found: ListDescription }) {
  const { same } = duplicates;
  if (unreadable.count + same.count === 0) return null;
  return (
    <section class="notice">
      <ul class="plain-list">
        {unreadable.count > 0 && (
          <li>
            <strong>{text.list.unreadable(counted(unreadable.count, 'row'))}</strong>
            <ul>
              {unreadable.first.map(({ row, reason }) => (
                <li key={row}>{text.list.rowSays(grouped(row), reason)}</li>
              ))}
            </ul>
          </li>
        )}
        {same.count > 0 && <li>{text.list.same(counted(same.count, 'row'), rowsSaid(same))}</li>}
      </ul>
    </section>
  );
}

/** `row 7`, and `rows 37, 40, …` where there are more of them. */
export function rowsSaid({
  count,
  first_rows: rows,
}: {
  count: number;
  first_rows: readonly number[];
}): string {
  return (
    `${rows.length === 1 ? 'row' : 'rows'} ` +
    `${rows.map(grouped).join(', ')}${count > rows.length ? ', …' : ''}`
  );
}

interface RepairsProps {
  readonly found: ListDescription;
  readonly reading: Reading;
  readonly change: (more: Partial<Reading>) => void;
}

function Repairs({ found, reading, change }: RepairsProps) {
  const all = found.columns.flatMap(({ name, damage }) => damage.map((each) => ({ column: name, ...each })));
  if (all.length === 0) return null;
  const sure = all.reduce((sum, { repairable }) => sum + repairable, 0);
  return (
    <section class="card stack">
      <h2>{text.list.damage}</h2>
      <ul class="plain-list">
        {all.map((each) => (
          <li key={`${each.column} ${each.kind}`}>
            <strong>{each.column}</strong>: {counted(each.count, 'cell')} {wordOf(text.list.kinds, each.kind)}{' '}
            <span class="muted">({rowsSaid(each)})</span> <Example damage={each} />
          </li>
        ))}
      </ul>
      <div class="actions">
        {sure > 0 && (
          <Checkbox
            checked={reading.repair}
            onCheck={(isChecked) => change({ repair: isChecked })}
            says={text.list.repair(counted(sure, 'cell'))}
          />
        )}
      </div>
    </section>
  );
}

function Example({ damage: { examples } }: { readonly damage: DamageObject }) {
  const example = examples.find(({ repaired }) => repaired !== undefined) ?? examples[0];
  if (example === undefined) return null;
  const meant = example.repaired ?? example.candidates?.join(text.list.or);
  return (
    <span class="example">
      <code>{example.cell}</code>
      {meant && (
        <>
          {' → '}
          <code>{meant}</code>
        </>
      )}
    </span>
  );
}

function ColumnTable({ found: { columns, rows } }: { readonly found: ListDescription }) {
  return (
    <section class="stack">
      <h2>{text.list.columns}</h2>
      <Table
        name={text.list.columns}
        columns={[text.list.column, text.list.looksLike, ...numbers(text.list.filled), text.list.examples]}
      >
        {columns.map(({ name, looks_like: looks, filled, examples, odd }) => (
          <tr key={name}>
            <th scope="row" class="cut" title={name}>
              {name}
            </th>
            <td>
              <span class={`tag${looks === 'text' || looks === 'blank' ? '' : ' good'}`}>{looks}</span>
              {odd.count > 0 && (
                <div class="muted small">{text.list.odd(grouped(odd.count), rowsSaid(odd))}</div>
              )}
            </td>
            <td class="number" title={text.list.ofRows(grouped(filled), counted(rows, 'row'))}>
              {grouped(filled)}
            </td>
            <td>
              <Cut text={examples.join(' · ')} />
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}
