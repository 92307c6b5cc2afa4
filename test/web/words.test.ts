/**
 * Goal: the page says everything in the words of its user: no flag, no path of a machine, none of the program's own nouns.
 * Method: every sentence of its source, as a parser finds them; and what the program says of rows, as the page shows it.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { expect, test } from 'vitest';
import { about, finding, together } from '../../src/core/finding.ts';
import { sayInShort } from '../../src/core/finding-words.ts';
import type { Findings } from '../../src/core/findings.ts';
import type { OutcomeKind } from '../../src/core/row.ts';
import { stopShown } from '../../src/core/stop-object.ts';
import { guessColumns, passedOverStop } from '../../src/files/columns/columns.ts';
import { CALLED } from '../../src/files/output/summary-words.ts';
import enrichPerson from '../../src/operations/enrich-person.ts';
import findEmail from '../../src/operations/find-email.ts';
import onboard from '../../src/operations/onboard.ts';
import { TERMINAL } from './scene.ts';

const PAGE = join(import.meta.dirname, '..', '..', 'src', 'web', 'page');

/** A part of a source as the parser gives it. */
interface Part {
  readonly type: string;
  readonly value?: unknown;
  readonly regex?: unknown;
}

/** The parts for a screen, and all below them: no import, no type. */
function partsOf(node: unknown): readonly Part[] {
  if (Array.isArray(node)) return node.flatMap(partsOf);
  if (!(node instanceof Object) || !('type' in node)) return [];
  const part = node as Part;
  if (part.type === 'ImportDeclaration' || part.type.startsWith('TS')) return [];
  return [part, ...Object.values(node).flatMap(partsOf)];
}

function textOf({ type, value, regex }: Part): string {
  if (type === 'TemplateElement') return (value as { readonly cooked: string }).cooked;
  return type === 'JSXText' || (type === 'Literal' && regex === undefined) ? String(value) : '';
}

/** What stands between the tags, and strings that have a space or begin as a sentence does. */
function sentencesOf(file: string): readonly string[] {
  const lang = file.endsWith('.tsx') ? 'tsx' : 'ts';
  const texts = partsOf(parseAst(readFileSync(join(PAGE, file), 'utf8'), { lang })).map(textOf);
  return texts.filter((text) => /\p{L} \p{L}|^\s*\p{Lu}\p{Ll}/u.test(text));
}

const OURS =
  /\b(?:batch(?:es)?|operations?|settled?|carr(?:y|ied) out|ledger|dialects?|jobs?(?! title)|sweeps?)\b/i;

test('no sentence of the page has a flag, a path, a word for a terminal or one of the program', () => {
  const files = globSync('**/*.{ts,tsx}', { cwd: PAGE });
  const all = files.flatMap((file) => sentencesOf(file).map((text) => `${file}: ${text.trim()}`));
  expect(all.length).toBeGreaterThan(200);
  expect(all.filter((text) => TERMINAL.test(text.slice(text.indexOf(':'))))).toEqual([]);
  expect(all.filter((text) => OURS.test(text.slice(text.indexOf(':'))))).toEqual([]);
});

const byNames = findEmail.askedBy?.(['first_name+last_name+domain'], []) ?? findEmail;
const NOTHING = { code: 'bug', message: '', next: '' } as const;
const BOTH = ['Work email', 'Contact email'];

test.each([
  [
    enrichPerson,
    ['Size'],
    'No column is recognized as e-mail, profile page or profile name. Name a column that',
  ],
  [onboard, ['Size'], 'The list has no column for the e-mail'],
  [enrichPerson, BOTH, `The columns "Work email", "Contact email" could all be e-mail. Name the right one.`],
  [byNames, ['First name'], 'first name + last name + web domain'],
] as const)('why no row can be looked up is told in her words: %$', (operation, header, words) => {
  const { problem } = guessColumns(operation, header);
  const shown = stopShown(problem?.detail ?? NOTHING);
  const { message, next } = shown.on_page ?? shown;
  expect(`${message} ${next}`).toContain(words);
  expect(message).not.toContain(operation.name);
});

test('a column that is passed over is told in her words', () => {
  const { detail } = passedOverStop(onboard, { input: 'user_id', column: 'Id' });
  expect(stopShown(detail).on_page?.message).toBe(
    'Nothing reads the column "Id", which says who a person is.',
  );
});

const unusable = (...cells: readonly Findings[]): Findings =>
  together(finding('nothing_usable', {}), ...cells);
const blank = (input: string): Findings => finding('blank', { input });
const twoEmails = finding('several_emails', { input: 'email', cell: 'a@b.c; d@e.f: ' });
const fails = { input: 'abn', cell: '51 824', correct: true } as const;

test.each<readonly [kind: OutcomeKind, findings: Findings, words: string]>([
  [
    'invalid',
    unusable(finding('wrong_length', { input: 'abn', cell: '51 824', about: '5' }), blank('website')),
    'ABN: has 5 digits, an ABN has 11; website: blank',
  ],
  [
    'invalid',
    unusable(twoEmails, blank('website')),
    'e-mail: holds more than one e-mail address; website: blank',
  ],
  [
    'invalid',
    together(
      about({ step: 'enrich-company' }, unusable(blank('email'))),
      about({ step: 'enrich-person' }, unusable(blank('email'), finding('no_column', { input: 'abn' }))),
    ),
    'e-mail: blank; ABN: no column',
  ],
  [
    'invalid',
    unusable(twoEmails, finding('sent_if_repaired', { cells: [{ input: 'email', value: 'a@b.c' }] })),
    'e-mail: holds more than one e-mail address; repaired, it would be sent',
  ],
  ['matched', together(twoEmails, finding('checksum_fails', fails)), 'ABN: the checksum fails'],
  [
    'refused',
    about({ step: 'enrich-company', account: 'sandbox-one' }, finding('refused', { by: '', status: 422 })),
    'companies: one (play): the vendor refused it',
  ],
  ['refused', [], 'refused'],
  ['invalid', finding('role_unknown', { input: 'role', cell: 'boss' }), 'the role is not known'],
  ['invalid', finding('project_unknown', { input: 'project', project: 'X' }), 'the project is not known'],
  [
    'refused',
    finding('invite_refused', { role: 'viewer', status: 403, words: 'no' }),
    'the service refused the invite as viewer',
  ],
  [
    'in_doubt',
    together(
      finding('no_answer_today', { at: '2026-11-30T00:00:00Z', kind: 'paused' }),
      finding('said_nothing', {}),
      finding('buy_again', {}),
    ),
    'what came was no answer; it can be bought again',
  ],
  [
    'in_doubt',
    together(finding('in_doubt', { since: '2026-11-30T00:00:00Z' }), finding('program_ended', {})),
    'no answer came, or one that cannot be read; it may have been charged',
  ],
])('rows are told together by what they share: %s, %j, %s', (kind, findings, words) => {
  expect(sayInShort({ kind, findings }, CALLED)).toBe(words);
  // A change costs nothing.
  const ofChange = sayInShort({ kind, findings, isChange: true }, CALLED);
  expect(ofChange).toBe(words.replace('may have been charged', 'may have been done'));
});
