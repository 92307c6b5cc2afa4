import { z } from 'zod';
import type { AnswerPlace } from '../core/answer-body.ts';
import type { ReadOptions } from '../core/format.ts';
import { present } from '../core/objects.ts';
import type { JsonObject, Operation } from '../core/operation.ts';
import { FoundLayout, READING_ENTRIES, readingEntries, readingIn } from '../core/reading.ts';
import { FORMULA_MODES, type FormulaMode } from '../lib/formulas.ts';
import type { Job, JobEntries } from './job.ts';
import { storedOrigin } from './job-origin.ts';

const names = z.record(z.string(), z.string());

const placeSchema = z.object({
  envelope: z.string().optional(),
  fields: z.string().optional(),
  results: z.string().optional(),
  objects: z.literal(true).optional(),
});

/**
 * The part of a job that the ledger keeps with a batch, so that its output can be written again without the job file.
 * It is read back through zod, because a ledger outlives the program that wrote it.
 */
const settingsSchema = z.object({
  job: z.string(),
  columns: z.record(z.string(), z.string()),
  /** Whether the columns were guessed, so that no user chose them. */
  columns_guessed: z.boolean().optional(),
  waterfall: z.array(z.string()).optional(),
  add: z.record(z.string(), z.string()).optional(),
  /** What was said beside the job when the batch was worked on last. */
  said: z
    .object({
      columns: names.optional(),
      add: names.optional(),
      waterfall: z.array(z.string()).optional(),
      role: z.string().optional(),
      roles: names.optional(),
      account: z.string().optional(),
      ...READING_ENTRIES,
      repair: z.boolean().optional(),
    })
    .optional(),
  on_existing: z.enum(['refuse', 'keep', 'fill', 'replace']),
  /** How cells that would begin a formula are written; without it they are made safe. */
  formulas: z.enum(FORMULA_MODES).optional(),
  ...READING_ENTRIES,
  /** What was guessed of the table when the batch began; without it, it was read without a guess. */
  layout: FoundLayout.optional(),
  /** Where the fields of an answer stand; without it they are at the top of its body. */
  answer_at: placeSchema.extend({ steps: z.record(z.string(), placeSchema).optional() }).optional(),
  /** What the output's name adds to the input's. Absent for the usual word, or when the user named every output. */
  output_name: z.string().optional(),
  /** Where the newest run writes the output, where its user named that. */
  output_path: z.string().optional(),
  /** Whether the input was known as the output of another job, so that none of its columns is one of this batch's. */
  input_of_other: z.literal(true).optional(),
  /** Name of the file for lists of results; absent when there are none. */
  results_file: z.string().optional(),
});

interface OutputSettings {
  readonly add?: Readonly<Record<string, string>>;
  readonly onExisting: Job['onExisting'];
  readonly formulas?: FormulaMode;
  readonly columns: Readonly<Record<string, string>>;
  readonly answerPlace: AnswerPlace;
  readonly operation: Pick<Operation, 'resultsFile'>;
}

interface AccountSettings {
  readonly answerPlace: AnswerPlace;
}

interface BatchSettings extends AccountSettings {
  readonly outputName: string | undefined;
  /** The path that the user named for the output; undefined for none, and for a stream. */
  readonly outputPath: string | undefined;
  readonly isOfOther: boolean;
  readonly layout: FoundLayout;
  /** As was said, now or when the batch began. */
  readonly read: ReadOptions;
}

export function jobSettings(
  job: Job,
  columns: Readonly<Record<string, string>>,
  { answerPlace, outputName, outputPath, isOfOther, layout, read }: BatchSettings,
): JsonObject {
  return {
    job: job.path ?? job.name,
    columns,
    ...(job.columns === undefined || job.guesses !== undefined ? { columns_guessed: true } : {}),
    ...present({ waterfall: job.waterfall, add: job.add, said: storedSaid(job) }),
    on_existing: job.onExisting,
    ...present({ formulas: job.formulas }),
    ...readingEntries(read),
    ...storedLayout(layout),
    ...storedOrigin(job.origin),
    ...(Object.keys(answerPlace).length === 0 ? {} : { answer_at: storedPlace(answerPlace) }),
    ...(isOfOther ? { input_of_other: true } : {}),
    ...present({ output_name: outputName, output_path: outputPath, results_file: job.operation.resultsFile }),
  };
}

function storedPlace({ steps, ...place }: AnswerPlace): JsonObject {
  return steps === undefined
    ? { ...place }
    : { steps: Object.fromEntries(Object.entries(steps).map(([name, each]) => [name, storedPlace(each)])) };
}

function placeFrom({
  steps,
  ...place
}: Exclude<z.infer<typeof settingsSchema>['answer_at'], undefined>): AnswerPlace {
  const places = Object.entries(steps ?? {}).map(([name, each]) => [name, placeFrom(each)] as const);
  return places.length === 0 ? present(place) : { steps: Object.fromEntries(places) };
}

function storedSaid({
  said = {},
  saidToo: { account, read = {}, repair } = {},
}: Job): JsonObject | undefined {
  const all = {
    ...said,
    ...readingEntries(read),
    ...present({ account, repair }),
  };
  return Object.keys(all).length === 0 ? undefined : all;
}

function storedLayout(layout: FoundLayout): JsonObject {
  return Object.keys(layout).length === 0
    ? {}
    : { layout: present({ ...layout, left_out: layout.left_out?.map((each) => ({ ...each })) }) };
}

/** How the batch's file is read: as was said, and as it was found when the batch began. */
export function readSettings(stored: JsonObject): ReadOptions {
  const { layout = {}, ...entries } = settingsSchema.parse(stored);
  return { ...readingIn(entries), asBefore: present(layout) };
}

export function columnsOf(
  stored: JsonObject,
): { readonly columns: Readonly<Record<string, string>>; readonly guessed: boolean } | undefined {
  const { data } = settingsSchema.safeParse(stored);
  return data && { columns: data.columns, guessed: data.columns_guessed === true };
}

/** What was said beside the job of the batch, as the options of a run have it; nothing when nothing was. */
export function saidBeside(stored: JsonObject): Job['saidToo'] & { readonly entries?: JobEntries } {
  const { said } = settingsSchema.safeParse(stored).data ?? {};
  if (said === undefined) return {};
  const { account, repair, columns, add, waterfall, role, roles } = said;
  return {
    entries: present({ columns, add, waterfall, role, roles }),
    read: readingIn(said),
    ...present({ account, repair }),
  };
}

/** What the batch has fixed for its output's name; undefined when it has fixed nothing. */
export function outputNameOf(stored: JsonObject): string | undefined {
  return settingsSchema.safeParse(stored).data?.output_name;
}

export function isOutputOfOther(stored: JsonObject): boolean {
  return settingsSchema.safeParse(stored).data?.input_of_other === true;
}

/** Where the newest run of the batch wanted its output; undefined where its user named no path. */
export function outputPathOf(stored: JsonObject): string | undefined {
  return settingsSchema.safeParse(stored).data?.output_path;
}

export function outputSettings(stored: JsonObject): OutputSettings {
  const {
    add,
    on_existing: onExisting,
    formulas,
    columns,
    answer_at: at = {},
    results_file: resultsFile,
  } = settingsSchema.parse(stored);
  return {
    ...{ onExisting, columns, answerPlace: placeFrom(at), operation: present({ resultsFile }) },
    ...present({ formulas, add }),
  };
}
