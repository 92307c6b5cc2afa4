import { MOST_LEVELS, type WhyUnreadable } from './answer-body.ts';
import { allowedBy, CODES, type Code, problemWords } from './cell-problems.ts';
import type { Answered, FactsOf, Finding, FindingCode, Findings } from './findings.ts';
import { inputWords } from './input-words.ts';
import { ROLES } from './membership.ts';
import { present } from './objects.ts';
import { counted, foreignName, foreignWords, linesOf, listed } from './plain-text.ts';

/**
 * The words of findings: the only place that says in English why a row or an attempt ended so. No code reads
 * what is said here.
 */

/**
 * `file`: the column `_reason`. `terminal`: a line of output. `page`: for people who never typed a command,
 * and do not know the names of inputs. `short`: words that many rows share, without their cells.
 */
export type Face = 'file' | 'terminal' | 'page' | 'short';

/** Words that end in a colon lead to the next finding. Blank: this face has nothing to say of it. */
type Words<Code extends FindingCode> = string | ((facts: FactsOf<Code>, face: Face, names: Names) => string);

const CELLS = Object.fromEntries(CODES.map((code) => [code, cellWords(code)])) as Readonly<
  Record<Code, (facts: FactsOf<Code>, face: Face) => string>
>;

const WORDS: { readonly [Code in FindingCode]: Words<Code> } = {
  ...CELLS,
  said_before: ({ words }) => words,

  left_out({ by, column, cell }, face) {
    const fact = `${foreignName(column)} is ${cell === '' ? 'blank' : foreignName(cell)}`;
    return isTyped(face) ? `${by} leaves it out, because ${fact}` : fact;
  },
  nothing_to_fill({ columns, filled }, face) {
    const names = listed(columns.map((column) => foreignName(column)));
    const keepWords = isTyped(face) ? `on_existing: keep leaves ${names}` : `${names} stay`;
    const fact = filled
      ? `${names} ${columns.length === 1 ? 'is' : 'are'} filled`
      : `${keepWords} as the list has them`;
    return `${fact}, so the row would get nothing`;
  },
  erased_on: ({ date }) => `erased on ${date}`,
  nothing_usable: (_, face) => (isTyped(face) ? 'no usable identifier:' : ''),
  nothing_complete({ of }, face) {
    if (face === 'short') return '';
    const tiers = of?.map((each) => namedIn(face, each));
    return `${tiers === undefined ? 'no tier of the waterfall' : `none of ${listed(tiers)}`} is complete:`;
  },
  nothing_to_search_by: 'nothing to search by:',
  no_column_for_filter: 'no column is chosen for a filter',
  nothing_to_send: ({ columns }) => `nothing to send: ${columns.join(', ')}: blank`,
  cells_make_key: 'its cells contain {key}, which only a job may contain',
  path_leads_elsewhere: ({ path }, face) => `the path${quotedIn(face, path)} would lead elsewhere`,
  no_column_chosen: 'no column holds one',
  no_column: ({ input }, face) => `${labelOf(input, face)}: no column`,
  blank: ({ input }, face) => `${labelOf(input, face)}: blank`,
  counts_as_blank: ({ input, cell }, face) => `${labelOf(input, face)}${cellIn(face, cell)}: counts as blank`,
  blank_in_path: ({ input }, face) => `${namedIn(face, input)}: blank, and the path needs it`,
  nothing_to_ask_by: 'there is nothing to ask by',
  // cells
  row_unreadable: ({ words }) => words,
  filled_oddly: ({ column, cell, problem, about }) =>
    `${foreignName(column)} holds ${foreignName(cell)}, ` +
    `which ${problemWords({ code: problem, ...present({ about }) })}`,
  shared_host({ host, companies }, face) {
    const fact = `${host} is the website of ${companies} companies of this list, each on a page of it`;
    const conclusion = `${fact}, so it is probably none of theirs`;
    return isTyped(face) ? `${conclusion}; to send its rows, use --accept shared-host` : conclusion;
  },
  repaired: ({ cells }) => repairedWords(cells),
  sent_if_repaired: ({ cells }, face) =>
    face === 'short'
      ? 'repaired, it would be sent'
      : `repaired, it would be sent with ${repairedWords(cells)}`,
  program_says: ({ words }) => words,
  program_failed: ({ operation, words }) => `${operation} failed: ${foreignWords(words)}`,
  no_parameters_made: ({ operation }) => `${operation} made no parameters from this row`,
  a_plan_asks_nobody: 'a plan sends no request',

  skipped_by_user: 'skipped by the user:',
  left_out_by_user: 'skipped by the user',
  call_not_done: 'its call was not done',
  call_answered: 'its call was answered',
  answer_taken_back: 'its answer was taken back',
  vendor_answers_later: 'the vendor answers its call later',
  may_be_sent_again: 'it may be sent again',
  goes_on_in: ({ batch }, face) => `${batchWords(batch, face, 'a later start')} goes on with this list`,
  batch_is_over: ({ state }) => `its batch is ${state}`,
  not_done: 'not done: run the list again',
  project_created: ({ id }) => `created: project_id ${id}`,
  made_project: ({ id }) => `project created: project_id ${id}`,
  still_to_do: ({ deleted }) =>
    deleted ? 'the invite was deleted, and the new one is still to be made' : 'still to be done',
  same_as_row: ({ row }) => `the same as row ${row}`,
  rows_contradict: ({ rows }) =>
    `the list contradicts itself: ${rows.map(({ row, to }) => `row ${row} says ${to}`).join(', ')}; keep one of them`,
  changed_since_planned: ({ batch }, face) =>
    `changed by ${batchWords(batch, face)} since this was planned; run the list again to make a new plan`,

  role_unknown({ cell, meant }, face) {
    if (face === 'short') return 'the role is not known';
    const fact = `role ${quoted(cell)} is not known`;
    if (meant !== undefined) return `${fact}. Did you mean ${foreignWords(meant)}?`;
    if (!isTyped(face)) return `${fact}.`;
    const roles = listed(ROLES);
    return `${fact}. Say with --role "${foreignWords(cell.trim(), LONGEST_CELL)}=…" which of ${roles} that is.`;
  },
  none_is_no_role: (_, face) =>
    `role "none" is not known.${isTyped(face) ? ' To remove people, use remove-user or `remove_missing`.' : ''}`,
  project_unknown({ project, among, meant, known }, face) {
    if (face === 'short') return 'the project is not known';
    const several = among === undefined ? '' : `${quoted(among)} names several projects, and `;
    const fact = `project ${several}${quoted(project)} is not known.`;
    if (meant !== undefined)
      return `${fact} Did you mean ${meant.map((each) => foreignWords(each)).join(' or ')}?`;
    if (known !== undefined)
      return `${fact} Use one of these: ${foreignWords(known.join(', '), LONGEST_LIST)}.`;
    return isTyped(face) ? `${fact} Name it under \`projects\` with its id.` : fact;
  },
  several_projects: ({ input, cell }, face) =>
    `${labelOf(input, face)} ${quoted(cell)} names several projects. Give the person a row for each`,
  project_has_other_id: ({ cell, project, id }) =>
    `project ${quoted(project)} has the id ${foreignWords(id)}, but the row says ${quoted(cell)}. Correct one of them`,
  project_id_unfit({ id, project }) {
    const whose = project === undefined ? "the account's project_id" : `the id of project ${quoted(project)}`;
    return `${whose} ${quoted(id)} cannot be part of a header`;
  },
  no_project_column:
    'project: the list has no column for it, and the account has no project_id. Add one of the two',
  no_project: ({ input }, face) =>
    `${labelOf(input, face)}: blank, and the account has none. Give the row or the account one`,
  no_organization: ({ project }) =>
    project === undefined
      ? 'the account has no organization_id. Give it one, because every project belongs to one'
      : `the project ${foreignName(project)} has to be created, but the account has no organization_id. Give it one`,
  one_of_needed: ({ inputs }, face) =>
    `${inputs.map((input) => `${labelOf(input, face)}: blank`).join('; ')}. Give one of the two`,
  id_of_another: ({ input, cell, of, email }, face) =>
    `${labelOf(input, face)} ${quoted(cell)} belongs to ${foreignWords(of)}, but the row says ${foreignWords(email)}. ` +
    'Correct one of them, or leave the e-mail address out',

  already_member: ({ role, ...person }) =>
    `${whoIs(person)} is in the project ${role === undefined ? 'already, with an unknown role' : `as ${role} already`}`,
  already_invited: ({ role, ...person }) =>
    `${whoIs(person)} is invited ${role === undefined ? 'already, with an unknown role' : `as ${role} already`}`,
  access_now({ places, ...person }, face) {
    if (face === 'short') return '';
    const who = face === 'page' ? '' : `${whoIs(person)} `;
    const where = places.map(({ project, role = 'a role' }) => `${role} in ${foreignWords(project)}`);
    return (
      who + (where.length === 0 ? 'has no access, as far as is known' : `keeps access: ${listed(where)}`)
    );
  },
  not_in_project: (person) => `${whoIs(person)} is not in the project, as far as is known`,
  no_invite: ({ to, ...person }) =>
    to === undefined
      ? `${whoIs(person)} has no invite, as far as is known`
      : `${whoIs(person)} has no invite to this project. ${IF_ACCEPTED[to]}`,
  invite_deleted_before: ({ invite_code: code }) => `the invite ${foreignWords(code)} was deleted already`,
  project_made_before: ({ project, id }) =>
    `the project ${quoted(project)} was created before: project_id ${foreignWords(id)}`,
  no_project_yet: 'the project does not exist yet',

  // A person may be in two rows: on the page each says itself which project is meant.
  invited({ role, project, at_once: atOnce }, face) {
    if (face !== 'page') return invitedWords(role, atOnce === true);
    const place = `to ${foreignWords(project)} as ${role}`;
    return atOnce === true ? `added ${place}` : `invited ${place}`;
  },
  role_changed({ from, to, project, by_invite: by }, face) {
    if (face !== 'page')
      return by === undefined
        ? `role set to ${to}`
        : `invite deleted and created again: ${invitedWords(to, by === 'accepted')}`;
    const change = from === undefined ? `role set to ${to}` : `${from} → ${to}`;
    return `${change} in ${foreignWords(project)}${by === undefined ? '' : ', by a new invite'}`;
  },
  invite_deleted: ({ project }, face) =>
    face === 'page' ? `removed from ${foreignWords(project)}: the invite was deleted` : 'invite deleted',
  removed: ({ project }, face) =>
    face === 'page' ? `removed from ${foreignWords(project)}` : 'removed from the project',

  has_accepted({ to, ...person }) {
    switch (to) {
      case 'change_role':
        return `${whoIs(person)} has accepted, so their role can only be set by user_id. Give the user_id`;
      case 'remove':
        return `${whoIs(person)} has accepted, and the user_id is not known. Run remove-user with it`;
      case 'delete_invite':
        return `${whoIs(person)} has accepted the invite. Run remove-user with the user_id`;
    }
  },
  has_other_role: ({ role, is, ...person }) =>
    `${whoIs(person)} is ${is === 'invited' ? 'invited' : 'in the project'} as ${role}. Use change-role or onboard`,
  invite_unclear: (person) =>
    `not enough is known of the invite of ${whoIs(person)} to create it again. ` +
    'Run delete-invite with its invite_code and the e-mail address, then run this list again',
  invite_missing({ to, email, user_id, invite_code, ...answer }, face) {
    const what =
      email === undefined ? whoIs(present({ user_id, invite_code })) : `invite of ${whoIs({ email })}`;
    const fact = `the ${what} is not there any more${answeredIn(face, answer)}`;
    return `${fact}: it was accepted, or another person deleted it. ${IF_ACCEPTED[to]}`;
  },
  invite_code_unknown: (person) =>
    `the code of the invite of ${whoIs(person)} is not known. Run delete-invite with its invite_code`,
  invite_unknown({ to, ...person }) {
    const next = to === 'delete_invite' ? 'Give its invite_code' : IF_ACCEPTED[to];
    return `no invite of ${whoIs(person)} to this project is known. ${next}`;
  },
  other_invite_code: ({ known, input: _, cell, ...person }) =>
    `the pending invite of ${whoIs(person)} has the code ${foreignWords(known)}, ` +
    `but the row says ${foreignWords(cell)}. Leave out the wrong one`,
  needs_email: "an invite needs the person's e-mail address. Give it",
  no_such_user: ({ user_id: id, project, ...answer }, face) =>
    `the service has no user ${foreignWords(id)} in project ${foreignWords(project)}` +
    `${answeredIn(face, answer)}: the id is wrong, or the user was already removed. Look it up`,
  role_refused: ({ user_id: id, role, ...answer }, face) =>
    `the service refused ${role} for user ${foreignWords(id)}${answeredIn(face, answer)}`,
  invite_refused: ({ role, ...answer }, face) =>
    `the service refused the invite as ${role}${answeredIn(face, answer)}`,
  deletion_refused({ role, ...answer }, face) {
    const which = role === undefined ? '' : ` as ${role}`;
    const fact = `the service refused to delete the invite${which}${answeredIn(face, answer)}`;
    // The service's own words stand before, and may know better.
    return `${fact}; as far as is known it is still pending`;
  },
  removal_refused: ({ user_id: id, ...answer }, face) =>
    `the service refused to remove user ${foreignWords(id)}${answeredIn(face, answer)}`,
  project_refused: ({ project, ...answer }, face) =>
    `the service refused to create the project ${quoted(project)}${answeredIn(face, answer)}`,
  project_without_id: ({ project }) =>
    `the project ${quoted(project)} was created, but the answer has no usable project_id. ` +
    'Look it up and put it in the list',
  no_invite_now: (person) => `${whoIs(person)} has no invite now`,
  invited_otherwise: ({ role, wanted, ...answer }, face) =>
    `invited before as ${role}, wanted ${wanted}${answeredIn(face, answer)}`,
  invite_restored: ({ role }) => `the invite as ${role} was created again`,
  invite_is_there: ({ role, ...answer }, face) => `the invite as ${role} is there${answeredIn(face, answer)}`,
  held_back({ project, row, is, cell, ...person }, face) {
    const may = cell === '' ? 'has no e-mail address and may mean anybody' : 'may mean them';
    const shown = cell ? ` (${quoted(cell, isTyped(face) ? LONGEST_CELL : LONGEST_BESIDE)})` : '';
    // The person and the project stand beside it.
    if (!isTyped(face)) return `row ${row}${shown} ${may}; correct it first`;
    const why = `row ${row}${shown} is ${is === 'left_out' ? 'left out' : 'invalid'} and ${may}`;
    return `${whoIs(person)} was not removed from ${foreignWords(project)}, because ${why}. Correct that row first`;
  },
  change_in_doubt({ call, row, batch, open, ...person }, face) {
    const who = whoIs(person);
    const what = `an earlier ${call}${who === '' ? '' : ` of ${who}`}`;
    const fact = open ? `the answer to ${what} has not come yet` : `the result of ${what} is in doubt`;
    return `${fact}; settle row ${row} of ${batchWords(batch, face, 'the list that sent it')} first`;
  },

  changed_since: ({ batch }, face) => `changed since by ${batchWords(batch, face)}; undo that first`,
  project_stays: ({ id = '' }) =>
    `project ${foreignWords(id)} was created, and the service does not offer to delete one`,
  own_call_stays: 'Rowonce cannot undo an api-call; undo it at the service',
  was_removed: ({ role }) =>
    'was removed, and only a new invite could bring them back; ' +
    `invite them with a list${role === undefined ? '' : ` as ${role}`}`,
  deleted_role_unknown:
    'has no invite now, and the role of the one that was deleted is not known; invite them with the right one',
  earlier_role_unknown: 'the earlier role is not known; change it to the right one',
  user_id_unknown: 'has accepted, and the user_id is not known; remove them by it',
  state_unknown: 'their state is not known any more; check at the service',
  person_unnamed: 'neither an e-mail address nor a user_id is known',

  no_match: ({ by }, face) => `no match by ${by.map((each) => namedIn(face, each)).join(', ')}`,
  refused: ({ by, ...answer }, face) =>
    `the vendor refused ${by === '' ? 'it' : namedIn(face, by)}${answeredIn(face, answer)}`,

  in_doubt({ since, at_stake: stake, credits, batch }) {
    const where = batch === undefined ? '' : ` in batch ${batch}`;
    const money = credits === undefined ? [] : `${counted(credits, 'credit')} at risk${where}`;
    return `${[`in doubt since ${since}`, stake ?? [], money].flat().join(', ')}:`;
  },
  lost_again: 'the job sent it again, and that answer was lost too',
  extra_credits_short: 'not sent again, because the extra credits do not cover it',
  waits_for_change: ({ row, batch }, face) =>
    `row ${row} of ${batchWords(batch, face)} asked to change the same person, and the result is in doubt; settle that first`,
  asked_otherwise({ before, today, answered }, face) {
    const fact = `it was asked by ${foreignWords(before)} before`;
    const now = `asked by ${foreignWords(today)} today`;
    const toBuy = isTyped(face) ? '; run the list with --yes to buy that' : '';
    return answered
      ? `${fact}, and is ${now}${toBuy}`
      : `${fact}, and whether that was charged is not known; once that is settled, it is ${now}`;
  },
  no_answer_today: ({ at, kind }) =>
    `today's dialect reads the response of ${at} as ${NO_ANSWERS[kind] ?? kind}, not as an answer:`,
  buy_again: (_, face) => (isTyped(face) ? 'run the list with --yes to buy it again' : ''),
  not_proven: "it counted as done, but today's dialect reads the response in another way:",
  check_at_service: 'check at the service whether it was done',
  skipped_by_rule: ({ words }) => `skipped, ${words}:`,
  refused_by_service({ project, ...answer }, face) {
    const fact = `the service refused it${answeredIn(face, answer)}`;
    return project === undefined
      ? fact
      : `${fact}: for this person, or because the key may change nothing in project ${project}`;
  },

  gave_up: (facts) =>
    `the vendor accepted it at ${facts.accepted_at}, by its id ${facts.id}, and has not answered in ${facts.in}; ` +
    'it said last:',
  failed_later: (facts) => `the vendor accepted it at ${facts.accepted_at}, and then said:`,
  no_way_to_ask: (facts) =>
    `the vendor accepted it at ${facts.accepted_at}, and today's dialect does not say how to ask for the answer`,
  said_nothing: 'nothing',
  program_ended: 'the program ended between sending the request and keeping the answer',
  not_sent_in_time: 'the run was stopped or the account had to wait before it was sent',
  answer({ so, lacks, ...all }, face) {
    const answer = face === 'short' ? { status: all.status } : all;
    if (so === 'odd_verdict' && !isTyped(face)) return `${answerWords(answer)}, with an unknown verdict`;
    const behind = lacks === undefined ? '' : ` ${JSON.stringify(lacks)}`;
    return answerWords(answer) + (so === undefined ? '' : SO[so] + behind);
  },
  none_of_its_kind: ({ status, name, value }) =>
    `${status === undefined ? '' : `status ${status}, `}in the place of the ${name} stands ${valueWords(value)}`,
  done_without_a_word: 'confirmed by the service',
  vendor_found_nothing: 'the vendor found nothing',
  nobody_found: ({ by }) => `no people found by ${by}`,
  people_found: ({ count }) => counted(count, 'person', 'people'),
  no_list_in_answer(_, face) {
    const fact = 'the answer has no list of people that can be found';
    return isTyped(face)
      ? `${fact}; set its place in the dialect, under operations.search-people.results`
      : fact;
  },
  done_before: ({ batch }, face) =>
    `done before by ${batchWords(batch, face, 'an earlier start')}; only a different request would be sent`,
  vendor_lacks_it: (answer, face) => `the vendor does not have it${answeredIn(face, answer)}`,
  says_missing: (answer) => `the vendor says that something is missing: ${answerWords(answer)}`,
  several_fit: ({ count, things }) => `${count} ${things} fit`,
  unfit_for_path: ({ what }) => `${what} cannot be part of an address`,
  address_not_taken: ({ verdict, by }, _, { account }) =>
    `its address is ${foreignWords(verdict)} by ${account(by)}`,
  check_refused: (facts, _, { account }) => `${account(facts.account)} refuses to check its address:`,
  not_sent: ({ words }) => foreignWords(words),
  answer_lost({ how, status, words }) {
    const fact = {
      none_came: 'no answer came',
      broke_off: `the answer with status ${status} broke off`,
      packed: 'the packed answer cannot be read',
    }[how];
    return `${fact} (${foreignWords(words)})`;
  },
  not_judged: ({ words }) => `could not be judged: ${foreignWords(words)}`,
  accepted_as: ({ id }) => `the vendor answers later, by its id ${foreignName(id)}`,
  id_given_twice: ({ id }) =>
    `the vendor gave the id ${foreignName(id)} to another call, too, so it is not known which call its answer belongs to`,
  no_id_there: ({ at }, face) =>
    isTyped(face) ? `nothing at \`${at}\` can be used as its id` : 'nothing in it can be used as its id',
  not_yet: 'not yet:',
  told: ({ words }) => words,
  charged_once: 'answered later under the same idempotency key, which the vendor charges once',
  accepted_and_sent_again: 'the vendor had accepted it, and a person chose to send it again',
  left_out_unanswered: 'it was left out before the vendor had answered',
  given_up: 'given up',
  erased: 'erased',
};

