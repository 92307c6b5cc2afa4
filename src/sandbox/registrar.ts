import { hash } from 'node:crypto';
import { closeSync, createReadStream, ftruncateSync, openSync, writeFileSync } from 'node:fs';
import { type Clock, isoTime } from '../core/clock.ts';
import { messageOf, type StopError, stop } from '../core/errors.ts';
import type { Admission } from './gate.ts';
import { canonicalJson, isMembers, type Json, type JsonMembers, jsonIn } from './json.ts';
import { ServiceState } from './service.ts';
import { rejection, type SandboxChange, type SandboxDecision, type VendorOperation } from './vendor.ts';

/** Every charge and change is in the book before the request is answered. */

export interface ReceivedBody {
  /** The body as text; undefined when it was too large. */
  readonly text: string | undefined;
  readonly contentType: string;
}

export interface Entry {
  readonly at: string;
  readonly sequence: number;
  readonly vendor: 'provider' | 'service' | 'sandbox';
  readonly operation: string;
  readonly parameters: Json;
  readonly account: string;
  readonly credits: number;
  /** What a played vendor found, by our names. */
  readonly gave?: JsonMembers | undefined;
  readonly change?: SandboxChange | undefined;
  /** What an extension notes beside it. */
  readonly more?: JsonMembers | undefined;
}

/** What stands beside the book of a user's sandbox. */
export interface Beside {
  /** Receives every entry, also those from before a restart. */
  note?(entry: Entry, state: ServiceState): void;
  /** Answers a request in the place of the vendor. Nothing is booked for it. */
  answer?(admitted: Admission, received: ReceivedBody): SandboxDecision | undefined;
  /** What more is noted of a request, which is then booked even if it was for nothing. */
  more?(admitted: Admission, received: ReceivedBody, decision: SandboxDecision): JsonMembers | undefined;
}

/**
 * The vendors' own book of charges and changes, and their state after them. Tests judge what the program says
 * it did by this book.
 */
export class Registrar {
  readonly state = new ServiceState();
  readonly #clock: Clock;
  readonly #beside: Beside;
  /** The open file of the book; left out: the book lives in memory. */
  readonly #file: number | undefined;
  readonly #byOperation: Record<string, { charges: number; changes: number; credits: number }> = {};
  readonly #charged = new RepeatCount();
  readonly #mailed = new RepeatCount();
  readonly #created = new RepeatCount();
  #sequence = 0;
  #mails = 0;

  private constructor(clock: Clock, beside: Beside, file?: number) {
    this.#clock = clock;
    this.#beside = beside;
    this.#file = file;
  }

