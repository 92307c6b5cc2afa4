import { isObject } from '../../core/objects.ts';
import type { JsonValue } from '../../core/operation.ts';
import { type Asked, areSame } from './asked.ts';
import { isPlain, membersOf, nameOf } from './names.ts';

/** Whether the record in an answer to a lookup is the one that was asked for, by the identifiers that it shows. */

interface Identifier {
  readonly label: string;
  /** What is compared; undefined for a text that is no such identifier. */
  read(text: string): string | undefined;
  isSame(shown: string, wanted: string): boolean;
}

/** The rest of an address says nothing of its host, and a long text takes long. */
const MOST_OF_ADDRESS = 400;

function hostIn(text: string): string | undefined {
  const address = text.trim().slice(0, MOST_OF_ADDRESS);
  const host = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `https://${address}`)?.hostname;
  return host?.includes('.') === true ? host.replace(/^www\.|\.$/g, '') : undefined;
}

/** A host below the other one is its company's as well. */
const SITE: Omit<Identifier, 'label'> = {
  read: hostIn,
  isSame: (one, other) => one === other || one.endsWith(`.${other}`) || other.endsWith(`.${one}`),
};

/** By our names of what was sent. Slugs and addresses of profiles have too many spellings to be held against each other. */
const IDENTIFIERS: Readonly<Record<string, Identifier>> = {
  abn: {
    label: 'ABN',
    read: (text) => /^\d{11}$/.exec(text.replaceAll(/[\s.-]/g, ''))?.[0],
    isSame: areSame,
  },
  email: { label: 'e-mail address', read: (text) => /^\s*\S+@\S+\s*$/.exec(text)?.[0], isSame: areSame },
  domain: { label: 'domain', ...SITE },
  website: { label: 'website', ...SITE },
};

/**
 * An identifier of the kind that was asked by, which is another one, such as `the domain acme.example`. Where the record shows the one
 * that was asked by anywhere, it is the record: many have several addresses. It is a match all the same: companies and people are
 * renamed and merged, and who was found is the vendor's to say.
 * @param places where the record may stand. A list of several is about no single one.
 */
export function otherIn(places: readonly JsonValue[], asked: Asked): string | undefined {
  const [record, ...more] = places.flat() as JsonValue[];
  if (record === undefined || !isObject(record) || more.length > 0) return undefined;
  // What is alone in an object is wrapped in it: `{"company":{…}}`.
  const inner = Object.values(record);
  const own = (inner.length === 1 && isObject(inner[0]) ? inner[0] : record) as JsonValue;
  const others = membersOf(own).flatMap(([name, value]) => {
    const sent = asked.names.get(nameOf(name).plain);
    const identifier = identifierOf(sent?.name ?? '');
    const wanted = identifier?.read(sent?.text ?? '');
    const shown = isPlain(value) ? identifier?.read(String(value)) : undefined;
    if (identifier === undefined || wanted === undefined || shown === undefined) return [];
    return identifier.isSame(shown, wanted) ? [] : [`the ${identifier.label} ${String(value).trim()}`];
  });
  return others.length === 0 || isShownIn(own, asked) ? undefined : others[0];
}

const identifierOf = (name: string): Identifier | undefined =>
  Object.hasOwn(IDENTIFIERS, name) ? IDENTIFIERS[name] : undefined;

/** Whether a record shows anything that was asked by, as its own or in an address: `jo@acme.example` shows `acme.example`. */
function isShownIn(record: JsonValue, { sent }: Asked): boolean {
  const text = JSON.stringify(record).toLowerCase();
  return sent.some(({ name, text: value }) => {
    const wanted = identifierOf(name)?.read(value);
    if (wanted === undefined) return false;
    if (name === 'abn') return text.replaceAll(/(?<=\d)[\s.-]+(?=\d)/g, '').includes(wanted);
    const at = text.indexOf(wanted.trim().toLowerCase());
    return (
      at >= 0 &&
      !/[a-z0-9_-]/.test(text.charAt(at - 1)) &&
      !/[a-z0-9_-]/.test(text.charAt(at + wanted.length))
    );
  });
}
