import { hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { stop } from '../errors.ts';
import { canonical, isMembers, type Json, type JsonMembers, parseJson } from './json.ts';
import { LineFile } from './line-file.ts';

/** The vendors' own book: what was charged and what was changed. It is the judge of what the program says it did. */

const change = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('project_created'),
    project: z.string(),
    name: z.string(),
    description: z.string(),
    organization: z.string(),
    /** E-mail of the key's own user, where the service says who is in a project. */
    owner: z.string().optional(),
  }),
  z.strictObject({
    kind: z.literal('invited'),
    project: z.string(),
    email: z.string(),
    role: z.string(),
    invite: z.string(),
    /** The organization knew the person already, so that there was nothing to wait for. */
    accepted: z.boolean(),
  }),
  z.strictObject({ kind: z.literal('accepted'), email: z.string() }),
  z.strictObject({
    kind: z.literal('role_changed'),
    project: z.string(),
    user: z.string(),
    role: z.string(),
  }),
  z.strictObject({ kind: z.literal('invite_deleted'), project: z.string(), invite: z.string() }),
  z.strictObject({ kind: z.literal('user_removed'), project: z.string(), user: z.string() }),
  z.strictObject({ kind: z.literal('key_revoked'), account: z.string() }),
  z.strictObject({ kind: z.literal('admin_removed'), project: z.string(), account: z.string() }),
  z.strictObject({ kind: z.literal('tag_applied'), domain: z.string(), tag: z.string() }),
]);

/** Something that altered a vendor, or that a test did to one. State is nothing but these, applied in order. */
export type Change = z.infer<typeof change>;

const answered = z.strictObject({
  idempotency_key: z.string(),
  /** Of the request. */
  fingerprint: z.string(),
  status: z.int(),
  body: z.custom<JsonMembers>((value) => isMembers(value as Json)),
});

/** What was answered to a request that named an idempotency key. */
export type Answered = Readonly<z.infer<typeof answered>>;

const person = z.strictObject({ project: z.string(), email: z.string() });

/** Somebody in one project; the same e-mail in another is another person here. */
export type Person = Readonly<z.infer<typeof person>>;

const entry = z.strictObject({
  at: z.string(),
  sequence: z.int().min(1),
  vendor: z.enum(['provider', 'service', 'sandbox']),
  operation: z.string(),
  parameters: z.custom<Json>((value) => value !== undefined),
  account: z.string(),
  credits: z.int().min(0),
  change: change.optional(),
  /** The service refused a change of this person. */
  refused: person.optional(),
  answered: answered.optional(),
});

/** One line of the book. */
export type Entry = Readonly<z.infer<typeof entry>>;

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
  /** Invitations that were sent; who is accepted at once gets none. */
  readonly mails: number;
  /** The same person invited to the same project with the same role more than once, whether by mail or accepted at once. */
  readonly mailed_twice: readonly Repeated[];
  /** Projects of the same name and organization. */
  readonly created_twice: readonly Repeated[];
}

export class Book {
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
  static async open(path: string | undefined, onEntry: (entry: Entry) => void): Promise<Book> {
    const file = path === undefined ? undefined : new LineFile(path);
    const book = new Book(file);
    if (path === undefined || file === undefined) return book;
    try {
      for await (const old of entriesOf(path, file.wholeBytes)) {
        book.#count(old);
        onEntry(old);
      }
      // Only now: a file that is no book is left as it is.
      file.mend();
    } catch (error) {
      book.close();
      throw error;
    }
    return book;
  }

  /** Of the newest line; 0 in an empty book. */
  get lastSequence(): number {
    return this.#lastSequence;
  }

  /** Returns when the line is in the file. What throws here (a full disk) must never be answered as a success. */
  append(added: Entry): void {
    this.#file?.append(added);
    this.#count(added);
  }

  /** All that the account was ever charged. */
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

  #countChange(operation: string, account: string, made: Change): void {
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

/** Counts equal things by a hash of 96 bits, so that a million different ones cost no more than their hashes. */
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
  const input = createReadStream(path, { end: bytes - 1 });
  let line = 0;
  for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    line += 1;
    const read = entry.safeParse(parseJson(text));
    if (!read.success) {
      const fact = `${path}, line ${line} is not an entry of a sandbox's book.`;
      throw stop('usage', fact, 'Name another file with --book.');
    }
    yield read.data;
  }
}
