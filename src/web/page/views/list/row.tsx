import { Fragment } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { AttemptObject, BatchStatusObject, RowObject, TableObject } from '../../../api.ts';
import { Loaded } from '../../loaded.tsx';
import { Button } from '../../parts/controls.tsx';
import { counted, exactTime, grouped } from '../../parts/figures.ts';
import { look } from '../../session.ts';
import { Doubts } from './doubts.tsx';
import { Forget } from './forget.tsx';
import { focusTable } from './mends.tsx';
import { foundName, ownName, rawAnswer } from './row-words.ts';
import type { Scene } from './scene.ts';
import { Wrong } from './wrong.tsx';

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
        <OfBatch key={row} scene={scene} batch={batch} row={row} />
      )}
    </aside>
  );
}

interface OfRow {
  readonly scene: Scene;
  readonly batch: BatchStatusObject;
  readonly row: number;
}

function OfBatch({ scene, batch, row }: OfRow) {
  const again = JSON.stringify(batch.counts);
  const of = { batch: batch.batch };
  const question = async (signal: AbortSignal): Promise<Asked> => {
    const [object, table] = await Promise.all([
      look<RowObject>('status', { ...of, row }, signal),
      look<TableObject>('status', { ...of, from: row, limit: 1 }, signal),
    ]);
    return { object, table };
  };
  return (
    <Loaded path={`/status/${batch.batch}`} question={question} again={again}>
      {(asked) => <Shown scene={scene} batch={batch} {...asked} />}
    </Loaded>
  );
}

interface Asked {
  readonly object: RowObject;
  readonly table: TableObject;
}

function Shown({ scene, batch, object, table }: Omit<OfRow, 'row'> & Asked) {
  const { row, outcome, attempts } = object;
  const name = ownName(table);
  const found = foundName(object);
  return (
    <>
      <h2>
        Row {grouped(row)}
        {name && ` · ${name}`}
      </h2>
      {outcome?.kind === 'in_doubt' && !scene.isRunning && <Doubts batch={batch} row={row} />}
      {outcome === null && <p>It was not asked yet.</p>}
      {attempts.length === 0 && outcome !== null && <p>{reasonWords(outcome)}</p>}
      {found !== undefined && (
        <p>
          Found: <strong>{found}</strong>
          {name && name !== found && <> beside your “{name}”</>}
        </p>
      )}
      {found !== undefined && scene.list && !scene.isRunning && (
        <Wrong {...{ scene, batch, object, table }} />
      )}
      {attempts.toReversed().map((attempt, at) => (
        <Attempt
          key={attempt.attempt}
          attempt={attempt}
          matchedBy={at === 0 ? outcome?.matched_by : undefined}
        />
      ))}
      <Forget object={object} />
    </>
  );
}

const reasonWords = ({ kind, reason }: NonNullable<RowObject['outcome']>): string =>
  reason ?? (kind === 'unchanged' ? 'It is as the list says.' : 'Nothing had to be asked.');

// ----------------------------------------------------------------------------------------------- one question

interface AttemptProps {
  readonly attempt: AttemptObject;
  readonly matchedBy: string | undefined;
}

function Attempt({ attempt, matchedBy }: AttemptProps) {
  const { account, intent_at: sent, subject, parameters, reply } = attempt;
  const asked = Object.entries(parameters).map(([name, value]) => [`Asked by ${name}`, String(value)]);
  const facts = [
    ...(subject === null ? asked : [['About', subject]]),
    ...(matchedBy !== undefined && asked.length > 1 ? [['Found by', matchedBy]] : []),
    ['Sent', exactTime(sent)],
    ['Answer', answerWords(attempt)],
    ['Cost', costWords(attempt)],
    ['Account', account],
  ];
  return (
    <>
      <dl>
        {facts.map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
      </dl>
      {reply !== null && reply.body !== '' && (
        <details>
          <summary>The whole answer</summary>
          <pre>{rawAnswer(reply.body)}</pre>
        </details>
      )}
    </>
  );
}

const ANSWERS: Readonly<Record<string, string>> = {
  found: 'found',
  no_match: 'nothing found',
  refused: 'refused',
  not_sent: 'it was not sent',
  paused: 'it had to wait, and was asked again',
  stopped: 'it was stopped',
  in_doubt: 'none came, or nobody can read it',
  accepted: 'taken, and answered later',
};

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
