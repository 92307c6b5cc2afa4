import { stringify } from 'yaml';
import type { z } from 'zod';
import { plainText } from '../core/plain-text.ts';
import { readingEntries } from '../core/reading.ts';
import { stepNames } from '../core/steps.ts';
import { parseDurationMs } from '../lib/duration.ts';
import { type Guards, type Job, jobSchema } from './job.ts';

/** `loadJob` reads the same job back. @param because input → why its column was guessed, as a phrase. */
export function jobYaml(job: Job, because: ReadonlyMap<string, string> = new Map()): string {
  const { name, steps } = job.operation;
  const { read, country } = readingEntries(job.read ?? {});
  const budget = job.budget === undefined ? undefined : { credits: job.budget };
  const lines = [
    steps === undefined ? entry('operation', name) : entry('operations', stepNames(name)),
    entry('account', job.account),
    ...block('columns', job.columns, because),
    entry('waterfall', job.waterfall),
    ...block('add', job.add),
    entry('on_existing', job.onExisting === 'refuse' ? undefined : job.onExisting),
    entry('formulas', job.formulas),
    entry('read', read),
    entry('country', country),
    entry('repair', job.repair),
    entry('budget', budget),
    entry('in_doubt', policyValue(job.inDoubt)),
    entry('refresh_after', ageText(job.refreshAfterMs)),
    entry('refresh_no_match_after', ageText(job.refreshNoMatchAfterMs)),
    ...Object.entries(job.settings ?? {}).map(([name, value]) => entry(name, value)),
    entry('guards', guardsValue(job.guards)),
    entry('inbox', job.inbox),
    entry('schedule', job.schedule),
    entry('notify', job.notify),
  ];
  return lines
    .filter((line) => line !== undefined)
    .map((line) => `${line}\n`)
    .join('');
}

function entry(name: string, value: unknown): string | undefined {
  return value === undefined ? undefined : `${member(name, value)}  # ${meaningOf(name)}`;
}

/** The first words of what the schema says of the entry. */
function meaningOf(name: string): string {
  const entries: Readonly<Record<string, z.ZodType>> = jobSchema.shape;
  return entries[name]?.description?.split(';')[0] ?? '';
}

function block(
  name: string,
  entries: Readonly<Record<string, string>> | undefined,
  because: ReadonlyMap<string, string> = new Map(),
): string[] {
  if (entries === undefined) return [];
  const pairs = Object.entries(entries);
  if (pairs.length === 0) return [`${name}: {}  # ${meaningOf(name)}`];
  const lines = pairs.map(([key, value]) => {
    const why = because.get(key);
    const words = `${key} ← ${value}${why === undefined ? '' : `, ${why}`}`;
    return `  ${member(key, value)}  # ${plainText(words)}`;
  });
  return [`${name}:  # ${meaningOf(name)}`, ...lines];
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
