/** Which later command of a run is the one that failed, run again. */
import { describe, expect, test } from 'bun:test'
import { fromLog } from './extracted-log.ts'

describe('the offline extractor', () => {
  test.each([
    ['bob@h:~/a$ ', 'pytest', 'vi x', 'bob@h:~/b$ '],
    ['$ ', 'pytest', 'cd /srv/b', '$ '],
    ['$ ', 'pytest', 'cd /srv/b && ls', '$ '],
    ['$ ', 'pytest', 'ssh other', '$ '],
    ['$ ', 'pytest', 'docker exec -it web bash', '$ '],
    ['$ ', 'pytest', 'sudo su', '# '],
    ['~/a ❯ ', 'pytest', 'vi x', '~/b ❯ '],
    ['bob@h:~/a$ ', 'pytest', 'ssh other', 'bob@other:~/a$ '],
  ])('does not take a command in another place for the same: %j, %s, %s, %j', (before, command, between, after) => {
    const prompt = after.startsWith('#') ? before : after
    const log = `${before}${command}\n1 failed in 0.1s\n${before}touch y\n${before}${between}\n${prompt}${command}\n3 passed in 0.1s\n${prompt}true\n`
    expect(fromLog(log).stats.failures).toBe(1)
    expect(fromLog(log).experiences).toEqual([])
  })

  test.each([
    ['$ ', ['cd a', 'vi x', 'cd ..']],
    ['$ ', ['ssh other', 'vi x', 'exit']],
    ['$ ', ['cd /tmp', 'vi x', 'cd -']],
    ['bob@h:~/a$ ', ['vi x']],
    ['bob@h:~/a (main)$ ', ['git checkout -b fix']],
  ])('takes a command in the same place again for the same: %j %j', (prompt, between) => {
    const log = ['pytest', ...between, 'pytest'].map((command) => `${prompt}${command}\n`)
    log.splice(1, 0, '1 failed in 0.1s\n')
    const last = `3 passed in 0.1s\n${prompt.replace('main', 'fix')}true\n`
    expect(fromLog(log.join('') + last).experiences).toHaveLength(1)
  })

  test.each(['docker exec -it web pytest', 'ssh other pytest', 'ssh -p 2222 other pytest'])(
    'takes %j for one command, not for another shell',
    (command) => {
      const log = `$ ${command}\n1 failed in 0.1s\n$ vi x\n$ ${command}\n3 passed in 0.1s\n$ true\n`
      expect(fromLog(log).experiences).toHaveLength(1)
    },
  )

  test.each(['$?', '$LASTEXITCODE', '"$?"', 'rc=$status'])(
    'takes a command that then prints %s for the same',
    (code) => {
      const log = `$ make; echo ${code}\nerror: bad\nrc=2\n$ vi x\n$ make\n[exit 0]\n`
      expect(fromLog(log).experiences).toHaveLength(1)
    },
  )

  test('takes what goes on with an operation of git for the same call', () => {
    const begun = '$ git rebase main\nCONFLICT (content): Merge conflict in a\n'
    const stuck = '$ git rebase --continue\nerror: Committing is not possible because you have unmerged files.\n'
    const done = '$ git add a\n$ GIT_EDITOR=true git rebase --continue\nSuccessfully rebased and updated x.\n$ exit\n'
    const [experience, ...others] = fromLog(`${begun}$ git checkout --theirs a\n${stuck}${done}`).experiences
    expect(others).toEqual([])
    expect(experience?.description).toBe(
      'Get `git rebase main` to pass after it failed with: CONFLICT (content): Merge conflict in a, then with: error: Committing is not possible because you have unmerged files',
    )
    expect(experience?.content).toContain(
      'Then the same, as `git rebase --continue`, failed with:\n    error: Committing',
    )
    expect(experience?.content).toContain(
      'Done in between:\n1. `git checkout --theirs a`\n2. run the same again, as `git rebase --continue`: it failed with `error: Committing is not possible because you have unmerged files.`\n3. `git add a`\n4. run it with `GIT_EDITOR=true` in front\n\nCheck that passed: `GIT_EDITOR=true git rebase --continue`',
    )
    const ended = (end: string): number => fromLog(`${begun}${end}${done}`).experiences.length
    expect(ended('$ git rebase --abort\n')).toBe(0)
    expect(ended('$ git merge --continue\n')).toBe(1)
    expect(fromLog(`${begun}${done.replace('git rebase', 'git merge')}`).experiences).toEqual([])
  })

  test('does not take the beginning of an operation for the pass of what found nothing to go on with', () => {
    const passed = '$ git rebase main\nSuccessfully rebased and updated x.\n'
    const log = `${passed}$ git rebase --continue\nfatal: No rebase in progress?\n$ git fetch\n${passed}$ exit\n`
    expect(fromLog(log).experiences).toEqual([])
  })

  test('does not count a different test as the same command', () => {
    expect(
      fromLog('$ pytest a.py\n1 failed in 1s\n$ vi a.py\n$ pytest b.py\n1 passed in 1s\n$ exit\n').experiences,
    ).toEqual([])
    expect(
      fromLog('$ pytest a.py\n1 failed in 1s\n$ vi a.py\n$ pytest -k no a.py\n1 passed in 1s\n$ exit\n').experiences,
    ).toEqual([])
  })

  test('does not count the same command in another folder, but does count one whose folder is told only once', () => {
    const run = (first: string, second: string) =>
      fromLog(`$ ${first}\n1 failed in 1s\n$ vi x\n$ ${second}\n1 passed in 1s\n$ exit\n`).experiences.length
    expect(run('cd a && npm test', 'cd b && npm test')).toBe(0)
    expect(run('cd a && npm test', 'npm test')).toBe(1)
    expect(run('pytest  -q', 'CI=1 pytest -q 2>&1 | tail -5')).toBe(1)
  })
})
