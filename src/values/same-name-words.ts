import { wordsIn } from '../core/plain-text.ts';

/**
 * Words of companies' names that say nothing about which company is meant, in small letters without accents.
 */

/** Legal forms, and the words that join names, as registers of these countries write them. */
export const LEGAL_WORDS: ReadonlySet<string> = new Set(
  wordsIn(`
    pty proprietary ltd limited nl inc incorporated corp corporation co company cooperative coop llc llp lp
    plc cic gmbh mbh ug kg ag ohg sa sas sasu sarl srl spa snc bv nv vof ab as asa oy oyj aps kft zrt doo sro
    pte sdn bhd kk pvt private public unlimited association assoc society foundation fund trust trusts
    trustee trustees atf ta dba aka formerly trading unit discretionary superannuation super family estate
    partnership partners holdings holding group groups bros brothers sons son daughters

    the a an of and for by in at on to with und et y e de del des der die das di da la le les el los van von
    den n
  `),
);

/** Countries, states and large cities, which many companies have in their names. */
export const PLACE_WORDS: ReadonlySet<string> = new Set(
  wordsIn(`
    australia australian australasia australasian aust aus anz nz zealand new pacific asia asian apac oceania
    nsw vic qld sa wa tas nt act victoria victorian queensland tasmania tasmanian territory northern southern
    eastern western north south east west central coast coastal valley bay hills city metro metropolitan
    regional gold sunshine shore national international global world worldwide universal sydney melbourne brisbane perth adelaide
    hobart darwin canberra newcastle geelong wollongong cairns townsville ballarat bendigo auckland wellington
    christchurch hamilton dunedin london york america american usa us uk britain british england english
    scotland scottish ireland irish canada canadian europe european germany german deutschland france french
    india indian china chinese hong kong singapore japan japanese
  `),
);

/** What very many companies do, or say that they are. */
export const GENERIC_WORDS: ReadonlySet<string> = new Set(
  wordsIn(`
    services service solutions solution systems system consulting consultants consultancy consultant advisory
    advisers advisors management managers enterprise enterprises industries industry industrial products
    product supplies supply suppliers trading traders trade sales marketing media digital technology
    technologies tech software it data online web net network networks communications communication telecom
    construction constructions building builders builder build contractors contracting civil engineering
    engineers engineer electrical plumbing mechanical maintenance property properties real estate realty
    developments development investments investment investors capital finance financial insurance accounting
    accountants accountant legal lawyers law solicitors transport logistics freight haulage removals motors
    motor auto automotive cars car truck trucks tyres hire rentals rental equipment machinery tools steel
    timber concrete foods food catering cafe restaurant restaurants hotel hotels bakery wines wine health
    healthcare medical clinic dental pharmacy care aged community centre center school college university uni
    institute academy education training learning church club sports sport fitness beauty hair fashion
    clothing design designs creative studio studios agency print printing signs security cleaning energy
    power solar water gas mining resources farms farm agriculture rural gardens garden landscaping pest
    home homes house housing kitchens furniture floors flooring store stores shop shops retail wholesale
    distributors distribution imports exports import export manufacturing recruitment staffing people
    travel tours events entertainment council government department dept office professional premier quality
    first best pro plus direct express total complete general specialist specialists alliance united
  `),
);
