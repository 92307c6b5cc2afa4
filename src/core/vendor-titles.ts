/**
 * The names of the vendors with dialects that come with Rowonce, as the vendors write them, by the words of
 * these dialects. Each dialect says its own. Like what operations say of themselves, they are handed over
 * once: every command begins with that, and the page gets them from its server.
 */

export type VendorTitles = Readonly<Record<string, string>>;

let titles: VendorTitles = {};

export function nameVendors(named: VendorTitles): void {
  titles = named;
}

export const vendorTitles = (): VendorTitles => titles;

/** `People Data Labs` for `pdl`; undefined for a word that is no vendor's. */
export const vendorTitle = (word: string): string | undefined =>
  Object.hasOwn(titles, word) ? titles[word] : undefined;