function cellWords(code: Code): (facts: FactsOf<Code>, face: Face) => string {
  return ({ input, cell, about, correct }, face) => {
    const problem = problemWords({ code, ...present({ about }) });
    const fact = `${labelOf(input, face)}${cellIn(face, cell)}: ${problem}`;
    const allows = isTyped(face) ? allowedBy(code) : undefined;
    if (allows !== undefined) return `${fact}; ${correct ? 'correct it, or' : 'to send it,'} ${allows}`;
    return correct && face !== 'short' ? `${fact}, so correct it` : fact;
  };
}

/** A cell, which is another one in each row. */
const cellIn = (face: Face, cell: string): string =>
  face === 'short' || cell === '' ? '' : ` ${foreignWords(cell, LONGEST_CELL)}`;

const quotedIn = (face: Face, cell: string): string =>
  face === 'short' ? '' : ` "${foreignWords(cell.trim(), LONGEST_CELL)}"`;

/** What was answered, in brackets. */
const answeredIn = (face: Face, answer: Answered): string =>
  face === 'short' ? '' : bracketed(answerWords(answer));

const repairedWords = (cells: FactsOf<'repaired'>['cells']): string =>
  cells.map(({ input, value }) => `${labelOf(input)} read as ${foreignWords(value)}`).join(', ');

