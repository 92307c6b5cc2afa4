import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { rowsFound } from '../../../core/counts.ts';
import { listed } from '../../../core/plain-text.ts';
import { Fold } from '../../../files/output/report/parts.ts';
import { whatWords } from '../../../files/output/summary-words.ts';
import type { Nights as AllNights, Inboxed, NightView } from '../../api.ts';
import { Act, Loaded, RefusedNotice, useAction } from '../parts/asking.tsx';
import { Button, ButtonLink, Field, Notice, Popover, Title } from '../parts/controls.tsx';
import { clockTime, counted, dayAndTime, fileName, grouped, sumOf } from '../parts/figures.ts';
import { Form } from '../parts/form.tsx';
import { ask, beat, onPage } from '../session.ts';
import { worthWords } from './money/month.ts';
import { NewNight } from './nights/new-night.tsx';
import { placeOf, Written } from './nights/written.tsx';

/** What is asked by a schedule: when, what the last nights did, what they left, and a new one. */
export const Nights = () => (
  <>
    <Title name="Nights" />
    <Loaded<AllNights> path="/nights" again={beat.value}>
      {(all) => (
        <div class="view grid2" tabIndex={-1}>
          <div class="stack">
            <Running {...all} />
            {all.nights.map((night) => (
              <Waiting key={night.job} {...night} />
            ))}
            <Last {...all} />
          </div>
          <NewNight {...all} />
        </div>
      )}
    </Loaded>
  </>
);

function Running({ nights, ended, time_zone: zone }: AllNights) {
  return (
    <section class="paper" aria-label="What runs">
      <h2 class="hd">What runs</h2>
      {nights.length === 0 ? (
        <p class="pad soft">
          {ended.length === 0 ? 'Nothing is asked by night yet.' : 'No night is set up on this page.'} A night
          does with every new file of a folder what you did with a list, except your corrections of its cells.
        </p>
      ) : (
        <ul class="rows">
          {nights.map((night) => (
            <OneNight key={night.job} zone={zone} {...night} />
          ))}
        </ul>
      )}
    </section>
  );
}

function OneNight({ zone, ...night }: NightView & { readonly zone: string }) {
  const { job, name, made, problem, paused, running } = night;
  const path = `/nights/${encodeURIComponent(job)}`;
  const remove = (
    <Act
      look="quiet"
      says="Remove"
      aria-label={`Remove ${name}`}
      disabled={running}
      asks={`Remove the night ${name}? Its files stay where they are, and so does what it has found.`}
      does={() => ask(path, { method: 'DELETE' })}
    />
  );
  if (problem !== null) {
    const { message, next } = onPage(problem);
    return (
      <li class="night" aria-label={name}>
        <span>
          <b>{name}</b> does not run
          <br />
          <small class="need">
            {message} {next}
          </small>
        </span>
        <span class="bar">{remove}</span>
      </li>
    );
  }
  return (
    <li class="night" aria-label={name}>
      <span>
        <b>{name}</b> · {scheduleWords(night, zone)}
        <br />
        <small>
          {doneWords(night)} · <span role="status">{stateWords(night)}</span>
        </small>
      </span>
      <span class="bar">
        <PutIn path={path} night={name} />
        <Act
          says="Run now"
          aria-label={`Run now: ${name}`}
          disabled={running}
          does={() => ask('/nightly', { body: { jobs: [job] } })}
        />
        <Act
          says={paused ? 'Go on' : 'Pause'}
          aria-label={`${paused ? 'Go on with' : 'Pause'} ${name}`}
          does={() => ask(path, { method: 'PUT', body: { paused: !paused } })}
        />
        <Popover name={`More of ${name}`} says="⋯" look="quiet">
          {(close) => (
            <div class="stack">
              <Form
                says="Rename"
                look="line"
                isBeside
                sends={async ({ name: typed = '' }) => {
                  await ask(path, { method: 'PUT', body: { name: typed } });
                  close();
                }}
              >
                <Field says="Name of the night" name="name" defaultValue={name} />
              </Form>
              <Written {...night} />
              {made && <div class="bar">{remove}</div>}
            </div>
          )}
        </Popover>
      </span>
    </li>
  );
}

