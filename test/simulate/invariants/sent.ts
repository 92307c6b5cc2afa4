/** What holds of each request as it leaves, and which call it was sent for. */
import type { Question } from '../network.ts';
import { promise } from '../played.ts';
import { type CallRow, isUnderWay, type Tables } from './tables.ts';

/** No intent is older when its request leaves: rule 6 of docs/internals/protocol.md. */
const OLDEST_MS = 5_000;

/** What the vendor can charge for; every other request is a question that is free. */
export const mayCost = ({ method }: Question): boolean =>
  method === 'POST' || method === 'PUT' || method === 'DELETE';

function textsIn(value: unknown): readonly string[] {
  if (value === null || value === undefined) return [];
  if (typeof value === 'object') return Object.values(value).flatMap(textsIn);
  return [String(value)];
}

/** Whether a request is for a call: it names all that the call asks about. */
function isFor({ path, body }: Question, { asked }: CallRow): boolean {
  const all = `${decodeURIComponent(path)}\n${body}`;
  // "Company 1" is not asked about by a question about "Company 12".
  const isAsked = (text: string): boolean =>
    all
      .split(text)
      .slice(1)
      .some((rest) => !/^\w/.test(rest));
  return textsIn(JSON.parse(asked).parameters).every(
    (text) => isAsked(text) || isAsked(JSON.stringify(text).slice(1, -1)),
  );
}

export const nameOf = ({ path, body }: Question): string => `${path} ${body}`;

export class Sent {
  /** When the intent of a call was committed, in ms of the world. */
  readonly #committedAt = new Map<number, number>();
  readonly #sent = new Set<number>();
  /** For which calls a question was sent. */
  readonly callsOf = new Map<string, CallRow['id'][]>();

  begun(calls: readonly CallRow[], nowMs: number): void {
    for (const { id } of calls) this.#committedAt.set(id, nowMs);
  }

  left(question: Question, committed: Tables | undefined, nowMs: number): void {
    if (!mayCost(question)) return;
    const name = nameOf(question);
    const waiting = [...(committed?.calls.values() ?? [])].filter(
      (call) => isUnderWay(call) && !this.#sent.has(call.id),
    );
    const ofIt = waiting.filter((each) => isFor(question, each));
    promise(ofIt.length > 0, `a request left without a committed intent: ${name}`);
    // Two calls may ask the same in different projects, and the older one may still wait for its connection.
    const ages = ofIt.map(({ id }) => nowMs - (this.#committedAt.get(id) ?? nowMs));
    const call = ofIt.find((_, at) => (ages[at] ?? 0) <= OLDEST_MS);
    promise(call !== undefined, `a request left by an intent that is ${ages} ms old: ${name}`);
    this.#sent.add(call.id);
    this.callsOf.set(name, [...(this.callsOf.get(name) ?? []), call.id]);
  }
}
