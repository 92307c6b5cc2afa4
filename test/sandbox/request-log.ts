import { appendFileSync } from 'node:fs';
import type { WireFault } from '../../src/sandbox/faults.ts';
import { parametersIn } from '../../src/sandbox/gate.ts';
import { jsonIn } from '../../src/sandbox/json.ts';
import { readAuthorization } from '../../src/sandbox/vendor.ts';
import type { Exchange } from '../../src/sandbox/vendors.ts';
import { innerCallIn } from './api-call.ts';

/** Writes one JSON line for each request that reached a vendor, before it is answered. */
export function notesIn(path: string): (exchange: Exchange) => void {
  appendFileSync(path, '', { mode: 0o600 });
  return (exchange) => appendFileSync(path, `${JSON.stringify(noted(exchange))}\n`);
}

function noted(exchange: Exchange): object {
  const { sequence, method, url, headers, text, admission } = exchange;
  const { shape, project, account } = readAuthorization(headers.authorization);
  const inner = innerCallIn(url, text);
  const body = inner?.body ?? (text === undefined ? null : (jsonIn(text) ?? text));
  const target = inner?.method === 'GET' ? inner.target : url;
  return {
    at: new Date().toISOString(),
    sequence,
    method,
    path: url,
    operation: admission.kind === 'admitted' ? admission.operation.name : admission.operation,
    authorization: { shape, project, account },
    body: (inner?.method ?? method) === 'GET' ? parametersIn(target) : body,
    ...notedOutcome(exchange),
  };
}

/** How a request ended. `status` is null when the client sees none. */
function notedOutcome({ outcome }: Exchange): object {
  if (outcome.kind === 'turned_away') return { fault: null, status: outcome.answer.status, credits: 0 };
  const { fault, lost, answer, credits } = outcome;
  return { fault: fault?.name ?? null, status: seenStatus(lost, answer.status), credits };
}

/** The status that the client sees: an answer that is lost halfway begins like a good one. */
function seenStatus(lost: WireFault | undefined, status: number): number | null {
  if (lost === undefined) return status;
  return lost === 'reset' || lost === 'timeout' ? null : 200;
}
