import { describe, expect, test } from 'bun:test'
import { Redactor } from '../../src/importer/redaction/redactor.ts'
import { alnum, dashes, found, hex, pem, upper } from './made-secrets.ts'

const password = ['Tr0ub4', 'dor3xY'].join('')
const word = ['sword', 'fish'].join('')
const token = alnum(40)
const awsSecret = `${alnum(20)}/${alnum(19)}`

describe('by the command', () => {
  test.each([
    ['password', `curl -uadmin:${password} https://host/`, password],
    ['password', `curl -sSu admin:${password} https://host/`, password],
    ['password', `curl --proxy-user me:${password} https://host/`, password],
    ['password', `curl -U me:${password} https://host/`, password],
    ['password', `curl -u 'admin:${password}' https://host/`, password],
    ['password', `curl -H "Accept: a|b; c" -u admin:${password} https://host/`, password],
    ['password', `curl \\\n  -u admin:${password} \\\n  https://host/`, password],
    ['password', `{"command":"cd x\\ncurl -u admin:${password} https://host/"}`, password],
    ['password', `{"command":"curl -u \\"admin:${password}\\" https://host/"}`, password],
    ['password', `http -a admin:${password} GET host/`, password],
    ['authorization', `curl -b "session=${alnum(32)}" https://host/`, alnum(32)],
    ['authorization', `curl -b session=ab12cd34ef56 https://host/`, 'ab12cd34ef56'],
    ['authorization', `curl --cookie 'lang=en; sid=${alnum(32)}' https://host/`, alnum(32)],
    ['password', `SSHPASS=${password} sshpass -e ssh me@host`, password],
    ['password', `sshpass -v -p '${password}' ssh me@host`, password],
    ['password', `sshpass -p "two ${word}" ssh me@host`, `two ${word}`],
    ['password', `mysql -uroot -p'${password}' shop`, password],
    ['cloud-token', `vault login s.${alnum(24)}`, `s.${alnum(24)}`],
    ['secret', `VAULT_TOKEN=s.${alnum(24)}`, `s.${alnum(24)}`],
    ['cloud-token', `az storage blob list --account-key ${alnum(86)}==`, `${alnum(86)}==`],
    ['cloud-token', `AccountKey = ${alnum(86)}==`, `${alnum(86)}==`],
    ['cloud-token', `"AccountKey": "${alnum(86)}=="`, `${alnum(86)}==`],
    ['password', `redis-cli -h cache -p 6379 -a ${password} ping`, password],
    ['password', `redis-cli --pass "two ${word}" ping`, `two ${word}`],
    ['password', `ldapsearch -x -D cn=admin -w ${word} -b dc=shop`, word],
    ['password', `"ldapmodify -xw '${password}' -f a.ldif"`, password],
    ['password', `sqlplus -S app/${word}@orcl @a.sql`, word],
    ['password', `sqlplus 'app/${password}@//db:1521/shop'`, password],
    ['password', `sqlplus app/"${password}@1"@orcl`, `${password}@1`],
    ['password', `sqlplus sys/${password} as sysdba`, password],
    ['password', `CREATE USER app WITH PASSWORD '${password}';`, password],
    ['password', `psql -c "create role app login password '${word}'"`, word],
    ['password', `"ALTER USER app PASSWORD \\"${password}\\""`, password],
    ['password', `CREATE USER 'app'@'%' IDENTIFIED BY '${password}';`, password],
    ['password', `create user app identified by '${word}'`, word],
    ['password', `IDENTIFIED BY "${word}"`, word],
    ['password', `IDENTIFIED WITH mysql_native_password BY '${password}'`, password],
    ['password', `SET PASSWORD FOR 'app'@'%' = PASSWORD('${password}')`, password],
    ['password', `machine git.example.com login me password ${word}`, word],
    ['password', `machine imap2\n  login me password ${word}\n`, word],
  ])('%s in %s', (kind, text, secret) => {
    expect(found(text)).toEqual([[kind, secret]])
  })

  test('user and proxy of one curl are both found', () => {
    const text = `curl -u a:${password} --proxy-user b:${word} https://host/`
    expect(found(text).map(([, secret]) => secret)).toEqual([password, word])
  })
})

