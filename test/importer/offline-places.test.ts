/** How folders of the run and homes of people are shown to a reader. */
import { describe, expect, test } from 'bun:test'
import { extractOffline } from '../../src/importer/offline/extract-offline.ts'
import { relativeCommand, relativeText } from '../../src/importer/offline/step-lines.ts'

const FOLDER = '/srv/shop'

describe('the folder of the run', () => {
  test.each([
    ['Build the shop in /srv/shop. Add tests.', 'Build the shop in /srv/shop. Add tests.'],
    ['what is in /srv/shop, and why', 'what is in /srv/shop, and why'],
    ['all of /srv/shop/ is new', 'all of /srv/shop/ is new'],
    ['all of /srv/shop/.', 'all of /srv/shop/.'],
    ['see /srv/shop/cart.py.', 'see cart.py.'],
    ['KeyError in "/srv/shop/cart.py", line 3', 'KeyError in "cart.py", line 3'],
    ['see /srv/shop/.env', 'see .env'],
    ['see /srv/shop-two/cart.py', 'see /srv/shop-two/cart.py'],
    ['see https://example.org/srv/shop/cart.py', 'see https://example.org/srv/shop/cart.py'],
  ])('leaves a sentence whole: %j', (text, shown) => {
    expect(relativeText(text, FOLDER)).toBe(shown)
  })

  test.each([
    ['cd /srv/shop && make', 'make'],
    ['ls /srv/shop', 'ls .'],
    ['ls "/srv/shop/"; make', 'ls "."; make'],
    ['PYTHONPATH=/srv/shop:/srv/lib make', 'PYTHONPATH=/srv/shop:/srv/lib make'],
    ['git commit -m "Move /srv/shop."', 'git commit -m "Move /srv/shop."'],
  ])('is the point of a command: %j', (command, shown) => {
    expect(relativeCommand(command, FOLDER)).toBe(shown)
  })
})

describe('a home', () => {
  test.each<[string, string | null, string]>([
    ['see /home/ann/cart.py', '/home/ann/shop', 'see ~/cart.py'],
    ['see /home/ann/cart.py', null, 'see ~/cart.py'],
    ['see /home/ann/cart.py', '/srv/shop', 'see /home/…/cart.py'],
    ['see /Users/annabel/cart.py', '/Users/ann/shop', 'see /Users/…/cart.py'],
  ])('is `~` unless the run is known to be another one’s: %j in %j', (text, folder, shown) => {
    expect(relativeText(text, folder)).toBe(shown)
  })
})

test('a task keeps its folder in an experience', () => {
  const call = (id: string, output: string) => [
    { type: 'function_call', call_id: id, name: 'shell', arguments: JSON.stringify({ command: ['make'] }) },
    { type: 'function_call_output', call_id: id, output },
  ]
  const item = (payload: unknown) => ({ type: 'response_item', payload })
  const records = [
    { type: 'session_meta', payload: { cwd: '/workspace' } },
    item({ type: 'message', role: 'user', content: 'Build the shop in /workspace. Add tests.' }),
    ...call('a', 'Exit code: 2\nWall time: 1 s\nOutput:\nerror: no wheel').map(item),
    item({ type: 'function_call', call_id: 'b', name: 'shell', arguments: '{"command":["bash","-c","vi a.c"]}' }),
    item({ type: 'function_call_output', call_id: 'b', output: 'Exit code: 0\nWall time: 1 s\nOutput:\n' }),
    ...call('c', 'Exit code: 0\nWall time: 1 s\nOutput:\nbuilt').map(item),
  ]
  const limits = { count: (text: string) => text.length / 4, description: 140, when_to_use: 563, content: 2_252 }
  const text = records.map((record) => JSON.stringify(record)).join('\n')
  const [experience] = extractOffline({ text, format: 'jsonl' }, limits).experiences
  expect(experience?.content).toContain('Task as asked: "Build the shop in /workspace. Add tests."')
})
