/** Secrets behind what JSON, code and terminals write in between. Everything is put together at run time. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { escapedParts, unescaped } from '../../src/importer/redaction/escaped-text.ts'
import { Redactor } from '../../src/importer/redaction/redactor.ts'
import { alnum, found } from './made-secrets.ts'

const password = ['Tr0ub4', 'dor3xY'].join('')
const github = ['gh', `p_${alnum(36)}`].join('')
const ESC = '\u001b'

/** As `\u003d`, with as many backslashes as are given. */
const spelled = (text: string, slashes = '\\'): string =>
  text.replace(/./g, (letter) => `${slashes}u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe('a secret is found whose', () => {
  test.each([
    ['sign of equality is escaped', `PASSWORD${spelled('=')}${password}`, 'password', password],
    ['sign is escaped twice', `"{\\"env\\":\\"PASSWORD${spelled('=', '\\\\')}${password}\\"}"`, 'password', password],
    ['sign is escaped four times', `PASSWORD${spelled('=', '\\\\\\\\\\\\\\\\')}${password}`, 'password', password],
    ['sign is escaped as in code', `PASSWORD\\x3d${password}`, 'password', password],
    ['flag is escaped', `mysql --password${spelled('=')}${password} shop`, 'password', password],
    ['address is escaped', `GET /x?access_token${spelled('=')}${alnum(24)}${spelled('&')}y=1`, 'secret', alnum(24)],
    ['key is escaped', `AccountKey${spelled('=')}${alnum(86)}${spelled('==')}`, 'cloud-token', undefined],
    [
      'quotes are escaped',
      `{${spelled('"')}db_password${spelled('":"')}${password}${spelled('"')}}`,
      'password',
      password,
    ],
    ['name is escaped', `${spelled('pass')}word=${password}`, 'password', password],
    ['letters are all escaped', `x ${spelled(github)} y`, 'github-token', spelled(github)],
    [
      'slashes are escaped',
      `"https:\\/\\/hooks.slack.com\\/services\\/T0AB\\/B0AB\\/${alnum(24)}"`,
      'cloud-token',
      undefined,
    ],
    ['name has a colour', `${ESC}[1mPASSWORD${ESC}[0m=${ESC}[33m${password}${ESC}[0m`, 'password', password],
    ['name has a colour in JSON', `"PASSWORD\\u001b[0m=\\u001b[33m${password}\\u001b[0m"`, 'password', password],
    ['name has a colour in code', `b'PASSWORD\\x1b[0m=\\x1b[33m${password}'`, 'password', password],
    ['name has a colour in a script', `PASSWORD\\033[0m=\\e[33m${password}`, 'password', password],
  ])('%s', (_, text, kind, secret) => {
    const [[foundKind, foundSecret] = []] = found(text)
    expect(found(text)).toHaveLength(1)
    expect(foundKind).toBe(kind)
    if (secret !== undefined) expect(foundSecret).toBe(secret)
  })
})

describe('a secret is masked whole', () => {
  const half = alnum(20)
  test.each([
    [
      'with an escaped sign in it',
      `aws_secret_access_key=${half}${spelled('+')}${alnum(19)}`,
      'aws_secret_access_key=[secret:aws-secret-key:1]',
    ],
    [
      'with an escaped slash in it',
      `"SecretAccessKey":"${half}\\/${alnum(19)}"`,
      '"SecretAccessKey":"[secret:aws-secret-key:1]"',
    ],
    ['with a letter beyond ASCII in it', 'password=Tr0ub\\u00e94dor3xY rest', 'password=[secret:password:1] rest'],
    [
      'with a colour in it',
      `x ${github.slice(0, 14)}${ESC}[1m${github.slice(14)}${ESC}[0m`,
      `x [secret:github-token:1]${ESC}[0m`,
    ],
    [
      'with a title of the terminal in it',
      `x ${github.slice(0, 14)}${ESC}]0;title\u0007${github.slice(14)}`,
      'x [secret:github-token:1]',
    ],
    [
      'with a colour of JSON in it',
      `x ${github.slice(0, 14)}\\u001b[1;32m${github.slice(14)}"`,
      'x [secret:github-token:1]"',
    ],
  ])('%s', (_, text, shown) => {
    expect(new Redactor().mask(text)).toBe(shown)
  })
})

test('variables of an environment stay apart', () => {
  expect(found(`"PASSWORD=${password}\\u0000HOME=/root"`)).toEqual([['password', password]])
})

describe('however it is spelled, a secret has one mask', () => {
  test.each([
    ['first escaped', [spelled(github), github]],
    ['first plain', [github, spelled(github), `${github.slice(0, 14)}${ESC}[1m${github.slice(14)}`]],
  ])('%s', (_, texts) => {
    const redactor = new Redactor()
    expect(texts.map((text) => redactor.mask(`x ${text} y`))).toEqual(texts.map(() => 'x [secret:github-token:1] y'))
  })

  test('also a known one that nothing gives away where it is spelled otherwise', () => {
    const redactor = new Redactor()
    redactor.learn(`PASSWORD=${password}`)
    expect(redactor.mask(`echo ${spelled(password)} done`)).toBe('echo [secret:password:1] done')
    expect(redactor.contains(`echo ${spelled(password)}`)).toBe(true)
  })

  test('also a known one that was learnt behind escapes', () => {
    const redactor = new Redactor()
    redactor.learn(`PASSWORD${spelled('=')}${spelled(password)}`)
    expect(redactor.mask(`echo ${password} done`)).toBe('echo [secret:password:1] done')
  })
})

describe('no secret is', () => {
  test.each([
    `"password":"${spelled('<')}your-password1${spelled('>')}"`,
    `"password":"${spelled('${')}DB_PASSWORD1${spelled('}')}"`,
    `PASSWORD${spelled('=')}changeme`,
    `${ESC}[32mpassword${ESC}[0m: correct-horse-battery`,
    's/password\\/old/password\\/new/',
  ])('%p', (text) => {
    expect(found(text)).toEqual([])
  })
})

test('no word is cut where the reading around an escape begins', () => {
  for (let units = 250; units < 310; units += 1)
    expect(found(`a disk-abcdefghijklmnopqrstuvwxyz ${'.'.repeat(units)}${spelled('=')}`)).toEqual([])
})

test('however JSON spells its letters, what is masked stays JSON and holds no secret', () => {
  const places = [
    `x ${github} y`,
    `DB_PASSWORD=${password}\n`,
    `a "password": "${password}"`,
    `https://me:${password}@host/`,
  ]
  const anyLetters = fc.array(fc.boolean(), { minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(fc.constantFrom(...places), anyLetters, fc.boolean(), (place, which, isNested) => {
      const text = isNested ? JSON.stringify({ text: place }) : place
      const written = JSON.stringify({ before: 'a', text, after: 'b' }).replace(
        /[A-Za-z0-9=:@/_]/g,
        (letter, at: number) =>
          at > 20 && at < 20 + text.length && which[at % which.length] === true ? spelled(letter) : letter,
      )
      fc.pre(!/\\u[\da-f]{0,3}\\/.test(written) && isJson(written))
      const masked: unknown = JSON.parse(new Redactor().mask(written))
      expect(masked).toMatchObject({ before: 'a', after: 'b', text: expect.stringContaining('[secret:') })
      expect(JSON.stringify(masked)).not.toContain(alnum(8))
      expect(JSON.stringify(masked)).not.toContain(password.slice(0, 5))
    }),
    { numRuns: 500 },
  )
})

describe('the decoded reading', () => {
  const piece = fc.oneof(
    fc.stringMatching(/^[a-z= \n]{0,12}$/),
    fc.constantFrom(
      spelled('='),
      spelled('A', '\\\\'),
      '\\/',
      '\\n',
      '\\"',
      `${ESC}[0m`,
      '\\u001b[1;3m',
      '\\u00e9',
      '\b',
      '\\u0007',
    ),
    fc.constantFrom(200, 700, 9_000).map((units) => 'a'.repeat(units)),
  )

  test('leads back to the text: every part of it decodes to what it was', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.nat(), fc.nat(), (pieces, from, units) => {
        const text = pieces.join('|')
        for (const part of escapedParts(text)) {
          const start = from % part.text.length
          const end = Math.min(part.text.length, start + 1 + (units % 40))
          const written = part.written({ start, end })
          expect(unescaped(text.slice(written.start, written.end))).toBe(part.text.slice(start, end))
        }
      }),
      { numRuns: 500 },
    )
  })

  test('is not made where nothing is escaped', () => {
    expect(escapedParts(`{"text":"a\\n\\"b\\" \\u00e9 \\d+","x":"${alnum(5_000)}"}`)).toEqual([])
    expect(unescaped('a\\nb')).toBe('a\\nb')
  })

  test('is of what stands near an escape, not of the whole', () => {
    const words = 'word '.repeat(20_000)
    const units = escapedParts(`${words}${spelled('=')}${words}${ESC}[0m${words}`).map(({ text }) => text.length)
    expect(units).toHaveLength(2)
    expect(Math.max(...units)).toBeLessThan(1_000)
  })
})
