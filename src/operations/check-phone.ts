import { defineOperation, type Operation } from '../core/operation.ts';
import { wordsIn } from '../core/plain-text.ts';
import { dialledNumber, numberAbroad } from '../values/phone.ts';
import { country } from '../values/text.ts';
import { type Identifier, identifiersIn, type LookUp, lookUpOperation } from './lookup/waterfall.ts';

const PHONE: Identifier = {
  name: 'phone',
  kind: 'phone',
  about: 'one telephone number, with its country in front as +61, or beside a country',
  aliases: wordsIn(`
    phone phonenumber phoneno telephone telephonenumber tel mobile mobilenumber mobilephone mobilephonenumber
    cell cellphone workphone directphone contactphone contactnumber
  `),
  read: dialledNumber.read,
  needsBy: true,
};

/** To a vendor that knows countries a number without one would be a number of the vendor's own. */
const PHONE_OF_COUNTRY: Identifier = {
  ...PHONE,
  read: numberAbroad.read,
  beside: {
    name: 'country',
    read: (cell, other) => (country.read(other).kind === 'usable' ? dialledNumber : numberAbroad).read(cell),
  },
};

const COUNTRY: Identifier = {
  name: 'country',
  about: 'the country in which the number is dialled, as its vendor writes it',
  aliases: wordsIn('country countrycode'),
  read: country.read,
  needsBy: true,
};

const SAID: LookUp = {
  name: 'check-phone',
  summary: 'Check whether a telephone number can be reached.',
  by: ['phone'],
  noun: ['row', 'rows'],
  title: 'numbers checked',
  together: ['country'],
  checkedBy: undefined,
  offered: { finds: false, fills: undefined, team: false },
  tried: ['phone'],
  call: {
    folded: [],
    gives: ['verdict', 'phone', 'country'],
    wants: 'verdict',
    takesId: false,
    finds: 'verdict',
    isAbout: undefined,
    erased: 'whole',
  },
};

const checking = (phone: Identifier): Operation => lookUpOperation(SAID, [phone, COUNTRY]);

const [plain, ofCountry] = [checking(PHONE), checking(PHONE_OF_COUNTRY)];

export default defineOperation({
  ...plain,
  askedBy: (by, named) =>
    (identifiersIn(by ?? []).includes(COUNTRY.name) ? ofCountry : plain).askedBy?.(by, named) ?? plain,
});
