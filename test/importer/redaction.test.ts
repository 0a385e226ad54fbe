import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { findSecrets, Redactor } from '../../src/importer/redaction/redactor.ts'
import { noticeWithout, samplesFolder } from '../fakes/shared-folder.ts'
import { alnum, base64url, dashes, found, hex, pem, upper } from './made-secrets.ts'

const jwt = [base64url({ alg: 'HS256', typ: 'JWT' }), base64url({ sub: '1', name: 'A' }), alnum(43)].join('.')
const awsSecret = `${alnum(19)}/${alnum(18)}+x`

const SHAPED: readonly (readonly [kind: string, secret: string])[] = [
  ['aws-access-key-id', `AKIA${upper(16)}`],
  ['aws-access-key-id', `ASIA${upper(16)}`],
  ...['p', 'o', 'u', 's', 'r'].map((letter) => ['github-token', `gh${letter}_${alnum(36)}`] as const),
  ['github-token', `github_pat_${alnum(22)}_${alnum(59)}`],
  ['gitlab-token', `glpat-${alnum(20)}`],
  ['google-api-key', `AIza${alnum(33)}-_`],
  ['huggingface-token', `hf_${alnum(34)}`],
  ['npm-token', `npm_${alnum(36)}`],
  ['anthropic-key', `sk-ant-api03-${alnum(93)}AA`],
  ['openai-key', `sk-${alnum(48)}`],
  ['openai-key', `sk-proj-${alnum(40)}_${alnum(40)}-x`],
  ['openai-key', `sk-or-v1-${hex(64)}`],
  ['pypi-token', `pypi-AgEI${alnum(80)}`],
  ...['a', 'b', 'p', 'r', 's'].map((letter) => ['slack-token', `xox${letter}-123456789012-${alnum(24)}`] as const),
  ['stripe-key', `sk_live_${alnum(24)}`],
  ['stripe-key', `rk_live_${alnum(24)}`],
  ['cloud-token', `dop_v1_${hex(64)}`],
  ['cloud-token', `dapi${hex(32)}`],
  ['cloud-token', `LTAI${alnum(20)}`],
  ['cloud-token', `AKID${alnum(32)}`],
  ['cloud-token', `AQVN${alnum(36)}`],
  ['cloud-token', `SK${hex(32)}`],
  ['cloud-token', `key-${hex(32)}`],
  ['cloud-token', `dp.pt.${alnum(43)}`],
  ['cloud-token', `fo1_${alnum(43)}`],
  ['cloud-token', `r8_${alnum(37)}`],
  ['cloud-token', `ntn_${alnum(46)}`],
  ['cloud-token', `123456789:AA${alnum(33)}`],
  ['cloud-token', `${alnum(14)}.atlasv1.${alnum(67)}`],
  ['cloud-token', `hooks.slack.com/services/T0AB12CD3/B0AB12CD4/${alnum(24)}`],
  ['cloud-token', `discord.com/api/webhooks/123456789012345678/${alnum(68)}`],
  ['jwt', jwt],
  ['private-key', pem('RSA PRIVATE KEY', '\n')],
  ['private-key', pem('PRIVATE KEY', '\\n')],
  ['private-key', pem('OPENSSH PRIVATE KEY', '\\\\n')],
  ['private-key', pem('EC PRIVATE KEY', '\r\n')],
]

describe('a secret with a shape of its own', () => {
  const places: readonly (readonly [name: string, place: (secret: string) => string])[] = [
    ['alone', (secret) => secret],
    ['in a sentence', (secret) => `use ${secret}, not the old one`],
    ['in JSON', (secret) => JSON.stringify({ role: 'user', content: `here:\n${secret}\n` })],
    ['after an escaped line end', (secret) => `"content":"line\\n${secret}\\n"`],
    ['in colour', (secret) => `\u001b[32m${secret}\u001b[0m`],
    ['between Chinese', (secret) => `密钥${secret}。`],
  ]
  for (const [name, place] of places)
    test.each(SHAPED)(`%s is found ${name}`, (kind, secret) => {
      const written = name === 'in JSON' ? JSON.stringify(secret).slice(1, -1) : secret
      expect(found(place(secret))).toEqual([[kind, written]])
    })

  test('a key block that was cut off is found as far as it goes', () => {
    const cut = pem('RSA PRIVATE KEY', '\n').slice(0, 120)
    expect(found(`log: ${cut}`)).toEqual([['private-key', cut]])
  })
})

