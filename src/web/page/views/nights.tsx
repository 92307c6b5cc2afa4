import { rowsFound, rowsWanted } from '../../../core/counts.ts';
import { linesOf } from '../../../core/plain-text.ts';
import { Bar, Section } from '../../../files/output/report/table.ts';
import { whatWords } from '../../../files/output/summary-words.ts';
import type { Nights as AllNights, NightView } from '../../api.ts';
import { Act, Loaded } from '../parts/asking.tsx';
import { counted, fileName, foundWords, when } from '../parts/figures.ts';
import { ask, beat, onPage } from '../session.ts';

/** What is asked by a schedule: when, what the last nights did, and what they left. */
export const Nights = () => (
  <>
    <header>
      <h1>Nights</h1>
    </header>
    <Loaded<AllNights> path="/nights" again={beat.value}>
      {({ nights }) => (
        <>
          {nights.length === 0 && (
            <p>
              Nothing is asked by night yet. Whoever opened Rowonce can open it with the file of a night,
              which says what is asked, of which folder, and when.
            </p>
          )}
          {nights.map((night) => (
            <div class="two" key={night.job}>
              <Planned {...night} />
              <Last {...night} />
            </div>
          ))}
        </>
      )}
    </Loaded>
  </>
);

function Planned({ job, file, operation, budget, schedule, next_run: next, ...night }: NightView) {
  const { paused, running, inbox } = night;
  const pause = (): Promise<void> =>
    ask(`/nights/${encodeURIComponent(job)}`, { method: 'PUT', body: { paused: !paused } });
  const state = next === null ? 'It is paused.' : `Next: ${when(next)}.`;
  return (
    <section aria-label={job}>
      <h2>{scheduleWords(schedule)}</h2>
      <p>
        What lies in the folder <b>{inbox}</b> is asked for {whatWords(operation)}
        {budget !== null && `, at most ${counted(budget, 'credit')} for a list`}.{' '}
        <span class="soft">The schedule stands in {file}.</span>
      </p>
      <p role="status">{running ? `It is running now.${paused ? ' Then it is paused.' : ''}` : state}</p>
      <div class="row">
        <Act says="Run it now" disabled={running} does={() => ask('/nightly', { body: { jobs: [job] } })} />
        <Act says={paused ? 'Go on' : 'Pause'} does={pause} />
      </div>
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

type Ended = NightView['ended'][number];

function Last({ job, ended }: NightView) {
  const [last] = ended;
  const lines = ended.map((each) => [when(each.at), endedWords(each)]);
  return (
    <section aria-label={`The last nights of ${job}`}>
      <Section title="The last nights" columns={['ended', 'found']} most={7} lines={lines} />
      {last === undefined ? <p class="soft">No night has ended yet.</p> : <Waiting sweep={last.sweep} />}
    </section>
  );
}

/** The lists that the last night did not end. One that it has begun has a view, where it can go on. */
function Waiting({ sweep }: Pick<Ended, 'sweep'>) {
  const begun = (sweep?.files ?? []).filter(({ stopped }) => stopped !== null);
  const waiting = [
    ...begun.map(({ file, batch, stopped }) => ({
      file,
      batch,
      ...stopped,
      ...(stopped && onPage(stopped)),
    })),
    ...(sweep?.left ?? []).map(({ file, why }) => ({ file, batch: null, code: '', message: why })),
  ];
  return waiting.map(({ file, batch, code = '', message = '' }) => (
    <p class="need" key={file}>
      <b>{fileName(file)} waits</b>. {message}{' '}
      {batch !== null && (
        <a href={`/files/${batch}`}>{code === 'budget' ? 'Raise its limit' : 'Look at it'}</a>
      )}
    </p>
  ));
}

function endedWords({ sweep, stopped }: Ended) {
  const { counts = {}, rows = 0, files = [] } = sweep ?? {};
  const of = { rows, counts };
  const why = stopped ?? sweep?.stopped ?? files.find((file) => file.stopped !== null)?.stopped;
  const says = linesOf(rows > 0 && foundWords(of), why && onPage(why).message);
  return [<Bar key="bar" part={rowsFound(counts)} all={rowsWanted(of)} />, says.join(': ') || 'nothing new'];
}
