import { z } from 'zod';
import type { Erased } from '../run/tasks/erase.ts';
import { membersOf, noun } from './noun.ts';

const erased = membersOf<Erased & { readonly location: string }>();
const count = (read: (of: Erased) => number) => erased(z.number(), read);

/** What `forget` and `store purge` erase in a store, or would. */
export const ErasureObject = noun({
  store: erased(z.string(), ({ location }) => location),
  requests: count(({ calls }) => calls),
  /** Answers about others from which one person was removed. */
  cut: count(({ cut }) => cut),
  rows: count(({ rows }) => rows),
  memberships: count(({ memberships }) => memberships),
  names: count(({ names }) => names),
  /** Lists in the store that are removed. */
  files: erased(z.array(z.string()), ({ files }) => files),
  /** Files of yours that stay as they are. */
  outputs: erased(z.array(z.string()), ({ stays }) => stays),
  /** Rows that stay because they are not finished. */
  unsettled: count(({ unsettled }) => unsettled.length),
  /** What stays because batches go on with it, and these batches. */
  needed: count(({ needed }) => needed.calls),
  needed_lists: count(({ needed }) => needed.lists),
  needed_by: erased(z.array(z.string()), ({ needed }) => needed.by),
});