/** Whether a face is read where commands are typed. */
const isTyped = (face: Face): boolean => face === 'file' || face === 'terminal';

/** A batch by its id, where that can be typed. On the page a list has a name, and no id. */
const batchWords = (id: string, face: Face, onPage = 'another list'): string =>
  isTyped(face) ? `batch ${id}` : onPage;

/** Longer cells are cut: a reason fits a spreadsheet's cell, and the row itself stands beside it. */
const LONGEST_CELL = 80;

/** What an input is called; one that is missing here has its own name. */
const LABELS: Readonly<Record<string, string>> = {
  abn: 'ABN',
  email: 'e-mail',
  profile_url: 'profile URL',
  phone: 'telephone number',
  // As the service's own pages and the headings of lists write them.
  user_id: 'user_id',
  project_id: 'project_id',
  invite_code: 'invite_code',
  organization_id: 'organization_id',
};

/** A `name` may be that of a company or the parts of a person's. */
const labelOf = (input: string, face: Face = 'file'): string =>
  isTyped(face) || input === 'name' ? (LABELS[input] ?? input.replaceAll('_', ' ')) : inputWords(input);

/** An input by its name, or several with a plus between them, as in `full_name+company`. */
const namedIn = (face: Face, inputs: string): string =>
  isTyped(face) ? inputs : inputs.split('+').map(inputWords).join(' + ');

