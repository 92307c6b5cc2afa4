/**
 * Pages of a host, or below a path of one, that show one of many companies, people or documents. None of them
 * says whose host it is, so looking the host up would find the company that runs it. `glassdoor.*` is that
 * name under any public suffix; subdomains count as their host. Behind `#` stands where the hosts below it
 * were seen.
 */
export const PLATFORMS = `
  # the "Website" of companies that have none: networks
  facebook.com fb.com fb.me m.me instagram.com threads.net threads.com linkedin.com lnkd.in twitter.com x.com
  youtube.com youtu.be tiktok.com pinterest.* snapchat.com reddit.com whatsapp.com wa.me t.me telegram.me
  discord.com discord.gg weibo.com vk.com ok.ru xing.com bsky.app mastodon.social nextdoor.* line.me
  vimeo.com flickr.com soundcloud.com twitch.tv behance.net dribbble.com

  # the same: texts and code below one roof
  open.substack.com patreon.com wikipedia.org wikidata.org fandom.com npmjs.com producthunt.com quora.com

  # the same: link pages
  linktr.ee linkin.bio beacons.ai bio.link campsite.bio about.me lnk.bio bento.me hoo.be taplink.cc

  # the same: documents, forms, calendars, meetings
  sites.google.com docs.google.com drive.google.com forms.gle calendar.google.com meet.google.com
  photos.google.com onedrive.live.com 1drv.ms teams.microsoft.com

  # the same: events, donations, tickets
  meetup.com eventbrite.* trybooking.com humanitix.com ticketek.com.au ticketmaster.* gofundme.com
  mycause.com.au givenow.com.au givealittle.co.nz justgiving.com kickstarter.com raisely.com

  # exports of data vendors, whose own page of a company stands under "Website" or "URL"
  zoominfo.com crunchbase.com pitchbook.com rocketreach.co app.apollo.io app.lusha.com app.hubspot.com
  owler.com craft.co cbinsights.com tracxn.com dealroom.co leadiq.com signalhire.com contactout.com
  lead411.com datanyze.com similarweb.com builtwith.com wellfound.com angel.co f6s.com
  bloomberg.com/profile dnb.com/business-directory lightning.force.com

  # directories of companies
  yellowpages.* whitepages.* yellow.co.nz yell.com truelocal.com.au hotfrog.* localsearch.com.au
  startlocal.com.au finda.co.nz localista.com.au aussieweb.com.au dlook.com.au oneflare.com.au hipages.com.au
  serviceseeking.com.au wordofmouth.com.au womo.com.au yelp.* foursquare.com manta.com bbb.org chamberofcommerce.com
  thomasnet.com kompass.* europages.* cylex.* infobel.com brownbook.net tupalo.* gelbeseiten.de 11880.com
  dasoertliche.de meinestadt.de wlw.de herold.at local.ch pagesjaunes.fr paginegialle.it paginasamarillas.es
  goudengids.* detelefoongids.nl telefoonboek.nl eniro.* proff.* krak.dk indiamart.com tradeindia.com justdial.com
  alibaba.com aliexpress.com made-in-china.com globalsources.com clutch.co goodfirms.co sortlist.com
  medicaldirectory.com.au healthengine.com.au hotdoc.com.au realestate.com.au domain.com.au

  # reviews of many
  glassdoor.* trustpilot.* productreview.com.au tripadvisor.* capterra.* g2.com getapp.* reviews.io
  sitejabber.com ambitionbox.com comparably.com kununu.com

  # jobs of many
  seek.com.au seek.co.nz indeed.* jora.com adzuna.* careerone.com.au ethicaljobs.com.au jobstreet.* jobsdb.*
  ziprecruiter.* monster.com stepstone.* totaljobs.com reed.co.uk trademe.co.nz naukri.com
  myworkdayjobs.com boards.greenhouse.io jobs.lever.co apply.workable.com

  # shops, rooms and meals of many
  ebay.* etsy.com amazon.* gumtree.* airbnb.* booking.com expedia.* ubereats.com doordash.com menulog.com.au
  deliveroo.* opentable.* zomato.com redbubble.com

  # look-ups in registers
  abr.business.gov.au abn.business.gov.au connectonline.asic.gov.au acnc.gov.au/charity
  nzbn.govt.nz/mynzbn companies-register.companiesoffice.govt.nz app.companiesoffice.govt.nz
  find-and-update.company-information.service.gov.uk beta.companieshouse.gov.uk opencorporates.com
  register-of-charities.charitycommission.gov.uk northdata.* handelsregister.de unternehmensregister.de
  bundesanzeiger.de firmenbuch.at zefix.ch societe.com pappers.fr infogreffe.fr annuaire-entreprises.data.gouv.fr
  allabolag.se datacvr.virk.dk kvk.nl/zoeken sec.gov/edgar sec.gov/cgi-bin guidestar.org projects.propublica.org
  abnlookup.net auscompanies.com abn-lookup.com.au endole.co.uk companycheck.co.uk
  companieslist.co.uk bizdb.co.nz whois.com/whois who.is lookup.icann.org

  # archives and copies of pages
  web.archive.org archive.org/details archive.ph archive.is archive.today archive.md archive.vn
  webcache.googleusercontent.com cc.bingj.com

  # translated pages
  translate.google.* translate.goog translate.yandex.* bing.com/translator deepl.com/translator
  translate.baidu.com fanyi.baidu.com papago.naver.com

  # maps
  maps.google.* google.*/maps maps.app.goo.gl maps.apple.com bing.com/maps openstreetmap.org waze.com
  what3words.com whereis.com here.com/maps wego.here.com g.page share.google business.google.com

  # app stores
  apps.apple.com itunes.apple.com podcasts.apple.com music.apple.com play.google.com apps.microsoft.com
  chromewebstore.google.com chrome.google.com/webstore addons.mozilla.org apps.shopify.com
  appexchange.salesforce.com marketplace.atlassian.com marketplace.zoom.us store.steampowered.com
  galaxystore.samsung.com appgallery.huawei.com appsource.microsoft.com open.spotify.com
`;

/** Platforms below whose host each has a place of its own: `acme.substack.com`. */
export const OWN_BELOW = 'medium.com substack.com';

/**
 * Tools in which companies have pages. A company without a website may name its page there, and only the
 * maker of the tool names the host alone: `canva.com` is Canva's, and `canva.com/design/…` may be anybody's.
 */
export const TOOLS = `
  # texts and code
  github.com gitlab.com bitbucket.org sourceforge.net

  # documents, forms, calendars, meetings
  notion.so dropbox.com box.com issuu.com scribd.com slideshare.net canva.com typeform.com surveymonkey.com
  jotform.com calendly.com zoom.us trello.com airtable.com
`;
