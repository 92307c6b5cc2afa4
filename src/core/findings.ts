import { z } from 'zod';
import { CODES, type Code } from './cell-problems.ts';
import { NO_FINDINGS } from './finding.ts';

/**
 * What is to be said of a row, and of why an attempt ended, as data: a code with its facts. Each code stands
 * in this table and nowhere else; `finding-words.ts` has its words. Codes and the names of facts are a
 * promise:
 * programs read them in `--json`, and the ledger keeps them.
 */

const text = z.string();

/** A person, by the one of these that is known of them. */
const PERSON = {
  email: text.exactOptional(),
  user_id: text.exactOptional(),
  invite_code: text.exactOptional(),
} as const;

/**
 * What a vendor answered. `words`: a text of its answer; `body`: an answer without one, as JSON. Both are on
 * one line and cut after 300 characters. `unreadable`: why no one can look into the answer; `words` is then
 * the sign in it that is no JSON.
 */
const ANSWERED = {
  status: z.number().exactOptional(),
  words: text.exactOptional(),
  body: text.exactOptional(),
  unreadable: z.enum(['too_deep', 'no_json']).exactOptional(),
} as const;

export type Answered = z.output<z.ZodObject<typeof ANSWERED>>;

/**
 * Whom a finding needs: the owner of the list, who corrects a cell; the owner of the account; the person at
 * the keyboard; or no one. It follows from the code and is never kept.
 */
export type Needs = 'list_owner' | 'account_owner' | 'you' | 'nobody';

interface FindingKind {
  readonly needs: Needs;
  readonly facts: Readonly<Record<string, z.ZodType>>;
}

/** A cell that is no value of its input, by the codes of `cell-problems.ts`. */
const CELL = {
  needs: 'list_owner',
  facts: {
    input: text,
    /** As the list has it. Cut after some hundred characters. */
    cell: text,
    /** What the words of the code name, such as the host. */
    about: text.exactOptional(),
    /** The row was asked by another cell, and this one is to be corrected all the same. */
    correct: z.literal(true).exactOptional(),
  },
} as const satisfies FindingKind;

const REPAIRED = z.array(z.object({ input: text, value: text }));

const CELLS = Object.fromEntries(CODES.map((code) => [code, CELL])) as {
  readonly [Each in Code]: typeof CELL;
};

