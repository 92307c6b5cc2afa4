import { z } from 'zod';
import { STOP_FLAGS, stopCodes } from '../core/stops.ts';

/** A flag with which the same command goes on, and what a person says by it. */
export const StopChoice = z.object({
  flag: z.enum(STOP_FLAGS),
  /** Left out for a flag that takes none. */
  value: z.string().exactOptional(),
  says: z.string(),
});

/** One thing to do: a flag of the same command, a command line, an entry of a file, or the same once more. */
export const Doing = z.union([
  z.object({ flag: z.string(), value: z.string().exactOptional() }),
  z.object({ command: z.string() }),
  z.object({ field: z.string() }),
  z.object({ again: z.literal(true) }),
]);

/** A fact and what to do, in the words of each face. */
export const FactWords = z.object({
  message: z.string(),
  next: z.string(),
  /** The same two where flags, commands and files are not spoken of, because there are buttons. */
  on_page: z.object({ message: z.string(), next: z.string() }).optional(),
  /** What `next` names, as data. */
  does: z.array(Doing).optional(),
});

/** Why a command ended before its work was done: the fact, then what to do. */
export const StopObject = z.object({
  /** A code of docs/errors.md; `bug` for an error of ours. */
  code: z.enum([...stopCodes(), 'bug']),
  ...FactWords.shape,
  /** The time from which going on makes sense, ISO 8601 in UTC; only for pauses. */
  resume_at: z.string().nullable(),
  /** The name of the account that was stopped, where a list has several. */
  account: z.string().optional(),
  /** The next command to type: the last line on stderr. */
  next_command: z.string().optional(),
  /** The id of the plan as it is now, where it has moved or a person has to agree to it. */
  plan: z.string().optional(),
  /** Those choices that are `yes` or a word of `--accept`, in one word each. */
  answers: z.array(z.string()).optional(),
  /** What the same command takes as a person's answer: flags, one of which makes it go on. */
  choices: z.array(StopChoice).optional(),
});

export type StopObject = z.output<typeof StopObject>;

/** The output of any stopped command, in the place of its own object. */
export const StoppedObject = z.object({
  stopped: StopObject,
  /** A budget that is enough for everything that waits; only where a budget is reached or missing. */
  budget_to_finish: z.number().optional(),
});
