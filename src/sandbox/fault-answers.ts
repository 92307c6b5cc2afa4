import type { FaultKind, WireFault } from './faults.ts';
import type { SandboxAnswer } from './vendor.ts';

/** The faults that are whole answers. Those that lose an answer on the wire are in `lost-replies.ts`. */

export interface FaultSurroundings {
  /** The target of a redirect. */
  readonly location: string;
  /** The wait in whole seconds that a 429 tells; undefined when it tells none. */
  readonly retryAfter: () => string | undefined;
}

export function answerOnPurpose(
  kind: Exclude<FaultKind, WireFault | 'slow'>,
  { location, retryAfter }: FaultSurroundings,
): SandboxAnswer {
  if (kind === 'limited-200') {
    const error = 'Rate limit exceeded. Retry in 1s.';
    return { status: 200, body: { success: false, code: 'rate_limited', error } };
  }
  const { status } = kind;
  const body = { error: `Status ${status}, on purpose.` };
  if (status < 400) return { status, body, headers: { location } };
  const seconds = status === 429 ? retryAfter() : undefined;
  return seconds === undefined ? { status, body } : { status, body, headers: { 'retry-after': seconds } };
}
