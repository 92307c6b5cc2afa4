import type { JsonObject } from '../core/operation.ts';
import type { InputRow } from '../core/row.ts';
import type { MappedInput, OpenedInput } from '../files/input.ts';
import { HostSurvey, hostReader, NO_SHARED_HOSTS, type SharedHosts } from '../files/quality/shared-hosts.ts';
import { settingsKept } from '../job/job-settings.ts';
import type { Batch } from '../ledger/ledger.ts';
import { isAccepted } from '../values/hosts.ts';
import type { PlanContext } from '../walk/resolved-job.ts';
import type { RunChoices } from './context.ts';

/**
 * The hosts with rows that a batch sets aside. They are found once, when the batch begins, and kept with it:
 * so every run of it, on any machine, comes to the same rows, until a person says that they are asked.
 */

type Settings = Pick<Batch, 'settings'>;

/** What is known of the hosts of a list. */
export interface ListHosts {
  /** Those whose rows are set aside. */
  readonly aside: SharedHosts;
  /** Those with several names: their rows say so. Not more than some hundred of them are kept. */
  readonly named: SharedHosts;
}

const NO_HOSTS: ListHosts = { aside: NO_SHARED_HOSTS, named: NO_SHARED_HOSTS };

/** None also of a batch that a program began which knew of no such hosts: it goes on as it began. */
function hostsKept({ settings }: Settings): ListHosts {
  const keptSettings = settingsKept(settings);
  const { shared_hosts: aside = {}, named_hosts: named = {}, shared_hosts_accepted: isTaken } = keptSettings;
  return {
    aside: isTaken === true ? NO_SHARED_HOSTS : new Map(Object.entries(aside)),
    named: new Map(Object.entries(named)),
  };
}

export const sharedHostsKept = (batch: Settings): SharedHosts => hostsKept(batch).aside;

/** What a batch keeps of them. @param accept the user's answers with this run. */
export function hostSettings(
  { aside, named }: ListHosts,
  accept: Accept,
  existing: Settings | undefined,
): JsonObject {
  const before = existing && settingsKept(existing.settings).shared_hosts_accepted;
  const isTaken = isTakingAside(accept) || before === true;
  return {
    ...(isTaken ? { shared_hosts_accepted: true } : { shared_hosts: Object.fromEntries(aside) }),
    ...(named.size === 0 ? {} : { named_hosts: Object.fromEntries(named) }),
  };
}

type Accept = RunChoices['accept'];

/** Whether the user takes the rows of such hosts with this run. */
export const isTakingAside = (accept: Accept): boolean => accept?.includes('shared-host') === true;

/** Whether the user takes rows with this run that an earlier one has set aside. */
export const takesAside = (accept: Accept, existing: Settings | undefined): boolean =>
  isTakingAside(accept) && existing !== undefined && sharedHostsKept(existing).size > 0;

/** Counts the hosts of a list, row by row. Undefined where no row can be set aside. */
export function hostSurveyOf(
  { job }: Pick<PlanContext, 'job'>,
  { columns }: Pick<OpenedInput, 'columns'>,
): { add(row: InputRow): void; found(): ListHosts } | undefined {
  const read = job.operation.change === undefined ? hostReader(columns.columns, columns.header) : undefined;
  if (read === undefined) return undefined;
  const survey = new HostSurvey();
  const accepted = job.accept_hosts ?? [];
  return {
    add(row) {
      const of = read(row);
      if (of !== undefined && !isAccepted(of.host, accepted)) survey.add(of);
    },
    found: () => ({ aside: survey.shared(), named: survey.named() }),
  };
}

/** The hosts that the batch of a list has kept, or else those of the list, which is read for them. */
export async function hostsOf(
  { job, accept }: Pick<PlanContext, 'job'> & { readonly accept?: Accept },
  input: Pick<MappedInput, 'columns' | 'sheet'>,
  existing: Settings | undefined,
): Promise<ListHosts> {
  const found = existing === undefined ? await hostsIn({ job }, input) : hostsKept(existing);
  return isTakingAside(accept) ? { ...found, aside: NO_SHARED_HOSTS } : found;
}

async function hostsIn(
  context: Pick<PlanContext, 'job'>,
  input: Pick<MappedInput, 'columns' | 'sheet'>,
): Promise<ListHosts> {
  const survey = hostSurveyOf(context, input);
  if (survey === undefined) return NO_HOSTS;
  for await (const group of input.sheet.groups()) for (const row of group) survey.add(row);
  return survey.found();
}
