import { wordsIn } from '../../core/plain-text.ts';
import { plainName } from './plain.ts';

/**
 * What the names in an answer stand for. Nothing of this is published, so names are read as most vendors use them, and
 * whatever is not here is a field of what was asked about.
 */
export type NameKind =
  /** Holds a code, a status or a word about the request: `status`, `code`, `result`. */
  | 'machine'
  /** Holds a sentence for a person: `message`. */
  | 'prose'
  /** Holds a sentence, or an object with fields: `detail`, `data`. */
  | 'described'
  /** True or false about the request as a whole: `success`, `ok`. */
  | 'success'
  /** What a change has done, as true, a number, a list or a word: `done`, `count`, `removed`. */
  | 'effect'
  /** What went wrong, where it is filled: `error`, `errors`, `failed`. */
  | 'trouble'
  /** Whether anything was found: `found`, `matched`. */
  | 'found'
  /** How many were found: `count`, `total`. */
  | 'total'
  /** Describes the answer: an id, a time, a page, a price, or what was asked. */
  | 'about'
  | 'field';

const set = (words: string): ReadonlySet<string> => new Set(wordsIn(words));

const KINDS: readonly (readonly [NameKind, ReadonlySet<string>])[] = [
  [
    'machine',
    set(
      `status state result outcome code type reason statuscode statustext httpstatus httpcode httpstatuscode resultcode
       resulttype responsecode responsestatus returncode reasoncode subcode matchstatus searchstatus lookupstatus`,
    ),
  ],
  ['prose', set('message msg messages statusmessage resultmessage responsemessage usermessage')],
  ['described', set('detail details description title data results response')],
  ['success', set('success ok successful succeeded')],
  [
    'effect',
    set(
      `done affected affectedrows rowsaffected removed deleted revoked cancelled canceled updated changed modified created
       invited applied granted assigned removedcount deletedcount revokedcount updatedcount modifiedcount createdcount
       processed processedcount successcount succeededcount`,
    ),
  ],
  [
    'trouble',
    set(
      `error errors failed failure failures fault exception err errs errno errcode errmsg failedcount failurecount errorcount
       errorcode errorcodes errormessage errormessages errormsg errordescription errordetail errordetails errorid errorinfo errorkey
       errorname errornumber errorreason errorstatus errorstring errorsummary errortext errortitle errortype`,
    ),
  ],
  ['found', set('found matched match exists matchfound hasmatch hasresult hasresults')],
  ['total', set('count total totalcount totalresults resultcount')],
  [
    'about',
    set(
      `meta metadata pagination paging ratelimit query input request params parameters echo criteria links warning warnings
       notice notices deprecation hint hints help documentation documentationurl docs support timestamp time datetime
       servertime took tookms duration durationms elapsed elapsedms latency latencyms responsetime credit credits
       creditscharged creditsused creditsconsumed creditsspent creditcost creditsremaining remainingcredits creditbalance
       cost price charged ratelimitremaining quota cached fromcache apiversion page pagesize perpage limit offset nextpage
       nextpagetoken nextcursor cursor hasmore hasnext prevpage previouspage totalpages requesturl uuid guid pageinfo startindex itemsperpage schemas instance
       jsonrpc retryafter statusurl pollurl resulturl callbackurl creditsleft outputfields requiredfields custom breadcrumbs scrolltoken
       matchtype matchedon clientreferenceid freeenrichment iscreditcharged correlationid traceid`,
    ),
  ],
];

/** `isSuccess`, `was_removed` and `has_errors` say the same as the words behind. */
const ASKING = /^(?:is|was|has)(?=\p{L})/u;
const ASKED_FOR: ReadonlySet<NameKind> = new Set(['success', 'effect', 'trouble', 'found']);

/** An id names something, and says nothing of it: `id`, `request_id`, `companyId`. */
const ID = /(?:^|[^a-z0-9])ids?$/i;
const JOINED_ID = /[a-z0-9]I[dD]s?$/;

/** What a name stands for, and the name without what differs from vendor to vendor. */
export interface Name {
  readonly kind: NameKind;
  readonly plain: string;
}

/** Vendors have few names, and some write ids as names: no more than these are kept. */
const MOST_NAMES = 2_000;
const KNOWN = new Map<string, Name>();

export function nameOf(name: string): Name {
  const known = KNOWN.get(name);
  if (known !== undefined) return known;
  const plain = plainName(name);
  const found = { kind: kindOf(name, plain), plain };
  if (KNOWN.size < MOST_NAMES) KNOWN.set(name, found);
  return found;
}

function kindOf(name: string, plain: string): NameKind {
  const asked = plain.replace(ASKING, '');
  for (const [kind, names] of KINDS)
    if (names.has(plain) || (ASKED_FOR.has(kind) && names.has(asked))) return kind;
  if (/(?:^|[^A-Za-z0-9])[Ee]rrors?$|[a-z0-9]Errors?$/.test(name)) return 'trouble';
  // Vendors mark by it what describes the answer itself, such as `@odata.context`.
  if (name.startsWith('@')) return 'about';
  return ID.test(name) || JOINED_ID.test(name) ? 'about' : 'field';
}

/** Of what describes an answer, these speak of what became of the request. */
export const WARNINGS: ReadonlySet<string> = set('warning warnings notice notices hint hints');

/** Objects in which an answer speaks of itself as it does at its top. */
export const SPEAKING: ReadonlySet<string> = set('meta status response');

/** Names of what is looked for. */
export const THINGS: ReadonlySet<string> = set(
  `company companies person persons people organization organizations organisation organisations profile profiles contact
   contacts record records item items hit hits match matches employee employees resource resources value values`,
);

/** Lists of what became of each of several requests, or of parts of one: the id and the name in an entry are its own. */
export const BATCHES: ReadonlySet<string> = set('responses operations outcomes');

/** The usual places of what was asked for. */
export const CONTAINERS: ReadonlySet<string> = set('data datas result results');

/** The machine places that say how a request ended and nothing else. */
export const STATUS_NAMES: ReadonlySet<string> = set(
  'status code result outcome statuscode httpstatus resultcode responsecode errorcode',
);
