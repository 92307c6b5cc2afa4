/**
 * Lines of curl as the public references of vendors show them, with what is invented in the place of their samples. Each names
 * the dialect that comes with the program.
 */

export interface DocumentedLine {
  /** The word of the shipped dialect, which asks the same. */
  readonly dialect: string;
  readonly vendor: string;
  readonly line: string;
  readonly operation: string;
  readonly by: readonly string[];
  readonly asked: Readonly<Record<string, string>>;
  /** Inputs that the shipped dialect asks by where the line shows more of them. */
  readonly askedBoth?: readonly string[];
}

export const CURL_LINES: readonly DocumentedLine[] = [
  {
    vendor: 'Hunter',
    dialect: 'hunter',
    line: `curl "https://api.hunter.io/v2/email-finder?domain=acme.com.au&first_name=Mia&last_name=Tran" \\
  -H "X-API-KEY: your-api-key"`,
    operation: 'find-email',
    by: ['first_name+last_name+domain'],
    asked: { first_name: 'Mia', last_name: 'Tran', domain: 'acme.com.au' },
  },
  {
    vendor: 'Hunter',
    dialect: 'hunter',
    line: "curl -G https://api.hunter.io/v2/email-verifier --data-urlencode 'email=mia.tran@acme.com.au' -H 'x-api-key: $HUNTER_KEY'",
    operation: 'check-email',
    by: ['email'],
    asked: { email: 'mia.tran@acme.com.au' },
  },
  {
    vendor: 'Apollo',
    dialect: 'apollo',
    line: `curl --request POST \\
     --url 'https://api.apollo.io/api/v1/people/match' \\
     --header 'Cache-Control: no-cache' \\
     --header 'Content-Type: application/json' \\
     --header 'accept: application/json' \\
     --header 'x-api-key: <api-key>' \\
     --data '{"first_name": "Mia", "last_name": "Tran", "domain": "acme.com.au"}'`,
    operation: 'enrich-person',
    by: ['first_name+last_name+domain'],
    asked: { first_name: 'Mia', last_name: 'Tran', domain: 'acme.com.au' },
  },
  {
    vendor: 'Apollo',
    dialect: 'apollo',
    line: `curl --request GET --url 'https://api.apollo.io/api/v1/organizations/enrich?domain=acme.com.au' --header 'x-api-key: YOUR_API_KEY'`,
    operation: 'enrich-company',
    by: ['domain'],
    asked: { domain: 'acme.com.au' },
  },
  {
    vendor: 'People Data Labs',
    dialect: 'pdl',
    line: `curl -X GET -G \\
  'https://api.peopledatalabs.com/v5/person/enrich'\\
  -H 'X-Api-Key: xxxx' \\
  --data-urlencode 'min_likelihood=6'\\
  --data-urlencode 'profile=linkedin.com/in/mia-tran'`,
    operation: 'enrich-person',
    by: ['profile_url'],
    asked: { profile_url: 'linkedin.com/in/mia-tran' },
  },
  {
    vendor: 'LeadMagic',
    dialect: 'leadmagic',
    line: `curl --request POST \\
  --url https://api.leadmagic.io/v1/people/email-finder \\
  --header 'Content-Type: application/json' \\
  --header 'X-API-Key: <api-key>' \\
  --data '
{
  "first_name": "Mia",
  "last_name": "Tran",
  "full_name": "Mia Tran",
  "domain": "acme.com.au",
  "company_name": "Acme"
}
'`,
    operation: 'find-email',
    by: [
      'first_name+last_name+domain',
      'first_name+last_name+company',
      'full_name+domain',
      'full_name+company',
    ],
    asked: {
      first_name: 'Mia',
      last_name: 'Tran',
      full_name: 'Mia Tran',
      domain: 'acme.com.au',
      company: 'Acme',
    },
    askedBoth: ['first_name', 'last_name', 'company'],
  },
  {
    vendor: 'Prospeo',
    dialect: 'prospeo',
    line: `curl --location 'https://api.prospeo.io/enrich-person' \\
--header 'X-KEY: your_api_key' \\
--header 'Content-Type: application/json' \\
--data-raw '{
    "data": {
        "first_name": "Mia",
        "last_name": "Tran",
        "company_website": "acme.com.au"
    }
}'`,
    operation: 'enrich-person',
    by: ['first_name+last_name+domain'],
    asked: { first_name: 'Mia', last_name: 'Tran', domain: 'acme.com.au' },
  },
  {
    vendor: 'FullEnrich',
    dialect: 'fullenrich',
    line: `curl --request POST \\
  --url https://app.fullenrich.com/api/v1/contact/enrich/bulk \\
  --header 'Authorization: Bearer <token>' \\
  --header 'Content-Type: application/json' \\
  --data '{
  "name": "rowonce",
  "webhook_url": "https://example.com/webhook",
  "datas": [
    {
      "firstname": "Mia",
      "lastname": "Tran",
      "domain": "acme.com.au",
      "company_name": "Acme",
      "linkedin_url": "https://www.linkedin.com/in/mia-tran",
      "enrich_fields": ["contact.emails"],
      "custom": { "user_id": "12345" }
    }
  ]
}'`,
    operation: 'find-email',
    by: [
      'profile_url+first_name+last_name+domain',
      'profile_url',
      'first_name+last_name+domain',
      'first_name+last_name+company',
    ],
    asked: {
      first_name: 'Mia',
      last_name: 'Tran',
      domain: 'acme.com.au',
      company: 'Acme',
      profile_url: 'https://www.linkedin.com/in/mia-tran',
    },
    askedBoth: ['profile_url'],
  },
  {
    vendor: 'Dropcontact',
    dialect: 'dropcontact',
    line: `curl -X POST https://api.dropcontact.com/v1/enrich/all \\
  -H "Content-Type: application/json" -H "X-Access-Token: your_api_key" \\
  -d '{"data": [{"first_name": "Mia", "last_name": "Tran", "website": "acme.com.au"}], "siren": true, "language": "en"}'`,
    operation: 'find-email',
    by: ['first_name+last_name+domain'],
    asked: { first_name: 'Mia', last_name: 'Tran', domain: 'acme.com.au' },
  },
  {
    vendor: 'Findymail',
    dialect: 'findymail',
    line: `curl --request POST "https://app.findymail.com/api/search/name" \\
    --header "Authorization: Bearer {YOUR_API_KEY}" \\
    --header "Content-Type: application/json" \\
    --header "Accept: application/json" \\
    --data "{
    \\"name\\": \\"Mia Tran\\",
    \\"domain\\": \\"acme.com.au\\"
}"`,
    operation: 'find-email',
    by: ['full_name+domain'],
    asked: { full_name: 'Mia Tran', domain: 'acme.com.au' },
  },
  {
    vendor: 'Lusha',
    dialect: 'lusha',
    line: `curl -X GET 'https://api.lusha.com/v2/person?firstName=Mia&lastName=Tran&companyDomain=acme.com.au&revealEmails=true&revealPhones=false' -H 'api_key: YOUR_API_KEY'`,
    operation: 'find-email',
    by: ['first_name+last_name+domain'],
    asked: { first_name: 'Mia', last_name: 'Tran', domain: 'acme.com.au' },
  },
  {
    vendor: 'RocketReach',
    dialect: 'rocketreach',
    line: `curl -sS --request GET 'https://api.rocketreach.co/api/v2/person/lookup?name=Mia%20Tran&current_employer=Acme' --header 'Api-Key: <api-key>'`,
    operation: 'enrich-person',
    by: ['full_name+company'],
    asked: { full_name: 'Mia Tran', company: 'Acme' },
  },
  {
    vendor: 'ContactOut',
    dialect: 'contactout',
    line: `curl --request POST 'https://api.contactout.com/v1/people/enrich' --header 'authorization: basic' --header 'token: <YOUR_API_TOKEN>' --header 'Content-Type: application/json' --data '{"full_name":"Mia Tran","company_domain":["acme.com.au"],"include":["work_email"]}'`,
    operation: 'find-email',
    by: ['full_name+domain'],
    asked: { full_name: 'Mia Tran', domain: 'acme.com.au' },
  },
  {
    vendor: 'Crustdata',
    dialect: 'crustdata',
    line: `curl --location 'https://api.crustdata.com/company/enrich' --header 'authorization: Bearer YOUR_API_KEY' --header 'content-type: application/json' --header 'x-api-version: 2025-11-01' --data '{"domains": ["acme.com.au"]}'`,
    operation: 'enrich-company',
    by: ['domain'],
    asked: { domain: 'acme.com.au' },
  },
  {
    vendor: 'Coresignal',
    dialect: 'coresignal',
    line: `curl -X GET "https://api.coresignal.com/cdapi/v2/company_multi_source/enrich?website=acme.com.au" -H "accept: application/json" -H "apikey: {API Key}"`,
    operation: 'enrich-company',
    by: ['domain'],
    asked: { domain: 'acme.com.au' },
  },
  {
    vendor: 'Brandfetch',
    dialect: 'brandfetch',
    line: `curl --request GET --url https://api.brandfetch.io/v2/brands/domain/acme.com.au --header 'Authorization: Bearer <token>'`,
    operation: 'enrich-company',
    by: ['domain'],
    asked: { domain: 'acme.com.au' },
  },
  {
    vendor: 'Companies House',
    dialect: 'companieshouse-numbers',
    line: 'curl -u YOUR_API_KEY: https://api.company-information.service.gov.uk/company/00102498',
    operation: 'enrich-company',
    by: ['number'],
    asked: { number: '00102498' },
  },
  {
    vendor: 'Australian Business Register',
    dialect: 'abr',
    line: "curl 'https://abr.business.gov.au/json/AbnDetails.aspx?callback=c&abn=51824753556&guid=0a1b2c3d-0000-4000-8000-5e6f7a8b9c0d'",
    operation: 'enrich-company',
    by: ['abn'],
    asked: { abn: '51824753556' },
  },
  {
    vendor: 'Enrow',
    dialect: 'enrow',
    line: `curl -X POST https://api.enrow.io/email/find/single -H 'x-api-key: YOUR_KEY' -H 'content-type: application/json' -d '{"fullname":"Mia Tran","company_domain":"acme.com.au","settings":{"webhook":"https://yourwebhook.com"}}'`,
    operation: 'find-email',
    by: ['full_name+domain'],
    asked: { full_name: 'Mia Tran', domain: 'acme.com.au' },
  },
  {
    vendor: 'Surfe',
    dialect: 'surfe',
    line: `curl --request POST --url https://api.surfe.com/v2/people/enrich --header 'Authorization: Bearer <token>' --header 'Content-Type: application/json' --data '{
  "include": {"email": true, "jobHistory": false, "linkedInUrl": false, "mobile": false},
  "notificationOptions": {"webhookUrl": "https://example.com"},
  "people": [{"companyDomain": "acme.com.au", "externalID": "external-id", "firstName": "Mia", "lastName": "Tran"}]
}'`,
    operation: 'find-email',
    by: ['first_name+last_name+domain'],
    asked: { first_name: 'Mia', last_name: 'Tran', domain: 'acme.com.au' },
  },
  {
    vendor: 'Icypeas',
    dialect: 'icypeas',
    line: `curl -X POST https://app.icypeas.com/api/email-search -H "Content-Type: application/json" -H "Authorization: YOUR_API_KEY" -d '{"firstname":"Mia","lastname":"Tran","domainOrCompany":"acme.com.au"}'`,
    operation: 'find-email',
    by: ['first_name+last_name+domain'],
    asked: { first_name: 'Mia', last_name: 'Tran', domain: 'acme.com.au' },
  },
  {
    vendor: 'Datagma',
    dialect: 'datagma',
    line: `curl --request GET --url 'https://gateway.datagma.net/api/ingress/v8/findEmail?apiId=YOUR_API_ID&fullName=Mia%20Tran&company=acme.com.au' --header 'accept: application/json'`,
    operation: 'find-email',
    by: ['full_name+domain'],
    asked: { full_name: 'Mia Tran', domain: 'acme.com.au' },
  },
  {
    vendor: 'The Companies API',
    dialect: 'thecompaniesapi',
    line: `curl "https://api.thecompaniesapi.com/v2/companies/acme.com.au" -H "Authorization: Basic your_api_token"`,
    operation: 'enrich-company',
    by: ['domain'],
    asked: { domain: 'acme.com.au' },
  },
  {
    vendor: 'Anymail Finder',
    dialect: 'anymailfinder',
    line: `curl -X POST https://api.anymailfinder.com/v5.1/find-email/person \\
  -H 'Authorization: YOUR_API_KEY' \\
  -H 'Content-Type: application/json' \\
  -d '{"domain": "acme.com.au", "first_name": "Mia", "last_name": "Tran"}'`,
    operation: 'find-email',
    by: ['first_name+last_name+domain'],
    asked: { first_name: 'Mia', last_name: 'Tran', domain: 'acme.com.au' },
  },
  {
    vendor: 'Bouncer',
    dialect: 'bouncer',
    line: `curl --request GET \\
  --url 'https://api.usebouncer.com/v1.1/email/verify?email=mia.tran@acme.com.au' \\
  --header 'x-api-key: <api-key>'`,
    operation: 'check-email',
    by: ['email'],
    asked: { email: 'mia.tran@acme.com.au' },
  },
  {
    vendor: 'ZeroBounce',
    dialect: 'zerobounce',
    line: `curl 'https://api.zerobounce.net/v2/validate?api_key=YOUR_API_KEY&email=mia.tran@acme.com.au&ip_address='`,
    operation: 'check-email',
    by: ['email'],
    asked: { email: 'mia.tran@acme.com.au' },
  },
  {
    vendor: 'Seamless.AI',
    dialect: 'seamless',
    line: `curl -X POST https://api.seamless.ai/api/client/v1/contacts/research \\
  -H "Content-Type: application/json" \\
  -H "Token: $SEAMLESS_API_KEY" \\
  -d '{
    "contacts": [{ "contactName": "Mia Tran", "domain": "acme.com.au" }]
  }'`,
    operation: 'find-email',
    by: ['full_name+domain'],
    asked: { full_name: 'Mia Tran', domain: 'acme.com.au' },
  },
  {
    vendor: 'SignalHire',
    dialect: 'signalhire',
    line: `curl -X POST https://www.signalhire.com/api/v1/candidate/search \\
-H 'apikey: your_secret_api_key' \\
--data '{"items": ["https://www.linkedin.com/in/mia-tran"]}'`,
    operation: 'find-email',
    by: ['profile_url'],
    asked: { profile_url: 'https://www.linkedin.com/in/mia-tran' },
  },
  {
    vendor: 'Tomba',
    dialect: 'tomba',
    line: `curl --request GET \\
  --url 'https://api.tomba.io/v1/email-finder?domain=acme.com.au&first_name=Mia&last_name=Tran' \\
  --header 'X-Tomba-Key: ta_xxxxxxxxxxxxxxxx' --header 'X-Tomba-Secret: <your_secret>'`,
    operation: 'find-email',
    by: ['first_name+last_name+domain'],
    asked: { first_name: 'Mia', last_name: 'Tran', domain: 'acme.com.au' },
  },
  {
    vendor: 'lemlist',
    dialect: 'lemlist',
    line: `curl --request POST 'https://api.lemlist.com/api/enrich?findEmail=true&firstName=Mia&lastName=Tran&companyDomain=acme.com.au' \\
  -u ":YOUR_API_KEY"`,
    operation: 'find-email',
    by: ['first_name+last_name+domain'],
    asked: { first_name: 'Mia', last_name: 'Tran', domain: 'acme.com.au' },
  },
  {
    vendor: 'Twilio Lookup',
    dialect: 'twilio',
    line: "curl -X GET 'https://lookups.twilio.com/v2/PhoneNumbers/+61255500101' \\\n-u $TWILIO_ACCOUNT_SID:$TWILIO_AUTH_TOKEN",
    operation: 'check-phone',
    by: ['phone'],
    asked: { phone: '+61255500101' },
  },
];
