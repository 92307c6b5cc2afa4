/**
 * Goal: nothing that a vendor, a list or a file says can steer a terminal, stand in a report as more than text, or keep the
 * program busy for longer than its length does.
 * Method: the same nasty strings through every place at which somebody else's words come out; and every reader of such
 * words over a repeated character at one length and at four times that, in one run: work that grows by the square would
 * take sixteen times as long. What is too quick to be measured has passed.
 */

import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { openTerminal } from '../src/cli/console.ts';
import provider from '../src/client/dialects/provider.ts';
import { judge, type WireReply } from '../src/client/judge.ts';
import { findingWords } from '../src/commands/plan.ts';
import { suggestion } from '../src/core/errors.ts';
import { finding } from '../src/core/finding.ts';
import { sayAll } from '../src/core/finding-words.ts';
import type { JsonValue } from '../src/core/operation.ts';
import { typedWords } from '../src/core/phrase.ts';
import { escapeMarkup, foreignName, foreignWords, plainText } from '../src/core/plain-text.ts';
import { stopShown } from '../src/core/stop-object.ts';
import { formatOfCode } from '../src/files/formats/xlsx/cell.ts';
import { jobSchema } from '../src/job/job-schema.ts';
import { safeCell } from '../src/lib/formulas.ts';
import { problemOf } from '../src/lib/yaml/schema-problem.ts';
import { columnsIn, templateProblem } from '../src/operations/lookup/cell-template.ts';
import { readEmail, readText } from '../src/operations/team/change-inputs.ts';
import { email } from '../src/values/email.ts';
import { cellIssueOf } from '../src/values/kinds.ts';
import { abn } from '../src/values/number.ts';
import { personProfile } from '../src/values/profile.ts';
import { domain, website } from '../src/values/website.ts';
import { some } from './support/combinations.ts';
import { ESC, NASTY, OBEYED } from './support/nasty.ts';

const OPERATION = { method: 'POST', path: '/enrich', credits: { most: 2, found: 2 } } as const;
const CALL = { operation: 'enrich-company', parameters: { domain: 'a.example' }, ifLost: 'hold' } as const;

function answered(status: number, body: string, headers: Readonly<Record<string, string>> = {}): WireReply {
  return {
    kind: 'answered',
    raw: { status, headers, body: Buffer.from(body), receivedAtMs: Date.UTC(2026, 10, 20) },
  };
}

/** All words that come of judging a reply. */
function words(reply: WireReply): readonly string[] {
  const verdict = judge(reply, provider, OPERATION, CALL);
  const stopped = verdict.kind === 'stopped' ? [verdict.stop.message, verdict.stop.next].map(typedWords) : [];
  return [sayAll(verdict.why, 'terminal'), ...stopped];
}

const json = (value: JsonValue): string => JSON.stringify(value);

/** What is said of a job that is not as it should be. */
function wordsOfProblem(job: object): readonly string[] {
  const { error } = jobSchema.safeParse(job);
  return (error?.issues ?? []).flatMap((issue) => {
    const { fact, next } = problemOf(jobSchema, job, [issue]);
    return [String(fact), next];
  });
}

/** Where words of somebody else become a part of a sentence of ours: of a reason, a note or a stop. */
const SENTENCES: Readonly<Record<string, (text: string) => readonly string[]>> = {
  'a refusal': (text) => words(answered(422, json({ message: text }))),
  'a reason that is nested': (text) => words(answered(400, json({ error: { message: text } }))),
  'a reason that is an object': (text) => words(answered(400, json({ error: { [text]: text } }))),
  'an error in a success': (text) => words(answered(200, json({ error: text }))),
  'a page for people': (text) => words(answered(500, text)),
  'a refused key': (text) => words(answered(401, json({ detail: text }))),
  'credits that are used up': (text) => words(answered(402, text)),
  'a pause': (text) => words(answered(429, text)),
  'a redirect': (text) => words(answered(302, text, { location: text })),
  'a lost answer': (text) => words({ kind: 'lost', how: 'none_came', message: text }),
  'a request that never left': (text) => words({ kind: 'not_sent', cause: 'unreachable', message: text }),
  'a quoted cell': (text) => [sayAll(finding('role_unknown', { input: 'role', cell: text }), 'terminal')],
  'the name of a column': (text) => [foreignName(text)],
  'a word that nobody knows': (text) => [suggestion(text, [text, `${text}s`]), suggestion('zzz', [text])],
  'a name in a job': (text) => wordsOfProblem({ columns: { [text]: 1 }, [text]: 1, operation: 1 }),
  'a value in a job': (text) => wordsOfProblem({ operation: text, on_existing: text, in_doubt: text }),
  'an example of damage': (text) => [
    findingWords({
      kind: 'lost_zero',
      count: 1,
      first_rows: [2],
      repairable: 0,
      examples: [{ row: 2, cell: text, repaired: text }],
    } as never),
  ],
};

/** Reasons have more words than those of the vendor. */
const LONGEST_SENTENCE = 800;

