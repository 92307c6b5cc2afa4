import { isMembers, jsonIn } from '../../src/sandbox/json.ts';
import { readAuthorization } from '../../src/sandbox/vendor.ts';
import type { Translator } from '../../src/sandbox/vendors.ts';

const PATH = '/latest/tools/api-call';

/** What an "API Call" asks; undefined for any other request. */
export function innerCallIn(target: string, text: string | undefined) {
  const json = target === PATH ? jsonIn(text ?? '') : undefined;
  if (!isMembers(json) || [json.account, json.method, json.endpoint].some((each) => typeof each !== 'string'))
    return undefined;
  const { account, method, endpoint, body = {} } = json;
  return { account: String(account), method: String(method), target: String(endpoint), body };
}

const CONNECTED = 'Bearer connected-account-';

/**
 * The service's "API Call" step: a request to the provider inside one to the service, under a connected account whose key
 * the caller never sees. How the step is called over HTTP is not published; this is the choice of the tests.
 */
export const apiCalls: Translator = {
  requestOf(head, text) {
    const inner = innerCallIn(head.target, text);
    if (inner === undefined) return { head, text };
    const { account, method, target, body } = inner;
    const isKeyed = /^Bearer (?:<project>)?:<key>$/.test(readAuthorization(head.headers.authorization).shape);
    const headers = { ...head.headers, authorization: isKeyed ? `${CONNECTED}${account}` : undefined };
    return { head: { method, target, headers }, text: JSON.stringify(body) };
  },
  translate(outcome, { headers: { authorization = '' } }) {
    if (!authorization.startsWith(CONNECTED)) return outcome;
    const { status, headers = {}, body } = outcome.answer;
    return { ...outcome, answer: { status: 200, body: { status, headers, body } } };
  },
};
