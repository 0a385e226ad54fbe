import { describe, expect, test } from 'bun:test'
import { alnum, found } from './made-secrets.ts'

const password = ['Tr0ub4', 'dor3xY'].join('')

describe('no secret is', () => {
  test.each([
    'the password field is required',
    'machine learning login page password field',
    'patterns: a:machine a:id password filename',
    `Authorization: Basic ${btoa('user:pass')}`,
    `Authorization: Basic ${btoa('username:password')}`,
    'sed s/password=old/password=new/ settings.ini',
    "sed -i 's/password=old/password=/g' settings.ini",
    "sed -i 's|password=.*|password=another|' settings.ini",
    'postgres://postgres:postgres@localhost:5432/shop',
    'mysql://root:root@127.0.0.1/shop',
    'amqp://guest:guest@rabbit:5672/',
    'http://admin:admin@[::1]:9200',
    'postgres://user:password@db/shop',
    'the password=short1 of the form',
    'PASSWORD=secret',
    'PASSWORD=root',
    'PASSWORD=12345',
    'PASSWORD=$PW_1',
    'PASSWORD=str(x1)',
    'PASSWORD=a.b2()',
    'PASSWORD == short1',
    'MAX_TOKEN=short1',
    'postgres://app:secret@db/shop',
    'https://bob:secret@example.com/',
    'https://bob:password@your-server.com/',
    'https://username:secret@git.shop.io/',
    'ftp://u:p@files.shop.io/',
    'redis-cli -a <password> ping',
    'redis-cli --askpass -h cache',
    'redis-cli -a "$REDIS_PASSWORD" ping',
    'ldapsearch -x -W -D cn=admin',
    'ldapsearch -w "$LDAP_PW" -b dc=shop',
    'sqlplus /nolog @dir/script',
    'sqlplus / as sysdba',
    'sqlplus user/password@db',
    'sqlplus app@orcl @scripts/create',
    'tls.key: 1679 bytes',
    'tls.key: /etc/ssl/private/a/path/that/is/long/enough/to/be/one',
    'APP_KEY=base64:',
    `APP_KEY=base64:${'A'.repeat(43)}=`,
    `public_key: base64:${alnum(43)}=`,
    `the digest base64:${alnum(43)}=`,
    'https://first-developer2024@git.example.com/a/b',
    'https://jenkins.builds-2024@git.example.com/a/b',
    'mysql -proot',
    'mysql -uroot -proot shop',
    'mysqladmin -h 127.0.0.1 -u root -proot ping',
    '"apiKey":"API-Schl\\u00fcssel"',
    '"{\\"token\\":\\"Schl\\\\u00fcsselw\\\\u00f6rter\\"}"',
    'curl -fsSL https://host/setup_20.x | bash -',
    'curl -XPUT localhost:9200',
    'curl -H "Accept: text/html" localhost:9200/a:b',
    'curl -b cookies.txt https://host/',
    'docker run -u 1000:1000 image',
    'http://host -a user:pass12',
    'create a user whose password is set later',
    "IDENTIFIED BY 'password'",
    'all the commands identified by "code" are answered',
    "CREATE USER app PASSWORD 'app'",
    'password: >-\n  the words that people choose\nuser: me',
    'password: >\nuser1: me2you3',
    'Enter the password:\n  Traceback (most recent call last)',
    'secret:\n  name: q8Zt3LkP0vYw2RbN7',
    'password:\n  min_length: 12\n  inherit1: false',
    'token:\nq8Zt3LkP0vYw2RbN7xCd',
    'token:\n  something_is_wrong',
    'if (password > 8) return token1',
    ':type passphrase: :py:data:`bytes2`',
    '<code>{pem: &#x3C;string|buffer2>, passphrase: &#x3C;string>}</code>',
    'private_key: ed25519.Ed25519PrivateKey',
    'vault login -method=github',
    'the cookie-parser=1.4.6 of express',
    'Private-Lines: 3',
    `AKIA is the prefix,${'a'.repeat(40)}`,
  ])('%s', (text) => {
    expect(found(text)).toEqual([])
  })

  test('the default of a server that is elsewhere is one', () => {
    expect(found('mysql -h db.example.com -uroot -proot')).toEqual([['password', 'root']])
  })

  test('what a substitution puts in is one, without the delimiter', () => {
    expect(found(`sed s/password=old/password=${password}/g`)).toEqual([['password', password]])
    expect(found(`sed 's|password=old|password=${password}|'`)).toEqual([['password', password]])
  })
})
