import { admitIntent } from './admission.ts';
import {
  type Appending,
  type CallEntry,
  type EntryOf,
  type Outcomes,
  type OutcomesOf,
  type RefusedEntry,
  rankOf,
  WRITTEN,
} from './call-entries.ts';
import type { Writing } from './context.ts';
import type { End } from './ends.ts';
import { decideDoubt, noteLook, readReply, releaseDoubt } from './follow.ts';
import type { Gather } from './gather.ts';

/** What is written of calls. Entries that come in one turn share a commit, however many lists they come in. */
export const appendTo = (context: Writing, gather: Gather): Appending => ({
  async append<const List extends readonly CallEntry[]>(list: List) {
    // What an end gives back is there for the intents beside it.
    const inOrder = [...list.keys()].sort((one, other) => rankAt(list, one) - rankAt(list, other));
    const outcomes = new Map(inOrder.map((at) => [at, outcomeOf(context, gather, list[at] as CallEntry)]));
    return (await Promise.all(list.map((_, at) => outcomes.get(at)))) as unknown as OutcomesOf<List>;
  },
});

const rankAt = (list: readonly CallEntry[], at: number): number => rankOf(list[at] as CallEntry);

async function outcomeOf(
  context: Writing,
  gather: Gather,
  entry: CallEntry,
): Promise<Outcomes[CallEntry['kind']] | RefusedEntry> {
  try {
    return await write(context, gather, entry);
  } catch (error) {
    return { kind: 'refused', error };
  }
}

async function write(
  context: Writing,
  gather: Gather,
  entry: CallEntry,
): Promise<Outcomes[CallEntry['kind']]> {
  const number = () => gather.number();
  switch (entry.kind) {
    case 'reply': {
      const { attempt: call, reply } = entry;
      const { status, headers, body, receivedAtMs } = reply;
      const kept = { call, status, headers: JSON.stringify(headers), body, at: Math.floor(receivedAtMs) };
      return { kind: await gather.reply(kept) };
    }
    case 'end':
      return { kind: await gather.end(endFrom(entry), isPatient(entry)) };
    case 'intent':
      return admitIntent(context, gather, entry.intent);
    case 'look':
      await noteLook(context, entry);
      return WRITTEN;
    case 'release':
      await releaseDoubt(context, entry, number);
      return WRITTEN;
    case 'reading':
      await readReply(context, entry, number);
      return WRITTEN;
    case 'decision':
      return { kind: 'decided', decision: await decideDoubt(context, entry, number) };
  }
}

/** The next change of a subject waits for the end of the one before, and a doubt is not to be asked about too early. */
const isPatient = ({ closure, left }: EntryOf<'end'>): boolean =>
  closure.kind === 'answered' && left === undefined;

function endFrom({ attempt: call, closure, atMs, left }: EntryOf<'end'>): End {
  const at = Math.floor(atMs);
  const facts = left === undefined ? null : JSON.stringify(left);
  const nothing = {
    call,
    why: closure.why,
    at,
    facts,
    said: null,
    charged: null,
    is_at_most: 0,
    dialect: null,
    price: null,
  };
  if (closure.kind === 'in_doubt') return { ...nothing, state: 'doubt' };
  if (closure.kind !== 'answered') return { ...nothing, state: 'unsold', said: closure.kind };
  const { answer: said, charged, isAtMost, dialect = null, showsPrice } = closure;
  const price = showsPrice ? charged : null;
  return {
    ...nothing,
    state: 'answered',
    said,
    charged,
    is_at_most: isAtMost && charged > 0 ? 1 : 0,
    dialect,
    price,
  };
}
