import { z } from 'zod';
import { stop } from '../core/errors.ts';
import { present } from '../core/objects.ts';
import type { JsonObject, JsonValue } from '../core/operation.ts';
import { foreignWords } from '../core/plain-text.ts';
import { inSteps } from '../core/steps.ts';
import { credits } from '../ledger/ledger.ts';
import { findOperation, type Job, type OperationSources } from './job.ts';
import { jobEntries, policyOf, settingsOf, stepEntries } from './job-schema.ts';

const {
  operation,
  columns,
  waterfall,
  repair,
  in_doubt,
  add,
  on_existing,
  only_if,
  unless,
  accept_hosts,
  role_addresses,
  mismatch,
} = jobEntries.shape;

/**
 * The entries of a job that decide how rows are worked on, in the form in which they travel with a batch to
 * processes that do not have the job file. They are read back through zod, because the process that wrote
 * them may be of another version.
 */
const carriedSchema = z.object({
  name: z.string(),
  operation: operation.nonoptional(),
  columns,
  waterfall,
  repair,
  accept_hosts,
  role_addresses,
  // The next four say which rows are left out that no run has looked at yet.
  only_if,
  unless,
  add,
  on_existing,
  mismatch,
  /** Absent where the job has one account. The accounts of a step are known by their identities. */
  steps: z
    .array(
      z.object({
        name: z.string(),
        accounts: z.array(z.string()).readonly(),
        in_doubt: stepEntries.shape.in_doubt.unwrap().exactOptional(),
        check: stepEntries.shape.check.unwrap().exactOptional(),
        accept: stepEntries.shape.accept.unwrap().exactOptional(),
      }),
    )
    .optional(),
  /** The limit for retries is kept with the batch, so it is not needed here. */
  in_doubt: z.union([
    in_doubt,
    z.literal('retry').transform(() => ({ retry: { extra_credits: credits(0) } })),
  ]),
  /** The entries of the operation. */
  settings: jobEntries.partial().optional(),
});

/** The steps with other names for their accounts, such as the identities that they have on any host. */
export const withAccountNames = (steps: Job['steps'], names: ReadonlyMap<string, string>): Job['steps'] =>
  steps?.map(({ name, accounts, in_doubt, check, accept }) => ({
    name,
    accounts: accounts.map((name) => names.get(name) ?? name),
    ...present({
      in_doubt,
      accept,
      check: check && {
        ...check,
        account: renamed(check.account, (name) => names.get(name) ?? name),
      },
    }),
  }));

const renamed = (names: string | readonly string[], to: (name: string) => string) =>
  typeof names === 'string' ? to(names) : names.map(to);

/** @param steps the steps of a job that has several accounts. Left out: it has one. */
export function carriedJob(job: Job, steps?: Job['steps']): JsonObject {
  const {
    name,
    operation,
    columns,
    waterfall,
    repair,
    only_if,
    unless,
    add,
    on_existing,
    accept_hosts,
    role_addresses,
    mismatch,
  } = job;
  const mapped = Object.entries(columns ?? {}).filter(([, column]) => column !== '');
  const settings = settingsOf(job);
  return {
    name,
    operation: operation.name,
    in_doubt: policyOf(job),
    ...present({ columns: columns && Object.fromEntries(mapped), waterfall, repair: repair || undefined }),
    ...present({
      accept_hosts,
      role_addresses,
      only_if,
      unless,
      add,
      on_existing,
      mismatch,
      steps: steps as unknown as JsonValue,
    }),
    ...(Object.keys(settings).length === 0 ? {} : { settings }),
  };
}

/**
 * @throws StopError `store_version` for content that this program does not understand, `unsupported` for a
 *   change.
 */
export async function jobCarried(content: JsonObject, sources: OperationSources = {}): Promise<Job> {
  const { data } = carriedSchema.safeParse(content);
  const operation = data && (await findOperation(data.operation, sources));
  if (data === undefined || operation === undefined)
    throw data?.operation.includes('@') === true
      ? stop(
          'store_version',
          `The operation ${foreignWords(data.operation)} of this batch is missing here, ` +
            'or has another version.',
          'Start a worker in a program that passes this operation.',
        )
      : stop(
          'store_version',
          'The job of this batch comes from another version of Rowonce, and this one cannot read it.',
          'Install the same version on all hosts.',
        );
  const { name, settings = {}, ...entries } = data;
  const ownSettings = settingsOf(present(settings));
  const isOfSeveral =
    entries.steps?.some(({ accounts, check, accept }) => accounts.length > 1 || check || accept) === true;
  const whole = isOfSeveral && operation.steps === undefined ? inSteps([operation]) : operation;
  const shaped = whole.shapedBy?.(ownSettings, Object.keys(entries.columns ?? {})) ?? whole;
  // Another host, or anybody with its password, may hand over any job, and it is sent with this host's keys.
  if (shaped.change !== undefined)
    throw stop(
      'unsupported',
      `The job ${foreignWords(name)} changes something at the vendor, and workers send only what reads.`,
      'Cancel its batch, and run it with a store on the disk of one machine.',
    );
  return { ...present(entries), ...ownSettings, name, operation: shaped };
}
