import type { BatchDetail, SummaryView, WorkList, WorkView } from '../../api.ts';
import { Loaded, RefusedNotice } from '../loaded.tsx';
import { changeFigures } from '../parts/changes.ts';
import { ButtonLink } from '../parts/controls.tsx';
import { allRows, dateAndTime, duration, exactTime, grouped, spentWords } from '../parts/figures.ts';
import { NEED_ATTENTION, Progress, sumOf } from '../parts/outcomes.tsx';
import { BatchState, PlayMoney } from '../parts/tags.tsx';
import { beat, Refused } from '../session.ts';
import { text } from '../text.ts';
import { type AtWork, BatchButtons } from './batch/buttons.tsx';
import { Came, DownloadLinks } from './batch/came.tsx';

const words = text.batch;

export function BatchPage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const id = params.id ?? '';
  return (
    <Loaded<BatchDetail> path={`/batches/${id}`} again={beat.value}>
      {(detail) => (
        <Loaded<WorkList> path="/tasks" again={beat.value}>
          {({ work: items }) => (
            <BatchShown
              batch={detail}
              works={items.filter(({ about, batch }) => about === id || batch === id)}
            />
          )}
        </Loaded>
      )}
    </Loaded>
  );
}

interface BatchProps {
  readonly batch: BatchDetail;
  readonly works: readonly WorkView[];
}

function BatchShown({ batch, works }: BatchProps) {
  const running = batch.running || works.some(({ kind, state }) => kind === 'run' && state === 'working');
  const isOpen = batch.state === 'open';
  return (
    <>
      <BatchHead batch={batch} running={running} />
      <Notices batch={batch} works={works} running={running} />
      {isOpen && <Open batch={batch} works={works} running={running} />}
      {batch.settled > 0 && !running && (
        <Loaded<SummaryView>
          path={`/batches/${batch.batch}/summary`}
          again={JSON.stringify([batch.counts, batch.credits])}
        >
          {(came) => <Came batch={batch} came={came} />}
        </Loaded>
      )}
      {batch.followed_by !== null && (
        <p class="notice">
          {words.followed} <a href={`/batches/${batch.followed_by}`}>{words.toFollower(batch.followed_by)}</a>
        </p>
      )}
      {!isOpen && (
        <details class="card stack">
          <summary>{words.howItWent}</summary>
          <BatchFigures batch={batch} running={running} />
        </details>
      )}
      <Record batch={batch} />
    </>
  );
}

