import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { capital, listed } from '../../../../../core/plain-text.ts';
import { Fold } from '../../../../../files/output/report/parts.ts';
import { rowName } from '../../../../../files/output/row-name.ts';
import { accountWords, inputWords } from '../../../../../files/output/summary-words.ts';
import type {
  AttemptObject,
  BatchStatusObject,
  ListRows,
  PlanObject,
  RowObject,
  TableObject,
} from '../../../../api.ts';
import { Act, Loaded, lazyPart } from '../../../parts/asking.tsx';
import { Button, type Fact, Facts, Field, Folded, Notice, Panel, Scroll } from '../../../parts/controls.tsx';
import { counted, creditWords, dayAndTime, grouped } from '../../../parts/figures.ts';
import { ANSWERS, parsedBody, rawAnswer } from '../../../parts/vendor.tsx';
import { acted, ask, look } from '../../../session.ts';
import { type Column, columnsOf, isBought, isHers } from '../columns.ts';
import { AskAgain, useAgain } from '../course/again.tsx';
import { canAskAgain } from '../course/again-asked.ts';
import { operationsOf } from '../job.ts';
import { focusTable, mend, mendedAs } from '../mends/mends.tsx';
import { batchStarted } from '../rows.ts';
import { cellsTaken, type OfScene, type Scene } from '../scene.ts';
import { teamRows } from '../team.ts';

const Doubts = lazyPart(async () => (await import('../course/doubts.tsx')).Doubts, '');
const History = lazyPart(async () => (await import('./history.tsx')).History, '');

/** One row beside the table: what was asked for it, what was answered, and what that cost. */
export function RowBeside({ scene }: OfScene) {
  const row = scene.opened.value ?? 0;
  const { batch } = scene;
  // What was asked for it is of a cell that says something else now.
  const isTaken = cellsTaken(scene).some((each) => each.row === row);
  const aside = useRef<HTMLElement>(null);
  const close = (): undefined => (scene.opened.value = undefined);
  useEffect(() => {
    // Escape closes what lies above the row first, such as a menu.
    const onKey = ({ key }: KeyboardEvent): unknown =>
      key === 'Escape' && document.querySelector(':popover-open') === null && close();
    addEventListener('keydown', onKey);
    aside.current?.focus();
    return () => {
      removeEventListener('keydown', onKey);
      focusTable(row);
    };
  }, [row]);
  return (
    <Panel place={aside} name={`Row ${row}`}>
      <Scroll>
        <div class="bar">
          <h2>Row {grouped(row)}</h2>
          <span class="end">
            <Button look="quiet" says="✕" aria-label={`Close row ${row}`} onClick={close} />
          </span>
        </div>
        {batch === undefined || batchStarted(scene) === undefined || isTaken ? (
          <ToStart scene={scene} row={row} />
        ) : (
          <Loaded
            key={row}
            path={`/status/${batch.batch}`}
            question={(signal) => known(batch.batch, row, signal)}
            again={JSON.stringify([batch.counts, acted.value])}
          >
            {(rowKnown) => <Shown scene={scene} batch={batch} {...rowKnown} />}
          </Loaded>
        )}
      </Scroll>
    </Panel>
  );
}

