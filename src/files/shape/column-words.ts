import { wordsIn } from '../../core/plain-text.ts';

/**
 * Words in names of columns, in the languages in which lists are kept most. What is often a value, such as
 * "Director", "Active" or "NSW", is none of them: a company that is taken for a name is lost.
 */
const WORDS = new Set(
  wordsIn(`
    name names names' abn acn arbn nzbn acnc vat uid ein gst tfn siren siret duns ustid ico crn uen company
    companies organisation organization organisations employer firm business entity account trading legal
    registered customer client supplier vendor lead contact contacts person people member user employee staff
    participant attendee
    first last given family middle full sur surname firstname lastname fullname nick nickname salutation
    prefix suffix
    email e mail mails mailbox address addresses website websites web site sites url urls link links domain
    domains homepage page host linked linkedin profile profiles slug handle twitter facebook instagram
    phone phones telephone tel mobile cell fax landline number numbers no nr num id ids identifier identifiers
    uuid guid key ref reference code codes
    date dates dob birth birthday birthdate created updated modified added joined started ended closed opened
    time timestamp year month day week quarter period deadline
    street suburb city town state province region country postcode zip postal post locality county district
    location territory area address1 address2 line lat lng latitude longitude
    industry sector category categories type types segment class group tag tags label labels division
    department team title position role roles job occupation seniority function status stage priority score
    rating rank level tier source origin channel campaign owner assignee assigned manager rep
    amount price value total cost revenue turnover sales budget quantity qty units size headcount employees
    count fee balance currency salary
    note notes comment comments remark remarks description details info information summary text message
    subject gender age sex language nationality species height weight tree product item sku project projects
    permission permissions
    firma unternehmen kunde kunden nummer nachname vorname strasse straße stadt ort plz land telefon handy
    webseite betrag preis datum anrede branche bemerkung bemerkungen ansprechpartner firmenname kundennummer
    mailadresse umsatz größe
    nom prénom prenom société societe entreprise adresse ville pays téléphone courriel montant prix
    nombre apellido apellidos empresa ciudad país pais teléfono telefono correo dirección direccion fecha
    nome cognome azienda città citta indirizzo telefono paese sito bedrijf naam voornaam achternaam plaats
    telefoon
    会社名 名前 氏名 住所 電話番号 メール メールアドレス 公司 名称 姓名 电话 邮箱 网址
  `),
);

/** Words between the others, such as `of` and `is`, and words that no one takes for a name by themselves. */
const BETWEEN = new Set(
  wordsIn('of the a an is for in at by to and or per de du des la le del der die das und von y et i'),
);

/** Kinds of a thing that a name of a column begins with: `Work email`, `Primary contact`. */
const KINDS = new Set(
  wordsIn(`work home office primary secondary main business private personal billing shipping mailing parent
  direct other
  new old current previous next internal external our their your my annual public australian universal unique
  head invite invitee required optional redirect redirection
  alternative alternate preferred default original native local international charity school 1 2 3 4 5`),
);

/** What a column of running numbers is called. */
export const NUMBER_NAME =
  /^(?:#|№|(?:(?:s|sr|sl|lfd|row|line|item|serial)[. /]*)?(?:no|nr|num|number|nummer|n|#)|n[°º]|id|index|pos|row|)\.?$/i;

/** `Company name`, `E-mail (work)`, `parent_abn`, `ABN No.`; each of its words has to be known. */
export function isColumnWord(cell: string): boolean {
  if (NUMBER_NAME.test(cell)) return true;
  const words = cell
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .split(' ');
  return (
    words.some((word) => WORDS.has(word)) &&
    words.every((word) => WORDS.has(word) || BETWEEN.has(word) || KINDS.has(word))
  );
}

/** The name in a cell of a header, without a byte-order mark that a program has taken for letters. */
export const nameIn = (cell: string): string => cell.replace(/^(?:ï»¿)+/, '').trim();

/** Blanks and characters that are not shown: of no width, for control, and the mark that ends a DOS file. */
export const isUnseen = (cell: string): boolean => /^[\s\p{Cc}\p{Cf}]*$/u.test(cell);

/** What a check box is in a cell, in the languages in which spreadsheets are used most. */
const BOX =
  /^(?:true|false|wahr|falsch|vrai|faux|verdadero|verdadeiro|falso|vero|waar|onwaar|истина|ложь)$/iu;

/** Whether nothing but check boxes stands there: they are drawn down a sheet, also where no row is. */
export function areBoxes(cells: readonly string[]): boolean {
  let isBox = false;
  for (const cell of cells) {
    const text = cell.trim();
    if (text === '') continue;
    isBox = BOX.test(text);
    if (!isBox) return false;
  }
  return isBox;
}

/** How Qualtrics begins each cell of the row in which it describes the columns of a survey to programs. */
const DESCRIPTION = /^\{\s*["']ImportId["']\s*:/;

export function areDescriptions(cells: readonly string[]): boolean {
  const filled = cells.filter((cell) => cell.trim() !== '');
  return filled.length > 0 && filled.every((cell) => DESCRIPTION.test(cell.trim()));
}
