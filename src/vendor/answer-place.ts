import type { AnswerPlace } from '../core/answer-body.ts';
import type { Dialect } from './dialect.ts';

/**
 * Where an answer's fields and results stand by a dialect. `core/answer-body.ts` reads them there, also without one.
 * @param operation whose answers hold lists; left out: nobody asks for those.
 */
export function answerPlaceOf(
  { through, fields_at: fields, operations }: Dialect,
  operation?: string,
): AnswerPlace {
  const results = operation === undefined ? undefined : operations[operation]?.results;
  return {
    ...(through === undefined ? {} : { envelope: through.envelope.answer.body }),
    ...(fields === undefined ? {} : { fields }),
    ...(results === undefined ? {} : { results }),
    ...(operation === 'api-call' && results === undefined ? { objects: true } : {}),
  };
}