describe('a secret known by where it stands', () => {
  const password = ['Tr0ub4', 'dor&3x'].join('')
  const token = alnum(24)
  test.each([
    ['password', `DB_PASSWORD=${password}\n`, password],
    ['password', `export PGPASSWORD='${password}'`, password],
    ['password', `password: ${password}\n`, password],
    ['password', `{"password": "${password}"}`, password],
    ['password', `{"event": "login (password=${password}), ok"}`, password],
    ['password', `user=me&password=${password}&next=1`, password],
    ['password', `the password: ${password}.`, password],
    ['password', `"{\\"password\\": \\"${password}\\"}"`, password],
    ['password', `"{\\\\\\"password\\\\\\": \\\\\\"${password}\\\\\\"}"`, password],
    ['password', `{'passwd': '${password}'}`, password],
    ['password', `Server=db;Uid=me;Pwd=${token};`, token],
    ['password', `<password>${token}</password>`, token],
    ['password', `mysql --password ${token} -e x`, token],
    ['secret', `API_KEY=${token}`, token],
    ['secret', `api-key: ${token}`, token],
    ['secret', `"apiKey":"${token}"`, token],
    ['secret', `os.environ["SERVICE_TOKEN"] = "${token}"`, token],
    ['secret', `client_secret => '${token}'`, token],
    ['secret', `const accessToken = "${token}"`, token],
    ['secret', `GET /x?access_token=${token}&y=1`, token],
    ['secret', `curl --token ${token}`, token],
    ['secret', `SECRET_KEY_BASE=${hex(64)}`, hex(64)],
    ['aws-secret-key', `aws_secret_access_key = ${awsSecret}`, awsSecret],
    ['aws-secret-key', `"SecretAccessKey": "${awsSecret}"`, awsSecret],
    ['authorization', `Authorization: Bearer ${token}`, token],
    ['authorization', `-H "authorization: token ${token}"`, token],
    ['authorization', `{"Authorization": "Bearer ${token}"}`, token],
    ['authorization', `{\\"Authorization\\": \\"Bearer ${token}\\"}`, token],
    ['authorization', `Authorization: Basic ${btoa('user:open')}`, btoa('user:open')],
    ['url-password', `postgres://app:${password}@db.internal/x`, password],
    ['url-password', `https://me:swordfish@example.com`, 'swordfish'],
    ['url-password', `"redis:\\/\\/:${password}@cache:6379"`, password],
    ['url-password', 'amqp://me:p@ss@host/', 'p@ss'],
    ['url-password', 'postgres://me:ab/cd9+X@host/x', 'ab/cd9+X'],
    ['url-password', `git clone https://${token}@github.com/a/b.git`, token],
    ['password', `curl -s -u admin:${password} https://host/`, password],
    ['password', `mysql -uroot -p${token} shop`, token],
    ['password', `docker login -u me -p ${token} registry.example`, token],
    ['password', `sshpass -p ${token} ssh me@host`, token],
    ['password', `machine host login me password ${token}`, token],
    ['authorization', `{"auths":{"r.example":{"auth":"${btoa(`me:${token}`)}"}}}`, btoa(`me:${token}`)],
    ['authorization', `Cookie: theme=dark; session=${token}; lang=en`, token],
    ['authorization', `< Set-Cookie: sid=${token}; Path=/; HttpOnly`, token],
    ['cloud-token', `AccountName=x;AccountKey=${alnum(86)}==;EndpointSuffix=y`, `${alnum(86)}==`],
    ['cloud-token', `https://x.blob.core.windows.net/c?sv=2020&sig=${alnum(43)}%3D&se=1`, `${alnum(43)}%3D`],
  ])('%s in %s', (kind, text, secret) => {
    expect(found(text)).toEqual([[kind, secret]])
  })

  test('a token given to a name keeps its own kind', () => {
    const github = `ghp_${alnum(36)}`
    expect(found(`GITHUB_TOKEN=${github}`)).toEqual([['github-token', github]])
    expect(found(`https://x-access-token:${github}@github.com/a/b`)).toEqual([['github-token', github]])
    expect(found(`Authorization: Bearer ${jwt}`)).toEqual([['jwt', jwt]])
  })
})

