import { hash } from 'node:crypto';
import type { Call, JsonValue } from './operation.ts';

declare const brand: unique symbol;

/** The identity of a call, 64 hex digits. Equal calls are bought once. */
export type CallKey = string & { readonly [brand]: 'CallKey' };

/**
 * SHA-256 over the account's identity, the logical operation, the project, the canonical parameters and `after`.
 * The format is frozen (`test/call-key.test.ts`): changing a byte of it would buy every row of every user again.
 */
export function callKeyOf(accountIdentity: string, call: Call): CallKey {
  const parts: JsonValue = [
    'rowonce-call-1',
    accountIdentity,
    call.operation,
    call.project ?? null,
    call.parameters,
    call.after ?? null,
  ];
  return hash('sha256', canonicalJson(parts), 'hex') as CallKey;
}

/** JSON with the names of every object in code-unit order and no white space: equal values give equal text. */
export function canonicalJson(value: JsonValue): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name] ?? null)}`);
  return `{${members.join(',')}}`;
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
