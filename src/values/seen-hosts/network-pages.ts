/**
 * What the pages of networks show, where it can be told from their path: a `person`, a `company`, `either`,
 * or `nobody` (a post, a list, a log-in). `*` is one segment of the path, and a page with `?id` is that of
 * nobody without this parameter; what is not here may be anybody. Behind `#` stands where the pages below it
 * were seen.
 */
export const NETWORK_PAGES = `
  # columns of profiles in lists and in answers of data vendors
  crunchbase.com    person  /person
  crunchbase.com    company /organization
  crunchbase.com    company /company
  crunchbase.com    nobody  /discover
  crunchbase.com    nobody  /lists
  crunchbase.com    nobody  /hub
  crunchbase.com    nobody  /funding_round
  crunchbase.com    nobody  /acquisition
  crunchbase.com    nobody  /event
  zoominfo.com      person  /p
  zoominfo.com      company /c
  zoominfo.com      nobody  /people
  zoominfo.com      nobody  /s
  wellfound.com     person  /u
  wellfound.com     company /company
  angel.co          person  /u
  angel.co          company /company
  pitchbook.com     person  /profiles/person
  pitchbook.com     company /profiles/company
  bloomberg.com     person  /profile/person
  bloomberg.com     company /profile/company
  xing.com          person  /profile
  xing.com          company /pages
  xing.com          company /companies
  xing.com          nobody  /jobs
  xing.com          nobody  /news
  orcid.org         person  /*
  researchgate.net  person  /profile
  researchgate.net  nobody  /publication
  scholar.google.*  person  /citations?user
  glassdoor.*       company /Overview
  # the same person under other addresses: before 2014, and in products for recruiters and sellers
  linkedin.com      person  /pub/*/*/*/*
  linkedin.com      person  /profile/view?id
  linkedin.com      person  /talent/profile/*
  linkedin.com      person  /talent/search/profile/*
  linkedin.com      person  /recruiter/profile/*
  linkedin.com      person  /sales/lead/*
  linkedin.com      person  /sales/people/*
  linkedin.com      person  /sales/profile/*
  linkedin.com      company /sales/company/*
  linkedin.com      company /sales/accounts/*
  # links that were copied from a post, a search or a page of the network itself
  facebook.com      either  /profile.php?id
  facebook.com      company /pages
  facebook.com      nobody  /share
  facebook.com      nobody  /sharer
  facebook.com      nobody  /sharer.php
  facebook.com      nobody  /photo
  facebook.com      nobody  /photo.php
  facebook.com      nobody  /photos
  facebook.com      nobody  /watch
  facebook.com      nobody  /reel
  facebook.com      nobody  /story.php
  facebook.com      nobody  /permalink.php
  facebook.com      nobody  /events
  facebook.com      nobody  /groups
  facebook.com      nobody  /marketplace
  facebook.com      nobody  /hashtag
  facebook.com      nobody  /login
  facebook.com      nobody  /login.php
  facebook.com      nobody  /home.php
  facebook.com      nobody  /*/posts
  facebook.com      nobody  /*/videos
  facebook.com      nobody  /*/photos
  x.com,twitter.com nobody  /home
  x.com,twitter.com nobody  /explore
  x.com,twitter.com nobody  /hashtag
  x.com,twitter.com nobody  /intent
  x.com,twitter.com nobody  /login
  x.com,twitter.com nobody  /i
  x.com,twitter.com nobody  /*/status
  instagram.com     nobody  /p
  instagram.com     nobody  /reel
  instagram.com     nobody  /reels
  instagram.com     nobody  /tv
  instagram.com     nobody  /stories
  instagram.com     nobody  /accounts
  instagram.com     nobody  /*/p
  instagram.com     nobody  /*/reel
  fb.watch          nobody  /*
  threads.net,threads.com nobody /*/post
  youtube.com       nobody  /watch
  youtube.com       nobody  /shorts
  youtube.com       nobody  /playlist
  youtube.com       nobody  /feed
  youtube.com       nobody  /embed
  youtu.be          nobody  /*
  tiktok.com        nobody  /tag
  tiktok.com        nobody  /discover
  tiktok.com        nobody  /foryou
  tiktok.com        nobody  /*/video
  reddit.com        nobody  /r
  pinterest.*       nobody  /pin
  medium.com        nobody  /p
  medium.com        nobody  /tag
  medium.com        nobody  /*/*
  bsky.app          nobody  /search
  bsky.app          nobody  /*/*/post
  github.com        nobody  /topics
  github.com        nobody  /login
  google.*          nobody  /maps
  maps.google.*     nobody  /*
`;

/** What stands at LinkedIn in the place of a slug and is nobody's. Behind `#` stands where it was seen. */
export const NOBODYS_SLUGS = `
  # links that a tool made of a value that it did not have, and of one's own page
  undefined null nan none me unavailable
`;

/**
 * Hosts that show people behind `#`, where their addresses have no path: `app.zoominfo.com/#/…/124` is
 * another person than 123.
 */
export const SHOWN_BEHIND_FRAGMENT = `
  # exports and copied links of data vendors
  app.zoominfo.com app.apollo.io
`;
