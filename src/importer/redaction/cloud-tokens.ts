/**
 * Tokens of services, by what they begin with: what may follow, and how long it is. Lengths are those that the issuers give,
 * or the least that was ever given. Knows nothing of how a text is read.
 */

/** The body is a sticky expression of one unbroken run; its least units, and most where the issuer always gives as many. */
export type CloudToken = readonly [prefix: string, body: RegExp, unitsMin: number, unitsMax?: number]

const ALNUM = /[A-Za-z0-9]+/y
const LOWER = /[a-z0-9]+/y
const UPPER = /[A-Z0-9]+/y
const URL_SAFE = /[\w-]+/y
const HEX = /[0-9a-f]+/y
const ANY_HEX = /[0-9A-Fa-f]+/y
const DOTTED = /[\w.-]+/y
const PADDED = /[\w+/-]+={0,2}/y
const PATH_SAFE = /[\w/-]+/y
const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?![\w-])/y
const UUID_UNITS = 36

export const CLOUD_TOKENS: readonly CloudToken[] = [
  // DigitalOcean, Docker, Vault
  ['dop_v1_', HEX, 64],
  ['doo_v1_', HEX, 64],
  ['dor_v1_', HEX, 64],
  ['dckr_pat_', URL_SAFE, 20],
  ['dckr_oat_', URL_SAFE, 20],
  ['hvs.', URL_SAFE, 24],
  ['hvb.', URL_SAFE, 24],
  ['hvr.', URL_SAFE, 24],
  // Shopify, Linear, Grafana, Sentry, Google, SendGrid
  ['shpat_', ANY_HEX, 32],
  ['shpca_', ANY_HEX, 32],
  ['shppa_', ANY_HEX, 32],
  ['shpss_', ANY_HEX, 32],
  ['lin_api_', ALNUM, 32],
  ['glsa_', URL_SAFE, 32],
  ['glc_', PADDED, 32, 402],
  ['sntrys_', DOTTED, 32],
  ['sntryu_', HEX, 64, 64],
  ['GOCSPX-', URL_SAFE, 28],
  ['ya29.', URL_SAFE, 20],
  ['SG.', DOTTED, 60],
  // Models: Groq, xAI, Perplexity, NVIDIA, Tavily, LangSmith, Pinecone, Jina, Cerebras, Bedrock, Firecrawl
  ['gsk_', ALNUM, 40],
  ['xai-', ALNUM, 60],
  ['pplx-', ALNUM, 40],
  ['nvapi-', URL_SAFE, 60, 80],
  ['tvly-', /(?:dev-|prod-)?[A-Za-z0-9]{20,}(?:-[A-Za-z0-9]{8,}){0,4}/y, 24, 100],
  ['lsv2_pt_', /[0-9a-f]{32}_[0-9a-f]{10}(?!\w)/y, 43, 43],
  ['lsv2_sk_', /[0-9a-f]{32}_[0-9a-f]{10}(?!\w)/y, 43, 43],
  ['pcsk_', /[A-Za-z0-9]{5,6}_[A-Za-z0-9]{63}(?!\w)/y, 69, 70],
  ['jina_', ALNUM, 60, 60],
  ['csk-', LOWER, 48, 48],
  ['ABSK', /[A-Za-z0-9+/]+={0,2}/y, 100, 300],
  ['bedrock-api-key-', /[A-Za-z0-9+/]+={0,2}/y, 100],
  ['fc-', HEX, 32, 32],
  ['AGE-SECRET-KEY-1', UPPER, 50],
  // Databricks, Alibaba, Tencent, Yandex
  ['dapi', HEX, 32, 32],
  ['LTAI', ALNUM, 16, 24],
  ['AKID', ALNUM, 32, 36],
  ['AQVN', URL_SAFE, 35, 38],
  // Twilio, Mailgun, Brevo, Square
  ['SK', HEX, 32, 32],
  ['key-', HEX, 32, 32],
  ['xkeysib-', /[0-9a-f]{64}-[A-Za-z0-9]{16}(?![\w-])/y, 81, 81],
  ['xsmtpsib-', /[0-9a-f]{64}-[A-Za-z0-9]{16}(?![\w-])/y, 81, 81],
  ['sq0atp-', URL_SAFE, 22, 22],
  ['sq0csp-', URL_SAFE, 43, 43],
  // Doppler
  ...['pt', 'st', 'ct', 'sa', 'scim', 'audit'].map((kind) => [`dp.${kind}.`, DOTTED, 40] as const),
  // Fly
  ['fo1_', URL_SAFE, 40],
  ['fm2_', /[\w+/=-]+/y, 80],
  // Replicate, Notion, Atlassian, Trello, PlanetScale, Figma, Postman, New Relic, Pulumi, Supabase, Tailscale
  ['r8_', ALNUM, 37, 40],
  ['ntn_', ALNUM, 40],
  ['ATATT3', /[\w=-]+/y, 60],
  ['ATCTT3', /[\w=-]+/y, 60],
  ['ATTA', HEX, 64, 76],
  ['pscale_tkn_', DOTTED, 32],
  ['pscale_pw_', DOTTED, 32],
  ['pscale_oauth_', DOTTED, 32],
  ['figd_', URL_SAFE, 38],
  ['PMAK-', URL_SAFE, 50],
  ['NRAK-', UPPER, 27, 27],
  ['pul-', HEX, 40, 40],
  ['sbp_', HEX, 40, 40],
  ['sb_secret_', URL_SAFE, 30, 40],
  ['tskey-', URL_SAFE, 20],
  // Building and publishing: JFrog, RubyGems, Buildkite, SonarQube, Heroku, CircleCI, Sourcegraph, Octopus, OpenShift
  ['AKCp', ALNUM, 69, 69],
  ['cmVmdGtu', ALNUM, 56, 56],
  ['rubygems_', HEX, 48, 48],
  ...['bkua_', 'bkct_', 'bkaj_'].map((prefix) => [prefix, URL_SAFE, 32] as const),
  ...['sqp_', 'squ_', 'sqa_'].map((prefix) => [prefix, HEX, 40, 40] as const),
  ['HRKU-', UUID, UUID_UNITS, UUID_UNITS],
  ['HRKU-AA', URL_SAFE, 58, 58],
  ['CCIPAT_', URL_SAFE, 40],
  ['CCIPRJ_', URL_SAFE, 40],
  ['sgp_', /(?:(?:[0-9a-f]{16}|local)_)?[0-9a-f]{40}(?!\w)/y, 40, 57],
  ['API-', UPPER, 26, 26],
  ['sha256~', URL_SAFE, 43, 43],
  // 1Password, HubSpot, Harness, Contentful, Dynatrace, Prefect, ReadMe, Shippo, Infracost, Duffel, Flutterwave, Typeform
  ['ops_eyJ', PADDED, 100],
  ['pat-na', /\d-[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?![\w-])/y, 38, 38],
  ['pat-eu', /\d-[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?![\w-])/y, 38, 38],
  ['CFPAT-', URL_SAFE, 43, 43],
  ['dt0c01.', /[A-Z0-9]{24}\.[A-Z0-9]{64}(?!\w)/y, 89, 89],
  ['pnu_', ALNUM, 36, 36],
  ['rdme_', LOWER, 70, 70],
  ['shippo_live_', HEX, 40, 40],
  ['shippo_test_', HEX, 40, 40],
  ['ico-', ALNUM, 32, 32],
  ['duffel_live_', URL_SAFE, 43, 43],
  ['duffel_test_', URL_SAFE, 43, 43],
  ['FLWSECK-', /[0-9a-f]{32}-X(?!\w)/y, 34, 34],
  ['FLWSECK_TEST-', /[0-9a-f]{32}-X(?!\w)/y, 34, 34],
  ['tfp_', DOTTED, 59, 59],
  // Mapbox, PostHog, E2B, Apify, Plaid, Adobe
  ['sk.eyJ1Ijoi', /[\w-]+\.[\w-]{22}(?![\w-])/y, 60],
  ['phx_', URL_SAFE, 43, 48],
  ['e2b_', HEX, 40, 40],
  ['apify_api_', ALNUM, 36, 40],
  ['access-sandbox-', UUID, UUID_UNITS, UUID_UNITS],
  ['access-production-', UUID, UUID_UNITS, UUID_UNITS],
  ['p8e-', LOWER, 32, 32],
  // Cloudflare's key of an origin
  ['v1.0-', /[0-9a-f]{24}-[0-9a-f]{146}(?!\w)/y, 171, 171],
  // Whoever knows the address of a web hook may write there.
  ...['services/', 'workflows/', 'triggers/'].flatMap((kind) => [
    [`hooks.slack.com/${kind}`, PATH_SAFE, 30] as const,
    [`hooks.slack-gov.com/${kind}`, PATH_SAFE, 30] as const,
  ]),
  ...['discord.com/api/', 'discordapp.com/api/'].map(
    (host) => [host, /(?:v\d{1,2}\/)?webhooks\/\d{15,20}\/[\w-]{50,100}/y, 75] as const,
  ),
  ...['webhook.office.com/webhookb2/', 'outlook.office.com/webhook/', 'outlook.office365.com/webhook/'].map(
    (host) => [host, /[\w@/-]+/y, 80] as const,
  ),
  ...['open.feishu.cn/open-apis/bot/', 'open.larksuite.com/open-apis/bot/'].map(
    (host) => [host, /(?:v2\/)?hook\/[\w-]{32,40}/y, 37] as const,
  ),
  ['qyapi.weixin.qq.com/cgi-bin/webhook/send?key=', UUID, UUID_UNITS, UUID_UNITS],
  ['hooks.zapier.com/hooks/catch/', PATH_SAFE, 12, 60],
  ['maker.ifttt.com/trigger/', /[\w-]{1,100}(?:\/json)?\/with\/key\/[\w-]{20,60}/y, 30],
]

