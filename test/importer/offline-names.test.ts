/** The names of experiences that no model chose. */
import { describe, expect, test } from 'bun:test'
import { EXPERIENCE_NAME_BYTES_MAX, experienceNameFault } from '../../src/model/experience.ts'
import { fromLog } from './extracted-log.ts'

describe('the offline extractor', () => {
  test('keeps names within their limit whatever the command', () => {
    const long = `$ ./${'very-long-name-'.repeat(20)}\nError: ${'word '.repeat(60)}\n[exit 1]\n$ vi x\n$ ./${'very-long-name-'.repeat(20)}\n$ exit\n`
    const strange = '$ ./测试\n失败了\n[exit 1]\n$ vi x\n$ ./测试\n$ exit\n'
    const letters = (first: number): string =>
      Array.from({ length: 6 }, (_, index) => String.fromCharCode(97 + first + index).repeat(24)).join('-')
    const wide = `$ ./${letters(0)} ${letters(3)}\nError: ${letters(9)}\n[exit 1]\n$ vi x\n$ ./${letters(0)} ${letters(3)}\n$ exit\n`
    for (const log of [long, strange, wide]) {
      const name = fromLog(log).experiences[0]?.filename ?? ''
      expect(experienceNameFault(name)).toBeNull()
      expect(name.length).toBeLessThanOrEqual(EXPERIENCE_NAME_BYTES_MAX)
    }
  })

  test.each([
    [
      'npm install',
      'npm error ERESOLVE unable to resolve dependency tree',
      'fix-eresolve-npm-install-unable-resolve-dependency-tree',
    ],
    [
      'alembic upgrade head',
      'sqlalchemy.exc.OperationalError: (psycopg2.errors.LockNotAvailable) canceling statement due to lock timeout',
      'fix-alembic-upgrade-lock-not-available',
    ],
    [
      'docker compose up -d',
      'Error response from daemon: driver failed on endpoint web: Bind for 0.0.0.0:80 failed: port is already allocated',
      'fix-docker-compose-port-already-allocated',
    ],
    [
      'git rebase --continue',
      'error: Committing is not possible because you have unmerged files.',
      'fix-git-rebase-committing-not-possible',
    ],
    ['./run.sh', 'bash: ./run.sh: Permission denied', 'fix-run-permission-denied'],
    ['npm run build', 'connect ECONNREFUSED 127.0.0.1:5432', 'fix-econnrefused-npm-build-connect-port-5432'],
    [
      'pytest tests/test_orders.py',
      "E   AssertionError: assert 'a' == 'b'\nFAILED tests/test_orders.py::test_export_as_json - AssertionError",
      'fix-pytest-test-orders-assertion-export-json',
    ],
    [
      'kubectl get pods -n shop',
      'Error from server (Forbidden): pods is forbidden: User "ops" cannot list resource "pods" in API group ""',
      'fix-forbidden-kubectl-get-pods',
    ],
  ])('names the fix of %s by its code and whole phrases: %s', (command, output, name) => {
    const { experiences } = fromLog(`$ ${command}\n${output}\n[exit 1]\n$ vi x\n$ ${command}\nok\n[exit 0]\n$ exit\n`)
    expect(experiences.map(({ filename }) => filename)).toEqual([name])
  })
})
