/** Names and values without what differs from vendor to vendor. */

/** `errorCode`, `error_code` and `Error-Code` are one name. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/** `51 824 753 556` and `51824753556` are one value. */
export function plainValue(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/**
 * Whether two texts name one thing: in any letter case, and digits also in groups. Other signs tell one from another, as in
 * `jo.b@acme.example` and `job@acme.example`.
 */
export function areSame(one: string, other: string): boolean {
  if (one.trim().toLowerCase() === other.trim().toLowerCase()) return true;
  return GROUPED_DIGITS.test(one) && GROUPED_DIGITS.test(other) && areAlike(one, other);
}

const GROUPED_DIGITS = /^[\d\s]+$/;

/** Whether two texts are the same plain value. Most are told apart by their first characters, which takes no time. */
export function areAlike(one: string, other: string): boolean {
  if (one === other) return true;
  const [first, second] = [beginningOf(one), beginningOf(other)];
  if (first !== second && first !== '' && second !== '') return false;
  const plain = plainValue(one);
  return plain !== '' && plain === plainValue(other);
}

/** The first character in lower case, if it is a letter or a digit of ASCII. */
function beginningOf(text: string): string {
  const first = text.charAt(0).toLowerCase();
  return (first >= 'a' && first <= 'z') || (first >= '0' && first <= '9') ? first : '';
}