/** Their prefix starts words and names too, so that the body must look made by a machine. */
export const SHORT_PREFIXED_TOKENS: readonly CloudToken[] = [
  // Square, Facebook, EasyPost, Resend, Airtable, Harness, Netlify, NuGet, Notion, Bitbucket, ElevenLabs, Fireworks, Vercel
  ['EAAA', URL_SAFE, 60, 60],
  ['EAAC', ALNUM, 100],
  ['EAAM', ALNUM, 100],
  ['EZAK', ALNUM, 54, 54],
  ['EZTK', ALNUM, 54, 54],
  ['re_', /[A-Za-z0-9]{8}_[A-Za-z0-9]{24}(?!\w)/y, 33, 33],
  ['pat', /[A-Za-z0-9]{14}\.[0-9a-f]{64}(?!\w)/y, 79, 79],
  ['pat.', /[\w-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}(?!\w)/y, 68, 68],
  ['sat.', /[\w-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}(?!\w)/y, 68, 68],
  ...['nfp_', 'nfc_', 'nfo_', 'nfu_', 'nfb_'].map((prefix) => [prefix, ALNUM, 36, 40] as const),
  ['oy2', LOWER, 43, 43],
  ['secret_', ALNUM, 43, 43],
  ['ATBB', ALNUM, 32, 32],
  ['sk_', HEX, 48, 48],
  ['fw_', ALNUM, 22, 24],
  ...['vcp_', 'vck_', 'vci_', 'vca_', 'vcr_'].map((prefix) => [prefix, ALNUM, 56, 60] as const),
  // OpenAI's sessions, ClickHouse, crates.io, runners of GitLab
  ['sess-', ALNUM, 40, 40],
  ['4b1d', ALNUM, 38, 38],
  ['cio', ALNUM, 32, 32],
  ['GR1348941', URL_SAFE, 20, 20],
]