  /**
   * Reads what is in the book. One sandbox at a time writes a book. A StopError (usage) names a line that
   * cannot be read.
   */
  static async open(bookPath: string | undefined, clock: Clock, beside: Beside): Promise<Registrar> {
    if (bookPath === undefined) return new Registrar(clock, beside);
    const file = openedBook(bookPath);
    const registrar = new Registrar(clock, beside, file);
    try {
      // The file is cut only after it was read, so that a file that is no book stays as it is.
      ftruncateSync(file, await readBook(bookPath, (entry) => registrar.#note(entry)));
    } catch (error) {
      closeSync(file);
      throw error;
    }
    return registrar;
  }

  nextSequence(): number {
    this.#sequence += 1;
    return this.#sequence;
  }

  /**
   * Decides and books in one turn of the event loop, so that two requests can never both be first.
   * @param happens false when the decision is made but not carried out.
   */
  act(admitted: Admission, sequence: number, received: ReceivedBody, happens: boolean) {
    const before = this.#beside.answer?.(admitted, received);
    if (before !== undefined) return { decision: before, credits: 0 };
    const { decision, parameters } = decide(admitted, sequence, received);
    if (!happens) return { decision, credits: 0 };
    const { operation, account } = admitted;
    const { credits, gave, change } = decision;
    const more = this.#beside.more?.(admitted, received, decision);
    if (credits > 0 || change !== undefined || more !== undefined) {
      const { vendor, name } = operation;
      this.append(sequence, { vendor, operation: name, parameters, account, credits, gave, change, more });
    }
    return { decision, credits };
  }

  /**
   * Returns when the line has reached the kernel in one write, so that a kill cannot lose it. If this throws,
   * the request must not be answered as a success.
   */
  append(sequence: number, booked: Omit<Entry, 'at' | 'sequence'>): void {
    const entry = { at: isoTime(this.#clock.wallMs()), sequence, ...booked };
    if (this.#file !== undefined) writeFileSync(this.#file, `${JSON.stringify(entry)}\n`);
    this.#note(entry);
  }

  sum() {
    const operations = Object.values(this.#byOperation);
    return {
      charges: operations.reduce((total, { charges }) => total + charges, 0),
      credits: operations.reduce((total, { credits }) => total + credits, 0),
      /** The same account charged more than once for the same operation with the same parameters. */
      charged_twice: this.#charged.repeated(),
      by_operation: this.#byOperation,
      /** How many invitations were mailed; a person who is accepted at once gets none. */
      mails: this.#mails,
      /**
       * The same person invited to the same project with the same role more than once, whether by mail or
       * accepted at once.
       */
      mailed_twice: this.#mailed.repeated(),
      created_twice: this.#created.repeated(),
    };
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
  }

  #note(entry: Entry): void {
    this.#sequence = Math.max(this.#sequence, entry.sequence);
    this.#count(entry);
    if (entry.change !== undefined) this.state.apply(entry.change, entry.account);
    this.#beside.note?.(entry, this.state);
  }

  #count({ operation, parameters, account, credits, change }: Entry): void {
    if (credits === 0 && change === undefined) return;
    const sums = this.#byOperation[operation] ?? { charges: 0, changes: 0, credits: 0 };
    this.#byOperation[operation] = sums;
    sums.credits += credits;
    if (credits > 0) {
      sums.charges += 1;
      this.#charged.add(account, operation, parameters);
    }
    if (change === undefined) return;
    sums.changes += 1;
    this.#countChange(operation, account, change);
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

function decide(
  { operation, account, project, segment, parameters }: Admission,
  sequence: number,
  { text, contentType }: ReceivedBody,
): { readonly decision: SandboxDecision; readonly parameters: JsonMembers } {
  const json = operation.method === 'GET' ? parameters : jsonIn(text ?? '');
  const body = isMembers(json) ? json : {};
  const problem = problemOfBody(operation, text, json, contentType);
  const request = { sequence, account, project, segment, body };
  return { decision: problem ?? operation.decide(request), parameters: body };
}

function problemOfBody(
  { vendor, method }: VendorOperation,
  text: string | undefined,
  json: Json | undefined,
  contentType: string,
): SandboxDecision | undefined {
  if (text === undefined) return rejection(413, 'The body is larger than 1 MB.');
  // Only the service publishes its content type. The provider's is not known, so it accepts any.
  if (vendor === 'service' && method === 'POST' && !/^application\/json\s*(?:;|$)/i.test(contentType)) {
    return rejection(415, 'Content-Type must be application/json.');
  }
  return isMembers(json) ? undefined : rejection(400, 'The body must be a JSON object.');
}

interface RepeatedCall {
  readonly operation: string;
  readonly parameters: Json;
  times: number;
}

/** Counts equal things by a hash of 96 bits, so that a million different ones need little memory. */
class RepeatCount {
  readonly #seen = new Set<string>();
  readonly #repeated = new Map<string, RepeatedCall>();

  add(account: string, operation: string, parameters: Json): void {
    const key = hash('sha256', canonicalJson([account, operation, parameters]), 'base64').slice(0, 16);
    const known = this.#repeated.get(key);
    if (known !== undefined) known.times += 1;
    else if (this.#seen.has(key)) this.#repeated.set(key, { operation, parameters, times: 2 });
    else this.#seen.add(key);
  }

  repeated(): readonly RepeatedCall[] {
    return [...this.#repeated.values()];
  }
}

/** Makes the file, readable by its owner only, when there is none. */
function openedBook(path: string): number {
  try {
    return openSync(path, 'a', 0o600);
  } catch (error) {
    const fact = `${path} cannot be opened for writing: ${messageOf(error)}.`;
    throw stop('usage', fact, 'Name a file in a folder that you may write to.');
  }
}

/** A line of a book, which no one but the sandbox writes; undefined for a line of any other file. */
function entryIn(line: Json | undefined): Entry | undefined {
  const isOurs = isMembers(line) && Number.isSafeInteger(line.sequence) && typeof line.operation === 'string';
  return isOurs ? (line as unknown as Entry) : undefined;
}

/** Every line of a book begins with this. */
const LINE_START = '{"at":"';

/**
 * Reads a book to its end. A crash in the middle of a write leaves a torn last line: its request was never
 * answered.
 * @returns how many bytes its whole lines have.
 */
async function readBook(path: string, note: (entry: Entry) => void): Promise<number> {
  let line = 1;
  let bytes = 0;
  let rest = Buffer.alloc(0);
  for await (const chunk of createReadStream(path)) {
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf('\n'); end !== -1; end = rest.indexOf('\n')) {
      const entry = entryIn(jsonIn(rest.toString('utf8', 0, end)));
      if (entry === undefined) throw noEntry(path, line);
      note(entry);
      rest = rest.subarray(end + 1);
      bytes += end + 1;
      line += 1;
    }
  }
  if (!LINE_START.startsWith(rest.toString('latin1', 0, LINE_START.length))) throw noEntry(path, line);
  return bytes;
}

function noEntry(path: string, line: number): StopError {
  const fact = `${path}, line ${line} is not an entry of a sandbox's book.`;
  return stop('usage', fact, 'Name another file with --book.');
}
