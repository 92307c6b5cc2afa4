/**
 * What tools write into a cell where they found nothing, with where each was seen. They count as nothing in a
 * column of a kind alone, because elsewhere they may be what a person means. Letter case, and the signs
 * around the words, make no difference.
 */

type Seen = readonly (readonly [words: string, where: string])[];

/** In a column of any kind, also of people's names. */
export const NOTHING_FOUND: Seen = [
  ['not found', 'Hunter, Dropcontact and Clay exports'],
  ['none found', 'formulas with IFERROR'],
  ['nothing found', 'formulas with IFERROR'],
  ['no results, no results found, no result found, no result', 'Lusha'],
  ['no match, no match found, no matches found, no matching records found', 'match reports of data vendors'],
  ['no data, no data found, no data available, data not available, data not found', 'Clay, Cognism'],
  ['no record, no record found, no records found', 'register look-ups'],
  ['no value, no information, no info, no info found, no information found', 'AI columns of Clay'],
  ['not available, currently not available', 'ZoomInfo'],
  ['unavailable, currently unavailable', 'Apollo'],
  ['not provided, none provided, not supplied, not given, none given', 'Salesforce web-to-lead'],
  [
    'not specified, unspecified, not set, not listed, not disclosed, not known, none listed',
    'CRM pick lists',
  ],
  ['not applicable', 'forms'],
  ['not enriched, not yet enriched', 'Clay, HubSpot'],
  [
    'no value set, no value provided, not entered, left blank, empty, (empty), blank',
    'pivot tables, BI exports',
  ],
  ['unknown', 'CRM defaults'],
  ['unbekannt, onbekend, okänd, ukjent, ukendt, inconnu, sconosciuto, desconocido, desconhecido', 'Europe'],
  ['неизвестно, 不明, 未知, 미상', 'lists in Russian, Japanese, Chinese, Korean'],
  [
    'n/f, tbc, tba, tbd, to be confirmed, to be advised, to be announced, to be determined',
    'lists of people',
  ],
  ['run condition not met, condition not met', 'Clay'],
  ['missing input, missing inputs, missing required input', 'Clay'],
  ['loading, loading data', 'Google Sheets IMPORT functions'],
  ['getting data', 'Excel data types'],
  [
    'error, error fetching data, request failed, failed to fetch, api error, timed out, timeout',
    'Clay, scripts',
  ],
  ['undefined, [object object]', 'programs in JavaScript'],
  ['nan, none, null, nil, n/a, na, #n/a', 'pandas, R, databases'],
  ['could not find, could not be found, couldn’t find, unable to find, failed to find', 'AI columns of Clay'],
];

/**
 * In columns by which somebody is reached or told: not in those of names, because some names are such words.
 */
export const NOTHING_TO_REACH: Seen = [
  ['missing', 'CRM data checks'],
  ['hidden, locked, masked', 'free plans of data vendors'],
  [
    'upgrade to view, upgrade to unlock, upgrade plan, unlock, click to unlock, click to reveal',
    'free plans',
  ],
  ['requires credits, credits required, out of credits, no credits', 'free plans'],
  [
    'access email, access mobile, request mobile number, request phone number',
    'Apollo buttons in a copied table',
  ],
  ['searching, processing, enriching, queued', 'Clay, Phantombuster'],
  [
    'private, confidential, withheld, name withheld, suppressed, redacted, silent, silent number, unlisted',
    'registers, phone books, exports of a CRM for privacy',
  ],
  ['not on file, none on file, nothing on file, not recorded, none recorded', 'CRMs, practice software'],
  [
    'pending, awaiting, to come, to follow, coming soon, under construction, not yet, none yet, to do, todo',
    'lists that are filled by hand',
  ],
  ['does not have one, doesn’t have one, has none, without', 'lists that are filled by hand'],
  ['not on linkedin, not on facebook, no linkedin account', 'lists that are filled by hand'],
  ['http, https, www, http://www, https://www', 'forms that begin an address'],
  ['keine, kein, keiner, keins, keine angabe, keine angaben, k.a, k. a, ohne, nicht vorhanden', 'German'],
  ['nicht bekannt, fehlt, vertraulich', 'German'],
  ['aucun, aucune, néant, neant, non renseigné, non renseignée, non communiqué, pas de mail', 'French'],
  ['ninguno, ninguna, no tiene, no disponible, sin correo, sin email, sin datos', 'Spanish'],
  ['nessuno, nessuna, non disponibile, non presente', 'Italian'],
  ['nenhum, nenhuma, não tem, nao tem, não informado, nao informado, sem email, não possui', 'Portuguese'],
  ['geen, niet bekend, ingen, inget, saknas, mangler, puuttuu, ei ole, brak, nie ma, nemá, není', 'Europe'],
  ['yok, mevcut değil, tidak ada, không có, нет, отсутствует, нема, אין, لا يوجد', 'other languages'],
  ['なし, 無し, 無, 非公開, 无, 没有, 沒有, 暂无, 未提供, 없음, 비공개', 'East Asia'],
];

/** A word that somebody answers with, and has looked: no answer takes its place. */
export const YES_MARKS = '✅ ✔ ✓ ☑ 👍 🟢 + ++';

/**
 * What a vendor looks for, with the words that follow or precede each: `No email found`, `Phone unavailable`.
 */
export const NOUNS: Seen = [
  [
    'email, emails, e mail, email address, work email, business email, valid email, verified email',
    'Clay, Apollo',
  ],
  [
    'phone, phones, phone number, mobile, mobile number, mobile phone, direct dial, number, telephone',
    'Clay, Lusha',
  ],
  ['website, web site, websites, url, domain, web address, site', 'Clay, Google Maps scrapers'],
  ['linkedin, linkedin url, linkedin profile, profile, profile url, social profile', 'Phantombuster, Clay'],
  ['abn, acn, number, company number', 'register look-ups'],
  ['contact, contacts, contact info, person, people, company, name', 'Clay'],
];
