import { readdirSync, readFileSync } from 'node:fs';
import { SHIPPED } from '../../core/families.ts';
import type { VendorObject } from '../../objects/account-object.ts';

/**
 * Vendors that come with the program, for a person who chooses one. Their files are ours, so the first lines
 * and the names of the operations are read as they are written, which takes a millisecond for all.
 */
export const shippedVendors = (): VendorObject[] =>
  readdirSync(SHIPPED)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => vendorIn(file.slice(0, -'.yaml'.length), readFileSync(new URL(file, SHIPPED), 'utf8')))
    .sort((one, other) => one.name.localeCompare(other.name));

function vendorIn(word: string, text: string): VendorObject {
  const [, name = word] = /^# (.+?)[,:]/.exec(text) ?? [];
  const [, address = null] = /base_url is (https:\S+?)[.,]?\s/.exec(text) ?? [];
  const [, operations = ''] = /^operations:\n((?:[ #].*\n)+)/m.exec(text) ?? [];
  const names = [...operations.matchAll(/^ {2}([a-z-]+):/gm)].map(([, operation = '']) => operation);
  return { word, name, operations: names, address };
}
