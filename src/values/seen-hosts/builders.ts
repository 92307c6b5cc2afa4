/**
 * Builders of websites: `acme.jimdosite.com` is a company's, and `jimdosite.com` is nobody's. `tldts` knows
 * others as private suffixes, such as `wixsite.com`. Behind `#` stands where the hosts below it were seen.
 */
export const BUILDERS = `
  # websites of small companies and clubs
  wix.com weebly.com squarespace.com wordpress.com blogspot.* tumblr.com jimdo.com jimdofree.com jimdosite.com
  webnode.* site123.me strikingly.com mystrikingly.com godaddysites.com ueniweb.com business.site negocio.site
  yola.com webs.com tripod.com angelfire.com company.site tilda.ws simdif.com durable.co zyrosite.com
  hostingersite.com hubspotpagebuilder.com hs-sites.com rocketspark.co.nz tidyhq.com super.site

  # shops of small companies
  bigcartel.com mybigcommerce.com ecwid.com storenvy.com
`;
