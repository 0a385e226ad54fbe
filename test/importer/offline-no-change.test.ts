/** What is done between a failure and a pass is no fix where nothing is another afterwards. */
import { describe, expect, test } from 'bun:test'
import { extractOffline } from '../../src/importer/offline/extract-offline.ts'

const words = (text: string): number => text.match(/\S+/g)?.length ?? 0
const LIMITS = { count: words, description: 140, when_to_use: 563, content: 2_252 }

/** @param between commands, one a line */
const fixes = (between: readonly string[], check = 'make', before = '') => {
  const done = between.map((command) => `$ ${command}\nwell\n[exit 0]\n`).join('')
  const text = `${before}$ ${check}\nerror: no wheel\n[exit 2]\n${done}$ ${check}\nbuilt\n[exit 0]\n$ exit\n`
  return extractOffline({ text, format: 'log' }, LIMITS).experiences.length
}

describe('a command that only asks changes nothing:', () => {
  test.each([
    'curl -s https://shop.example/docs',
    'curl -sI -o /dev/null http://localhost:3000/',
    'wget -qO- http://localhost:3000/',
    'dig shop.example',
    'nc -zv localhost 5432',
    'ip addr show',
    'git fetch --all',
    'git -C app ls-remote origin',
    'git branch --show-current',
    'make -n test',
    'terraform plan',
    'terraform state list',
    'rsync -avn a b',
    'apt-get -s install jq',
    'npm install --dry-run',
    'bash -n setup.sh',
    'psql -h localhost -c "select 1"',
    'sqlite3 shop.db ".tables"',
    'mysql -e "show tables; select 1"',
    'redis-cli -h cache get cart',
    'helm list -A',
    'helm -n shop get values shop',
    'kubectl -n shop rollout status deploy/shop',
    'docker compose ps',
    'docker network ls',
    'aws --profile shop sts get-caller-identity',
    'aws s3 ls',
    'gcloud config list',
    'gh api repos/o/shop',
    'go env',
    'go list ./...',
    'pip check',
    'pip show pytest',
    'poetry show',
    'cargo tree',
    'rustup show',
    'mvn dependency:tree',
    './gradlew dependencies',
    'dpkg -l',
    'rpm -qa',
    'apt-cache policy jq',
    'brew info jq',
    'gem list',
    'md5sum a',
    'openssl version',
    'cat a | tee /dev/null',
    'unzip -l a.zip',
    'tar tf a.tar',
    'nvidia-smi',
    'lscpu',
    'free -m',
    'ss -ltn',
    'systemctl status shop',
    'ulimit -a',
    'ssh shop.example uptime',
    "ssh -p 22 shop.example 'tail log && df -h'",
    'docker exec shop cat /etc/os-release',
    'bash -c "git status && pip list"',
    'npx jest --listTests',
    'http GET :3000/carts',
    'sqlite3 shop.db .tables',
    'mongosh --eval "db.carts.find()"',
    'git config --global user.name',
    'openssl x509 -in a.pem -text',
    'iptables -t nat -nL',
    'umask',
    'ulimit -n',
    'declare -p CART',
    'java -version',
    'gcc -v',
    'php -m',
    'gofmt -l .',
    'black --diff .',
    'pip download --help',
    'while read -r line; do echo $line; done < a',
    'pulumi preview',
    'npm run lint',
    'npm --prefix web run typecheck',
    'pnpm -C web test:unit',
    'bun run check',
    'yarn e2e',
    'make lint',
    'just typecheck',
    'prettier --check src',
    'cargo fmt --check',
    'npx vue-tsc --noEmit',
    'rubocop app',
    'pgrep node',
    'command -v jq',
  ])('%s', (between) => {
    expect(fixes([between])).toBe(0)
  })
})

describe('a command that acts is a change, though one of its kind asks:', () => {
  test.each([
    'curl -X POST http://localhost:3000/reset',
    'curl -d a=b http://localhost:3000/',
    'curl -o a.tar http://shop.example/a.tar',
    'curl -sO http://shop.example/a.tar',
    'wget http://shop.example/a.tar',
    'git pull',
    'git tag v1',
    'git config user.name Ann',
    'terraform plan -out=plan',
    'terraform init',
    'psql -c "update carts set open = true"',
    'psql -c "select 1; drop table carts"',
    'psql -c "select * into b from a"',
    'psql -f a.sql',
    'redis-cli flushall',
    'helm upgrade shop .',
    'kubectl apply -f a.yaml',
    'docker compose up -d',
    'aws s3 cp a s3://b',
    'gh api -X POST repos/o/shop/issues',
    'go env -w GOFLAGS=-mod=mod',
    'npm config set registry http://x',
    'npm audit fix',
    'pip install jq',
    'cat a | tee b',
    'sort -o a a',
    'tar xf a.tar',
    'http POST :3000/carts',
    'sqlite3 shop.db "insert into carts values (1)"',
    'mongosh --eval "db.carts.drop()"',
    'openssl x509 -in a.pem -out b.pem',
    'iptables -F',
    'exiftool -Author=Ann a.jpg',
    'gofmt -w .',
    'ansible-playbook shop.yml --diff',
    'while read -r line; do rm $line; done < a',
    'pulumi up',
    'unzip a.zip',
    'sysctl -w a.b=1',
    'ssh shop.example sudo systemctl restart shop',
    'docker exec shop rm /tmp/lock',
    'bash -c "pip install jq"',
    'npm run lint:fix',
    'npm run lint -- --fix',
    'npm run check:update',
    'npm run build',
    'make test',
    'prettier --write src',
    'rubocop -a app',
    'python debug.py',
  ])('%s', (between) => {
    expect(fixes([between])).toBe(1)
  })

  test('git fetch, of what git could not find', () => {
    expect(fixes(['git fetch'], 'git rebase origin/next')).toBe(1)
  })
})