/** Puts files into the folder that the night looks into. */
function PutIn({ path, night }: { readonly path: string; readonly night: string }) {
  const { isBusy, refused, run } = useAction();
  const input = useRef<HTMLInputElement>(null);
  const names = useSignal<readonly string[]>([]);
  const put = async (files: readonly File[]): Promise<void> => {
    names.value = [];
    for (const file of files) {
      const to = `${path}/files?${new URLSearchParams({ name: file.name })}`;
      const { name } = await ask<Inboxed>(to, { method: 'PUT', body: file });
      names.value = [...names.value, name];
    }
  };
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        aria-label={`Files for ${night}`}
        onChange={({ currentTarget }) => {
          run(() => put([...(currentTarget.files ?? [])])).then(() => {
            currentTarget.value = '';
          });
        }}
      />
      <Button
        look="quiet"
        says="Add files"
        aria-label={`Add files to ${night}`}
        disabled={isBusy.value}
        onClick={() => input.current?.click()}
      />
      <small role="status">
        {names.value.length > 0 && `${listed(names.value)} will be taken by the next run.`}
      </small>
      <RefusedNotice refused={refused.value} />
    </>
  );
}

/** `new files of inbox · companies · at most 200 credits a file`. */
const doneWords = ({ inbox, operation, budget }: NightView): string =>
  [
    `new files of ${inbox}`,
    whatWords(operation),
    ...(budget === null ? [] : [`at most ${counted(budget, 'credit')} a file`]),
  ].join(' · ');

function stateWords({ running, paused, next_run: next }: NightView): string {
  if (running) return paused ? 'running now, then paused' : 'running now';
  return next === null ? 'paused' : `next: ${dayAndTime(next)}`;
}

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** `every night at 02:00 (16:00 in UTC)`; the five fields where the schedule is no simple one. */
function scheduleWords({ schedule, next_run: next }: NightView, zone: string): string {
  const place = placeOf(zone);
  const simple = /^(?<minute>\d{1,2}) (?<hour>\d{1,2}) \* \* (?<day>\*|[0-7]|1-5)$/.exec(schedule)?.groups;
  if (simple === undefined) return `by the schedule ${schedule}, ${place}`;
  const { minute = '', hour = '', day = '' } = simple;
  const there = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
  const here = next === null ? there : clockTime(new Date(next));
  const at = here === there ? `${there}, ${place}` : `${here} (${there} in ${place})`;
  if (day === '1-5') return `Monday to Friday at ${at}`;
  if (day !== '*') return `every ${DAYS[Number(day) % DAYS.length]} at ${at}`;
  const isNight = Number(hour) < 6 || Number(hour) > 19;
  return `every ${isNight ? 'night' : 'day'} at ${at}`;
}

// ------------------------------------------------------------------------------------- what the nights did

type Ended = NightView['ended'][number];

const hasEnded = ({ exit_code: code }: Ended): boolean => code !== null;

/** The lists that the last night did not end. One that it has begun has a view, where it can go on. */
function Waiting({ ended, budget }: NightView) {
  const last = ended.find(hasEnded);
  const begun = (last?.sweep?.files ?? []).flatMap((file) => {
    const { stopped } = file;
    return stopped === null ? [] : [{ ...file, code: stopped.code, says: whyItWaits(file, stopped, budget) }];
  });
  const left = (last?.sweep?.left ?? []).map(({ file, why }) => {
    return { file, batch: null, code: '', says: `${why}.` };
  });
  return [...begun, ...left].map(({ file, batch, code, says }) => (
    <Notice
      key={file}
      says={
        <>
          <b>{fileName(file)} waits.</b> {says.replaceAll(file, fileName(file))}
        </>
      }
    >
      {batch !== null && (
        <ButtonLink to={`/files/${batch}`} says={code === 'budget' ? 'Raise its limit' : 'Look at it'} />
      )}
    </Notice>
  ));
}

/** The fact, and where it has no view, what she does about it. */
function whyItWaits(
  { batch, rows, counts }: Swept[number],
  stopped: NonNullable<Ended['stopped']>,
  budget: number | null,
): string {
  const { message, next } = onPage(stopped);
  // Its limit is that of the night, which every file has.
  if (stopped.code === 'budget') {
    const ended = sumOf(Object.values(counts));
    const limit = `cost more than the ${counted(budget ?? 0, 'credit')} that a file may use`;
    const done = `${grouped(ended)} of its ${counted(rows ?? 0, 'row')} ${ended === 1 ? 'is' : 'are'} done`;
    return `${done}; the others ${limit}.`;
  }
  return batch === null ? `${message} ${next} The next run tries it again.` : message;
}

