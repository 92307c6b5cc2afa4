/**
 * Addresses that lead to another one, which stands in a parameter of theirs: host, path, parameter. Behind
 * `#` stands where the addresses below it were seen.
 */
export const REDIRECTS = `
  # results of a search that were copied
  google.*               /url              q,url
  duckduckgo.com         /l                uddg
  search.yahoo.com       /                 RU
  # mails of which Outlook, Gmail or a filter has rewritten the links
  safelinks.protection.outlook.com /       url
  statics.teams.cdn.office.net /evergreen-assets/safelinks url
  urldefense.com         /v2/url           u
  urldefense.proofpoint.com /v2/url        u
  linkprotect.cudasvc.com /url             a
  # pages of networks
  l.facebook.com         /l.php            u
  lm.facebook.com        /l.php            u
  l.instagram.com        /                 u
  l.messenger.com        /l.php            u
  l.threads.net          /                 u
  linkedin.com           /redir            url
  linkedin.com           /safety/go        url
  linkedin.com           /authwall         sessionRedirect
  youtube.com            /redirect         q
  vk.com                 /away.php         to
  t.umblr.com            /redirect         z
  slack-redir.net        /link             url
  steamcommunity.com     /linkfilter       url,u
  exit.sc                /                 url
`;

/** Hosts of filters that hide where their links lead. */
export const HIDDEN_TARGETS = `
  # mails of which a filter has rewritten the links
  url.emailprotection.link protect-us.mimecast.com protect-eu.mimecast.com protect-au.mimecast.com
  protect-de.mimecast.com protect-za.mimecast.com url.us.m.mimecastprotect.com
  url.au.m.mimecastprotect.com url.uk.m.mimecastprotect.com url.de.m.mimecastprotect.com mimecastprotect.com
  urldefense.com urldefense.proofpoint.com linkprotect.cudasvc.com safelinks.protection.outlook.com
  secure-web.cisco.com clicktime.symantec.com
  slack-redir.net l.facebook.com lm.facebook.com l.instagram.com exit.sc
  statics.teams.cdn.office.net google.*/url googleadservices.com doubleclick.net click.pstmrk.it list-manage.com sendgrid.net
`;
