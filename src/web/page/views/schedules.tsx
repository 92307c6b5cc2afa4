import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ScheduledStart, ScheduleList, ScheduleView } from '../../api.ts';
import { Loaded, Refusal } from '../loaded.tsx';
import { useAction } from '../parts/action.ts';
import { Agree } from '../parts/agree.tsx';
import { counted, dateAndTime, grouped } from '../parts/figures.ts';
import { PlayMoney } from '../parts/tags.tsx';
import { ask } from '../session.ts';
import { text, wordOf } from '../text.ts';

/** How often what sweeps do is looked at, ms. */
const AGAIN_MS = 2_000;

/** What begins by itself and when, and what came of it: starts of lists, and sweeps of inboxes. */
export function Schedules() {
  const round = useSignal(0);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) round.value += 1;
    }, AGAIN_MS);
    return () => clearInterval(timer);
  }, []);
  const { schedules: words } = text;
  const lookAgain = (): void => {
    round.value += 1;
  };
  return (
    <>
      <h1>{words.title}</h1>
      <Loaded<ScheduleList> path="/schedules" again={round.value}>
        {({ damaged, ...list }) => (
          <>
            {damaged.map((file) => (
              <div class="notice" role="alert" key={file}>
                {words.damaged(file)}
              </div>
            ))}
            <Cards {...list} lookAgain={lookAgain} />
          </>
        )}
      </Loaded>
    </>
  );
}

function Cards({
  schedules,
  starts,
  time_zone: zone,
  lookAgain,
}: Omit<ScheduleList, 'damaged'> & { lookAgain(): void }) {
  const { schedules: words } = text;
  return schedules.length + starts.length === 0 ? (
    <section class="empty">
      <h2>{words.none}</h2>
      <p>{words.noneWhat}</p>
      <code>{words.command}</code>
    </section>
  ) : (
    <>
      <p class="muted">{words.zone(zone)}</p>
      {starts.length > 0 && <h2>{words.starts}</h2>}
      <ul class="cards accounts">
        {starts.map((start) => (
          <StartCard key={start.id} start={start} zone={zone} lookAgain={lookAgain} />
        ))}
      </ul>
      {schedules.length > 0 && <h2>{words.sweeps}</h2>}
      <ul class="cards accounts">
        {schedules.map((schedule, number) => (
          <ScheduleCard key={schedule.inbox} {...{ schedule, number, zone, lookAgain }} />
        ))}
      </ul>
    </>
  );
}

/** What a card says first: whose money is spent, and for what. */
function CardTitle({
  name,
  account,
  sandbox,
}: {
  readonly name: string;
  readonly account: string;
  readonly sandbox: boolean;
}) {
  return (
    <div class="title">
      <h3 class="cut" title={name}>
        {name}
      </h3>
      <div class="actions">
        <span class="tag">{account}</span>
        {sandbox && <PlayMoney />}
      </div>
    </div>
  );
}

function StartCard({
  start,
  zone,
  lookAgain,
}: {
  readonly start: ScheduledStart;
  readonly zone: string;
  lookAgain(): void;
}) {
  const { schedules: words } = text;
  const { id, name, operation, account, sandbox, at_ms: at, budget, work, last } = start;
  const action = useAction();
  const drop = (): void =>
    action.run(async () => {
      await ask(`/schedules/starts/${id}`, { method: 'DELETE' });
      lookAgain();
    });
  const batch = work?.batch ?? last?.batch;
  return (
    <li class="card stack">
      <CardTitle name={name ?? words.gone} {...{ account, sandbox }} />
      <dl class="facts">
        <div>
          <dt>{last === null ? words.at : words.startedAt}</dt>
          <dd>
            {dateAndTime(at, zone)} <span class="muted">({wordOf(text.todo.operations, operation)})</span>
          </dd>
        </div>
        {budget !== null && (
          <div>
            <dt>{words.budget}</dt>
            <dd>{grouped(budget)}</dd>
          </div>
        )}
        {last !== null && (
          <div>
            <dt>{words.came}</dt>
            <dd>
              <Ended last={last} zone={zone} did={words.spent(counted(last.spent, 'credit'))} />
            </dd>
          </div>
        )}
      </dl>
      <Refusal refused={action.refused.value} />
      <div class="actions" aria-live="polite">
        {work === null ? (
          <button type="button" disabled={action.isBusy.value} onClick={drop}>
            {last === null ? text.plan.later.drop : text.plan.later.forget}
          </button>
        ) : (
          <span class="muted">{words.startStates[work.state]}</span>
        )}
        {batch != null && <a href={`/batches/${batch}`}>{words.toBatch}</a>}
        {batch == null && name !== null && (
          <a href={`/lists/${start.list}/plan?was=${start.plan}`}>{text.work.lookAgain}</a>
        )}
      </div>
    </li>
  );
}

function ScheduleCard({
  schedule: { job, schedule, inbox, to_agree: toAgree, account, sandbox, next_ms: next, work, last },
  number,
  zone,
  lookAgain,
}: {
  readonly schedule: ScheduleView;
  readonly number: number;
  readonly zone: string;
  lookAgain(): void;
}) {
  const { schedules: words } = text;
  const action = useAction();
  const sweep = (): void =>
    action.run(async () => {
      await ask(`/schedules/${number}/run`, { method: 'POST' });
      lookAgain();
    });
  return (
    <li class="card stack">
      <CardTitle name={job} {...{ account, sandbox }} />
      <dl class="facts">
        <div>
          <dt>{words.next}</dt>
          <dd>
            {next === null ? words.never : dateAndTime(next, zone)} <span class="muted">({schedule})</span>
          </dd>
        </div>
        <div>
          <dt>{words.inbox}</dt>
          <dd title={inbox}>{inbox}</dd>
        </div>
        <div>
          <dt>{words.last}</dt>
          <dd>{last === null ? words.notYet : <Ended last={last} zone={zone} did={sweptWords(last)} />}</dd>
        </div>
      </dl>
      {toAgree.map((each) => (
        <Agree key={each.agreement} of={{ schedule: number }} toAgree={each} onAgreed={lookAgain} />
      ))}
      <Refusal refused={action.refused.value} />
      <div class="actions" aria-live="polite">
        <button
          type="button"
          disabled={action.isBusy.value || work !== null || toAgree.length > 0}
          onClick={sweep}
        >
          {words.sweep}
        </button>
        {work !== null && <span class="muted">{words.states[work.state]}</span>}
      </div>
    </li>
  );
}

function sweptWords({ files, spent }: Last): string {
  const { schedules: words } = text;
  return files === 0 ? words.noFiles : words.did(counted(files, 'file'), counted(spent, 'credit'));
}

type Last = NonNullable<ScheduleView['last']>;

function Ended({
  last: { ended_ms: ended, exit_code: code, message },
  zone,
  did,
}: {
  readonly last: Last;
  readonly zone: string;
  /** What was done until then. */
  readonly did: string;
}) {
  const { schedules: words } = text;
  const tone = code === 0 ? 'good' : code === 3 ? 'warn' : 'bad';
  const word = code === 0 ? words.well : code === 3 ? words.attention : words.stopped;
  return (
    <>
      {dateAndTime(ended, zone)} <span class={`tag ${tone}`}>{word}</span> {did}
      {message !== null && <div class="muted">{message}</div>}
    </>
  );
}