const NIGHTS_SHOWN = 7;

/** What each night did, the newest first. */
function Last({ nights, ended }: AllNights) {
  const isNamed = new Set([...nights.map(({ path }) => path), ...ended.flatMap(({ jobs }) => jobs)]).size > 1;
  const names = new Map(nights.map(({ path, name }) => [path, name]));
  const nameOf = (path: string): string => names.get(path) ?? jobName(path);
  const all = ended.map((end) => ({ ...end, job: isNamed ? listed(end.jobs.map(nameOf)) : '' }));
  const more = all.slice(NIGHTS_SHOWN);
  return (
    <section class="paper" aria-label="The last nights">
      <h2 class="hd">The last nights</h2>
      {all.length === 0 && <p class="pad soft">No night has ended yet.</p>}
      <ul class="rows nights">{all.slice(0, NIGHTS_SHOWN).map(OneEnd)}</ul>
      {more.length > 0 && (
        <Fold title={`${grouped(more.length)} more`}>
          <ul class="rows nights">{more.map(OneEnd)}</ul>
        </Fold>
      )}
    </section>
  );
}

const jobName = (path: string): string => fileName(path).replace(/\.ya?ml$/, '');

function OneEnd({ job, ...end }: Ended & { readonly job: string }) {
  const { at, sweep } = end;
  const { files = [], left: waitingFiles = [] } = sweep ?? {};
  const waits = files.filter(({ stopped }) => stopped !== null).length + waitingFiles.length;
  // A file that waits is told on the nights that have bought some of it.
  const done = files.filter(({ stopped, credits }) => stopped === null || credits.spent > 0);
  const rows = done.reduce((sum, file) => sum + (file.rows ?? 0), 0);
  const found = done.reduce((sum, { counts }) => sum + rowsFound(counts), 0);
  return (
    <li key={`${at} ${job}`}>
      <span>
        <time dateTime={at} title={dayAndTime(at)}>
          {MOMENT.format(new Date(at))}
        </time>
      </span>
      <span class="soft">
        {[job, files.length + waits === 0 ? emptyWords(end) : ''].filter(Boolean).join(' · ')}
        {job !== '' && done.length > 0 && ' · '}
        {done.length > 0 && (
          <Done files={done} says={`${counted(done.length, 'file')}, ${counted(rows, 'row')}`} />
        )}
      </span>
      <span class="far">{done.length > 0 && `${grouped(found)} found`}</span>
      <span class="num">{costOf(end)}</span>
      <span class="far need">
        {waits > 0 && `▲ ${waits === 1 ? '1 file waits' : `${grouped(waits)} files wait`}`}
      </span>
    </li>
  );
}

/** What is said of a night without a file. */
function emptyWords(end: Ended): string {
  if (end.stopped !== null) return onPage(end.stopped).message;
  if (hasEnded(end)) return 'nothing new';
  return end.running ? 'running now' : 'did not end; the next run goes on';
}

type Swept = NonNullable<Ended['sweep']>['files'];

/** The lists that a night has done, each with its view. */
function Done({ files, says }: { readonly files: Swept; readonly says: string }) {
  const [first, ...others] = files;
  if (first !== undefined && others.length === 0) return <a href={`/files/${first.batch}`}>{says}</a>;
  return (
    <Popover name="The lists of this night" says={says} look="link">
      {() => (
        <ul class="stack">
          {files.map(({ file, batch, counts }) => (
            <li key={file}>
              <a href={`/files/${batch}`}>{fileName(file)}</a>{' '}
              <span class="soft">{grouped(rowsFound(counts))} found</span>
            </li>
          ))}
        </ul>
      )}
    </Popover>
  );
}

/** `Thu 26 Nov, 02:04`, where the reader is. */
const MOMENT = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});

/** All that was paid, also for files that wait, and what lost answers may have cost. */
function costOf({ spent, sweep }: Ended): string {
  const { in_doubt: inDoubt = 0 } = sweep?.credits ?? {};
  const doubt = inDoubt === 0 ? '' : `${counted(inDoubt, 'credit')} in doubt`;
  return [worthWords(spent), doubt].filter(Boolean).join('; ');
}
