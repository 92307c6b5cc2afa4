import { accountOf } from './authorization.ts';
import { isMembers, type JsonMembers } from './json.ts';
import {
  problemOfStrings,
  refusal,
  type SandboxAnswer,
  type SandboxMethod,
  type VendorOperation,
} from './vendor.ts';

/**
 * The service's "API Call" step: a request to the provider inside one to the service, under a connected account whose
 * key the caller never sees. How the step is called over HTTP is not published; this is the sandbox's own choice.
 */

export const API_CALL: VendorOperation = {
  vendor: 'service',
  name: 'api-call',
  method: 'POST',
  path: '/latest/tools/api-call',
  authorization: ['Bearer <project>:<key>', 'Bearer :<key>'],
  // The inner call alone costs credits and changes something.
  decide: ({ body }) => {
    const problem = problemOfApiCall(body);
    return problem === undefined ? { status: 200, body: {}, credits: 0 } : refusal(400, problem);
  },
};

export interface InnerCall {
  /** Short hash of the connected account's name. The charge is booked to it. */
  readonly account: string;
  readonly method: SandboxMethod;
  /** Path and query. */
  readonly target: string;
  /** The body, as text; an empty object where there is none. */
  readonly text: string;
}

/** Reads the inner call from a body in which `API_CALL` found no problem. */
export function innerCallIn(body: JsonMembers): InnerCall {
  return {
    account: accountOf(`connected account ${body.account}`),
    method: body.method === 'GET' ? 'GET' : 'POST',
    target: String(body.endpoint),
    text: JSON.stringify(body.body ?? {}),
  };
}

/** The provider's answer inside a successful answer of the service. */
export function wrapped({ status, headers = {}, body }: SandboxAnswer): SandboxAnswer {
  return { status: 200, body: { status, headers, body } };
}

function problemOfApiCall(body: JsonMembers): string | undefined {
  const problem = problemOfStrings(body, ['account', 'method', 'endpoint'], ['body']);
  if (problem !== undefined) return problem;
  if (body.account === '') return '"account" is empty.';
  if (body.method !== 'GET' && body.method !== 'POST') return '"method" must be GET or POST.';
  if (!String(body.endpoint).startsWith('/')) return '"endpoint" must be a path that starts with /.';
  return isMembers(body.body ?? {}) ? undefined : '"body" must be a JSON object.';
}
