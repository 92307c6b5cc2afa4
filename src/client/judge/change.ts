import { parsedFieldsOf } from '../../core/answer-body.ts';
import { present } from '../../core/objects.ts';
import type { JsonValue } from '../../core/operation.ts';
import type { RawReply } from '../../ledger/ledger.ts';
import type { DialectOperation } from '../dialect.ts';
import { publishedIdIn } from './change-facts.ts';
import { ALL_EFFECTS, type ChangeQuestion, effectsOf, type Found, lookAtChange } from './change-look.ts';
import { namesProject, namesRoute } from './routes.ts';
import { firstOf, is2xx, is3xx, is4xx, isUnfinished, type Row, row } from './table.ts';
import { ACCEPTED, isFilled } from './values.ts';
import type { Sense } from './vocabulary.ts';

/** What an answer to a change means, by what it says and shows. */

interface ChangeAnswer extends Found {
  /** The status of HTTP, or the one that a 2xx states. */
  readonly by: number;
  readonly http: number;
  readonly isEmpty: boolean;
  readonly published: ReturnType<typeof publishedIdIn>;
  readonly isPriced: boolean;
  readonly isService: boolean;
  /** Nobody knows what the change is. */
  readonly isAny: boolean;
  readonly namesRoute: boolean;
  readonly namesProject: boolean;
}

const says = (sense: Sense) => (answer: ChangeAnswer) => answer.says.has(sense);

export const CHANGES: readonly Row<ChangeAnswer>[] = [
  row('it is a redirect', 'wrong_address', ({ by }) => is3xx(by) || by === 407),
  row(
    'it says too fast',
    'rate_limited',
    (each) =>
      (each.says.has('rate_limited') && !each.yes && each.by !== 402) || each.by === 429 || each.by === 420,
  ),
  row('it is about its path', 'wrong_address', ({ by, namesRoute: isOf }) => by === 404 && isOf),
  row(
    'it says that the key is dead',
    'key_dead',
    ({ says: said, by }) => said.has('key_dead') && [400, 401, 403].includes(by),
  ),
  row('the status is 401', 'key_dead', ({ by }) => by === 401),
  row('the status is 402', 'credits_used_up', ({ by }) => by === 402),
  row('a provider refuses the key', 'key_dead', ({ by, isService }) => by === 403 && !isService),
  row('the status is 403', 'project_refused', ({ by }) => by === 403),
  row('the status is 404', 'no_match', ({ by }) => by === 404),
  row('it broke off, or something behind did', 'in_doubt', ({ by }) => isUnfinished(by)),
  row('the status is a 4xx', 'refused', ({ by }) => is4xx(by)),
  row('it shows something else', 'in_doubt', ({ other }) => other, {
    because: 'which shows something different from what was asked for',
  }),
  row('its id is missing', 'in_doubt', ({ published, no }) => published === 'missing' && !no),
  row(
    'it has the id that is published for it',
    'found',
    ({ published, no, http }) =>
      !no && (published === 'came' || (published === 'accepted' && http !== ACCEPTED)),
  ),
  row('its id came, and it says no', 'in_doubt', ({ published }) => published !== 'none'),
  row('it says yes and no', 'in_doubt', ({ yes, no, role }) => (yes || role) && no),
  row('it says no to what may have cost', 'in_doubt', ({ no, isPriced }) => no && isPriced),
  row('it says that the credits are used up', 'credits_used_up', says('credits_used_up')),
  row('it says that the key is dead', 'key_dead', says('key_dead')),
  row('it says that the key has no right', 'project_refused', says('project_refused')),
  row('it says that nobody is there', 'no_match', says('no_match')),
  row('it says no', 'refused', ({ no }) => no),
  row(
    'it is not yet done',
    'pending',
    ({ says: said, by, work }) => said.has('pending') || said.has('working') || by === ACCEPTED || work,
  ),
  row('it shows the thing with the role', 'found', ({ thing, role }) => thing && role),
  {
    name: "it shows the thing of a call of one's own",
    fits: ({ isAny, thing, yes }) => isAny && thing && !yes,
    means: 'found',
    isWordless: true,
  },
  row('there is something in it that nobody knows', 'in_doubt', ({ odd }) => odd, {
    because: 'which does not say whether it was done',
  }),
  row('it says that it was done', 'found', ({ yes, role }) => yes || role),
  row('it is empty', 'found', ({ isEmpty }) => isEmpty, { isWordless: true }),
  row('it shows the thing', 'found', ({ isAny }) => isAny, { isWordless: true }),
  row('it does not say', 'in_doubt', () => true, { because: 'which does not say whether it was done' }),
];

export interface ChangeConclusion {
  readonly row: Row<never>;
  readonly texts: readonly string[];
}

/** The ids that are published for it, as a clause: `without "invite_code"`. */
const withoutIds = ({
  answer_fields: { invite_code: code, project_id: project } = {},
}: DialectOperation): string => `without ${JSON.stringify(code ?? project ?? '')}`;

export function judgeChange(
  body: JsonValue,
  { status, body: bytes }: Pick<RawReply, 'status' | 'body'>,
  operation: DialectOperation,
  question: ChangeQuestion,
): ChangeConclusion {
  const { dialect, call } = question;
  const found = lookAtChange(body, question);
  const isEmpty =
    !isFilled(body) && (body === null || typeof body !== 'object' || Object.keys(body).length === 0);
  const published = is2xx(status)
    ? publishedIdIn(operation, parsedFieldsOf(body, present({ fields: dialect.fields_at })))
    : 'none';
  const isProved = found.yes || published === 'came';
  const row = firstOf(CHANGES, {
    ...{ ...found, isEmpty, published, http: status },
    no: found.no || (found.status !== undefined && isProved),
    by: is2xx(status) && !isProved ? (found.status ?? status) : status,
    isPriced: operation.credits.most > 0,
    isService: dialect.vendor === 'service',
    isAny: effectsOf(call) === ALL_EFFECTS,
    namesRoute: namesRoute(bytes),
    namesProject: namesProject(bytes),
  });
  const isMissing = row.means === 'in_doubt' && published === 'missing' && !found.other;
  return { row: isMissing ? { ...row, because: withoutIds(operation) } : row, texts: found.texts };
}
