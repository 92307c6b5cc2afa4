import { z } from 'zod';

/** The records that `forget` and `store purge` erase in a store, or would erase. */
export const ErasureObject = z.object({
  store: z.string(),
  requests: z.number(),
  /** Answers about others from which one person was removed. */
  cut: z.number(),
  rows: z.number(),
  /** Memberships, commands, names of lists and reasons that name the person. */
  names: z.number(),
  /** Lists in the store that are removed. */
  files: z.array(z.string()),
  /**
   * Files of yours that we wrote from erased records, or whose paths name the person. They stay as they are.
   */
  outputs: z.array(z.string()),
  /**
   * The projects in which the person is invited or a member, and stays so. `end_with` is the command that
   * ends this.
   */
  memberships: z.array(
    z.object({ project: z.string(), state: z.string(), end_with: z.string().exactOptional() }),
  ),
  /** Rows that stay because they are not finished. */
  unsettled: z.number(),
  /** Calls that stay because batches still need them, and these batches. */
  needed: z.number(),
  needed_lists: z.number(),
  needed_by: z.array(z.string()),
  /** Why a part of the erased data is not overwritten yet. */
  due: z.string().exactOptional(),
});
export type ErasureObject = z.infer<typeof ErasureObject>;
