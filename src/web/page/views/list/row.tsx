import { useEffect, useRef } from 'preact/hooks';
import { listed } from '../../../../core/plain-text.ts';
import { inputWords } from '../../../../files/output/summary-words.ts';
import type { AttemptObject, BatchStatusObject, RowObject, TableObject } from '../../../api.ts';
import { Loaded, RefusedNotice } from '../../loaded.tsx';
import { Button } from '../../parts/controls.tsx';
import { type Fact, Facts } from '../../parts/facts.tsx';
import { counted, exactTime, grouped } from '../../parts/figures.ts';
import { look } from '../../session.ts';
import { Doubts } from './doubts.tsx';
import { Forget } from './forget.tsx';
import { focusTable, MendField, useMending } from './mends.tsx';
import { ANSWERS, askedColumn, foundNames, ownCell, ownName, rawAnswer } from './row-words.ts';
import type { Scene } from './scene.ts';

/** One row beside the table: what was asked for it, what was answered, and what that cost. */
export function RowBeside({ scene }: { readonly scene: Scene }) {
  const row = scene.opened.value ?? 0;
  const { batch } = scene;
  const aside = useRef<HTMLElement>(null);
  const close = (): void => {
    scene.opened.value = undefined;
  };
  useEffect(() => {
    const onKey = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape') close();
    };
    addEventListener('keydown', onKey);
    aside.current?.focus();
    return () => {
      removeEventListener('keydown', onKey);
      focusTable();
    };
  }, [row]);
  return (
    <aside ref={aside} tabIndex={-1} aria-label={`Row ${row}`}>
      <p class="row">
        <Button look="link" says="Close" aria-label={`Close row ${row}`} onClick={close} />
      </p>
      {batch === undefined ? (
        <h2>Row {grouped(row)}</h2>
      ) : (
        <Loaded
          key={row}
          path={`/status/${batch.batch}`}
          question={(signal) => known(batch.batch, row, signal)}
          again={JSON.stringify(batch.counts)}
        >
          {(asked) => <Shown scene={scene} batch={batch} {...asked} />}
        </Loaded>
      )}
    </aside>
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

interface OfRow extends Known {
  readonly scene: Scene;
  readonly batch: BatchStatusObject;
}

function Shown(props: OfRow) {
  const { scene, batch, object, table } = props;
  const { row, outcome, attempts } = object;
  const name = ownName(table);
  const found = foundNames(object);
  return (
    <>
      <h2>
        Row {grouped(row)}
        {name && ` · ${name}`}
      </h2>
      {outcome?.kind === 'in_doubt' && !scene.isRunning && <Doubts batch={batch} row={row} />}
      {outcome === null && <p>It was not asked yet.</p>}
      {attempts.length === 0 && outcome !== null && <p>{reasonWords(outcome)}</p>}
      {found.length > 0 && (
        <p>
          Found: <strong>{listed(found)}</strong>
          {name && !found.includes(name) && <> beside your “{name}”</>}
        </p>
      )}
      {found.length > 0 && scene.list && !scene.isRunning && <Wrong {...props} />}
      {attempts.toReversed().map((attempt) => (
        <Attempt key={attempt.attempt} attempt={attempt} />
      ))}
      <Forget object={object} />
    </>
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
          <p>
            Correct “{column}”, or leave it blank so that another cell is used. Then this row alone is asked
            anew.
          </p>
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

const reasonWords = ({ kind, reason }: NonNullable<RowObject['outcome']>): string =>
  reason ?? (kind === 'unchanged' ? 'It is as the list says.' : 'Nothing had to be asked.');

// ----------------------------------------------------------------------------------------------- one question

function Attempt({ attempt }: { readonly attempt: AttemptObject }) {
  const { account, intent_at: sent, subject, parameters, reply } = attempt;
  const asked = Object.entries(parameters).map(
    ([name, value]): Fact => [`Asked by ${inputWords(name)}`, String(value)],
  );
  const facts: readonly Fact[] = [
    ...(subject === null ? asked : [['About', subject] as const]),
    ['Sent', exactTime(sent)],
    ['Answer', answerWords(attempt)],
    ['Cost', costWords(attempt)],
    ['Account', account],
  ];
  return (
    <>
      <Facts of={facts} />
      {reply !== null && reply.body !== '' && (
        <details>
          <summary>The whole answer</summary>
          <pre>{rawAnswer(reply.body)}</pre>
        </details>
      )}
    </>
  );
}

function answerWords({ closure, decision, decided, released }: AttemptObject): string {
  if (closure === null) return 'on its way';
  const words = ANSWERS[closure.answer ?? closure.kind] ?? closure.kind;
  if (decision?.kind === 'told') return `${words}, as a person has said`;
  if (decided?.kind === 'skip') return `${words}; left out`;
  if (released !== null) return `${words}; a person has said that nothing came of it`;
  return words;
}

function costWords({ closure, reserved, released }: AttemptObject): string {
  if (released !== null) return 'nothing';
  const { charged, exact } = closure ?? {};
  if (charged === undefined)
    return closure?.kind === 'in_doubt' ? `perhaps ${counted(reserved, 'credit')}` : 'nothing';
  return `${exact === false && charged > 0 ? 'at most ' : ''}${counted(charged, 'credit')}`;
}