describe.each(Object.entries(SENTENCES))('%s', (_name, say) => {
  test('foreign text is a short line that steers nothing, whatever was said', () => {
    for (const text of NASTY) {
      const said = say(text);
      expect(said.length).toBeGreaterThan(0);
      for (const line of said) {
        expect(line).not.toMatch(OBEYED);
        expect(line).not.toMatch(/[\n\t]/);
        expect(line.length).toBeLessThan(LONGEST_SENTENCE);
      }
    }
  });
});

test('a terminal obeys no words of anybody, by whichever way they come to it', async () => {
  for (const text of NASTY) {
    const stream = (): PassThrough & { isTTY: boolean; columns: number } =>
      Object.assign(new PassThrough(), { isTTY: true, columns: 80, setRawMode: () => {} });
    const [stdin, stdout, stderr] = [stream(), stream(), stream()];
    const streams = { stdin, stdout, stderr, env: {} };
    const terminal = openTerminal({ json: false, quiet: false, noColor: true }, streams);
    terminal.print(text);
    terminal.say(text);
    terminal.warn(text, 'alarming');
    terminal.fail(stopShown({ code: 'input', message: text, next: text, nextCommand: text }));
    openTerminal({ json: true, quiet: false }, streams).result({ [text]: [text] });
    for (const shown of [stdout, stderr]) expect(String(shown.read())).not.toMatch(OBEYED);
    terminal.status(text);
    expect(String(stderr.read()).replace(`\r${ESC}[K`, '')).not.toMatch(OBEYED);
  }
});

// ------------------------------------------------------------------------------------------------------ in linear time

const REPEATED = [
  ...[
    ESC,
    `${ESC}]`,
    `${ESC}[`,
    `${ESC}[1;`,
    `${ESC}P`,
    '\u009b',
    '\u009d',
    '\0',
    '\u0007',
    '\n',
    '\r',
    '\t',
  ],
  ...['[', '{', '(', '<', ']', '}', '"', "'", '\\', '/', '.', ',', ';', '=', '@', '-', '{{', '{{a', '%', '&'],
  ...[' ', '\u00a0', '\u202e', '\u200b', '0', '9', '1 ', 'www.', 'Ã', '日', '\ud800', '\u0300', 'https://'],
];

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  'plain text': plainText,
  'words of somebody else': foreignWords,
  HTML: escapeMarkup,
  'a cell of ours': safeCell,
  JSON: (text) => judge(answered(200, text), provider, OPERATION, CALL),
  'a text in JSON': (text) => judge(answered(422, json({ message: text })), provider, OPERATION, CALL),
  'a number in JSON': (text) =>
    judge(answered(200, `[1${text}1,0.1${text}1e-5,0e9${text}]`), provider, OPERATION, CALL),
  'a header': (text) =>
    judge(
      answered(429, '', { 'retry-after': text, ratelimit: text, location: text }),
      provider,
      OPERATION,
      CALL,
    ),
  'a cell with a domain': (text) => [domain.read(text), domain.looksRight(text), cellIssueOf('domain', text)],
  'a cell with a website': (text) => [
    website.read(text),
    website.looksRight(text),
    cellIssueOf('website', text),
  ],
  'a cell with an e-mail': (text) => [readEmail(text), email.looksRight(text), cellIssueOf('email', text)],
  'a cell with a profile': (text) => [personProfile.read(text), cellIssueOf('profile_url', text)],
  'a cell with a number': (text) => [
    abn.looksRight(text),
    cellIssueOf('abn', text),
    cellIssueOf('phone', text),
  ],
  'a cell with a name': (text) => readText('project', text),
  'a template': (text) => [columnsIn(text), templateProblem({ a: text }), columnsIn(`{{a${text}`)],
  'a word that nobody knows': (text) => [suggestion(text, [text.slice(1)]), suggestion('x', [text, text])],
  "a workbook's number format": formatOfCode,
};

const SHORT = 16_000;
/** Quicker than this is noise; by the square, four times the length would take seconds. */
const NOISE_MS = 40;

function quickestMs(read: (text: string) => unknown, text: string): number {
  const times = [1, 2, 3].map(() => {
    const from = process.threadCpuUsage();
    read(text);
    // Of this thread alone, so that nothing else that the machine does counts.
    const { user, system } = process.threadCpuUsage(from);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}

describe.each(some(Object.entries(READERS), 3))('%s is read in linear time', (_name, read) => {
  test('foreign text is read in linear time, whichever character is repeated', () => {
    for (const unit of REPEATED) {
      for (const end of ['', 'x', '1 ']) {
        const [short, long] = [SHORT, 4 * SHORT].map((length) =>
          quickestMs(read, unit.repeat(length / unit.length) + end),
        );
        const growth = (long ?? 0) < NOISE_MS ? 0 : (long ?? 0) / Math.max(short ?? 0, 0.01);
        expect(
          growth,
          `${JSON.stringify(unit)} and ${JSON.stringify(end)}: ${short} ms, ${long} ms`,
        ).toBeLessThan(12);
      }
    }
  });
});