describe('by the setting or the file', () => {
  const encoded = Buffer.from(pem('RSA PRIVATE KEY', '\n')).toString('base64')
  const lines = [alnum(64), alnum(64), `${alnum(18)}==`]
  const ssh2 = (text: string): string => `---- ${text} SSH2 ENCRYPTED PRIVATE KEY ----`
  test.each([
    ['private-key', `    client-key-data: ${alnum(1600)}==`, `${alnum(1600)}==`],
    ['private-key', `"client-key-data": "${alnum(80)}"`, alnum(80)],
    ['private-key', `  tls.key: ${encoded}`, encoded],
    ['private-key', `  tls.key: ${alnum(800)}==`, `${alnum(800)}==`],
    ['private-key', `"data":{"tls.key":"${alnum(80)}"}`, alnum(80)],
    ['secret', `APP_KEY=base64:${alnum(43)}=`, `${alnum(43)}=`],
    ['secret', `'key' => env('APP_KEY', 'base64:${alnum(43)}=')`, `${alnum(43)}=`],
    ['secret', `"$ artisan key:generate --show\nbase64:${alnum(43)}=\n"`, `${alnum(43)}=`],
    ['secret', `users:\n- user:\n    token: ${alnum(32)}\n`, alnum(32)],
    ['password', `password: >-\n  ${password}\nuser: me`, password],
    ['password', `  password: |\n    ${password}\n  user: me`, password],
    ['password', `"password: >-\\n  ${password}\\nuser: me"`, password],
    ['secret', `token: >-\n  ${token}\n  ${token}\nuser: me`, `${token}\n  ${token}`],
    ['password', `db:\n  password: \n    ${password}\n  user: me`, password],
    ['password', `"password:\\n  ${password}\\nuser: me"`, password],
    ['password', `{"password":\n  "${password}",\n  "user": "me"}`, password],
    ['secret', `token:\n  - ${token}\n`, token],
    ['private-key', `Private-Lines: 3\n${lines.join('\n')}\nPrivate-MAC: ${hex(40)}`, lines.join('\n')],
    ['private-key', `"Private-Lines: 3\\r\\n${lines.join('\\r\\n')}\\r\\nPrivate-MAC: 1"`, lines.join('\\r\\n')],
    [
      'private-key',
      `${ssh2('BEGIN')}\nComment: "me"\n${lines.join('\n')}\n${ssh2('END')}`,
      `\nComment: "me"\n${lines.join('\n')}\n${ssh2('END')}`,
    ],
  ])('%s in %s', (kind, text, secret) => {
    const [[foundKind, foundSecret] = ['', '']] = found(text)
    expect(found(text)).toHaveLength(1)
    expect([foundKind, foundSecret.endsWith(secret)]).toEqual([kind, true])
    expect(foundSecret.length).toBeLessThanOrEqual(secret.length + ssh2('BEGIN').length)
  })

  test('a key in base64 that is broken into lines is hidden whole', () => {
    const broken = encoded.replace(/.{76}/g, '$&\n')
    expect(new Redactor().mask(`key:\n${broken}\nnext`)).toBe('key:\n[secret:private-key:1]\nnext')
  })

  test.each([',', '","', ', ', '\t'])('a pair of keys of AWS in columns that %p parts', (between) => {
    const id = `AKIA${upper(16)}`
    expect(found(`User,Id,Secret\nme,"${id}${between}${awsSecret}"\n`)).toEqual([
      ['aws-access-key-id', id],
      ['aws-secret-key', awsSecret],
    ])
  })

  test('a certificate in base64 is none', () => {
    const certificate = `${dashes}BEGIN CERTIFICATE${dashes}\n${alnum(64)}\n${dashes}END CERTIFICATE${dashes}\n`
    expect(found(`certificate-authority-data: ${btoa(certificate)}`)).toEqual([])
  })
})

describe('a short password given to a variable', () => {
  const short = ['hunt', 'er2'].join('')
  test.each([
    `PASSWORD=${short}`,
    `export DB_PASSWORD="${short}"; ./run`,
    `{"command":"MYSQL_PWD=${short} mysql shop"}`,
    `docker run -e POSTGRES_PASSWORD=${short} postgres`,
    `GET /?x=1\nPASSWORD=${short}\u001b[0m`,
  ])('in %s', (text) => {
    expect(found(text)).toEqual([['password', short]])
  })
})

describe('in an address', () => {
  test.each([
    [`https://${token}:x-oauth-basic@github.com/a/b`, [token]],
    [`https://${hex(40)}:x-oauth-basic@github.com/a/b`, [hex(40)]],
    [`https://${token}@host/a`, [token]],
    [`https://${token}:@host/a`, [token]],
    [`https://${token}:${password}@host/a`, [token, password]],
    [`"https:\\/\\/${token}:x-oauth-basic@host\\/a"`, [token]],
    [`postgres://postgres:postgres@db.example.com/shop`, ['postgres']],
    [`postgres://postgres:${word}@localhost/shop`, [word]],
    [`http://admin:admin1@localhost:9200`, ['admin1']],
    [`amqp://guest:guest@mq.shop.io:5672/`, ['guest']],
    [`ftp://anna:${word}@files.shop.io/`, [word]],
    [`https://bob:secret@git.shop.io/a/b`, ['secret']],
    [`"https:\\/\\/bob:password@git.shop.io\\/a"`, ['password']],
  ])('of %s', (text, secrets) => {
    expect(found(text)).toEqual(secrets.map((secret) => ['url-password', secret]))
  })
})
