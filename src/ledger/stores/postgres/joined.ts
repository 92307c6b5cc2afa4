/**
 * Joins what is asked for while a former write is under way: many callers write one thing at a time, and a commit is what costs.
 * @param write gets all that waits, at least one, and answers for each in its order.
 * @param most that one write gets.
 */
export function joined<Item, Result>(
  write: (items: readonly Item[]) => Promise<readonly Result[]>,
  most: number,
): {
  readonly ask: (item: Item) => Promise<Result>;
  readonly drain: () => Promise<void>;
} {
  interface Waiting {
    readonly item: Item;
    readonly resolve: (result: Result) => void;
    readonly reject: (error: unknown) => void;
  }
  let waiting: Waiting[] = [];
  let writing: Promise<void> | undefined;

  async function work(): Promise<void> {
    // What is asked for in the same turn of the event loop goes together.
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) {
      const taken = waiting.slice(0, most);
      waiting = waiting.slice(most);
      try {
        const results = await write(taken.map(({ item }) => item));
        for (const [at, { resolve }] of taken.entries()) resolve(results[at] as Result);
      } catch (error) {
        for (const { reject } of taken) reject(error);
      }
    }
    writing = undefined;
  }

  return {
    ask(item) {
      return new Promise<Result>((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        writing ??= work();
      });
    },
    drain: async () => writing,
  };
}
