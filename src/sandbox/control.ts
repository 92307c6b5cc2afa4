import type { JsonMembers } from './json.ts';

/** What a test may ask of the sandbox and do to it, under `/sandbox`. Not part of either vendor; no key is needed. */
export interface SandboxControls {
  book(): object;
  state(): object;
  /** The person accepts every invite that waits for them. */
  accept(email: string): void;
  setFaults(text: string): void;
  /** The key stops working altogether. */
  revoke(key: string): void;
  /** The key goes on working, but has no Admin permission on the project any more. */
  removeAdmin(project: string, key: string): void;
  setMatchRate(rate: number): void;
  /** How far the `Date` of answers is off, in milliseconds; null: they have none. */
  setDate(offsetMs: number | null): void;
}

export interface ControlReply {
  readonly status: number;
  readonly body: object;
}

const DONE: ControlReply = { status: 200, body: {} };

/** Answers `METHOD /sandbox/…`. StopErrors of what it sets in motion are the caller's to show. */
export function control(controls: SandboxControls, endpoint: string, body: JsonMembers): ControlReply {
  switch (endpoint) {
    case 'GET /sandbox/book':
      return { status: 200, body: controls.book() };
    case 'GET /sandbox/state':
      return { status: 200, body: controls.state() };
    case 'POST /sandbox/accept':
      return withText(body, 'email', (email) => controls.accept(email.toLowerCase()));
    case 'POST /sandbox/faults':
      return withText(body, 'faults', (faults) => controls.setFaults(faults));
    case 'POST /sandbox/revoke':
      return withText(body, 'key', (key) => controls.revoke(key));
    case 'POST /sandbox/remove-admin':
      return withTexts(body, ['project', 'key'], ([project = '', key = '']) => {
        controls.removeAdmin(project, key);
      });
    case 'POST /sandbox/match-rate': {
      const rate = body.rate;
      if (typeof rate !== 'number') return refused('"rate" must be a number.');
      controls.setMatchRate(rate);
      return DONE;
    }
    case 'POST /sandbox/date': {
      const offset = body.offset_ms;
      if (typeof offset !== 'number' && offset !== null)
        return refused('"offset_ms" must be a number or null.');
      controls.setDate(offset);
      return DONE;
    }
    default:
      return { status: 404, body: { error: `The sandbox has no "${endpoint}".` } };
  }
}

function withText(body: JsonMembers, name: string, act: (text: string) => void): ControlReply {
  return withTexts(body, [name], ([text = '']) => act(text));
}

function withTexts(
  body: JsonMembers,
  names: readonly string[],
  act: (texts: readonly string[]) => void,
): ControlReply {
  const missing = names.find((name) => typeof body[name] !== 'string');
  if (missing !== undefined) return refused(`"${missing}" must be a string.`);
  act(names.map((name) => String(body[name])));
  return DONE;
}

function refused(error: string): ControlReply {
  return { status: 400, body: { error } };
}
