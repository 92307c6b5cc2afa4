import { stringify } from 'yaml';
import { plainText } from '../core/plain-text.ts';
import { readingEntries } from '../core/reading.ts';
import { stepNames } from '../core/steps.ts';
import { parseDurationMs } from '../lib/duration.ts';
import type { Guards, Job } from './job.ts';

/** `loadJob` reads the same job back. @param because input → why its column was guessed, as a phrase. */
export function jobYaml(job: Job, because: ReadonlyMap<string, string> = new Map()): string {
  const { name, steps } = job.operation;
  const { read, country } = readingEntries(job.read ?? {});
  const budget = job.budget === undefined ? undefined : { credits: job.budget };
  const lines = [
    steps === undefined
      ? entry('operation', name, 'what is done with each row')
      : entry('operations', stepNames(name), 'what is done with each row, one after the other'),
    entry('account', job.account, 'whose key and address are used'),
    ...block('columns', job.columns, "the operation's input: the column of the file that holds it", because),
    entry('waterfall', job.waterfall, 'tried in this order until one matches'),
    ...block('add', job.add, 'new column: where its value is in the answer'),
    entry(
      'on_existing',
      job.onExisting === 'refuse' ? undefined : job.onExisting,
      'when the file has such a column',
    ),
    entry('formulas', job.formulas, 'whether cells that would begin a formula are made safe'),
    entry('read', read, 'how to read the file where the guess is wrong'),
    entry('country', country, 'for telephone numbers and postcodes'),
    entry('repair', job.repair, 'send damaged cells repaired where that is sure'),
    entry('budget', budget, 'hard limit: never passed'),
    entry('in_doubt', policyValue(job.inDoubt), 'what happens to a call whose answer was lost'),
    entry('refresh_after', ageText(job.refreshAfterMs), 'how old a bought match may be and still be used'),
    entry('refresh_no_match_after', ageText(job.refreshNoMatchAfterMs), 'the same for every other answer'),
    ...Object.entries(job.settings ?? {}).map(([name, value]) => entry(name, value, 'see docs/reference.md')),
    entry('guards', guardsValue(job.guards), 'how far a run may go'),
    entry('inbox', job.inbox, 'the folder whose files a sweep works through'),
    entry('schedule', job.schedule, 'when a sweep begins, as a cron expression'),
    entry('notify', job.notify, 'who is told how its lists ended'),
  ];
  return lines
    .filter((line) => line !== undefined)
    .map((line) => `${line}\n`)
    .join('');
}

function entry(name: string, value: unknown, comment: string): string | undefined {
  return value === undefined ? undefined : `${member(name, value)}  # ${comment}`;
}

function block(
  name: string,
  entries: Readonly<Record<string, string>> | undefined,
  comment: string,
  because: ReadonlyMap<string, string> = new Map(),
): string[] {
  if (entries === undefined) return [];
  const pairs = Object.entries(entries);
  if (pairs.length === 0) return [`${name}: {}  # ${comment}`];
  const lines = pairs.map(([key, value]) => {
    const why = because.get(key);
    const words = `${key} ← ${value}${why === undefined ? '' : `, ${why}`}`;
    return `  ${member(key, value)}  # ${plainText(words)}`;
  });
  return [`${name}:  # ${comment}`, ...lines];
}

/** One line of YAML; text is quoted where it would otherwise be read back as something else. */
function member(name: string, value: unknown): string {
  const flow = stringify({ [name]: value }, { collectionStyle: 'flow', lineWidth: 0 });
  return flow.trim().slice(1, -1).trim();
}

/** An age in the largest unit that expresses it exactly. */
function ageText(ageMs: number | undefined): string | undefined {
  if (ageMs === undefined) return undefined;
  for (const unit of ['d', 'h', 'm', 's']) {
    const unitMs = parseDurationMs(`1${unit}`) ?? 1;
    if (ageMs % unitMs === 0) return `${ageMs / unitMs}${unit}`;
  }
  return `${ageMs}ms`;
}

function policyValue(policy: Job['inDoubt']): unknown {
  return policy.kind === 'retry' ? { retry: { extra_credits: policy.extraCredits } } : policy.kind;
}

function guardsValue(guards: Guards | undefined): unknown {
  return (
    guards && {
      max_removals: guards.maxRemovals,
      admins: guards.admins,
      domains: guards.domains,
      max_invites: guards.maxInvites,
    }
  );
}
