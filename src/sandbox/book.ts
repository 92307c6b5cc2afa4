import { hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { stop } from '../core/errors.ts';
import type { Entry, SandboxChange } from './book-entry.ts';
import { canonical, type Json, jsonIn } from './json.ts';
import { LineFile } from './line-file.ts';

/** The vendors' own book of charges and changes. Tests judge what the program says it did by this book. */

export interface Repeated {
  readonly operation: string;
  readonly parameters: Json;
  readonly times: number;
}

export interface BookSum {
  readonly charges: number;
  readonly credits: number;
  /** The same account charged more than once for the same operation with the same parameters. */
  readonly charged_twice: readonly Repeated[];
  readonly by_operation: Readonly<Record<string, { charges: number; changes: number; credits: number }>>;
  /** How many invitations were mailed; a person who is accepted at once gets none. */
  readonly mails: number;
  /** The same person invited to the same project with the same role more than once, whether by mail or accepted at once. */
  readonly mailed_twice: readonly Repeated[];
  /** Projects of the same name and organization. */
  readonly created_twice: readonly Repeated[];
}

export class SandboxBook {
  readonly #file: LineFile | undefined;
  readonly #byOperation: Record<string, { charges: number; changes: number; credits: number }> = {};
  readonly #creditsByAccount = new Map<string, number>();
  readonly #charged = new RepeatCount();
  readonly #mailed = new RepeatCount();
  readonly #created = new RepeatCount();
  #lastSequence = 0;
  #mails = 0;

  private constructor(file: LineFile | undefined) {
    this.#file = file;
  }

  /**
   * Opens the book, reads what is in it and hands every line to `onEntry`, oldest first. Without a path it lives in
   * memory. One sandbox at a time writes a book. A StopError (usage) names a line that cannot be read.
   */
  static async open(path: string | undefined, onEntry: (entry: Entry) => void): Promise<SandboxBook> {
    const file = path === undefined ? undefined : new LineFile(path);
    const book = new SandboxBook(file);
    if (path === undefined || file === undefined) return book;
    try {
      for await (const old of entriesOf(path, file.wholeBytes)) {
        book.#count(old);
        onEntry(old);
      }
      // The file is mended only now, so that a file that is no book stays as it is.
      file.mend();
    } catch (error) {
      book.close();
      throw error;
    }
    return book;
  }

  /** Sequence number of the last line; 0 for an empty book. */
  get lastSequence(): number {
    return this.#lastSequence;
  }

  /** Returns when the line is in the file. If this throws, the request must not be answered as a success. */
  append(added: Entry): void {
    this.#file?.append(added);
    this.#count(added);
  }

  /** All credits that the account was ever charged. */
  creditsOf(account: string): number {
    return this.#creditsByAccount.get(account) ?? 0;
  }

  sum(): BookSum {
    const operations = Object.values(this.#byOperation);
    return {
      charges: operations.reduce((total, { charges }) => total + charges, 0),
      credits: operations.reduce((total, { credits }) => total + credits, 0),
      charged_twice: this.#charged.repeated(),
      by_operation: this.#byOperation,
      mails: this.#mails,
      mailed_twice: this.#mailed.repeated(),
      created_twice: this.#created.repeated(),
    };
  }

  close(): void {
    this.#file?.close();
  }

  #count(added: Entry): void {
    const { operation, parameters, account, credits } = added;
    this.#lastSequence = Math.max(this.#lastSequence, added.sequence);
    if (added.refused !== undefined) return;
    const sums = this.#byOperation[operation] ?? { charges: 0, changes: 0, credits: 0 };
    this.#byOperation[operation] = sums;
    sums.credits += credits;
    if (credits > 0) {
      sums.charges += 1;
      this.#creditsByAccount.set(account, this.creditsOf(account) + credits);
      this.#charged.add(account, operation, parameters);
    }
    if (added.change === undefined) return;
    sums.changes += 1;
    this.#countChange(operation, account, added.change);
  }

  #countChange(operation: string, account: string, made: SandboxChange): void {
    if (made.kind === 'invited') {
      const { project, email, role, accepted } = made;
      if (!accepted) this.#mails += 1;
      this.#mailed.add(account, operation, { project, email, role });
    } else if (made.kind === 'project_created') {
      const { name, organization } = made;
      this.#created.add(account, operation, { name, organization });
    }
  }
}

/** Counts equal things by a hash of 96 bits, so that a million different ones need little memory. */
class RepeatCount {
  readonly #seen = new Set<string>();
  readonly #repeated = new Map<string, { operation: string; parameters: Json; times: number }>();

  add(account: string, operation: string, parameters: Json): void {
    const key = hash('sha256', canonical([account, operation, parameters]), 'base64').slice(0, 16);
    const known = this.#repeated.get(key);
    if (known !== undefined) known.times += 1;
    else if (this.#seen.has(key)) this.#repeated.set(key, { operation, parameters, times: 2 });
    else this.#seen.add(key);
  }

  repeated(): readonly Repeated[] {
    return [...this.#repeated.values()];
  }
}

async function* entriesOf(path: string, bytes: number): AsyncGenerator<Entry> {
  if (bytes === 0) return;
  const { entryIn } = await import('./book-entry.ts');
  const input = createReadStream(path, { end: bytes - 1 });
  let line = 0;
  for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    line += 1;
    const read = entryIn(jsonIn(text));
    if (read === undefined) {
      const fact = `${path}, line ${line} is not an entry of a sandbox's book.`;
      throw stop('usage', fact, 'Name another file with --book.');
    }
    yield read;
  }
}