describe('no secret is', () => {
  test.each([
    'password = changeme',
    'password=password',
    ['PASSWORD=$', '{DB_PASSWORD}'].join(''),
    'password: $DB_PASSWORD',
    'password: {{ vault.password1 }}',
    'api_key = <your-api-key-1>',
    'api_key = "your-api-key-123"',
    'token: xxxxxxxxxxxxxxxx1',
    ['sk', 'proj-xxxxxxxxxxxxxxxxxxxxxxxx'].join('-'),
    ['sk', 'ant-api03-xxxxxxxxxxxxxxxxxxxxxxxx'].join('-'),
    ['github', 'pat', 'XXXXXXXXXXXXXXXXXXXXXXXXXX1'].join('_'),
    'token: ****************',
    'secret: example-secret-1',
    'secret: "[secret:password:1]"',
    'password: [secret:password:1]',
    'token = get_token(user_1)',
    'token = self.config2.token',
    'token=os.environ["TOKEN_2"]',
    'secret := getSecret1()',
    'password: correct-horse-battery',
    'password: short1',
    '"total_tokens": 123456789, "max_tokens": 4096123',
    '"next_page_token": "a1b2c3d4e5f6g7h8"',
    'eos_token: "a1b2c3d4e5f6"',
    'token: 2026-01-02T03:04:05Z',
    'secret: /run/secrets/db2/password',
    'token: https://example.com/token2',
    'if (token == "a1b2c3d4e5f6g7h8")',
    'Token::Ident2(a1b2c3d4e5)',
    'model token claude-3-5-sonnet-20241022',
    'curl -u admin: https://host/',
    'curl -u "$USER:$PASS" https://host/',
    'mysql -p shop',
    'docker run -p 8080:8080 web',
    'docker login -u me --password-stdin',
    'ssh -p 2222 host',
    'login as root, then give the password when asked',
    '"auth": "none"',
    'Cookie: theme=dark; lang=en; consent=accepted-all',
    'https://somebody@host/x',
    'postgres://localhost:5432/shop@main',
    'http://host:8080/path@v1.2',
    'the key-value store of 2024',
    'SKU123456',
    'at 10:AAPL rose',
    'Authorization: Bearer <token>',
    'Authorization: Bearer $ACCESS_TOKEN_1',
    'uses bearer authentication',
    'Authorization: Basic authentication',
    'exports.Authorization = assertProviderOwnsAuthorization',
    'https://example.com:8080/path@2',
    ['https://user:$', '{PASSWORD}@host'].join(''),
    'https://user:password@host',
    'http://localhost:3000/@scope/name',
    'git@github.com:org/repo.git',
    'class="sk-toggleable__label sk-toggleable__label-arrow"',
    'a task-12345678901234567890 and a disk-abcdefghijklmnopqrstuvwxyz',
    'sha256:0f1e2d3c4b5a69780f1e2d3c4b5a69780f1e2d3c4b5a69780f1e2d3c4b5a6978',
    'ghp_tooshort',
    'eyJub3QiOiJhIHRva2VuIn0.eyJhIjoxfQ.c2lnbmF0dXJlc2lnbmF0dXJl',
    `if text.startswith("${dashes}BEGIN RSA PRIVATE KEY${dashes}"):`,
    `${dashes}BEGIN PRIVATE KEY${dashes}\n...\n${dashes}END PRIVATE KEY${dashes}`,
    `${dashes}BEGIN CERTIFICATE${dashes}\n${alnum(64)}\n${dashes}END CERTIFICATE${dashes}`,
  ])('%s', (text) => {
    expect(found(text)).toEqual([])
  })
})

