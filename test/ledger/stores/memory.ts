import { stop } from '../../../src/core/errors.ts';
import type { Store } from '../../../src/ledger/store.ts';
import type { MemoryBook } from './memory/book.ts';

/**
 * A store for tests only: it forgets everything with the process. It keeps the contract in the plainest way, by looking
 * through lists, so that the conformance suite compares SQLite with something that is easy to believe. Its parts are
 * loaded when one is opened, which no user's program does.
 */
const SCHEME = 'memory://';

/** What was opened under a name may be opened again, as a folder may. */
const books = new Map<string, MemoryBook>();

const memory: Store = {
  name: 'memory',
  forTests: true,
  handles: (location) => location.startsWith(SCHEME),

  async open(location, options) {
    const { MemoryBook } = await import('./memory/book.ts');
    const { MemoryLedger } = await import('./memory/ledger.ts');
    let book = books.get(location);
    if (book === undefined) {
      if (!options.create) throw nothingThere(location);
      book = new MemoryBook();
      books.set(location, book);
    }
    const deadlineMs = options.clock.monotonicMs() + options.waitForLockMs;
    while (book.spender !== undefined) {
      const leftMs = deadlineMs - options.clock.monotonicMs();
      if (leftMs <= 0) throw busy(location, book.spender);
      await options.clock.sleep(Math.min(RETRY_MS, leftMs));
    }
    book.spender = options.command;
    const { clock, operator } = options;
    return new MemoryLedger(
      book,
      operator === undefined ? undefined : () => ({ operator, atMs: clock.wallMs() }),
    );
  },

  async look(location) {
    const book = books.get(location);
    if (book === undefined) throw nothingThere(location);
    const { MemoryReader } = await import('./memory/reader.ts');
    return new MemoryReader(book);
  },
};

export default memory;

const RETRY_MS = 10;

function nothingThere(location: string) {
  return stop('store', `There is no store at ${location}.`, 'Name an existing store with --store.');
}

function busy(location: string, spender: string) {
  return stop('busy', `Somebody else is spending from ${location}: "${spender}".`, 'Let it end.');
}
