import { entryGuard, type Mutation } from './mutation.ts';

/** A line of the table of rule 9, which is data of the dialect. */
function line(without: string, text: string, instead = ''): Mutation {
  return {
    rule: 9,
    without,
    at: 'src/client/dialects/provider.ts',
    text,
    instead,
    test: 'test/client/judge.test.ts',
    named: 'rule 9, line by line|is no answer',
  };
}

/** What an answer means, and what a run does when answers look wrong. */
export const RULE_9: readonly Mutation[] = [
  line('429 as a pause', "{ status: [429], means: 'rate_limited' },"),
  line('what a 2xx says of itself', "{ status: ['2xx', '4xx', '5xx'], means: 'as_stated' },"),
  line('3xx as a wrong address', "{ status: ['3xx'], means: 'wrong_address' },"),
  line('401 and 403 as a dead key', "{ status: [401, 403], means: 'key_dead' },"),
  line("402 as the end of the vendor's credits", "{ status: [402], means: 'credits_used_up' },"),
  line(
    'readable JSON in a 404',
    "{ status: [404], body: { is: 'readable' }, means: 'no_match' },",
    "{ status: [404], means: 'no_match' },",
  ),
  line('the doubt about 408, 425 and 499', "{ status: [408, 425, 499], means: 'in_doubt' },"),
  line(
    'readable JSON in a refusal',
    "{ status: ['4xx'], body: { is: 'readable' }, means: 'refused' },",
    "{ status: ['4xx'], means: 'refused' },",
  ),
  {
    rule: 9,
    without: 'the doubt about what no rule reads, 5xx among it',
    at: 'src/client/judge.ts',
    text: 'const clause = stated?.because',
    instead:
      "if (rule !== undefined) return { kind: 'answered', answer: 'refused', charged, why: words };\n      const clause = stated?.because",
    test: 'test/client/judge.test.ts',
    named: 'rule 9, line by line',
  },
  {
    rule: 9,
    without: 'the doubt about a lost answer',
    at: 'src/client/judge.ts',
    text: "return { kind: 'in_doubt', why: foreignWords(reply.message) };",
    instead: "return { kind: 'not_sent', why: foreignWords(reply.message) };",
    test: 'test/client/judge.test.ts',
    named: 'a lost answer',
  },
  {
    rule: 9,
    without: 'one probe at a time after five doubts',
    at: 'src/client/limits',
    text: 'return this.#doubtsInARow >= DOUBTS_IN_A_ROW;',
    instead: 'return this.#doubtsInARow < 0;',
    test: 'test/client/limits/limiter/backoff.test.ts',
    named: 'the doubt breaker',
  },
  {
    rule: 9,
    without: 'the stop at twenty first answers 404',
    at: 'src/client/misses.ts',
    text: 'misses >= FIRST_MISSES',
    instead: 'misses < 0',
    test: 'test/client/misses.test.ts',
  },
  {
    rule: 9,
    without: 'the stop at a hundred misses in a row',
    at: 'src/client/misses.ts',
    text: 'misses >= SUDDEN_MISSES',
    instead: 'misses < 0',
    test: 'test/client/misses.test.ts',
  },
  {
    rule: 9,
    without: 'the stop at five matches that cannot be read',
    at: 'src/run/attempt/apply.ts',
    text: 'if (history.unread >= MOST_ODD_MATCHES) stopAll(',
    instead: 'if (history.unread < 0) stopAll(',
    test: 'test/odd-matches.test.ts',
    named: 'ten runs of one row each',
  },
  entryGuard(
    9,
    'only a free 404 after which its account answered nothing else is taken back',
    'guards',
    'taking back an answer that was found',
  ),
];
