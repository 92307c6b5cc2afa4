import type { ComponentChildren } from 'preact';
import type { AttemptObject, RowDetail } from '../../api.ts';
import { Loaded } from '../loaded.tsx';
import { ButtonLink } from '../parts/controls.tsx';
import { counted, exactTime } from '../parts/figures.ts';
import { plainReason } from '../parts/plain-words.ts';
import { About, askedWords, ForeignText, StatusTag } from '../parts/tags.tsx';
import { Told } from '../parts/told.tsx';
import { beat } from '../session.ts';
import { text, wordOf } from '../text.ts';

export function Row({ params }: { readonly params: Readonly<Record<string, string>> }) {
  return (
    <>
      <div class="title">
        <h1>{text.row.title(params.row ?? '')}</h1>
        <ButtonLink
          to={`/batches/${params.id}/rows?from=${Math.max(2, Number(params.row) - 10)}`}
          says={text.row.rows}
        />
      </div>
      <Loaded<RowDetail> path={`/batches/${params.id}/rows/${params.row}`} again={beat.value}>
        {(detail) => <Shown detail={detail} />}
      </Loaded>
    </>
  );
}

function Shown({ detail }: { readonly detail: RowDetail }) {
  const { batch, view, prev, next, cells, found, planned } = detail;
  const rows = `/batches/${batch}/rows`;
  return (
    <>
      <About of={detail} />
      <div class="title">
        <span>
          <StatusTag status={view.status} /> <Told batch={batch}>{plainReason(view.reason)}</Told>{' '}
          {view.status === 'in_doubt' && <a href={`/batches/${batch}/doubts`}>{text.row.decide}</a>}
        </span>
        <nav class="actions" aria-label={text.row.rows}>
          {prev !== null && <ButtonLink to={`${rows}/${prev}`} says={text.row.previous} />}
          {next !== null && <ButtonLink to={`${rows}/${next}`} says={text.row.next} />}
        </nav>
      </div>
      {planned.length > 0 && (
        <section class="stack">
          <h2>{text.row.planned}</h2>
          <ol class="card timeline">
            {planned.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
        </section>
      )}
      <div class="row-cells">
        <Cells title={text.row.cells} cells={cells} none={text.rows.noCells} />
        <Cells
          title={text.row.found}
          cells={found.filter(({ text: value }) => value !== '')}
          none={text.row.nothingFound}
        />
      </div>
      <section class="stack">
        <h2>{text.row.attempts}</h2>
        {detail.attempts.length === 0 ? (
          <p class="muted">{text.row.noAttempts}</p>
        ) : (
          <ol class="timeline">
            {detail.attempts.map((attempt) => (
              <Attempt key={attempt.attempt} attempt={attempt} batch={batch} />
            ))}
          </ol>
        )}
      </section>
    </>
  );
}

interface CellsProps {
  readonly title: string;
  readonly cells: RowDetail['cells'];
  readonly none: string;
}

function Cells({ title, cells, none }: CellsProps) {
  return (
    <section class="stack">
      <h2>{title}</h2>
      {cells.length === 0 ? (
        <p class="muted">{none}</p>
      ) : (
        <dl class="card pairs">
          {cells.map(({ name, text: value }, at) => (
            <div key={at}>
              <dt>{name}</dt>
              <dd>
                <ForeignText value={value} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}

function Attempt({ attempt, batch }: { readonly attempt: AttemptObject; readonly batch: string }) {
  const { intent_at, operation, parameters, subject, reply, idempotency_key } = attempt;
  return (
    <li class="card">
      <div class="title">
        <strong>
          <time dateTime={intent_at}>{exactTime(intent_at)}</time>
        </strong>
        <Outcome attempt={attempt} />
      </div>
      <p>
        {wordOf(text.todo.operations, operation)}: {subject ?? askedWords(parameters)}{' '}
        <span class="muted">
          {attempt.reserved > 0 && text.row.reserved(counted(attempt.reserved, 'credit'))}{' '}
          {attempt.batch !== batch && text.row.ofBatch(attempt.batch)}
        </span>
      </p>
      <Story attempt={attempt} />
      <p class="muted small">
        {reply !== null && reply.request_id !== null && (
          <Named name={text.row.requestId}>{reply.request_id}</Named>
        )}
        {idempotency_key !== null && <Named name={text.row.idempotencyKey}>{idempotency_key}</Named>}
      </p>
      {reply !== null && (
        <details>
          <summary>{text.row.raw}</summary>
          <RawAnswer body={reply.body} />
        </details>
      )}
    </li>
  );
}

function Named({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <>
      {name} <code>{children}</code>{' '}
    </>
  );
}

function Outcome({ attempt: { closure, subject } }: { readonly attempt: AttemptObject }) {
  if (closure === null) return <span class="tag warn">{text.row.open}</span>;
  const { kind, answer, charged, exact } = closure;
  const tone = kind === 'in_doubt' ? 'warn' : kind === 'stopped' ? 'bad' : answer === 'found' ? 'good' : '';
  const words = answer === undefined ? wordOf(text.row.kinds, kind) : answer.replace('_', ' ');
  return (
    <span>
      <span class={`tag ${tone}`}>{words}</span>{' '}
      {charged !== undefined && (subject === null || charged > 0) && (
        <strong>
          {exact === false && charged > 0
            ? text.atMost(counted(charged, 'credit'))
            : counted(charged, 'credit')}
        </strong>
      )}
    </span>
  );
}

/** What an answer was says itself; anything else says why. */
function whyWords({ answer, why }: NonNullable<AttemptObject['closure']>): string {
  const plain = plainReason(why);
  if (plain !== '') return text.row.why(plain);
  return wordOf(text.row.answers, answer ?? 'refused');
}

function Story({ attempt }: { readonly attempt: AttemptObject }) {
  const { decision, decided, replaces, closure, looks, released } = attempt;
  const isTold = decision?.kind === 'told';
  const sentences = [
    ...(replaces === null ? [] : [text.row.anew(replaces)]),
    ...(decision === null || isTold ? [] : [text.row.again(decision.why)]),
    ...(closure === null ? [] : [whyWords(closure)]),
    ...looks.map(({ said, why }) => text.row.looked(said.replaceAll('_', ' '), why)),
    ...(released === null ? [] : [text.row.freed(released.why)]),
    ...(decided === null ? [] : [text.row.decided(decided.why)]),
    ...(decision !== null && isTold ? [text.row.told(decision.why)] : []),
  ];
  return (
    <ul class="story">
      {sentences.map((sentence, at) => (
        <li key={at}>{sentence}</li>
      ))}
    </ul>
  );
}

/** An answer as the vendor gave it: JSON by its members, anything else as it is. */
function RawAnswer({ body }: { readonly body: string }) {
  return body === '' ? <p class="muted">{text.row.noBody}</p> : <pre>{indented(body)}</pre>;
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
