import { describe, expect, test } from 'bun:test'
import { alnum, found, hex, upper } from './made-secrets.ts'

const lower = (units: number): string => alnum(units).toLowerCase()
const uuid = [8, 4, 4, 4, 12].map(hex).join('-')

const TOKENS: readonly (readonly [issuer: string, token: string])[] = [
  ['Brevo', `xkeysib-${hex(64)}-${alnum(16)}`],
  ['Brevo, mail', `xsmtpsib-${hex(64)}-${alnum(16)}`],
  ['Square', `sq0atp-${alnum(22)}`],
  ['Square, secret', `sq0csp-${alnum(43)}`],
  ['Square, access', `EAAA${alnum(60)}`],
  ['Resend', `re_${alnum(8)}_${alnum(24)}`],
  ['NVIDIA', `nvapi-${alnum(64)}`],
  ['Tavily', `tvly-${alnum(32)}`],
  ['Tavily, trial', `tvly-dev-${alnum(32)}`],
  ['LangSmith', `lsv2_pt_${hex(32)}_${hex(10)}`],
  ['Pinecone', `pcsk_${alnum(6)}_${alnum(63)}`],
  ['Airtable', `pat${alnum(14)}.${hex(64)}`],
  ['Netlify', `nfp_${alnum(36)}`],
  ['JFrog', `AKCp${alnum(69)}`],
  ['RubyGems', `rubygems_${hex(48)}`],
  ['NuGet', `oy2${lower(43)}`],
  ['Buildkite', `bkua_${hex(40)}`],
  ['SonarQube, project', `sqp_${hex(40)}`],
  ['SonarQube, user', `squ_${hex(40)}`],
  ['SonarQube, analysis', `sqa_${hex(40)}`],
  ['1Password', `ops_eyJ${alnum(260)}`],
  ['Heroku', `HRKU-AA${alnum(58)}`],
  ['Heroku, older', `HRKU-${uuid}`],
  ['Grafana Cloud', `glc_${alnum(80)}==`],
  ['Grafana', `glsa_${alnum(32)}_${hex(8)}`],
  ['Bedrock', `ABSK${alnum(128)}==`],
  ['Docker organisation', `dckr_oat_${alnum(32)}`],
  ['Notion', `secret_${alnum(43)}`],
  ['Azure application', `${alnum(3)}8Q~${alnum(34)}`],
  ['Vault', `hvs.${alnum(90)}`],
  ['Shopify', `shpca_${hex(32)}`],
  ['Contentful', `CFPAT-${alnum(43)}`],
  ['Dynatrace', `dt0c01.${upper(24)}.${upper(64)}`],
  ['EasyPost', `EZAK${alnum(54)}`],
  ['Prefect', `pnu_${alnum(36)}`],
  ['ReadMe', `rdme_${lower(70)}`],
  ['Shippo', `shippo_live_${hex(40)}`],
  ['Typeform', `tfp_${alnum(59)}`],
  ['ClickHouse', `4b1d${alnum(38)}`],
  ['Cloudflare', `v1.0-${hex(24)}-${hex(146)}`],
  ['Octopus', `API-${upper(26)}`],
  ['OpenShift', `sha256~${alnum(43)}`],
  ['Sentry', `sntryu_${hex(64)}`],
  ['Sourcegraph', `sgp_${hex(16)}_${hex(40)}`],
  ['Jina', `jina_${alnum(60)}`],
  ['PostHog', `phx_${alnum(43)}`],
  ['Apify', `apify_api_${alnum(36)}`],
  ['Trello', `ATTA${hex(64)}`],
  ['Bitbucket', `ATBB${alnum(32)}`],
  ['CircleCI', `CCIPAT_${alnum(22)}_${hex(40)}`],
  ['HubSpot', `pat-na1-${uuid}`],
  ['Mailchimp', `${hex(32)}-us12`],
  ['Plaid', `access-sandbox-${uuid}`],
  ['Mapbox', `sk.eyJ1Ijoi${alnum(60)}.${alnum(22)}`],
  ['bot of Discord', `${btoa('123456789012345678')}.${alnum(6)}.${alnum(38)}`],
  ['hook of Discord', `discord.com/api/v10/webhooks/123456789012345678/${alnum(68)}`],
  ['trigger of Slack', `hooks.slack.com/triggers/T0AB12CD3/1234567890123/${alnum(32)}`],
  ['workflow of Slack', `hooks.slack.com/workflows/T0AB12CD3/A0AB12CD3/123456/${alnum(24)}`],
  ['hook of Teams', `webhook.office.com/webhookb2/${uuid}@${uuid}/IncomingWebhook/${hex(32)}/${uuid}`],
  ['hook of Feishu', `open.feishu.cn/open-apis/bot/v2/hook/${uuid}`],
  ['hook of WeCom', `qyapi.weixin.qq.com/cgi-bin/webhook/send?key=${uuid}`],
]

describe.each([
  ['alone', (token: string) => token],
  ['in a sentence', (token: string) => `use ${token}, not the old one`],
  ['after an escaped line end', (token: string) => `"content":"line\\n${token}\\n"`],
  ['in colour', (token: string) => `\u001b[32m${token}\u001b[0m`],
  ['between Chinese', (token: string) => `密钥${token}。`],
])('a token is found %s:', (_, place) => {
  test.each(TOKENS)('%s', (__, token) => {
    expect(found(place(token))).toEqual([['cloud-token', token]])
  })
})

test.each(['https://api.telegram.org/bot', 'bot is ', ''])('a bot of Telegram is found behind %p', (before) => {
  const token = `123456789:AA${alnum(33)}`
  expect(found(`${before}${token}`)).toEqual([['cloud-token', token]])
})

test('a hook of DingTalk is found by the name of its token', () => {
  const token = hex(64)
  expect(found(`https://oapi.dingtalk.com/robot/send?access_token=${token}`)).toEqual([['secret', token]])
})

test('a token with a long prefix is found within the name of a file', () => {
  const token = `glpat-${alnum(20)}`
  expect(found(`runs/run_${token}.log`)).toEqual([['gitlab-token', token]])
})

describe('no token is', () => {
  test.each([
    're_compiled_expressionsOfTheWholeLog',
    `re_${lower(8)}_${lower(10)}`,
    'pathological/patterns.ts',
    `pat${alnum(14)}.${hex(40)}`,
    'secret_santa_of_the_whole_department_in_december',
    `secret_${'a'.repeat(43)}`,
    'oy2 is a prefix',
    `EAAA${'A'.repeat(60)}`,
    `sha256:${hex(64)}`,
    `nvapi-${'x'.repeat(64)}`,
    `sqp_${hex(12)}`,
    'API-REFERENCEOFALLVERSIONS',
    'locale en-us, page-us1',
    'https://discord.com/channels/123456789012345678/123456789012345678',
    'https://discord.com/api/v10/users/123456789012345678',
    'https://hooks.slack.com/services/',
    'https://open.feishu.cn/document/home/index',
    `MainModule.${alnum(6)}.Other`,
    'MessageFormatterOfTheHouse.format.theMessagesOfTheWholeHouse',
    `disk-${alnum(20)}`,
    `my-key-${hex(32)}`,
  ])('%s', (text) => {
    expect(found(text)).toEqual([])
  })
})