export const FINDINGS = {
  ...CELLS,

  /** Of a ledger of an earlier build, which kept sentences. `correct`: it asks to correct a cell. */
  said_before: { needs: 'nobody', facts: { words: text, correct: z.literal(true).exactOptional() } },

  // -------------------------------------------------------------------------------- rows that are not asked
  /** A condition of the job leaves the row out. `cell` is blank for a cell without text. */
  left_out: { needs: 'nobody', facts: { by: z.enum(['only_if', 'unless']), column: text, cell: text } },
  /** The row would get nothing: these columns are `filled`, or stay as the list has them. */
  nothing_to_fill: { needs: 'nobody', facts: { columns: z.array(text), filled: z.boolean() } },
  /** The date is of UTC: `2026-11-29`. */
  erased_on: { needs: 'nobody', facts: { date: text } },
  /** Nothing by which the row could be asked. The findings after it say why. */
  nothing_usable: { needs: 'list_owner', facts: {} },
  /** The row has none of these whole, or none of the waterfall. The findings after it say why. */
  nothing_complete: { needs: 'list_owner', facts: { of: z.array(text).exactOptional() } },
  nothing_to_search_by: { needs: 'list_owner', facts: {} },
  no_column_for_filter: { needs: 'you', facts: {} },
  nothing_to_send: { needs: 'list_owner', facts: { columns: z.array(text) } },
  cells_make_key: { needs: 'list_owner', facts: {} },
  path_leads_elsewhere: { needs: 'list_owner', facts: { path: text } },
  no_column_chosen: { needs: 'you', facts: {} },
  no_column: { needs: 'you', facts: { input: text } },
  blank: { needs: 'list_owner', facts: { input: text } },
  counts_as_blank: { needs: 'list_owner', facts: { input: text, cell: text } },
  /** The path of the request needs the input. */
  blank_in_path: { needs: 'list_owner', facts: { input: text } },
  nothing_to_ask_by: { needs: 'list_owner', facts: {} },
  // cells
  /** `words`: what is wrong with the row as the file has it, with its line or place. */
  row_unreadable: { needs: 'list_owner', facts: { words: text } },
  /** A column that is filled, with something that is none of its kind. */
  filled_oddly: {
    needs: 'nobody',
    facts: { column: text, cell: text, problem: z.enum(CODES), about: text.exactOptional() },
  },
  /** The host stands beside this many names of companies, so it is probably the website of none. */
  shared_host: { needs: 'you', facts: { host: text, companies: z.number() } },
  /** What damaged cells were read as. */
  repaired: { needs: 'nobody', facts: { cells: REPAIRED } },
  sent_if_repaired: { needs: 'list_owner', facts: { cells: REPAIRED } },
  /** What an operation of the user's own says of the row. */
  program_says: { needs: 'list_owner', facts: { words: text } },
  program_failed: { needs: 'you', facts: { operation: text, words: text } },
  no_parameters_made: { needs: 'you', facts: { operation: text } },
  a_plan_asks_nobody: { needs: 'nobody', facts: {} },

  // ---------------------------------------------------------------- rows that moved without being looked at
  /** The finding after it is what had come of the call. */
  skipped_by_user: { needs: 'nobody', facts: {} },
  left_out_by_user: { needs: 'nobody', facts: {} },
  call_not_done: { needs: 'nobody', facts: {} },
  call_answered: { needs: 'nobody', facts: {} },
  answer_taken_back: { needs: 'nobody', facts: {} },
  vendor_answers_later: { needs: 'nobody', facts: {} },
  may_be_sent_again: { needs: 'nobody', facts: {} },
  /** The row belongs to another start of its list now. */
  goes_on_in: { needs: 'nobody', facts: { batch: text } },
  batch_is_over: { needs: 'nobody', facts: { state: text } },
  /** A person said so of a change that counted as done. */
  not_done: { needs: 'you', facts: {} },
  project_created: { needs: 'nobody', facts: { id: text } },
  /** The project had to be made before the person could be invited. */
  made_project: { needs: 'nobody', facts: { id: text } },
  /** A change of several that a run still has to make. `deleted`: the invite that is to be made anew. */
  still_to_do: { needs: 'nobody', facts: { deleted: z.literal(true).exactOptional() } },
  same_as_row: { needs: 'nobody', facts: { row: z.number() } },
  /** Rows of the list want different things for one person; the first row of each. */
  rows_contradict: { needs: 'list_owner', facts: { rows: z.array(z.object({ row: z.number(), to: text })) } },
  changed_since_planned: { needs: 'you', facts: { batch: text } },

  // ---------------------------------------------------------------------- teams: what a row of a change says
  /** `meant`: the role that the word may stand for. */
  role_unknown: { needs: 'list_owner', facts: { input: text, cell: text, meant: text.exactOptional() } },
  /** People write `none` to have somebody removed, which no role does. */
  none_is_no_role: { needs: 'list_owner', facts: { input: text } },
  /**
   * No one has said which project the name stands for. `among`: the cell, where that names several; `meant`:
   * projects that may be meant; `known`: all that are known, where none is near.
   */
  project_unknown: {
    needs: 'you',
    facts: {
      input: text,
      project: text,
      among: text.exactOptional(),
      meant: z.array(text).exactOptional(),
      known: z.array(text).exactOptional(),
    },
  },
  several_projects: { needs: 'list_owner', facts: { input: text, cell: text } },
  /** The row has this id in a cell, and the job has another one for the project. */
  project_has_other_id: { needs: 'list_owner', facts: { input: text, cell: text, project: text, id: text } },
  /** `project`: as the job names it; left out: of the account. */
  project_id_unfit: { needs: 'you', facts: { id: text, project: text.exactOptional() } },
  no_project_column: { needs: 'you', facts: {} },
  /** Neither the row nor the account has an id of a project. */
  no_project: { needs: 'you', facts: { input: text } },
  /** A project has to be made, and the account says nothing of an organization to which it may belong. */
  no_organization: { needs: 'you', facts: { project: text.exactOptional() } },
  one_of_needed: { needs: 'list_owner', facts: { inputs: z.array(text) } },
  /** The row has the id of a person whose address is `of`, and the address of another one. */
  id_of_another: { needs: 'list_owner', facts: { input: text, cell: text, of: text, email: text } },

  // --------------------------------------------------------------------------------- teams: as it is already
  already_member: { needs: 'nobody', facts: { ...PERSON, role: text.exactOptional() } },
  already_invited: { needs: 'nobody', facts: { ...PERSON, role: text.exactOptional() } },
  not_in_project: { needs: 'nobody', facts: PERSON },
  /** Where a person whom the job leaves out has access, and keeps it. */
  access_now: {
    needs: 'nobody',
    facts: { ...PERSON, places: z.array(z.object({ project: text, role: text.exactOptional() })) },
  },
  /** `to`: what cannot be done for want of one. */
  no_invite: { needs: 'you', facts: { ...PERSON, to: z.literal('change_role').exactOptional() } },
  invite_deleted_before: { needs: 'nobody', facts: { invite_code: text } },
  project_made_before: { needs: 'nobody', facts: { project: text, id: text } },
  no_project_yet: { needs: 'nobody', facts: { project: text } },

  // ----------------------------------------------------------------------------------------- teams: was done
  /** `at_once`: the person was in the organization, and is in the project without having to accept. */
  invited: {
    needs: 'nobody',
    facts: { role: text, project: text, at_once: z.literal(true).exactOptional() },
  },
  /** `by_invite`: an invite was deleted and created again, and was accepted at once or waits. */
  role_changed: {
    needs: 'nobody',
    facts: {
      from: text.exactOptional(),
      to: text,
      project: text,
      by_invite: z.enum(['waits', 'accepted']).exactOptional(),
    },
  },
  invite_deleted: { needs: 'nobody', facts: { project: text } },
  removed: { needs: 'nobody', facts: { project: text } },

  // ------------------------------------------------------------------------------------- teams: was not done
  /** What was wanted of an invite, or of a member whose user id is not known. */
  has_accepted: {
    needs: 'you',
    facts: { ...PERSON, to: z.enum(['change_role', 'remove', 'delete_invite']) },
  },
  has_other_role: { needs: 'you', facts: { ...PERSON, role: text, is: z.enum(['invited', 'member']) } },
  /** Too little is known of an invite to create it again with another role. */
  invite_unclear: { needs: 'you', facts: PERSON },
  /** The service does not have the invite any more. The answer, where it was asked just now. */
  invite_missing: {
    needs: 'you',
    facts: { ...PERSON, to: z.enum(['change_role', 'remove']), ...ANSWERED },
  },
  invite_code_unknown: { needs: 'you', facts: PERSON },
  invite_unknown: { needs: 'you', facts: { ...PERSON, to: z.enum(['change_role', 'delete_invite']) } },
  /** The invite that waits has the code `known`, and the row another one. */
  other_invite_code: { needs: 'list_owner', facts: { ...PERSON, known: text, input: text, cell: text } },
  needs_email: { needs: 'list_owner', facts: {} },
  no_such_user: { needs: 'list_owner', facts: { user_id: text, project: text, ...ANSWERED } },
  role_refused: { needs: 'account_owner', facts: { user_id: text, role: text, ...ANSWERED } },
  invite_refused: { needs: 'account_owner', facts: { role: text, ...ANSWERED } },
  deletion_refused: { needs: 'account_owner', facts: { role: text.exactOptional(), ...ANSWERED } },
  removal_refused: { needs: 'account_owner', facts: { user_id: text, ...ANSWERED } },
  project_refused: { needs: 'account_owner', facts: { project: text, ...ANSWERED } },
  project_without_id: { needs: 'you', facts: { project: text } },
  /** The invite was deleted in order to be created again, which was refused. */
  no_invite_now: { needs: 'you', facts: PERSON },
  /** The service has deleted the invite as `role`, and says all the same that there is one. */
  invited_otherwise: { needs: 'you', facts: { role: text, wanted: text, ...ANSWERED } },
  invite_restored: { needs: 'you', facts: { role: text } },
  invite_is_there: { needs: 'you', facts: { role: text, ...ANSWERED } },
  /**
   * A person whom the list does not name was not removed, because a row may mean the same person. `cell`:
   * what that row has for an e-mail address, where it cannot be read; blank for none.
   */
  held_back: {
    needs: 'list_owner',
    facts: {
      ...PERSON,
      project: text,
      row: z.number(),
      is: z.enum(['left_out', 'invalid']),
      cell: text.exactOptional(),
    },
  },
  /** `open`: the answer is not known as lost: the run that waited for it was killed, or still waits. */
  change_in_doubt: {
    needs: 'you',
    facts: { ...PERSON, call: text, row: z.number(), batch: text, open: z.literal(true).exactOptional() },
  },

  // --------------------------------------------------------------------------------- teams: cannot be undone
  changed_since: { needs: 'you', facts: { batch: text } },
  project_stays: { needs: 'nobody', facts: { id: text.exactOptional() } },
  own_call_stays: { needs: 'you', facts: {} },
  was_removed: { needs: 'you', facts: { role: text.exactOptional() } },
  deleted_role_unknown: { needs: 'you', facts: {} },
  earlier_role_unknown: { needs: 'you', facts: {} },
  user_id_unknown: { needs: 'you', facts: {} },
  state_unknown: { needs: 'you', facts: {} },
  person_unnamed: { needs: 'you', facts: {} },

  // ---------------------------------------------------------------------------------------------- what came
  /** A change is done as far as anybody can tell: the service's answer does not mention it. */
  done_without_a_word: { needs: 'nobody', facts: {} },
  vendor_found_nothing: { needs: 'nobody', facts: {} },
  nobody_found: { needs: 'nobody', facts: { by: text } },
  people_found: { needs: 'nobody', facts: { count: z.number() } },
  no_list_in_answer: { needs: 'account_owner', facts: {} },
  /** The request was done by that batch. */
  done_before: { needs: 'nobody', facts: { batch: text } },
  /** The vendor does not have what a request changes. */
  vendor_lacks_it: { needs: 'you', facts: ANSWERED },
  /** The vendor says of a find that something of it is missing. */
  says_missing: { needs: 'nobody', facts: ANSWERED },
  /** An answer lists several, and it is not known which of them is meant. */
  several_fit: { needs: 'you', facts: { count: z.number(), things: text } },
  /** A value of the row would change the path of the request. */
  unfit_for_path: { needs: 'list_owner', facts: { what: text } },
  /** The address that was found is not taken. */
  address_not_taken: { needs: 'nobody', facts: { verdict: text, by: text } },
  /** The finding after it is what came back. */
  check_refused: { needs: 'account_owner', facts: { account: text } },
  /** Of a lookup: by these identifiers. */
  no_match: { needs: 'nobody', facts: { by: z.array(text) } },
  /** `by`: what it was asked by, blank for a call of the user's own. */
  refused: { needs: 'account_owner', facts: { by: text, ...ANSWERED } },

  // --------------------------------------------------------------------------------------- what is in doubt
  /**
   * Since a time, ISO 8601; `credits` null of what costs none; `batch` where another one has sent it, which
   * holds the credits. The finding after it is what came.
   */
  in_doubt: {
    needs: 'you',
    facts: {
      since: text,
      at_stake: text.exactOptional(),
      credits: z.number().exactOptional(),
      batch: text.exactOptional(),
    },
  },
  /** The job had it sent again, and the answer to that was lost, too. */
  lost_again: { needs: 'you', facts: {} },
  extra_credits_short: { needs: 'you', facts: {} },
  /** Another change of the same person is in doubt. */
  waits_for_change: { needs: 'you', facts: { row: z.number(), batch: text } },
  /** It was asked by other values before, and that was answered, or may have been. */
  asked_otherwise: { needs: 'you', facts: { before: text, today: text, answered: z.boolean() } },
  /** What came is no answer by today's dialect. The finding after it is what that reads. */
  no_answer_today: { needs: 'you', facts: { at: text, kind: text } },
  buy_again: { needs: 'you', facts: {} },
  /** A change counted as done, and today's dialect does not read that; then what the dialect reads. */
  not_proven: { needs: 'you', facts: {} },
  check_at_service: { needs: 'you', facts: {} },
  /** A rule or the job left the call out, in these words. The finding after it is what had come of it. */
  skipped_by_rule: { needs: 'nobody', facts: { words: text } },
  /** A service refused a change; `project`: maybe because the key may change nothing there. */
  refused_by_service: {
    needs: 'account_owner',
    facts: { ...ANSWERED, project: text.exactOptional() },
  },

  // ------------------------------------------------------------------------------------- how attempts ended
  /** The vendor had accepted the call under an id, and has not answered in a time. Then what it said last. */
  gave_up: { needs: 'you', facts: { accepted_at: text, id: text, in: text } },
  /** The vendor had accepted the call, and then said that nothing came of it: the finding after it. */
  failed_later: { needs: 'you', facts: { accepted_at: text } },
  /** The vendor had accepted the call, and today's dialect does not say how its answer is asked for. */
  no_way_to_ask: { needs: 'account_owner', facts: { accepted_at: text } },
  said_nothing: { needs: 'nobody', facts: {} },
  program_ended: { needs: 'nobody', facts: {} },
  not_sent_in_time: { needs: 'nobody', facts: {} },
  /**
   * What the vendor answered, with its own words where it gave some. `already`: it says that it was so
   * before, so nothing had to change; `sent_again`: to a request that was lost before. `without_a_word`: its
   * answer does not mention the change.
   */
  answer: {
    needs: 'nobody',
    facts: {
      ...ANSWERED,
      status: z.number(),
      so: z
        .enum([
          'already',
          'sent_again',
          'without_a_word',
          'without_a_body',
          'not_json',
          'failed_but_holds_data',
          'names_an_error',
          'not_found_out',
          'not_said',
          'odd_verdict',
          'shows_another',
          'no_answer_yet',
          'charged',
          'lacks',
        ])
        .exactOptional(),
      lacks: text.exactOptional(),
    },
  },
  /** In the place of what was looked for stands something else, which the vendor has sold. */
  none_of_its_kind: {
    needs: 'nobody',
    facts: { status: z.number().exactOptional(), name: text, value: z.unknown() },
  },
  /** The request never left, in the words of the system. */
  not_sent: { needs: 'nobody', facts: { words: text } },
  /**
   * No whole answer came, in the words of the system. `how`: none came, the answer with this status broke
   * off, or it came packed in a way that cannot be unpacked.
   */
  answer_lost: {
    needs: 'nobody',
    facts: {
      how: z.enum(['none_came', 'broke_off', 'packed']),
      status: z.number().exactOptional(),
      words: text,
    },
  },
  /** The program could not judge what came. */
  not_judged: { needs: 'account_owner', facts: { words: text } },
  /** The vendor answers later, by this id. */
  accepted_as: { needs: 'nobody', facts: { id: text } },
  /** The vendor gave the id to another call as well, so it is not known which call the answer belongs to. */
  id_given_twice: { needs: 'account_owner', facts: { id: text } },
  /** Nothing at this path of the answer can be used as the id by which a later answer is asked for. */
  no_id_there: { needs: 'account_owner', facts: { at: text } },
  /** The vendor is still at work on it: the finding after it is what it said. */
  not_yet: { needs: 'nobody', facts: {} },
  /** A person said what came of it. */
  told: { needs: 'nobody', facts: { words: text } },
  /** Another attempt under the same idempotency key was answered, and the vendor charges once. */
  charged_once: { needs: 'nobody', facts: {} },
  /** The vendor had accepted the call, and a person has it sent again. */
  accepted_and_sent_again: { needs: 'nobody', facts: {} },
  /** A person left the call out before the vendor had answered. */
  left_out_unanswered: { needs: 'nobody', facts: {} },
  given_up: { needs: 'nobody', facts: {} },
  erased: { needs: 'nobody', facts: {} },
} as const satisfies Readonly<Record<string, FindingKind>>;

