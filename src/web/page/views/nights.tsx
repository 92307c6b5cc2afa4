import type { Nights as AllNights, NightView, WorkList } from '../../api.ts';
import { forPage, Loaded, RefusedNotice } from '../loaded.tsx';
import { useAction } from '../parts/action.ts';
import { Meter } from '../parts/bar.tsx';
import { Button } from '../parts/controls.tsx';
import { counted, foundIn, grouped } from '../parts/figures.ts';
import { ask, beat } from '../session.ts';
import { whatWords } from './list/words.ts';

/** What is asked by a schedule: when, what the last nights did, and what they left. */
export function Nights() {
  return (
    <>
      <div class="title">
        <h1>Nights</h1>
      </div>
      <Loaded<AllNights> path="/nights" again={beat.value}>
        {({ nights }) => (
          <Loaded<WorkList> path="/tasks" again={beat.value}>
            {({ work }) => {
              if (nights.length === 0) return <NoNight />;
              const running = work.filter(({ kind, state }) => kind === 'nightly' && state !== 'ended');
              return (
                <>
                  {nights.map((night) => (
                    <div class="two" key={night.job}>
                      <Planned night={night} isRunning={running.some(({ about }) => about === night.job)} />
                      <Last night={night} />
                    </div>
                  ))}
                </>
              );
            }}
          </Loaded>
        )}
      </Loaded>
    </>
  );
}

const NoNight = () => (
  <p class="sentence">
    Nothing is asked by night yet. Whoever opened Rowonce can open it with the file of a night, which says
    what is asked, of which folder, and when.
  </p>
);

function Planned({ night, isRunning }: { readonly night: NightView; readonly isRunning: boolean }) {
  const { job, file, operation, budget, schedule, next_run: next, paused, inbox } = night;
  const action = useAction();
  const pause = (): Promise<void> =>
    ask(`/nights/${encodeURIComponent(job)}`, { method: 'PUT', body: { paused: !paused } });
  return (
    <section class="card" aria-label={job}>
      <h2>{scheduleWords(schedule)}</h2>
      <p>
        What lies in the folder <b>{inbox}</b> is asked for {whatWords(operation)}
        {budget !== null && `, at most ${counted(budget, 'credit')} for a list`}.{' '}
        <span class="soft">The schedule stands in {file}.</span>
      </p>
      <p role="status">{stateWords(isRunning, next)}</p>
      <p class="row">
        <Button
          disabled={isRunning || action.isBusy.value}
          onClick={() => action.run(() => ask('/nightly', { body: { jobs: [job] } }))}
          says="Run it now"
        />
        <Button
          disabled={action.isBusy.value}
          onClick={() => action.run(pause)}
          says={paused ? 'Go on' : 'Pause'}
        />
      </p>
      <RefusedNotice refused={action.refused.value} />
    </section>
  );
}

function stateWords(isRunning: boolean, next: string | null): string {
  if (isRunning) return 'It is running now.';
  return next === null ? 'It is paused.' : `Next: ${NIGHT_AND_TIME.format(new Date(next))}.`;
}

const NIGHT_AND_TIME = new Intl.DateTimeFormat('en', {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** `Every night at 02:00, Sydney time`; the five fields where the schedule is no simple one. */
function scheduleWords(schedule: string): string {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const place = zone.includes('/') ? `${zone.split('/').at(-1)?.replaceAll('_', ' ')} time` : zone;
  const simple = /^(?<minute>\d{1,2}) (?<hour>\d{1,2}) \* \* (?<day>\*|[0-7]|1-5)$/.exec(schedule)?.groups;
  if (simple === undefined) return `By the schedule ${schedule}, ${place}`;
  const { minute = '', hour = '', day = '' } = simple;
  const at = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}, ${place}`;
  if (day === '1-5') return `Monday to Friday at ${at}`;
  if (day !== '*') return `Every ${DAYS[Number(day) % DAYS.length]} at ${at}`;
  const isNight = Number(hour) < 6 || Number(hour) > 19;
  return `Every ${isNight ? 'night' : 'day'} at ${at}`;
}

// ------------------------------------------------------------------------------------------ the last nights

const NIGHTS_SHOWN = 7;

function Last({ night: { job, ended } }: { readonly night: NightView }) {
  const left = ended[0]?.sweep?.left ?? [];
  return (
    <section class="card" aria-label={`The last nights of ${job}`}>
      <h2>The last nights</h2>
      {ended.length === 0 && <p class="soft">None has been yet.</p>}
      <div class="meter">
        {ended.slice(0, NIGHTS_SHOWN).map((each) => (
          <Meter key={each.at} name={dayOf(each.at)} {...partOf(each)} says={saysOf(each)} />
        ))}
      </div>
      {left.map(({ file, why }) => (
        <p class="need" key={file}>
          <b>{file} waits</b>. {forPage(why)}
        </p>
      ))}
    </section>
  );
}

/** `Thu 26, 02:00`. */
const dayOf = (at: string): string => DAY.format(new Date(at));

const DAY = new Intl.DateTimeFormat('en', {
  weekday: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

type Ended = NightView['ended'][number];

const partOf = ({ sweep }: Ended) => ({
  part: foundIn(sweep?.counts ?? {}),
  whole: sweep?.rows ?? 0,
});

function saysOf(night: Ended): string {
  const { sweep, stopped } = night;
  const why = stopped ?? sweep?.stopped ?? sweep?.files.find((file) => file.stopped !== null)?.stopped;
  const { part, whole } = partOf(night);
  const found = whole === 0 ? '' : `${grouped(part)} of ${grouped(whole)}`;
  if (why) return [found, forPage(why.message) || 'it stopped'].filter((words) => words !== '').join(': ');
  return found === '' ? 'nothing new' : found;
}