function Record({ batch }: { readonly batch: BatchDetail }) {
  const operation = batch.undoes === null ? batch.operation : text.batches.undoOf(batch.undoes);
  const lines = [
    [words.record.batch, batch.batch],
    [words.record.operation, operation],
    [words.record.account, batch.account],
    [words.record.begun, `${batch.created_at} (UTC)`],
  ] as const;
  return (
    <details class="card stack">
      <summary>{words.record.title}</summary>
      <dl class="facts">
        {lines.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {batch.next !== null && (
        <p>
          {words.record.command} <code>{batch.next}</code>
        </p>
      )}
    </details>
  );
}

function Open({ batch, works, running }: AtWork) {
  return (
    <>
      <section class="card stack" aria-label={words.progress}>
        <Progress settled={batch.settled} rows={allRows(batch)} />
        <Now batch={batch} running={running} />
        {running && batch.settled > 0 && <DownloadLinks batch={batch} />}
        <div class="title">
          <BatchButtons batch={batch} running={running} works={works} />
        </div>
      </section>
      <BatchFigures batch={batch} running={running} />
    </>
  );
}

function BatchHead({ batch, running }: { readonly batch: BatchDetail; readonly running: boolean }) {
  return (
    <header class="stack">
      <p class="muted">
        <a href="/">{text.batches.title}</a>
        {batch.undoes !== null && ` · ${text.batches.undoOf(batch.undoes)}`}
      </p>
      <div class="title">
        <h1 class="batch-name" title={batch.input}>
          {batch.input}
        </h1>
        <div class="actions">
          <BatchState batch={batch} running={running} />
          {batch.sandbox && <PlayMoney />}
        </div>
      </div>
      <p class="muted">{words.begun(dateAndTime(batch.created_at))}</p>
      <nav class="actions" aria-label={words.parts}>
        <ButtonLink to={`/batches/${batch.batch}/rows`} says={words.rows(grouped(allRows(batch)))} />
        {(batch.counts.in_doubt ?? 0) > 0 && (
          <ButtonLink
            to={`/batches/${batch.batch}/doubts`}
            says={words.doubts(grouped(batch.counts.in_doubt ?? 0))}
            look="danger"
          />
        )}
        {batch.changes !== undefined && batch.state !== 'open' && batch.undoes === null && (
          <ButtonLink to={`/batches/${batch.batch}/undo`} says={words.undo} />
        )}
      </nav>
    </header>
  );
}

function Notices({ batch, works, running }: AtWork) {
  const last = works.at(-1);
  const waiting = works.find(({ state }) => state === 'waiting');
  return (
    <div class="notices" aria-live="polite">
      {batch.held_since !== undefined && <p class="notice">{words.held(dateAndTime(batch.held_since))}</p>}
      {batch.half_done?.map((note) => (
        <p key={note} class="notice">
          {words.halfDone(note)}{' '}
          {batch.state === 'cancelled' && <a href={`/batches/${batch.batch}/undo`}>{words.inviteAsBefore}</a>}
        </p>
      ))}
      {batch.spender !== null && batch.state === 'open' && (
        <p class="notice">
          {words.spender} {waiting === undefined ? words.queue : words.queued}
        </p>
      )}
      {last?.state === 'ended' && !running && last.stopped !== null && last.stopped.code !== 'terminated' && (
        <RefusedNotice refused={new Refused(last.stopped)} />
      )}
    </div>
  );
}

function Now({ batch, running }: { readonly batch: BatchDetail; readonly running: boolean }) {
  const {
    paused_until: until,
    paused_why: why = '',
    paused_asked: asked = false,
    seconds_left: left,
  } = batch;
  return (
    <p class="muted now" aria-live="polite">
      {running && until !== null ? (
        <Pause until={until} why={why} asked={asked} />
      ) : (
        running && left !== null && words.left(duration(left))
      )}
    </p>
  );
}

interface PauseProps {
  readonly until: string;
  readonly why: string;
  readonly asked: boolean;
}

function Pause({ until, why, asked }: PauseProps) {
  const seconds = (new Date(until).getTime() - Date.now()) / 1000;
  if (seconds <= 0) return null;
  return (
    <>
      <span class="tag warn">{words.waits}</span> {asked ? words.pausedFor : words.backsOff}{' '}
      <strong>{duration(seconds)}</strong>, {words.until(exactTime(until))}
      {why !== '' && `: ${why}.`}
    </>
  );
}

function BatchFigures({ batch, running }: { readonly batch: BatchDetail; readonly running: boolean }) {
  const { credits, counts } = batch;
  const { budget, spent, in_doubt } = credits;
  const figures: (readonly [name: string, value: string | number | undefined, more?: string | undefined])[] =
    [];
  if (batch.has_costs) {
    const ofBudget = budget === null ? words.noBudget : words.ofBudget(grouped(budget));
    figures.push([words.spent, spentWords(credits), ofBudget]);
    if (budget !== null) figures.push([words.budgetLeft, Math.max(0, budget - spent - in_doubt)]);
    if (in_doubt > 0) figures.push([words.atRisk, in_doubt]);
  }
  if (batch.changes === undefined) {
    figures.push([words.matched, sumOf(counts, ['matched'])], [words.noMatch, sumOf(counts, ['no_match'])]);
    if ((counts.skipped ?? 0) > 0) figures.push([words.skipped, counts.skipped]);
  } else figures.push(...changeFigures(batch.changes));
  figures.push([words.attention, sumOf(counts, NEED_ATTENTION)], ...rangeFigures(batch), [
    words.requests,
    batch.requests,
    running ? words.lastMinute(grouped(batch.requests_last_minute)) : undefined,
  ]);
  return (
    <dl class="figures">
      {figures.map(([name, value, more]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{typeof value === 'number' ? grouped(value) : (value ?? '…')}</dd>
          {more !== undefined && <dd class="more">{more}</dd>}
        </div>
      ))}
    </dl>
  );
}

function rangeFigures({ ranges }: BatchDetail): readonly (readonly [string, number, string])[] {
  if (ranges === undefined) return [];
  const { waiting, running, set_aside: aside } = ranges;
  if (waiting + running + aside === 0) return [];
  return [[words.ranges, running, words.rangesLeft(grouped(waiting), grouped(aside))]];
}
