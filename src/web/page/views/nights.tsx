import type { Nights as AllNights, NightView, WorkList } from '../../api.ts';
import { forPage, Loaded } from '../loaded.tsx';
import { Act } from '../parts/act.tsx';
import { Meter } from '../parts/bar.tsx';
import { counted, fileName, foundIn, grouped, when } from '../parts/figures.ts';
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
  <p>
    Nothing is asked by night yet. Whoever opened Rowonce can open it with the file of a night, which says
    what is asked, of which folder, and when.
  </p>
);

function Planned({ night, isRunning }: { readonly night: NightView; readonly isRunning: boolean }) {
  const { job, file, operation, budget, schedule, next_run: next, paused, inbox } = night;
  const pause = (): Promise<void> =>
    ask(`/nights/${encodeURIComponent(job)}`, { method: 'PUT', body: { paused: !paused } });
  const state = next === null ? 'It is paused.' : `Next: ${when(next)}.`;
  return (
    <section class="card" aria-label={job}>
      <h2>{scheduleWords(schedule)}</h2>
      <p>
        What lies in the folder <b>{inbox}</b> is asked for {whatWords(operation)}
        {budget !== null && `, at most ${counted(budget, 'credit')} for a list`}.{' '}
        <span class="soft">The schedule stands in {file}.</span>
      </p>
      <p role="status">{isRunning ? 'It is running now.' : state}</p>
      <p class="row">
        <Act says="Run it now" disabled={isRunning} does={() => ask('/nightly', { body: { jobs: [job] } })} />
        <Act says={paused ? 'Go on' : 'Pause'} does={pause} />
      </p>
    </section>
  );
}

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

type Ended = NightView['ended'][number];

function Last({ night: { job, ended } }: { readonly night: NightView }) {
  return (
    <section class="card" aria-label={`The last nights of ${job}`}>
      <h2>The last nights</h2>
      {ended.length === 0 && <p class="soft">None has been yet.</p>}
      <div class="meter">
        {ended.slice(0, NIGHTS_SHOWN).map((each) => (
          <Meter key={each.at} name={when(each.at)} {...figuresOf(each)} />
        ))}
      </div>
      {ended[0] !== undefined && <Waiting sweep={ended[0].sweep} />}
    </section>
  );
}

/** The lists that the last night did not end. One that it has begun has a view, where it can go on. */
function Waiting({ sweep }: Pick<Ended, 'sweep'>) {
  const begun = (sweep?.files ?? []).filter(({ stopped }) => stopped !== null);
  return (
    <>
      {begun.map(({ file, batch, stopped }) => (
        <p class="need" key={file}>
          <b>{fileName(file)} waits</b>. {forPage(stopped?.message ?? '')}{' '}
          {batch !== null && <a href={`/files/${batch}`}>{WAYS[stopped?.code ?? ''] ?? 'Look at it'}</a>}
        </p>
      ))}
      {sweep?.left.map(({ file, why }) => (
        <p class="need" key={file}>
          <b>{fileName(file)} waits</b>. {forPage(why)}
        </p>
      ))}
    </>
  );
}

const WAYS: Readonly<Record<string, string>> = { budget: 'Raise its limit' };

/** How much of the night was found, and why it ended where it did. */
function figuresOf({ sweep, stopped }: Ended) {
  const part = foundIn(sweep?.counts ?? {});
  const whole = sweep?.rows ?? 0;
  const why = stopped ?? sweep?.stopped ?? sweep?.files.find((file) => file.stopped !== null)?.stopped;
  const found = whole === 0 ? [] : [`${grouped(part)} of ${grouped(whole)}`];
  const said = why ? [forPage(why.message) || 'it stopped'] : [];
  return { part, whole, says: [...found, ...said].join(': ') || 'nothing new' };
}
