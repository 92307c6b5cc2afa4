import { z } from 'zod';
import { isoTime } from '../core/clock.ts';
import { counted, foreignWords, grouped, linesOf } from '../core/plain-text.ts';
import { LogEntryObject, LogObject } from '../objects/log-object.ts';
import { aboutOf, type LogAbout, type LogEntry, logOf } from '../run/tasks/log.ts';
import { argument, command, flag } from './shared/command.ts';
import { COMMON } from './shared/input.ts';
import { TableFile } from './shared/table-file.ts';

/** As many as a person looks through. */
const SHOWN = 100;

export default command({
  name: 'log',
  summary: 'Shows who asked, bought or changed what: for a person, a company, a batch or everything.',
  example: 'log jo@example.com',
  input: z.strictObject({
    ...COMMON,
    about: argument(
      z.string().optional(),
      'an e-mail address, an ABN, a web address, or a batch; left out: everything',
    ),
    changes: flag(z.boolean().default(false), 'only what was changed at the service, with what it answered'),
    all: flag(z.boolean().optional(), 'every entry, not only the newest 100'),
    output: flag(
      z.string().optional(),
      'write every entry as a table (CSV); - is standard output',
      '<file>',
      { short: 'o' },
    ),
  }),
  output: LogObject,
  async run({ about: text, store, output, changes, all }, { console }) {
    const about = await aboutOf(text, store);
    const table =
      output === undefined ? undefined : await TableFile.open(output, LogEntryObject, console.json);
    const most = all ? Number.POSITIVE_INFINITY : SHOWN;
    const shown: LogEntry[] = [];
    let count = 0;
    const enough = new AbortController();
    await logOf({ store, about, changes, leaving: enough.signal }, async (entry) => {
      count += 1;
      if (shown.length < most) shown.push(entry);
      // A table has all of them, and words no more than are shown.
      if (table !== undefined)
        await table.add({
          ...LogEntryObject.of(entry),
          ended: entry.decision?.kind ?? endOf(entry) ?? null,
        });
      else if (count > most) enough.abort();
    });
    await table?.close();
    const more = count > shown.length;
    return {
      lines: output === '-' ? [] : linesFor(about, shown, { output, count, changes }),
      object: LogObject.parse({
        about: about.kind === 'all' ? [] : about.kind === 'batch' ? [about.batch] : about.values,
        entries: shown.map(LogEntryObject.of),
        more: table === undefined && more,
        output: output === undefined || output === '-' ? null : output,
      }),
      advice:
        more && output === undefined ? ['There is more: --all shows it, and -o log.csv writes it.'] : [],
    };
  },
});

function linesFor(
  about: LogAbout,
  entries: readonly LogEntry[],
  {
    output,
    count,
    changes,
  }: { readonly output: string | undefined; readonly count: number; readonly changes: boolean },
): readonly string[] {
  if (output !== undefined) return [`${counted(count, 'entry', 'entries')} in ${output}`];
  if (entries.length > 0) return entries.map(lineOf);
  if (about.kind !== 'values') return [`Nothing has been ${changes ? 'changed' : 'done'} yet.`];
  return [`Nothing was ${changes ? 'changed for' : 'asked about'} ${about.values.join(', ')}.`];
}

// ---------------------------------------------------------------------------------------------------- as words

function lineOf(entry: LogEntry): string {
  const { atMs, operator = 'nobody noted', batch, row } = entry;
  const where = batch === undefined ? '' : `  batch ${batch.id}${row === undefined ? '' : ` row ${row}`}`;
  return `${isoTime(atMs).slice(0, 19)}Z  ${operator}  ${whatOf(entry)}${where}${batch?.sandbox ? '  (play money)' : ''}`;
}

const ACTS: Readonly<Record<Exclude<LogEntry['kind'], 'asked' | 'changed' | 'decided'>, string>> = {
  begun: 'began a batch',
  gone_on: 'continued a batch',
  settled: 'decided about a batch',
  paused: 'paused a batch',
  resumed: 'resumed a batch',
  cancelled: 'cancelled a batch',
  erased: 'erased a person or old data',
};

function whatOf(entry: LogEntry): string {
  const { kind, request, decision, batch } = entry;
  if (request === undefined)
    return `${ACTS[kind as keyof typeof ACTS]}${batch === undefined ? '' : `, ${batch.operation} over ${batch.inputPath}`}`;
  if (decision !== undefined) {
    const who = decision.by === 'person' ? '' : `, by ${decision.by === 'job' ? 'the job' : 'a rule'}`;
    return `decided${decision.kind === 'told' ? '' : ` ${decision.kind}`}${who}, about ${subjectOf(entry)} (${foreignWords(decision.why)})`;
  }
  const { operation, charged, inDoubt, why } = request;
  const said = kind === 'changed' ? `, ${saidOf(entry)}` : ` (${foreignWords(why)})`;
  const cost = kind === 'changed' && charged + inDoubt === 0 ? '' : `, ${costOf(entry)}`;
  return `${operation} ${subjectOf(entry)}: ${endOf(entry)}${cost}${said}`;
}

/** A change that was made is done: nothing was looked for. */
const endOf = ({ kind, request }: LogEntry): string | undefined =>
  kind === 'changed' && request?.ended === 'found' ? 'done' : request?.ended;

const saidOf = ({ request }: LogEntry): string =>
  request?.status === undefined
    ? 'no answer'
    : `status ${request.status} ${foreignWords(request.said ?? '')}`.trim();

/** `email jo@x.com`, or by what it is known since it was erased. */
function subjectOf({ request }: LogEntry): string {
  if (request?.hash !== undefined) return `erased, hash ${request.hash}`;
  if (request?.subject !== undefined) return request.subject;
  return Object.entries(request?.asked ?? {})
    .map(([name, value]) => `${name} ${foreignWords(value, 80)}`)
    .join(', ');
}

function costOf(entry: LogEntry): string {
  const { charged = 0, inDoubt = 0 } = entry.request ?? {};
  return linesOf(
    `${grouped(charged)} ${charged === 1 ? 'credit' : 'credits'}`,
    inDoubt > 0 && `${grouped(inDoubt)} in doubt`,
  ).join(', ');
}
