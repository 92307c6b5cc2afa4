import { hash } from 'node:crypto';
import {
  type KeptBody,
  parsedFieldsOf,
  parsedResultsOf,
  readBody,
  readBodyOnce,
} from '../../core/answer-body.ts';
import { isObject } from '../../core/objects.ts';
import type { Call, JsonValue } from '../../core/operation.ts';
import { answerPlaceOf, type Dialect, dialectOperationOf } from '../dialect.ts';
import { Asked } from './asked.ts';
import { type Beside, besideData, holdsData, isField } from './holding.ts';

/**
 * Equal for matches that show the same facts, whatever was asked: what repeats the question, and what speaks of the answer itself, is
 * none. Undefined for an answer to a change or to a question of one's own, and where nothing is shown but yes and no.
 */
export function factsShape(bytes: KeptBody, dialect: Dialect, call: Call): string | undefined {
  const asked = new Asked(call, dialectOperationOf(dialect, call));
  if (call.change !== undefined || asked.isOwn) return undefined;
  const read = typeof bytes === 'string' ? readBody(bytes) : readBodyOnce(bytes);
  const body = read.kind === 'json' ? read.value : undefined;
  const place = answerPlaceOf(dialect, call.operation);
  const value = place.results === undefined ? parsedFieldsOf(body, place) : parsedResultsOf(body, place);
  const facts: string[] = [];
  collect(value ?? null, '', besideData(dialect, asked), facts);
  if (facts.every((fact) => fact.endsWith(':true'))) return undefined;
  return hash('sha256', JSON.stringify([call.operation, facts.sort()]), 'hex');
}

function collect(value: JsonValue, path: string, beside: Beside, facts: string[], name = ''): void {
  if (Array.isArray(value)) {
    for (const each of value) collect(each, path, beside, facts, name);
  } else if (isObject(value)) {
    for (const [each, inner] of Object.entries(value as Readonly<Record<string, JsonValue>>))
      if (isField(each, inner, beside)) collect(inner, `${path}.${each}`, beside, facts, each);
  } else if (holdsData(value, beside, name)) facts.push(`${path}:${String(value)}`);
}
