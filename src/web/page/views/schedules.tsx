import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ScheduleList, ScheduleView } from '../../api.ts';
import { Loaded, Refusal } from '../loaded.tsx';
import { useAction } from '../parts/action.ts';
import { moment } from '../parts/dates.ts';
import { counted } from '../parts/numbers.ts';
import { ask } from '../session.ts';
import { text } from '../text.ts';

/** How often what sweeps do is looked at, ms. */
const AGAIN_MS = 2_000;

/** When inboxes are swept, and what came of it. */
export function Schedules() {
  const round = useSignal(0);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) round.value += 1;
    }, AGAIN_MS);
    return () => clearInterval(timer);
  }, []);
  const { schedules: words } = text;
  return (
    <>
      <h1>{words.title}</h1>
      <Loaded<ScheduleList> path="/schedules" again={round.value}>
        {({ schedules, time_zone: zone }) =>
          schedules.length === 0 ? (
            <section class="empty">
              <h2>{words.none}</h2>
              <p>{words.noneWhat}</p>
              <code>{words.command}</code>
            </section>
          ) : (
            <>
              <p class="muted">{words.zone(zone)}</p>
              <ul class="cards accounts">
                {schedules.map((schedule, number) => (
                  <ScheduleCard
                    key={schedule.inbox}
                    schedule={schedule}
                    number={number}
                    zone={zone}
                    lookAgain={() => (round.value += 1)}
                  />
                ))}
              </ul>
            </>
          )
        }
      </Loaded>
    </>
  );
}

function ScheduleCard({
  schedule: { job, schedule, inbox, account, sandbox, next_ms: next, work, last },
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
    <li class="card account">
      <div class="title">
        <h2 class="cut" title={job}>
          {job}
        </h2>
        <div class="actions">
          <span class="tag">{account}</span>
          {sandbox && <span class="tag play">{text.playMoney}</span>}
        </div>
      </div>
      <dl class="facts">
        <div>
          <dt>{words.next}</dt>
          <dd>
            {next === null ? words.never : moment(next, zone)} <span class="muted">({schedule})</span>
          </dd>
        </div>
        <div>
          <dt>{words.inbox}</dt>
          <dd title={inbox}>{inbox}</dd>
        </div>
        <div>
          <dt>{words.last}</dt>
          <dd>{last === null ? words.notYet : <LastSweep last={last} zone={zone} />}</dd>
        </div>
      </dl>
      {action.refused.value !== undefined && <Refusal refused={action.refused.value} />}
      <div class="actions" aria-live="polite">
        <button type="button" disabled={action.isBusy.value || work !== null} onClick={sweep}>
          {words.sweep}
        </button>
        {work !== null && <span class="muted">{words.states[work.state]}</span>}
      </div>
    </li>
  );
}

function LastSweep({
  last: { ended_ms: ended, exit_code: code, message, files, spent },
  zone,
}: {
  readonly last: NonNullable<ScheduleView['last']>;
  readonly zone: string;
}) {
  const { schedules: words } = text;
  const tone = code === 0 ? 'good' : code === 3 ? 'warn' : 'bad';
  const word = code === 0 ? words.well : code === 3 ? words.attention : words.stopped;
  return (
    <>
      {moment(ended, zone)} <span class={`tag ${tone}`}>{word}</span>{' '}
      {files === 0 ? words.noFiles : words.did(counted(files, 'file'), counted(spent, 'credit'))}
      {message !== null && <div class="muted">{message}</div>}
    </>
  );
}