/** What is known of a row by what she has chosen, all that her list says in it, and who of a team it is about. */
function ToStart({ scene, row }: OfScene & { readonly row: number }) {
  const people = teamRows(scene.teamPlanned ?? {}).filter((each) => each.row === row);
  const job = operationsOf(scene.job).length > 0 ? scene.job : undefined;
  return (
    <>
      <Loaded<ListRows> path={`/lists/${scene.list?.id}/rows`} body={{ from: row, limit: 1, job }}>
        {(page) => (
          <>
            <Facts of={cellsIn(scene, page, isBought)} />
            <Facts of={cellsIn(scene, page, isHers)} />
          </>
        )}
      </Loaded>
      {people.map(({ project, happens }) => (
        <p key={project}>
          {project}: {happens}
        </p>
      ))}
      {people[0] && <History who={people[0].email} again={acted.value} />}
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
  const typed = useSignal<string | undefined>(undefined);
  const name = ownName(table, batch.columns);
  const why = whyOf(object, table.rows[0]?.says?.all ?? '');
  const found = foundNames(object);
  const values = cellsIn(scene, table, isBought);
  const names: readonly Fact[] = [
    ['Yours', name ?? ''],
    ['Found', listed(found)],
  ];
  const { email = '', user_id: userId = '' } = batch.columns;
  const person = batch.changes && (ownCell(table, email) || ownCell(table, userId));
  const canAsk = canAskAgain(scene) && outcome?.kind !== 'in_doubt' && typed.value === undefined;
  return (
    <>
      {found.length > 0 ? <Facts of={names} /> : name && <b>{name}</b>}
      {outcome?.kind === 'in_doubt' && !scene.isRunning && <Doubts batch={batch} row={row} />}
      {object.match !== undefined && !scene.isRunning && <Match batch={batch} object={object} />}
      {why && <p>{why}</p>}
      <Facts of={values} />
      {found.length > 0 && scene.list && !scene.isRunning && <Wrong {...props} typed={typed} />}
      {canAsk && (
        <p>
          <AskAgain scene={scene} only={String(row)} />
        </p>
      )}
      {attempts.toReversed().map((attempt) => (
        <Attempt key={attempt.attempt} attempt={attempt} scene={scene} />
      ))}
      {person && <History who={person} again={JSON.stringify([batch.counts, acted.value])} />}
      <Folded says="Your columns" open={values.every(([, says]) => says === '')}>
        {() => <Facts of={cellsIn(scene, table, isHers)} />}
      </Folded>
    </>
  );
}

/** What some cells of the row say, whole, by the names of their columns. */
function cellsIn(
  scene: Scene,
  { columns, rows: [line] }: Pick<ListRows | TableObject, 'columns' | 'rows'>,
  isWanted: (column: Column) => boolean,
): readonly Fact[] {
  const shown = columnsOf(scene, columns).filter(isWanted);
  return shown.map((column) => {
    const { name, at = -1 } = column;
    const mended = isHers(column) ? mendedAs(scene, line?.row ?? 0, name)?.value : undefined;
    return [name, mended ?? line?.cells[at] ?? ''];
  });
}

/** An answer about another company or person: what was found stays, or its cells are left blank. */
function Match({ batch, object }: Pick<OfRow, 'batch' | 'object'>) {
  const { row, match = '', match_decision: decision } = object;
  const settle = (decided: object): Promise<unknown> =>
    ask('/settle', { body: { batch: batch.batch, row, ...decided } });
  return (
    <Notice says={`${capital(match)}. Is it the right one?`}>
      {decision !== 'keep' && <Act says="Yes, keep it" does={() => settle({ keep: true })} />}
      {decision !== 'blank' && (
        <Act look="quiet" says="No, leave it blank" does={() => settle({ blank: true })} />
      )}
    </Notice>
  );
}

interface WrongProps extends OfRow {
  /** What stands in the place of the answer while she corrects the cell. */
  readonly typed: Signal<string | undefined>;
}

/**
 * Mends the cell by which it was asked, and asks this row anew: every other one is known and free. Where others
 * wait for the next start as well, or it would cost more than the button says, she looks at the start first.
 */
function Wrong({ scene, batch, object, table, typed }: WrongProps) {
  const column = askedColumn(Object.values(batch.columns), object, table);
  const before = ownCell(table, column);
  const { plan, price } = useAgain({ scene, only: String(object.row) });
  if (typed.value === undefined)
    return (
      <p>
        <Button look="link" says="This is wrong" onClick={() => (typed.value = before)} />
      </p>
    );
  const save = async (): Promise<void> => {
    const value = typed.value ?? before;
    await mend(scene, { row: object.row, column }, value);
    typed.value = undefined;
    if (await startedFor(scene, plan?.credits.most ?? 0)) return;
    scene.opened.value = undefined;
    scene.isPlanning.value = true;
  };
  return (
    <div class="stack">
      <Field
        says={`${column} should be`}
        value={typed.value}
        onInput={({ currentTarget: { value } }) => (typed.value = value)}
        onKeyDown={(event) => {
          // Escape closes the row else.
          if (event.key === 'Escape') event.stopPropagation();
          if (event.key === 'Escape') typed.value = undefined;
        }}
      />
      <p class="soft">Leave it blank to use another cell.</p>
      <div class="bar">
        <Act
          says={`Save and ask again, ${price}`}
          disabled={plan === undefined || typed.value === before}
          does={save}
        />
        <Button look="quiet" says="Cancel" onClick={() => (typed.value = undefined)} />
      </div>
    </div>
  );
}

/** Starts the list for the one row that was mended. @returns whether it was started: it costs no more than said. */
async function startedFor({ list, job }: OfRow['scene'], most: number): Promise<boolean> {
  const order = { file: list?.id, job };
  if (operationsOf(job).length === 0) return false;
  const { id, to_buy: rows, credits } = await ask<PlanObject>('/plan', { body: order });
  if (rows > 1 || credits.most > most) return false;
  await ask('/run', { body: { ...order, plan: id, budget: credits.most } });
  return true;
}

/** What `_reason` says of the row, where the requests below do not say all of it. */
function whyOf({ attempts, outcome }: RowObject, reason: string): string {
  if (attempts.length === 0) return outcome === null ? 'It was not asked yet.' : reason || unsaid(outcome);
  return outcome?.kind === 'matched' || outcome?.kind === 'no_match' ? reason : '';
}

const unsaid = ({ kind }: NonNullable<RowObject['outcome']>): string =>
  kind === 'unchanged' ? 'It is as the list says.' : 'No request was needed.';

function Attempt({ attempt, scene }: OfScene & { readonly attempt: AttemptObject }) {
  const { account, intent_at: sent, subject, parameters, reply } = attempt;
  const inputFacts = Object.entries(parameters).map(
    ([name, value]): Fact => [`Asked by ${inputWords(name)}`, String(value)],
  );
  const facts: readonly Fact[] =
    subject === null
      ? [
          ...inputFacts,
          ['Sent', exactTime(sent)],
          ['Answer', answerWords(attempt)],
          ['Cost', costWords(attempt)],
          ['Account', accountWords(account)],
        ]
      : changeFacts(attempt, subject, scene);
  return (
    <>
      {subject && <b>{subject}</b>}
      <Facts of={facts} />
      {reply !== null && reply.body !== '' && (
        <Fold title="The whole answer">
          <pre>{rawAnswer(reply.body)}</pre>
        </Fold>
      )}
    </>
  );
}

/** What was changed, by whom and when. */
function changeFacts(attempt: AttemptObject, subject: string, { report }: Scene): readonly Fact[] {
  const { account, intent_at: sent, operation, parameters, closure } = attempt;
  const others = Object.entries(parameters).filter(
    ([, value]) => value !== '' && !subject.startsWith(String(value)),
  );
  const cost = costWords(attempt);
  return [
    ['Change', operation.replaceAll('-', ' ')],
    ...others.map(([name, value]): Fact => [capital(inputWords(name)), String(value)]),
    ['When', exactTime(sent)],
    ['By', listed(report.value?.operators ?? [])],
    ['Result', closure?.answer === 'found' ? 'done' : answerWords(attempt)],
    ['Cost', /^nothing$|\b0 credits/.test(cost) ? '' : cost],
    ['Account', accountWords(account)],
  ];
}

function answerWords({ closure, decision, decided, released }: AttemptObject): string {
  if (closure === null) return 'on its way';
  const { sold } = closure;
  const words =
    sold === undefined ? (ANSWERS[closure.answer ?? closure.kind] ?? closure.kind) : `sold: ${sold}`;
  if (decision?.kind === 'told') return `${words}, as a person has said`;
  if (decided?.kind === 'skip') return `${words}; left out`;
  if (released !== null) return `${words}; a person has said that it was not done`;
  return words;
}

function costWords({ closure, reserved, released }: AttemptObject): string {
  if (released !== null) return 'nothing';
  const { charged, exact = true } = closure ?? {};
  if (charged !== undefined) return creditWords({ spent: charged, exact: exact || charged === 0 });
  return closure?.kind === 'in_doubt' ? `perhaps ${counted(reserved, 'credit')}` : 'nothing';
}

/** What a person calls the row by what her list says. */
function ownName(table: TableObject, askedColumns: BatchStatusObject['columns']): string | undefined {
  const hers = table.columns.flatMap(({ name, from }) => (from === 'list' ? name : []));
  const cells = hers.map((name) => ownCell(table, name));
  return rowName(hers, cells, askedColumns);
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
  return [...lastOfEach.values()].flatMap((body) =>
    body === undefined ? [] : (nameIn(parsedBody(body)) ?? []),
  );
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

/** `today 14:05:31`, where the reader is: requests come within a minute of each other. */
function exactTime(at: string): string {
  const then = new Date(at);
  const day = dayAndTime(at).replace(/ \d\d:\d\d$/, '');
  return `${day} ${then.toLocaleTimeString('en', { timeStyle: 'medium', hourCycle: 'h23' })}`;
}
