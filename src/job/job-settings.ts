import { z } from 'zod';
import type { AnswerPlace } from '../core/answer-body.ts';
import type { ReadOptions } from '../core/format.ts';
import { present } from '../core/objects.ts';
import type { JsonObject, NullNames } from '../core/operation.ts';
import { FoundLayout, RowRanges, readingEntries, readingIn } from '../core/reading.ts';
import type { Job } from './job.ts';
import { type JobEntries, jobEntries } from './job-schema.ts';

const plainValue = z.union([z.string(), z.number(), z.boolean()]);

const accountPlaceSchema = z.object({
  envelope: z.string().exactOptional(),
  fields: z.string().exactOptional(),
  results: z.string().exactOptional(),
  objects: z.literal(true).exactOptional(),
  gives: z.record(z.string(), z.string()).exactOptional(),
  verdicts: z.record(z.string(), z.union([plainValue, z.array(plainValue)])).exactOptional(),
  byKind: z.literal(true).exactOptional(),
});

const placeSchema = accountPlaceSchema.extend({
  accounts: z.record(z.string(), accountPlaceSchema).exactOptional(),
});

const pairs = z.record(z.string(), z.string()).optional();

const { columns, waterfall, add, on_existing, mismatch, read, country, account, repair } = jobEntries.shape;
const { role, create_projects } = jobEntries.shape;
const team = { role, roles: pairs, projects: pairs, create_projects };

/**
 * The entries given beside the job about how its list is read and mapped. Nothing else is trusted here: a
 * budget is typed, or in the job's file.
 */
const Said = z.object({ columns, waterfall, add: pairs, ...team, account, repair, read, country });

/** A part of a file's name, which leads to no other folder. */
const namePart = z.optional(z.string().regex(/^[^/\\]+$/)).catch(undefined);
const whole = z.optional(z.int().min(0)).catch(undefined);

const partSchema = z
  .optional(
    z.object({ limit: whole, only: RowRanges.optional(), step: z.string().optional(), sample: whole }),
  )
  .catch(undefined);

/** The rows, and the step of the job, for which a person has asked again; left out: all of them. */
const anewSchema = z.object({ only: RowRanges.exactOptional(), step: z.string().exactOptional() });
export type AskedAnew = z.output<typeof anewSchema>;

/**
 * The entries of a job that the ledger keeps with a batch, and the findings about its list, so that its
 * output can be written again without the job file. It is read back through zod, because a ledger outlives
 * the program that wrote it.
 */
const settingsSchema = z.object({
  columns: z.record(z.string(), z.string()).default({}),
  /** Whether the columns were guessed, so that no user chose them. */
  columns_guessed: z.boolean().optional(),
  /** By input, the words such as Null that are nothing in its column. */
  null_names: z.record(z.string(), z.array(z.string())).optional(),
  waterfall,
  add,
  read,
  country,
  /** Earlier batches have `refuse` where today's have nothing. */
  on_existing: z.union([on_existing, z.literal('refuse').transform(() => undefined)]),
  mismatch,
  /**
   * The entries given beside the job when the batch was last worked on. A blank one removes the entry of the
   * job.
   */
  said: Said.optional(),
  /** The guesses about the table when the batch began. A batch without them was read without a guess. */
  layout: FoundLayout.default({}),
  /** The place of the fields in an answer; without it they are at the top of its body. */
  answer_at: placeSchema.extend({ steps: z.record(z.string(), placeSchema).exactOptional() }).default({}),
  /** Whether what is found is read by its kind. A batch of an earlier build shows what stood there. */
  by_kind: z.optional(z.literal(true)).catch(undefined),
  /**
   * The part that the output's name adds to the input's. Absent for the usual word, or when the user named
   * every output.
   */
  output_name: namePart,
  /** The path to which the newest run writes the output, where its user named one. */
  output_path: z.string().optional(),
  /**
   * Whether the input was known as the output of another job, so that none of its columns is one of this
   * batch's.
   */
  input_of_other: z.literal(true).optional(),
  /** Name of the file for lists of results; absent when there are none. */
  results_file: namePart,
  /**
   * The part of the rows for which the newest run was, where it was not for all. It is empty once these rows
   * are done, and the rest is wanted.
   */
  partial: partSchema,
  /** `partial` before its rows were done: what is decided about their doubts is asked for them alone. */
  part_done: partSchema,
  /** What the batch was begun to ask anew, where that is not everything: the others keep their answers. */
  asked_anew: z.optional(anewSchema).catch(undefined),
  /** The hosts whose rows are set aside, each with how many names of companies stand there. */
  shared_hosts: z.record(z.string(), z.int()).optional(),
  /** The hosts with several names of companies, and how many. */
  named_hosts: z.record(z.string(), z.int()).optional(),
  /** Whether a person has said that the rows of such hosts are asked all the same. */
  shared_hosts_accepted: z.literal(true).optional(),
  /** The questions that several rows ask which another identifier tells apart: these are asked by that. */
  told_apart: z.array(z.string()).optional(),
  /** Whether the last process that worked on the batch was a sweep. */
  swept: z.optional(z.literal(true)).catch(undefined),
  /** The budget that continues a batch after its newest run reached the budget. */
  budget_to_finish: whole,
});

interface FoundSettings {
  readonly columns: Readonly<Record<string, string>>;
  readonly nullNames: NullNames;
  readonly answerPlace: AnswerPlace;
  readonly outputName: string | undefined;
  /** The path that the user named for the output; undefined for none, and for a stream. */
  readonly outputPath: string | undefined;
  readonly isOfOther: boolean;
  readonly layout: FoundLayout;
  /** The reading as the user gave it, now or when the batch began. */
  readonly read: ReadOptions;
}

/** The settings that a batch keeps from its job. */
export function jobSettings(job: Job, found: FoundSettings): JsonObject {
  const { columns, nullNames, answerPlace, outputName, outputPath, isOfOther, layout, read } = found;
  const keptSettings = present({
    job: job.path ?? job.name,
    columns,
    columns_guessed: job.columns === undefined || job.guesses !== undefined || undefined,
    null_names: Object.keys(nullNames).length === 0 ? undefined : nullNames,
    waterfall: job.waterfall,
    add: job.add,
    said: job.givenEntries,
    on_existing: job.on_existing,
    mismatch: job.mismatch,
    ...readingEntries(read),
    layout: Object.keys(layout).length === 0 ? undefined : layout,
    ...job.origin,
    answer_at: Object.keys(answerPlace).length === 0 ? undefined : answerPlace,
    input_of_other: isOfOther || undefined,
    output_name: outputName,
    output_path: outputPath,
    results_file: job.operation.resultsFile,
  });
  return keptSettings as unknown as JsonObject;
}

/** The settings that a batch keeps from its job. A name is absent where nothing is kept. */
export function settingsKept(stored: JsonObject) {
  const { results_file: resultsFile, ...settings } = settingsSchema.parse(stored);
  return present({ ...settings, operation: present({ resultsFile }) });
}

/** How the batch's file is read: by the user's choices, and by the findings when the batch began. */
export function readSettings(stored: JsonObject): ReadOptions {
  const { layout, ...entries } = settingsSchema.parse(stored);
  return { ...readingIn(entries), asBefore: present(layout) };
}

/**
 * The entries given beside the job of the batch about how its list is read and mapped; empty when there were
 * none.
 */
export function saidBeside(stored: JsonObject): JobEntries {
  return present(settingsSchema.safeParse(stored).data?.said ?? {});
}
