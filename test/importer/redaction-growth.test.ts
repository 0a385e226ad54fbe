/** How long masking takes: in proportion to the text, whatever stands in it. */
import { describe, expect, test } from 'bun:test'
import { Redactor } from '../../src/importer/redaction/redactor.ts'
import { alnum, base64url, dashes } from './made-secrets.ts'
import { GROWTH_MAX, growthOf } from './offline-growth.ts'

// Real tokens of one kind begin alike: headers are the same, keys of one project too.
describe('many tokens with the same beginning are masked in time that grows as their number', () => {
  const numbered = (index: number): string => String(index).padStart(7, '0')
  const header = base64url({ alg: 'HS256', typ: 'JWT' })
  const claims = { iss: 'https://accounts.example.com/realms/shop', aud: 'https://api.example.com', sub: '' }
  test.each([
    ['web tokens', (index: number) => [header, base64url({ ...claims, sub: numbered(index) }), alnum(43)].join('.')],
    [
      'web tokens of many lengths',
      (index: number) => [header, base64url({ sub: `${alnum(index % 500)}${index}` }), alnum(43)].join('.'),
    ],
    ['project keys', (index: number) => `sk-proj-${alnum(40)}_${numbered(index)}${alnum(33)}-x`],
  ])(
    '%s',
    (_, token) => {
      const build = (count: number): string => Array.from({ length: count }, (__, index) => token(index)).join('\n')
      const learn = (text: string): void => void new Redactor().learn(text)
      expect(growthOf(build, learn, 2_000)).toBeLessThan(GROWTH_MAX)
    },
    60_000,
  )

  test('and each keeps its own mask, the longest one where one begins another', () => {
    const keys = Array.from(
      { length: 300 },
      (__, index) => `sk-proj-${alnum(40)}_${numbered(index * 7919)}${alnum(index % 20)}-x`,
    )
    const redactor = new Redactor()
    const masks = keys.map((key) => redactor.mask(`x ${key} y`))
    expect(new Set(masks).size).toBe(keys.length)
    expect(keys.map((key) => redactor.mask(`x ${key} y`))).toEqual(masks)
    const values = ['hunter22', 'hunter22-more', 'hunter22-more-yet', 'hunter23']
    for (const value of values) redactor.learn(`password=${value}\n`)
    expect(redactor.mask('hunter22-mor')).toMatch(/^\[secret:password:\d+\]-mor$/)
    expect(redactor.mask('hunter22-more-ye')).toMatch(/^\[secret:password:\d+\]-ye$/)
    expect(redactor.mask('hunter22-more-yet!')).toMatch(/^\[secret:password:\d+\]!$/)
    expect(redactor.mask('hunter2x')).toBe('hunter2x')
  })
})

// Doubling the text may double the work; a quadratic search would take minutes and end at the runner's time-out.
test.each([
  'a',
  ' ',
  '\\',
  'sk-',
  'sk-ant-',
  'ghp_',
  'eyJ',
  'eyJ.',
  'password=',
  'password="',
  '\\"token\\": \\"',
  'authorization: bearer ',
  'http://a:b@',
  ':@',
  '[secret:a:1]',
  '<password>',
  '--password ',
  'curl -u a:',
  'mysql x ',
  'docker login ',
  'login a password ',
  'cookie: a=',
  '&sig=',
  '"auth": "',
  '1:AA',
  '.atlasv1.',
  'postgres://a:/',
  'curl "x" ',
  "curl -b a='",
  'curl \\',
  'redis-cli -a ',
  'ldapsearch -x -w ',
  'sqlplus a/b',
  'tls.key: a',
  'APP_KEY=base64:',
  'http -a x ',
  'CREATE USER ',
  'IDENTIFIED WITH a BY ',
  'set password ',
  'machine a ',
  'vault login -a ',
  'client-key-data: ',
  'password: >\n a\n',
  'password: >\\n ',
  's/password=/',
  'token: a\\u00fc',
  'Private-Lines: 9\\n',
  '\\u0041',
  '\\/',
  'password\\u003d',
  '\u001b',
  '\u001b]',
  '\u001b[1;',
  '\\u001b]a',
  'password=\\\\u00e9',
  'LS0tLS1CRUdJTi',
  '1Q~',
  '0f-us',
  'pat',
  'EAAA',
  'MMMMMMMMMMMMMMMMMMMMMMMM.',
  '---- BEGIN SSH2 PRIVATE KEY ----',
  `${dashes}BEGIN `,
  `${dashes}BEGIN PRIVATE KEY${dashes}`,
])('a megabyte of %p on one line is searched in linear time', (piece) => {
  const text = piece.repeat(Math.ceil(2 ** 20 / piece.length))
  const redactor = new Redactor()
  const learnt = redactor.learn(text)
  expect(learnt.whole().length).toBeGreaterThan(0)
})