const NO_ANSWERS: Readonly<Record<string, string>> = {
  paused: 'a rate limit',
  accepted: 'the promise of a later answer',
  in_doubt: 'in doubt',
  stopped: 'a refused key, address or credit',
  not_sent: 'a statement that nothing was done',
  not_served: 'a request to ask later',
};

const SO: Readonly<Record<NonNullable<FactsOf<'answer'>['so']>, string>> = {
  already: ', so nothing had to change',
  sent_again: ', sent again: it is there',
  without_a_word: ', without a word',
  without_a_body: ', without a body',
  not_json: ', which is not JSON',
  failed_but_holds_data: ', which says that it failed, but holds data',
  names_an_error: ', which names an error',
  not_found_out: ', which does not say whether anything was found',
  not_said: ', which does not say whether it was done',
  odd_verdict: ', with a verdict that `verdicts` of the dialect lacks',
  shows_another: ', which shows something different from what was asked for',
  no_answer_yet: ', which is no answer yet',
  charged: ', which is charged',
  lacks: ', without',
};

/** A value that a vendor gave, as it is quoted. */
export const valueWords = (value: unknown): string =>
  typeof value === 'string'
    ? foreignName(value.trim())
    : `\`${foreignWords(JSON.stringify(value), LONGEST_VALUE)}\``;

