/** The week of docs/guide.md, as a consolidation makes knowledge of it. `GUIDE=write` writes what it shows there anew. */
import { beforeEach, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { runCaptured } from '../fakes/captured-terminal.ts'
import { ROOT } from '../fakes/fake-machine.ts'
import { RememberingMachine } from '../fakes/remembering.ts'
import { type ChatStep, callTools, say } from '../fakes/scripted-chat.ts'

const PROJECT = resolve(import.meta.dir, '../..')
const GUIDE = resolve(PROJECT, 'docs/guide.md')
const WEEK = resolve(PROJECT, 'examples/memories/week.jsonl')

let machine: RememberingMachine

beforeEach(async () => {
  machine = new RememberingMachine()
  machine.environment = { KNOWHOW_WORKSPACE: ROOT }
  machine.clock.advance(90 * 24 * 3_600_000)
  machine.files.write('/week.jsonl', readFileSync(WEEK))
  expect((await run('memory', 'migrate', '/week.jsonl')).exit).toBe(0)
})

const run = (...argv: string[]) => runCaptured(argv, machine)

/** What the guide shows under a command, in a block of its own. */
function expectInGuide(command: string, out: string): void {
  const block = `\`\`\`text\n$ ${command}\n${out}\`\`\``
  const guide = readFileSync(GUIDE, 'utf8')
  const [shown] = new RegExp(`\`\`\`text\\n\\$ ${RegExp.escape(command)}\\n[\\s\\S]*?\`\`\``).exec(guide) ?? ['']
  if (process.env.GUIDE === 'write')
    writeFileSync(
      GUIDE,
      guide.replace(shown, () => block),
    )
  else expect(shown).toBe(block)
}

test('the list of what is ready is that of the guide', async () => {
  expectInGuide('knowhow memory consolidate', (await run('memory', 'consolidate')).out)
})

test('what comes of it without a model is what the guide shows', async () => {
  const command = 'memory consolidate --apply --extractor offline'
  expectInGuide(`knowhow ${command}`, (await run(...command.split(' '))).out)
  expect((await run('memory', 'validate')).exit).toBe(0)
})

/** Plays what a careful model decides: e1 to e3 are Friday's events, e4 and e5 Monday's, then those of Thursday, Tuesday, Wednesday. */
const DECISIONS: readonly ChatStep[] = [
  callTools(
    [
      'semantic_remember',
      {
        concept: 'upload limit of the gateway',
        content: 'The gateway refuses uploads above 50 MB with 413 Payload Too Large. Parts of 40 MB go through.',
        category: 'domain_knowledge',
        confidence_score: 0.9,
        derived_from: ['e4', 'e5', 'e6'],
        extraction_method: 'pattern_recognition',
      },
    ],
    [
      'semantic_remember',
      {
        concept: 'order of a release',
        content: 'The release script pushes the tag last, once the tests have passed; before, it pushed the tag first.',
        category: 'patterns',
        confidence_score: 0.7,
        derived_from: ['e1', 'e2'],
      },
    ],
    [
      'semantic_remember',
      {
        concept: 'build cache on new runners',
        content:
          'A new runner has an empty build cache; it is restored from the bucket before each build, which saves about 11 minutes.',
        category: 'architecture',
        confidence_score: 0.8,
        derived_from: ['e7', 'e8'],
      },
    ],
    [
      'semantic_remember',
      {
        concept: 'how the user wants documents',
        content:
          'Plain: numbers in tables aligned right, no colours; release notes in sentences, without a list of commits.',
        category: 'user_preferences',
        confidence_score: 0.85,
        derived_from: ['e9', 'e3'],
        extraction_method: 'user_feedback',
      },
    ],
    ['events_skip', { events: ['e10'], reason: 'it was done once, and teaches nothing' }],
  ),
  say('Kept four things; the layout of one report was passed over.'),
]

test('what comes of it with a model is what the guide shows, and repeated it writes nothing', async () => {
  machine.script(...DECISIONS)
  const command = 'memory consolidate --apply'
  expectInGuide(`knowhow ${command}`, (await run(...command.split(' '))).out)
  expect((await run('memory', 'validate')).exit).toBe(0)
  expect((await run('memory', 'consolidate', '--apply')).out).toBe('0 concepts written, 0 passed over, 0 open\n')
})