describe('Redactor', () => {
  const github = `ghp_${alnum(36)}`
  const other = `ghp_${alnum(30)}ZZZZZZ`
  const password = ['Tr0ub4', 'dor&3x'].join('')

  test('numbers secrets by kind, the same value always alike', () => {
    const redactor = new Redactor()
    const text = `a ${github} b ${other} c ${github} password=${password}`
    const learnt = redactor.learn(text)
    expect(learnt.spans.length).toBe(4)
    expect(learnt.whole()).toBe(
      'a [secret:github-token:1] b [secret:github-token:2] c [secret:github-token:1] password=[secret:password:1]',
    )
    expect(redactor.mask(`again ${other}`)).toBe('again [secret:github-token:2]')
  })

  test('a known value is masked where it stands bare, before and after it was given away', () => {
    const redactor = new Redactor()
    const text = `echo ${password}\npassword=${password}\nit was ${password}!`
    const learnt = redactor.learn(text)
    expect(learnt.spans.length).toBe(3)
    expect(learnt.whole()).toBe('echo [secret:password:1]\npassword=[secret:password:1]\nit was [secret:password:1]!')
    expect(redactor.mask(`the summary says ${password}.`)).toBe('the summary says [secret:password:1].')
  })

  test('a plain word that served as a password stays readable elsewhere', () => {
    const redactor = new Redactor()
    redactor.learn('postgres://postgres:postgres@db')
    expect(redactor.mask('start postgres first')).toBe('start postgres first')
  })

  test('a private key is the same with its line ends escaped', () => {
    const redactor = new Redactor()
    redactor.learn(pem('PRIVATE KEY', '\\n'))
    expect(redactor.mask(pem('PRIVATE KEY', '\n'))).toBe('[secret:private-key:1]')
  })

  test('contains refuses known values and new secrets, and lets masks through', () => {
    const redactor = new Redactor()
    redactor.learn(`password=${password}`)
    expect(redactor.contains(`use ${password} here`)).toBe(true)
    expect(redactor.contains(`use ${github}`)).toBe(true)
    expect(redactor.contains('password=[secret:password:1], "token": "[secret:secret:12]"')).toBe(false)
    expect(redactor.contains('set the password in the vault first')).toBe(false)
  })

  test('what was masked once is masked the same again', () => {
    const redactor = new Redactor()
    const masked = redactor.mask(`x ${github} password: ${password} https://me:${password}@host`)
    expect(redactor.mask(masked)).toBe(masked)
    expect(findSecrets(masked)).toEqual([])
  })

  test('two imports of the same text mask alike', () => {
    const text = `${other} ${github} ${jwt} ${pem('PRIVATE KEY', '\n')}`
    const masks = [new Redactor(), new Redactor()].map((redactor) => redactor.mask(text))
    expect(masks[0]).toBe(masks[1])
  })

  test('however a text is cut, no four characters in a row of a secret are left', () => {
    const anySecret = fc.constantFrom(...SHAPED.map(([, secret]) => secret))
    const anyText = fc.array(fc.oneof(fc.stringMatching(/^[ a-z.\n]{0,20}$/), anySecret), { maxLength: 8 })
    fc.assert(
      fc.property(anyText, fc.array(fc.nat(), { maxLength: 6 }), (parts, cuts) => {
        const text = parts.join(' ')
        const redactor = new Redactor()
        const learnt = redactor.learn(text)
        const ends = [0, ...cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b), text.length]
        for (let index = 1; index < ends.length; index += 1) {
          const segment = learnt.slice(ends[index - 1] ?? 0, ends[index] ?? 0)
          const bare = segment.replace(/\[secret:[a-z-]+:\d+\]/g, '')
          for (const { start, end } of findSecrets(text))
            for (let at = start; at + 4 <= end; at += 1)
              if (/[A-Z0-9]/.test(text.slice(at, at + 4))) expect(bare).not.toContain(text.slice(at, at + 4))
        }
      }),
      { numRuns: 300 },
    )
  })

  test('without secrets every segment is the text itself', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(), (text, at) => {
        const redactor = new Redactor()
        const learnt = redactor.learn(text)
        fc.pre(learnt.spans.length === 0)
        const cut = at % (text.length + 1)
        expect(learnt.slice(0, cut) + learnt.slice(cut, text.length)).toBe(text)
        expect(redactor.mask(text)).toBe(text)
      }),
    )
  })
})

const samples = samplesFolder()
if (samples === null) noticeWithout('samples')

test.skipIf(samples === null)('real logs hold no secret but the project tokens of one repository', () => {
  const kinds = new Set<string>()
  for (const entry of readdirSync(samples ?? '', { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const text = readFileSync(join(entry.parentPath, entry.name), 'utf8')
    for (const { kind, start } of findSecrets(text)) {
      const isProjectToken = /project_token ?= ?"$/.test(text.slice(0, start).slice(-40))
      kinds.add(isProjectToken ? `${kind} (project token)` : `${kind} in ${entry.name}`)
    }
  }
  expect([...kinds]).toEqual(['secret (project token)'])
})
