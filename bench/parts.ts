import { dialectOperationOf } from '../src/client/dialect.ts';
import provider from '../src/client/dialects/provider.ts';
import { judge } from '../src/client/judge.ts';
import type { Call } from '../src/core/operation.ts';

/** A flat answer, judged in turn with being parsed, so that what disturbs the machine disturbs both. */
export function judgingBesideParsing(): readonly string[] {
  const call: Call = { ifLost: 'hold', operation: 'enrich-company', parameters: { domain: 'acme.com.au' } };
  const operation = dialectOperationOf(provider, call);
  const fields = Array.from({ length: 20 }, (_, at) => [`field_${at}`, `value ${at}`]);
  const text = JSON.stringify({ name: 'Acme', domain: 'acme.com.au', ...Object.fromEntries(fields) });
  let [judgingMs, parsingMs] = [0, 0];
  for (let round = 0; round < 200; round += 1) {
    const begunMs = performance.now();
    for (let count = 0; count < 100; count += 1) {
      const raw = { status: 200, headers: {}, body: Buffer.from(text), receivedAtMs: 0 };
      judge({ kind: 'answered', raw }, provider, operation, call);
    }
    const judgedMs = performance.now();
    for (let count = 0; count < 100; count += 1) JSON.parse(Buffer.from(text).toString());
    parsingMs += performance.now() - judgedMs;
    judgingMs += judgedMs - begunMs;
  }
  return [
    `judging a flat answer takes ${(judgingMs / parsingMs).toFixed(1)} times as long as parsing it (must: 12)`,
  ];
}
