import { useEffect, useRef } from 'preact/hooks';
import { capital, listed } from '../../../../core/plain-text.ts';
import { Fold } from '../../../../files/output/report/table.ts';
import { accountWords, inputWords } from '../../../../files/output/summary-words.ts';
import type { AttemptObject, BatchStatusObject, ListRows, RowObject, TableObject } from '../../../api.ts';
import { Act, Loaded, RefusedNotice } from '../../parts/asking.tsx';
import { Button, type Fact, Facts, Stop } from '../../parts/controls.tsx';
import { counted, creditWords, exactTime, grouped } from '../../parts/figures.ts';
import { ANSWERS, rawAnswer, read } from '../../parts/vendor.tsx';
import { acted, ask, look } from '../../session.ts';
import { focusTable, MendField, mendedAs, useMending } from './mends.tsx';
import { batchShown } from './rows.ts';
import { cellsTaken, type OfScene, teamPlan } from './scene.ts';
import { Doubts } from './stopped.tsx';
import { teamRows } from './team.ts';

/** One row beside the table: what was asked for it, what was answered, and what that cost. */
export function RowBeside({ scene }: OfScene) {
  const row = scene.opened.value ?? 0;
  const { batch } = scene;
  // What was asked for it is of a cell that says something else now.
  const isTaken = cellsTaken(scene).some((each) => each.row === row);
  const aside = useRef<HTMLElement>(null);
  const close = (): undefined => (scene.opened.value = undefined);
  useEffect(() => {
    const onKey = ({ key }: KeyboardEvent): unknown => key === 'Escape' && close();
    addEventListener('keydown', onKey);
    aside.current?.focus();
    return () => {
      removeEventListener('keydown', onKey);
      focusTable(row);
    };
  }, [row]);
  return (
    <aside ref={aside} class="opened" tabIndex={-1} aria-label={`Row ${row}`}>
      <p class="row">
        <Button look="link" says="Close" aria-label={`Close row ${row}`} onClick={close} />
      </p>
      {batch === undefined || batchShown(scene) === undefined || isTaken ? (
        <ToStart scene={scene} row={row} />
      ) : (
        <Loaded
          key={row}
          path={`/status/${batch.batch}`}
          question={(signal) => known(batch.batch, row, signal)}
          again={JSON.stringify([batch.counts, acted.value])}
        >
          {(asked) => <Shown scene={scene} batch={batch} {...asked} />}
        </Loaded>
      )}
    </aside>
  );
}

/** All that the list says in a row, before anything was started, and what a plan does with each person of it. */
function ToStart({ scene, row }: OfScene & { readonly row: number }) {
  const people = teamRows(teamPlan(scene) ?? {}).filter((each) => each.row === row);
  return (
    <>
      <h2>Row {grouped(row)}</h2>
      <Loaded<ListRows> path={`/lists/${scene.list?.id}/rows`} body={{ from: row, limit: 1 }}>
        {({ columns, rows: [own] }) => (
          <Facts
            of={columns.map(({ name }, at) => [
              name,
              mendedAs(scene, row, name)?.value ?? own?.cells[at] ?? '',
            ])}
          />
        )}
      </Loaded>
      {people.map(({ project, happens }) => (
        <p key={project}>
          {project}: {happens}
        </p>
      ))}
    </>
  );
}

interface Known {
  readonly object: RowObject;
  readonly table: TableObject;
}

async function known(batch: string, row: number, signal: AbortSignal): Promise<Known> {
  const [object, table] = await Promise.all([
    look<RowObject>('status', { batch, row }, signal),
    look<TableObject>('status', { batch, from: row, limit: 1 }, signal),
  ]);
  return { object, table };
}

interface OfRow extends Known, OfScene {
  readonly batch: BatchStatusObject;
}

function Shown(props: OfRow) {
  const { scene, batch, object, table } = props;
  const { row, outcome, attempts } = object;
  const name = ownName(table);
  const said = table.rows[0]?.says?.all;
  const found = foundNames(object);
  return (
    <>
      <h2>
        Row {grouped(row)}
        {name && ` · ${name}`}
      </h2>
      {outcome?.kind === 'in_doubt' && !scene.isRunning && <Doubts batch={batch} row={row} />}
      {object.match !== undefined && !scene.isRunning && <Match batch={batch} object={object} />}
      {attempts.length === 0 && <p>{outcome === null ? 'It was not asked yet.' : said || unsaid(outcome)}</p>}
      {attempts.length > 0 && outcome?.kind === 'matched' && <p>{said}</p>}
      {found.length > 0 && (
        <p>
          Found: <strong>{listed(found)}</strong>
          {name && !found.includes(name) && <> beside your “{name}”</>}
        </p>
      )}
      {found.length > 0 && scene.list && !scene.isRunning && <Wrong {...props} />}
      {attempts.toReversed().map((attempt) => (
        <Attempt key={attempt.attempt} {...attempt} />
      ))}
    </>
  );
}

/** An answer about another company or person: what was found stays, or its cells are left blank. */
function Match({ batch, object }: Pick<OfRow, 'batch' | 'object'>) {
  const { row, match = '', match_decision: decision } = object;
  const settle = (decided: object): Promise<unknown> =>
    ask('/settle', { body: { batch: batch.batch, row, ...decided } });
  return (
    <Stop says={`${capital(match)}. Is it the right one?`}>
      {decision !== 'keep' && <Act says="Yes, keep it" does={() => settle({ keep: true })} />}
      {decision !== 'blank' && <Act says="No, leave it blank" does={() => settle({ blank: true })} />}
    </Stop>
  );
}

