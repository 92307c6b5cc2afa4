import { type ReadonlySignal, type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type {
  Checked,
  Corrected,
  ListAttention,
  ListDescription,
  ListRow,
  ListRows,
  ListView,
  ReadWords,
} from '../../api.ts';
import { Refusal } from '../loaded.tsx';
import { useAction, useAsked } from '../parts/action.ts';
import { Button, ButtonLink, Checkbox } from '../parts/controls.tsx';
import { counted, grouped } from '../parts/figures.ts';
import { plainReason } from '../parts/plain-words.ts';
import { go, query } from '../router.ts';
import { ask } from '../session.ts';
import { text } from '../text.ts';

/** Corrects cells of a list: of the rows that a batch could not use, or of any. What is saved is a new version. */
export function Fix({ params: { id = '' } }: { readonly params: Readonly<Record<string, string>> }) {
  const edits = useEdits();
  const [batch, from] = [query.value.get('batch') ?? '', query.value.get('from') ?? ''];
  const asked = useAsked((signal) => materialOf(id, batch, from, signal), [id, batch, from]);
  const { value: shown, refused } = asked.value;
  if (refused !== undefined) return <Refusal refused={refused} />;
  if (shown === undefined) return <p class="loading">{text.loading}</p>;
  return (
    <>
      <Head id={id} material={shown} />
      {shown.rows.length === 0 ? (
        <section class="empty">
          <h2>{text.fix.none}</h2>
        </section>
      ) : (
        <Grid material={shown} edits={edits} />
      )}
      <Pages id={id} material={shown} />
      <Save id={id} material={shown} edits={edits} />
    </>
  );
}

interface Material {
  readonly list: ListView;
  /** The batch whose reasons are shown; undefined where any rows are. */
  readonly batch: string | undefined;
  readonly read: ReadWords;
  readonly header: readonly string[];
  readonly rows: readonly (ListRow & { readonly reason?: string })[];
  readonly more: boolean;
  readonly next: number | null;
  readonly operation: string;
  /** Input of the operation → column. */
  readonly columns: Readonly<Record<string, string>>;
}

async function materialOf(id: string, batch: string, from: string, signal: AbortSignal): Promise<Material> {
  const path = `/lists/${id}`;
  const list = await ask<ListView>(path, { signal });
  const asked = batch === '' ? '' : `?batch=${encodeURIComponent(batch)}`;
  const attention = await ask<ListAttention>(`${path}/attention${asked}`, { signal });
  const known = attention.batch;
  if (known !== null && from === '' && attention.rows.length > 0) {
    const { header, rows, more } = attention;
    return { list, ...known, header, rows, more, next: null };
  }
  const { read } = known ?? list.reading;
  const described = await ask<ListDescription>(`${path}/describe`, { body: read, signal });
  const { operation, columns } = known ?? { operation: '', columns: columnsIn(described) };
  const words = new URLSearchParams(
    Object.entries({ ...read, from: from || 2, limit: PAGE }).map(([name, value]) => [name, String(value)]),
  );
  const found = await ask<ListRows>(`${path}/rows?${words}`, { signal });
  return { list, batch: undefined, read, ...found, more: false, operation, columns };
}

const PAGE = 100;

/** What any operation would take from the list: before it is said what to do, cells are checked one by one. */
function columnsIn({ operations }: ListDescription): Readonly<Record<string, string>> {
  const sure = operations.map(({ columns }) => columns);
  const likely = operations.flatMap((each) =>
    each.likely.map(({ input, column }): Record<string, string> => ({ [input]: column })),
  );
  return Object.assign({}, ...likely, ...sure);
}

function Head({ id, material }: { readonly id: string; readonly material: Material }) {
  const { list, batch, rows, more } = material;
  const reasons = batch === undefined ? text.fix.any : text.fix.attention(counted(rows.length, 'row'), more);
  return (
    <div class="title">
      <div class="heading">
        <h1>{text.fix.title}</h1>
        <p class="muted">
          <a class="cut" href={`/lists/${id}`} title={list.name}>
            {list.name}
          </a>
        </p>
        <p class="muted">{reasons}</p>
      </div>
    </div>
  );
}

function Grid({ material, edits }: { readonly material: Material; readonly edits: Edits }) {
  const { header, rows, columns } = material;
  const all = useSignal(false);
  const checks = useChecks(material, edits);
  const asked = new Set(Object.values(columns));
  const isShort = asked.size === 0 || header.length <= MOST_SHOWN;
  const shown = header
    .map((name, at) => ({ name, at, isAsked: asked.has(name) }))
    .filter(({ isAsked }) => isShort || all.value || isAsked);
  const sure = rows.flatMap(({ row }) => {
    const meant = Object.entries(checks.value.get(row)?.meant ?? {});
    return meant.flatMap(([name, { sure: isSure, words }]) =>
      isSure ? [{ row, at: header.indexOf(name), value: words[0] ?? '' }] : [],
    );
  });
  return (
    <section class="stack">
      <div class="actions">
        {!isShort && (
          <Checkbox
            look="switch"
            checked={all.value}
            onCheck={(isChecked) => (all.value = isChecked)}
            says={text.fix.allColumns(grouped(header.length))}
          />
        )}
        {sure.length > 0 && (
          <Button
            onClick={() => {
              for (const { row, at, value } of sure) edits.set(row, at, value);
            }}
            says={text.fix.takeAll(counted(sure.length, 'sure repair'))}
          />
        )}
      </div>
      <div class="scroll tall">
        <table class="grid edit">
          <thead>
            <tr>
              <th scope="col" class="number">
                {text.rows.row}
              </th>
              {shown.map(({ name, isAsked }) => (
                <th key={name} scope="col" class={isAsked ? 'asked' : undefined}>
                  {name}
                </th>
              ))}
              <th scope="col">{text.fix.state}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <CellsOf key={row.row} {...{ row, shown, edits }} check={checks.value.get(row.row)} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** Wider lists show the columns that the operation asks first. */
const MOST_SHOWN = 6;

type CheckedRow = Checked['rows'][number];

/** Asks the server about rows as they are typed: all that are shown once, then those that changed. */
function useChecks(material: Material, edits: Edits): Signal<ReadonlyMap<number, CheckedRow>> {
  const checks = useSignal<ReadonlyMap<number, CheckedRow>>(new Map());
  const { list, rows, header, operation, columns } = material;
  const current = edits.cells.value;
  useEffect(() => {
    const leaving = new AbortController();
    const timer = setTimeout(() => {
      const readable = rows.filter(({ unreadable }) => unreadable === undefined);
      const asked = readable.map(({ row, cells }) => {
        const named = header.map((name, at) => [name, current.get(editKey(row, at)) ?? cells[at] ?? '']);
        const wanted = new Set(Object.values(columns));
        return { row, cells: Object.fromEntries(named.filter(([name]) => wanted.has(name ?? ''))) };
      });
      const body = { operation, columns, rows: asked };
      ask<Checked>(`/lists/${list.id}/check`, { body, signal: leaving.signal }).then(
        (checked) => {
          checks.value = new Map(checked.rows.map((each) => [each.row, each]));
        },
        // What was typed stays, and the next key asks again.
        () => {},
      );
    }, CHECK_AFTER_MS);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [material, current]);
  return checks;
}

/** Somebody who types on is not asked about each letter. */
const CHECK_AFTER_MS = 200;

function Pages({
  id,
  material: { batch, next, rows },
}: {
  readonly id: string;
  readonly material: Material;
}) {
  const jump = (event: SubmitEvent): void => {
    event.preventDefault();
    const row = new FormData(event.currentTarget as HTMLFormElement).get('row');
    go(`/lists/${id}/fix?from=${Number(row) || 2}`);
  };
  return (
    <nav class="actions" aria-label={text.fix.pages}>
      {batch !== undefined && <a href={`/lists/${id}/fix?from=2`}>{text.fix.others}</a>}
      {next !== null && <ButtonLink to={`/lists/${id}/fix?from=${next}`} says={text.fix.next} />}
      {batch === undefined && rows.length > 0 && (
        <form class="actions" onSubmit={jump}>
          <label class="switch">
            {text.rows.jump} <input name="row" type="number" min="2" class="short" required />
          </label>
          <button type="submit">{text.rows.go}</button>
        </form>
      )}
    </nav>
  );
}

interface SaveProps {
  readonly id: string;
  readonly material: Material;
  readonly edits: Edits;
}

function Save({ id, material: { list, batch, read, header }, edits }: SaveProps) {
  const action = useAction();
  const count = edits.cells.value.size;
  const save = (): void =>
    action.run(async () => {
      const corrections = [...edits.cells.value].map(([key, value]) => {
        const [row = 0, at = 0] = key.split(' ').map(Number);
        return { row, column: header[at] ?? '', value };
      });
      const body = { version: list.version, read, corrections };
      await ask<Corrected>(`/lists/${id}/corrections`, { body });
      edits.clear();
      go(batch === undefined ? `/lists/${id}` : `/lists/${id}/plan`);
    });
  return (
    <div class="save-bar">
      <Refusal refused={action.refused.value} />
      <div class="actions">
        <span role="status">{count === 0 ? text.fix.nothing : text.fix.changed(counted(count, 'cell'))}</span>
        <Button
          class="primary"
          disabled={count === 0 || action.isBusy.value}
          onClick={save}
          says={batch === undefined ? text.fix.save : text.fix.saveAndPlan}
        />
      </div>
    </div>
  );
}

interface CellsOfProps {
  readonly row: ListRow & { readonly reason?: string };
  readonly shown: readonly { readonly name: string; readonly at: number; readonly isAsked: boolean }[];
  readonly edits: Edits;
  readonly check: Checked['rows'][number] | undefined;
}

function CellsOf({ row: { row, cells, unreadable, reason }, shown, edits, check }: CellsOfProps) {
  const edited = edits.cells.value;
  const isEdited = shown.some(({ at }) => edited.has(editKey(row, at)));
  return (
    <tr>
      <th scope="row" class="number" data-row={text.rows.row}>
        {grouped(row)}
      </th>
      {shown.map(({ name, at, isAsked }) => {
        const original = cells[at] ?? '';
        const typed = edited.get(editKey(row, at));
        const meant = isAsked ? (check?.meant[name]?.words ?? []) : [];
        if (unreadable !== undefined)
          return (
            <td key={name} class="cut" title={original} data-name={name}>
              {original}
            </td>
          );
        return (
          <td key={name} class={typed === undefined ? 'cell' : 'cell edited'} data-name={name}>
            <input
              aria-label={text.fix.cell(name, grouped(row))}
              value={typed ?? original}
              title={typed === undefined ? original : text.fix.was(original)}
              onInput={({ currentTarget }) => edits.set(row, at, currentTarget.value, original)}
              onKeyDown={onKey}
            />
            {meant.map((value) => (
              <Button
                key={value}
                class="plain meant"
                onClick={() => edits.set(row, at, value, original)}
                says={text.fix.use(value)}
              />
            ))}
          </td>
        );
      })}
      <State {...{ unreadable, reason, isEdited }} problem={check?.problem} />
    </tr>
  );
}

/** As in a sheet: Enter goes on to the cell below. */
function onKey(event: KeyboardEvent): void {
  if (event.key !== 'Enter') return;
  const cell = (event.currentTarget as HTMLElement).closest('td');
  const below = cell?.parentElement?.nextElementSibling?.children[cell.cellIndex];
  below?.querySelector('input')?.focus();
}

interface StateProps {
  readonly unreadable: string | undefined;
  readonly reason: string | undefined;
  readonly isEdited: boolean;
  readonly problem: string | null | undefined;
}

function State({ unreadable, reason, isEdited, problem }: StateProps) {
  if (unreadable !== undefined) return <td class="state">{text.fix.inTheFile(unreadable)}</td>;
  if (problem) return <td class="state problem">{problem}</td>;
  if (isEdited)
    return (
      <td class="state">
        <span class="tag good">{text.fix.right}</span>
      </td>
    );
  return <td class="state">{plainReason(reason ?? '')}</td>;
}

interface Edits {
  /** By `editKey`. */
  readonly cells: ReadonlySignal<ReadonlyMap<string, string>>;
  /** @param original what the list says; a cell that says so again is no correction. */
  set(row: number, at: number, value: string, original?: string): void;
  clear(): void;
}

function editKey(row: number, at: number): string {
  return `${row} ${at}`;
}

function useEdits(): Edits {
  const cells = useSignal<ReadonlyMap<string, string>>(new Map());
  useEffect(() => {
    const hold = (event: BeforeUnloadEvent): void => {
      if (cells.peek().size > 0) event.preventDefault();
    };
    addEventListener('beforeunload', hold);
    return () => removeEventListener('beforeunload', hold);
  }, []);
  return {
    cells,
    set(row, at, value, original) {
      const next = new Map(cells.peek());
      if (value === original) next.delete(editKey(row, at));
      else next.set(editKey(row, at), value);
      cells.value = next;
    },
    clear() {
      cells.value = new Map();
    },
  };
}