const LONGEST_VALUE = 80;

const bracketed = (words: string): string => (words === '' ? '' : ` (${words})`);

function answerWords({ status, words, body, unreadable }: Answered): string {
  const answerText = words === undefined ? body && foreignWords(body) : `"${foreignWords(words)}"`;
  const shown =
    unreadable === undefined ? answerText : unreadableWords({ problem: unreadable, sign: words ?? '' });
  return linesOf(status === undefined ? undefined : `status ${status}`, shown).join(', ');
}

/** Why no one can look into a text as JSON. */
export const unreadableWords = (why: WhyUnreadable): string =>
  why.problem === 'too_deep'
    ? `its lists and objects are more than ${MOST_LEVELS} deep`
    : `${foreignWords(why.sign)} stands in it, which JSON does not have`;

// ----------------------------------------------------------------------------------------------------- teams

const quoted = (cell: string, most = LONGEST_CELL): string => `"${foreignWords(cell.trim(), most)}"`;

/** In a column of the table, where the cell itself stands in another row. */
const LONGEST_BESIDE = 16;

const LONGEST_LIST = 700;

/** What to do about a person whose invite the service does not have, by what was wanted. */
const IF_ACCEPTED = {
  change_role: 'Give the user_id if it was accepted; otherwise run invite-user',
  remove: 'Run remove-user with the user_id if it was accepted; otherwise nothing is left to do',
} as const;