/** Mends the cell by which it was asked, so that the row is asked anew; every other row is known and free. */
function Wrong({ scene, batch, object, table }: OfRow) {
  const mending = useMending(scene);
  const column = askedColumn(Object.values(batch.columns), object, table);
  const cell = { row: object.row, column };
  return (
    <>
      <Button look="link" says="this is wrong" onClick={() => mending.begin(cell)} />
      {mending.isAt(cell) && (
        <div class="need">
          <p>Correct “{column}”, or leave it blank to use another cell. Then this row alone is asked anew.</p>
          <MendField
            name={`${column} should be`}
            value={ownCell(table, column)}
            isNew
            onEnd={(value) => mending.end(cell, value)}
          />
        </div>
      )}
      <RefusedNotice refused={mending.refused} />
    </>
  );
}

const unsaid = ({ kind }: NonNullable<RowObject['outcome']>): string =>
  kind === 'unchanged' ? 'It is as the list says.' : 'Nothing had to be asked.';

function Attempt(attempt: AttemptObject) {
  const { account, intent_at: sent, subject, parameters, reply } = attempt;
  const asked = Object.entries(parameters).map(
    ([name, value]): Fact => [`Asked by ${inputWords(name)}`, String(value)],
  );
  const facts: readonly Fact[] = [
    ...(subject === null ? asked : [['About', subject] as const]),
    ['Sent', exactTime(sent)],
    ['Answer', answerWords(attempt)],
    ['Cost', costWords(attempt)],
    ['Account', accountWords(account)],
  ];
  return (
    <>
      <Facts of={facts} />
      {reply !== null && reply.body !== '' && (
        <Fold title="The whole answer">
          <pre>{rawAnswer(reply.body)}</pre>
        </Fold>
      )}
    </>
  );
}

function answerWords({ closure, decision, decided, released }: AttemptObject): string {
  if (closure === null) return 'on its way';
  const { sold } = closure;
  const words =
    sold === undefined ? (ANSWERS[closure.answer ?? closure.kind] ?? closure.kind) : `sold: ${sold}`;
  if (decision?.kind === 'told') return `${words}, as a person has said`;
  if (decided?.kind === 'skip') return `${words}; left out`;
  if (released !== null) return `${words}; a person has said that nothing came of it`;
  return words;
}

function costWords({ closure, reserved, released }: AttemptObject): string {
  if (released !== null) return 'nothing';
  const { charged, exact = true } = closure ?? {};
  if (charged !== undefined) return creditWords({ spent: charged, exact: exact || charged === 0 });
  return closure?.kind === 'in_doubt' ? `perhaps ${counted(reserved, 'credit')}` : 'nothing';
}

const OWN_NAMES = [/company|organi[sz]ation|firm|business|charity/i, /name/i, /e-?mail/i];

/** The cell by which a person knows the row. */
function ownName(table: TableObject): string | undefined {
  const hers = table.columns.filter(({ name, from }) => from === 'list' && ownCell(table, name) !== '');
  const [column] = OWN_NAMES.flatMap((named) => hers.find(({ name }) => named.test(name)) ?? []);
  return column && ownCell(table, column.name);
}

function ownCell({ columns, rows: [row] }: TableObject, column: string): string {
  return row?.cells[columns.findIndex(({ name, from }) => from === 'list' && name === column)] ?? '';
}

/** The column whose cell is in what was asked, else the first one. */
function askedColumn(columns: readonly string[], { attempts }: RowObject, table: TableObject): string {
  const plain = (value: unknown): string =>
    String(value)
      .toLowerCase()
      .replaceAll(/[^\p{L}\d@.]/gu, '');
  const values = attempts.flatMap(({ parameters }) => Object.values(parameters).map(plain)).filter(Boolean);
  const isAsked = (name: string): boolean =>
    values.some((value) => plain(ownCell(table, name)).includes(value));
  return columns.find(isAsked) ?? columns[0] ?? '';
}

const FOUND_NAME = /^(?:full_?|company_?|legal_?|display_?)?name$/i;

/** The name in the last answer that found something, for each thing that was looked for. */
function foundNames({ attempts, outcome }: RowObject): readonly string[] {
  if (outcome?.matched_by === undefined) return [];
  const found = attempts.filter(({ closure }) => closure?.answer === 'found');
  const lastOfEach = new Map(found.map(({ operation, reply }) => [operation, reply?.body]));
  return [...lastOfEach.values()].flatMap((body) => (body === undefined ? [] : (nameIn(read(body)) ?? [])));
}

/** The first name that stands highest in the answer. */
function nameIn(body: unknown): string | undefined {
  for (let level: unknown[] = [body]; level.length > 0; ) {
    const entries = level.flatMap((each) => Object.entries(each instanceof Object ? each : {}));
    const found = entries.find(([key, value]) => FOUND_NAME.test(key) && typeof value === 'string');
    if (found !== undefined) return String(found[1]);
    level = entries.map(([, value]) => value);
  }
  return undefined;
}