describe('a change that was taken back', () => {
  const EDIT = "sed -i 's/a/b/' src/a.c"

  test.each([
    [[EDIT, 'git checkout -- src/a.c']],
    [[EDIT, 'git checkout src/a.c && git status']],
    [[EDIT, 'git restore src']],
    [[EDIT, 'git stash']],
    [[EDIT, 'git stash push -u -m "try"']],
    [[EDIT, 'git reset --hard HEAD']],
    [[EDIT, 'git checkout .']],
  ])('is none: %j', (between) => {
    expect(fixes(between)).toBe(0)
  })

  test.each([
    [[EDIT, 'git checkout -- src/b.c']],
    [[EDIT, "sed -i 's/a/b/' src/b.c", 'git checkout -- src/b.c']],
    [[EDIT, 'git stash', 'git stash pop']],
    [['git checkout -- src/a.c']],
    [[EDIT, 'git checkout -- src/a.c', EDIT]],
    [['npm install jq', 'git stash']],
  ])('is one where something stays: %j', (between) => {
    expect(fixes(between)).toBe(1)
  })

  test('is none where it was put away for the pass alone', () => {
    const call = (command: string, code = 0): string => `$ ${command}\nwell\n[exit ${code}]\n`
    const count = (...after: readonly string[]): number => {
      const text = [call('make', 2), call('git stash'), call('make'), ...after.map((command) => call(command))].join('')
      return extractOffline({ text, format: 'log' }, LIMITS).experiences.length
    }
    expect([count('git stash pop'), count('ls', 'git stash apply'), count(), count('git stash list')]).toEqual([
      0, 0, 1, 1,
    ])
  })

  test('is none where the tool that edited names its file only by the one that is open', () => {
    const step = (action: string, observation: string) => ({ action, observation, state: '{"working_dir": "/srv"}' })
    const shown = '[File: /srv/src/a.c (3 lines total)]\nFile updated.'
    const count = (path: string): number => {
      const trajectory = [
        step('make', 'a.c:1:1: error: x\nmake: *** [all] Error 1'),
        step('edit 1:1\nint a;\nend_of_edit', shown),
        step(`git checkout -- ${path}`, ''),
        step('make', 'cc -o a a.c'),
        step('submit', ''),
      ]
      return extractOffline({ text: JSON.stringify({ trajectory, history: [] }), format: 'json' }, LIMITS).experiences
        .length
    }
    expect([count('src/a.c'), count('src/b.c')]).toEqual([0, 1])
  })

  test('is one where an edit from before the failure went with it', () => {
    expect(fixes([EDIT, 'git checkout -- src/a.c'], 'make', `$ ${EDIT}\n[exit 0]\n`)).toBe(1)
  })
})

describe('an edit that was taken back after the pass', () => {
  const EDIT = "sed -i 's/a/b/' src/a.c"
  const call = (command: string, code = 0): string => `$ ${command}\nwell\n[exit ${code}]\n`
  const learnt = (between: readonly string[], after: readonly string[]) => {
    const text = [call('make', 2), ...between.map((it) => call(it)), call('make'), ...after.map((it) => call(it))]
    return extractOffline({ text: text.join(''), format: 'log' }, LIMITS)
  }

  test.each([
    [[EDIT], ['git checkout .']],
    [[EDIT], ['ls', 'git checkout -- src/a.c', 'make clean']],
    [[EDIT], ['git restore src']],
    [[EDIT], ['git stash']],
    [[EDIT], ['git reset --hard']],
    [[EDIT, 'git add -A'], ['git checkout HEAD -- src/a.c']],
    [[EDIT], ['git commit -am try', 'git reset --hard HEAD~1']],
    [[EDIT, 'git commit -am try'], ['git revert --no-edit HEAD']],
    [
      [EDIT, "sed -i 's/a/b/' src/b.c"],
      ['git checkout src/a.c', 'git checkout src/b.c'],
    ],
  ])('is no evidence: %j, then %j', (between, after) => {
    const { experiences, reason } = learnt(between, after)
    expect(experiences).toEqual([])
    expect(reason).toBe(
      `nothing learnt: 1 of ${between.length + after.length + 2} calls failed, and what was changed before it passed was taken back later`,
    )
  })

  test.each([
    [[EDIT], ['git checkout -- src/b.c']],
    [[EDIT], ['git stash', 'git pull', 'git stash pop']],
    [[EDIT], ['git commit -am mended', 'git checkout .']],
    [[EDIT], ['git commit -am mended', 'git checkout main']],
    [[EDIT, 'git commit -am mended'], ['git reset --hard']],
    [[EDIT, "sed -i 's/a/b/' src/b.c"], ['git checkout src/a.c']],
    [['pip install jq'], ['git checkout .']],
    [[EDIT], ['git reset --soft HEAD~1']],
  ])('is some where it stays: %j, then %j', (between, after) => {
    expect(learnt(between, after).experiences).toHaveLength(1)
  })
})

describe('a temporary file for oneself', () => {
  test.each(['mkdir -p /tmp/x', 'touch /tmp/x', 'echo later >> /tmp/notes.md', 'echo later > "/tmp/notes.md"'])(
    'is no change: %s',
    (between) => {
      expect(fixes([between])).toBe(0)
    },
  )

  test.each(['mkdir cache', 'echo a >> Makefile', 'mkdir /srv/x', 'rm -r /tmp/cache'])(
    'any other is one: %s',
    (between) => {
      expect(fixes([between])).toBe(1)
    },
  )

  test('is one where the command speaks of it', () => {
    expect(fixes(['mkdir -p /tmp/x'], 'make TARGET=/tmp/x')).toBe(1)
  })
})
