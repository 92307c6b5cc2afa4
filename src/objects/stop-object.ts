import { z } from 'zod';
import { STOP_FLAGS, stopCodes } from '../core/stops.ts';

/** A flag that continues the same command. */
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
  /** The same for the page, without flags, commands and files. */
  on_page: z.object({ message: z.string(), next: z.string() }).optional(),
  /** What `next` names, as data. */
  does: z.array(Doing).optional(),
});

/** Why a command ended before its work was done: the fact, then what to do. */
export const StopObject = z.object({
  /** A code of docs/errors.md; `bug` for an error of ours. */
  code: z.enum([...stopCodes(), 'bug']),
  ...FactWords.shape,
  /** When to continue after a pause, ISO 8601 in UTC. */
  resume_at: z.string().nullable(),
  /** The account that was stopped, where a list has several. */
  account: z.string().optional(),
  /** The next command to type: the last line on stderr. */
  next_command: z.string().optional(),
  /** The id of the plan that waits for your agreement. */
  plan: z.string().optional(),
  /** The choices that are `yes` or a word of `--accept`. */
  answers: z.array(z.string()).optional(),
  /** The flags that continue; give one. */
  choices: z.array(StopChoice).optional(),
});

export type StopObject = z.output<typeof StopObject>;

/** The output of any stopped command, in the place of its own object. */
export const StoppedObject = z.object({
  stopped: StopObject,
  /** A budget that is enough for everything that waits; only where a budget is reached or missing. */
  budget_to_finish: z.number().optional(),
});