type Person = Pick<FactsOf<'not_in_project'>, 'email' | 'user_id' | 'invite_code'>;

function whoIs({ email, user_id: user, invite_code: invite }: Person): string {
  if (email !== undefined) return foreignWords(email);
  if (user !== undefined) return `user ${foreignWords(user)}`;
  return invite === undefined ? '' : `invite ${foreignWords(invite)}`;
}

const invitedWords = (role: string, isAtOnce: boolean): string =>
  isAtOnce ? `accepted at once as ${role}: already in the organization` : `invited as ${role}`;

/** Names for people where the face says them: of a step, such as `companies`, and of an account. */
export interface Names {
  step(name: string): string;
  account(name: string): string;
}

const AS_WRITTEN: Names = { step: (name) => name, account: (name) => name };

/** All findings of a row, in one text; blank for none. What is about one step or account stands together. */
export function sayAll(findings: Findings, face: Face, names: Names = AS_WRITTEN): string {
  let text = '';
  let before: Finding | undefined;
  for (const finding of findings) {
    const words = sayOne(finding, face, names);
    if (words === '') continue;
    text = behind(text, namedBefore(finding, before, names) + words);
    before = finding;
  }
  return text;
}

/** As `sayAll`, beside the cells of the row: a long cell is left out, because it already stands there. */
export const sayBesideCells = (findings: Findings, names: Names): string =>
  sayAll(
    findings.map((each) => {
      const { code, facts } = each;
      const isLong = 'cell' in facts && facts.cell.length > LONG_CELL && code in CELLS;
      return isLong ? ({ ...each, facts: { ...facts, cell: '' } } as Finding) : each;
    }),
    'page',
    names,
  );