export type FindingCode = keyof typeof FINDINGS;

export type FactsOf<Code extends FindingCode> = z.output<z.ZodObject<(typeof FINDINGS)[Code]['facts']>>;

/** What a person or a vendor wrote stands in `facts` as it was written; the words quote it. */
export interface FindingOf<Code extends FindingCode> {
  readonly code: Code;
  /** The step of a row of several, or the project of a change, that the finding is about. */
  readonly step?: string;
  /** The name of the account that it is about, where a step asks several. */
  readonly account?: string;
  /** The column of the list that it is about. */
  readonly column?: string;
  readonly facts: Readonly<FactsOf<Code>>;
}

export type Finding = { [Code in FindingCode]: FindingOf<Code> }[FindingCode];

export type Findings = readonly Finding[];

// ------------------------------------------------------------------------------------------- in the ledger

/**
 * As the ledger keeps them, null for none: JSON with its members in one order, so that what two processes
 * write of one row compares equal.
 */
export function keptFindings(findings: Findings): string | null {
  if (findings.length === 0) return null;
  const known = KEPT.get(findings);
  if (known !== undefined) return known;
  const json = JSON.stringify(findings.map(ordered));
  KEPT.set(findings, json);
  return json;
}

/** Most answers of a vendor say the same, and are one list here. */
const KEPT = new WeakMap<Findings, string>();

/** What a later build wrote may have other codes, so nothing is refused here. */
export function findingsIn(json: string | null): Findings {
  if (json === null) return NO_FINDINGS;
  const known = READ.get(json);
  if (known !== undefined) return known;
  const findings = JSON.parse(json) as Findings;
  if (READ.size < MOST_READ) READ.set(json, findings);
  return findings;
}

/** A plan reads a million answers, and nearly all of them say the same. */
const READ = new Map<string, Findings>();
const MOST_READ = 200;

function ordered({ code, step, account, column, facts }: Finding): unknown {
  const names = Object.keys(FINDINGS[code]?.facts ?? facts);
  const values = facts as Readonly<Record<string, unknown>>;
  return {
    code,
    step,
    account,
    column,
    facts: Object.fromEntries(names.map((name) => [name, values[name]])),
  };
}