const LONG_CELL = 12;

/** After a colon the words go on, and after a sentence they begin another one. */
function behind(text: string, words: string): string {
  if (text === '') return words;
  if (/[.?]$/.test(text)) return `${text} ${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
  return text + (text.endsWith(':') ? ' ' : '; ') + words;
}

/** The step and the account of a finding, where the finding before has others. */
function namedBefore({ step, account }: Finding, before: Finding | undefined, names: Names): string {
  const isOtherStep = step !== before?.step;
  const ofStep = isOtherStep && step !== undefined ? `${names.step(step)}: ` : '';
  const isNamed = account !== undefined && (isOtherStep || account !== before?.account);
  return isNamed ? `${ofStep}${names.account(account)}: ` : ofStep;
}

/**
 * Why a row needs a person, in few words that many rows share: without its cells, and without what only the
 * vendor's programmers understand. All of it stands in the row's `_reason`.
 */
export function sayInShort(
  { kind, findings, isChange }: { kind: string; findings: Findings; isChange?: boolean },
  names: Names,
): string {
  if (kind === 'in_doubt')
    return findings.some(({ code }) => code === 'buy_again')
      ? 'what came was no answer; it can be bought again'
      : `no answer came, or one that cannot be read; it may have been ${isChange ? 'done' : 'charged'}`;
  if (kind === 'refused') return sayAll(findings, 'short', names) || 'refused';
  const isDone = kind !== 'invalid';
  const shownFindings = findings.filter(
    ({ facts }) => !isDone || ('correct' in facts && facts.correct === true),
  );
  const each = new Map(
    shownFindings.map(({ step: _, account: __, ...bareFinding }) => [
      sayOne(bareFinding, 'short'),
      bareFinding,
    ]),
  );
  return sayAll([...each.values()], 'short');
}

/** What a later build found has no words here, and is said by its code. */
function sayOne(finding: Finding, face: Face, names: Names = AS_WRITTEN): string {
  const words = WORDS[finding.code] as Words<FindingCode> | undefined;
  if (words === undefined) return `${finding.code} (${foreignWords(JSON.stringify(finding.facts))})`;
  return typeof words === 'string'
    ? words
    : (words as (facts: unknown, face: Face, names: Names) => string)(finding.facts, face, names);
}
