import { beforeEach, describe, expect, test } from 'bun:test'
import { MemoryError } from '../../src/model/memory-error.ts'
import { runCaptured, type Told } from '../fakes/captured-terminal.ts'
import { ROOT } from '../fakes/fake-machine.ts'
import { RememberingMachine } from '../fakes/remembering.ts'
import { say } from '../fakes/scripted-chat.ts'

let machine: RememberingMachine

beforeEach(async () => {
  machine = new RememberingMachine()
  machine.environment = { KNOWHOW_WORKSPACE: ROOT }
  await machine.begin('s')
})

const run = (argv: readonly string[], input = '') => runCaptured(argv, machine, undefined, input)
const json = async (argv: readonly string[], input = '') => JSON.parse((await run([...argv, '--json'], input)).out)
const event = ['memory', 'remember', 'episodic', '--session', 's']

describe('remember', () => {
  test('takes fields as flags in kebab-case', async () => {
    const flags = [
      '--content',
      'it broke',
      '--event-type',
      'error',
      '--importance-score',
      '0.8',
      '--emotional-valence',
      '-0.5',
    ]
    expect(await json([...event, ...flags])).toMatchObject({
      kind: 'episodic',
      memory: { content: 'it broke', event_type: 'error', importance_score: 0.8, emotional_valence: -0.5 },
    })
  })

  test('takes lists as a flag given again and again, and a number for what is in mind', async () => {
    const steps = ['--steps', 'one', '--steps', 'two']
    expect(await json(['memory', 'remember', 'procedural', '--procedure-name', 'p', ...steps])).toMatchObject({
      memory: { steps: ['one', 'two'] },
    })
    const thought = ['memory', 'remember', 'working', '--session', 's', '--content', 'x', '--priority', '-3']
    expect(await json(thought)).toMatchObject({ memory: { priority: -3 } })
    const plan = ['memory', 'remember', 'prospective', '--intention', 'x', '--priority', 'high']
    expect(await json(plan)).toMatchObject({ memory: { priority: 'high', scope: 'global' } })
  })

  test('takes fields as one JSON object from standard input, or from a file', async () => {
    const fields = { content: 'it broke', event_type: 'error', importance_score: 1 }
    expect(await json([...event, '--from', '-'], JSON.stringify(fields))).toMatchObject({ memory: fields })
    machine.files.write('/fields.json', `\ufeff${JSON.stringify(fields)}`)
    expect(await json([...event, '--from', '/fields.json'])).toMatchObject({ memory: fields })
  })

  test('takes what a flag says over what the object says', async () => {
    const told = await json([...event, '--from', '-', '--content', 'flag'], '{"content":"object","event_type":"error"}')
    expect(told).toMatchObject({ memory: { content: 'flag', event_type: 'error' } })
  })

  test.each([
    ['', 'not valid JSON'],
    ['{', 'not valid JSON'],
    ['[]', 'one JSON object'],
    ['"text"', 'one JSON object'],
    ['{"content":"x"}{}', 'not valid JSON'],
    ['{"content":"x","colour":"red"}', 'colour'],
    ['{"content":7}', 'content'],
    ['{"content":"a","content":"b"}', 'content: it is given twice'],
    ['{"content":"x","__proto__":{"a":1}}', '__proto__'],
    ['{"content":"x","importance_score":"0.8"}', 'importance'],
  ])('refuses %j from standard input as wrong usage', async (input, words) => {
    const { exit, out } = await run([...event, '--from', '-', '--json'], input)
    expect(exit).toBe(2)
    expect(JSON.parse(out).error).toMatchObject({ code: 'invalid_argument', message: expect.stringContaining(words) })
  })

  test('says what is wrong with a flag by its name', async () => {
    const { exit, error } = await run([...event, '--content', 'x', '--importance-score', '1.5'])
    expect(exit).toBe(2)
    expect(error).toBe('knowhow: --importance-score: must be a number from 0 to 1 (given: 1.5)\n')
  })

  test('has no --from where a command takes no object', async () => {
    expect(await run(['session', 'start', '--from', '-'])).toMatchObject({ exit: 2 })
  })
})

test('link takes its properties as name=value', async () => {
  await machine.remember('semantic', { memory_id: 'f', concept: 'c', content: 'x' })
  await machine.remember('episodic', { session: 's', memory_id: 'e', content: 'x' })
  const set = ['--set', 'confidence=0.5', '--set', 'extraction_method=inference']
  expect(await json(['memory', 'link', 'DERIVES_FROM', 'f', 'e', ...set])).toEqual({
    relation: 'DERIVES_FROM',
    from: 'f',
    to: 'e',
    properties: { extraction_method: 'inference', confidence: 0.5 },
  })
})

test('used takes --success or --failure', async () => {
  await machine.remember('procedural', { memory_id: 'p', procedure_name: 'p' })
  const used = (...flags: string[]) => json(['memory', 'used', 'p', '--session', 's', ...flags])
  expect(await used('--success', '--notes', 'n')).toMatchObject({ memory: { success_rate: 1, usage_count: 1 } })
  expect(await used('--failure')).toMatchObject({ memory: { success_rate: 0.5, usage_count: 2 } })
  expect(await used()).toMatchObject({ error: { code: 'invalid_argument' } })
  expect(await used('--success', '--failure')).toMatchObject({ error: { code: 'invalid_argument' } })
})

describe('an error of the graph', () => {
  test.each([
    [['session', 'show', 'none'], 1, 'session_not_found'],
    [['session', 'start', '--id', 's'], 1, 'session_exists'],
    [[...event.slice(0, 3), '--session', 'none', '--content', 'x'], 1, 'session_not_found'],
    [[...event], 2, 'invalid_argument'],
    [['memory', 'remember', 'dream'], 2, 'invalid_argument'],
    [['memory', 'complete', 'none'], 1, 'not_found'],
    [['memory', 'link', 'LOVES', 'a', 'b'], 2, 'invalid_argument'],
    [['memory', 'recal', 'x'], 2, 'unknown_command'],
    [['memory', 'migrate', '/none.jsonl'], 1, 'not_found'],
    [['memory', 'migrate'], 2, 'invalid_argument'],
    [['memory', 'due', '--at', 'soon'], 2, 'invalid_argument'],
    [['session'], 2, 'unknown_command'],
  ])('%j ends with %d, %s', async (argv, exit, code) => {
    const told = await run([...argv, '--json'])
    expect(told.exit).toBe(exit)
    expect(JSON.parse(told.out)).toMatchObject({ error: { code, resumable: false } })
  })
})

test('migrate ends with 1 when nothing of the file could be taken in', async () => {
  const good = '{"memory_type":"semantic","memory_id":"m","concept":"c","content":"x","last_updated":"2026-01-01"}'
  machine.files.write('/old.jsonl', `${good}\n{"memory_type":"dream"}\n`)
  expect((await run(['memory', 'migrate', '/old.jsonl'])).exit).toBe(0)
  machine.files.write('/old.jsonl', '{"memory_type":"dream"}\n{"memory_type":"semantic"}\n')
  expect((await run(['memory', 'migrate', '/old.jsonl'])).exit).toBe(1)
  machine.files.write('/old.jsonl', '')
  expect((await run(['memory', 'migrate', '/old.jsonl'])).exit).toBe(0)
})

test.each([
  [['semantic', '--concept', 'build cache', '--content', 'goes stale'], '  build cache: goes stale  '],
  [
    ['semantic', '--concept', 'build cache', '--content', 'Build cache: goes stale'],
    '  build cache: Build cache: goes stale  ',
  ],
  [['semantic', '--concept', 'build cache', '--content', 'Build cache.'], '  build cache  '],
  [['procedural', '--procedure-name', 'fix-build', '--description', 'clear, build'], '  fix-build: clear, build  '],
  [['procedural', '--procedure-name', 'fix-build'], '  fix-build  '],
])('remember %j shows what it is called and what it says', async (argv, told) => {
  expect((await run(['memory', 'remember', ...argv])).out).toContain(told)
})

test('validate ends with 1 when something is wrong', async () => {
  expect((await run(['memory', 'validate'])).exit).toBe(0)
  const open = await machine.loadDatabase()
  open(`${ROOT}/memory/memory.db`, 'write')?.script(`
    INSERT INTO "EpisodicMemory" (memory_id, "timestamp", content) VALUES ('lost', '2026-01-01T00:00:00.000Z', 'x');
    INSERT INTO "ProceduralMemory" (memory_id, procedure_name, steps, preconditions, postconditions, usage_count)
      VALUES ('odd', 'odd', '[1]', '[]', '[]', 0);
    PRAGMA foreign_keys = OFF;
    INSERT INTO "RECALLS" (from_id, to_id) VALUES ('lost', 'nobody');
    PRAGMA foreign_keys = ON;`)
  const told = await run(['memory', 'validate', '--json'])
  expect(told.exit).toBe(1)
  expect(JSON.parse(told.out)).toMatchObject({
    ok: false,
    counts: { episodic: 1, procedural: 1 },
    sessions: [{ session_id: 's', episodic_count: 0, working_count: 0 }],
    problems: [
      { table: 'RECALLS', id: 'lost -> nobody', error: 'to: there is no such EpisodicMemory' },
      { table: 'ProceduralMemory', id: 'odd', error: expect.stringContaining('steps') },
      { table: 'EpisodicMemory', id: 'lost', error: 'it lies in no session' },
    ],
  })
})

describe('for people', () => {
  const shown = async (...argv: string[]): Promise<Told> => run(argv)

  test('a session is shown with what lies in it, and cannot steer the terminal', async () => {
    await machine.remember('episodic', { session: 's', memory_id: 'e', content: 'red \u001b[31m\u202etext' })
    await machine.remember('working', { session: 's', memory_id: 'w', content: 'think' })
    const { out } = await shown('session', 'show', 's')
    expect(out).toBe(
      [
        's  active, since 2026-01-02T03:04:05.000Z',
        'events',
        '  1. e  red <U+001B>[31m<U+202E>text  timestamp 2026-01-02T03:04:05.000Z',
        'in mind',
        '  w  think  memory type context, priority 0  (activation 1)',
        '',
      ].join('\n'),
    )
  })

  test('an export without a file is its lines', async () => {
    const { out } = await shown('memory', 'export')
    expect(out).toBe(
      '{"format":"knowhow-memory","version":1}\n{"node":"Session","session_id":"s","start_time":"2026-01-02T03:04:05.000Z","status":"active"}\n{"end":"knowhow-memory"}\n',
    )
  })

  test.each([
    [['session', 'list'], /^s {2}active/],
    [['memory', 'due'], /^Nothing is due\.$/m],
    [['memory', 'sweep'], /^0 triggered, 0 expired, 0 working memories removed$/m],
    [['memory', 'history', 'x'], /^Nothing is remembered of x\.$/m],
    [['memory', 'stats'], /^sessions {3}active 1/m],
    [['memory', 'validate'], /^All is as it should be\.$/m],
    [['session', 'end', 's'], /^s {2}completed/],
  ])('%j is told in words', async (argv, words) => {
    const { exit, out } = await run(argv)
    expect(exit).toBe(0)
    expect(out).toMatch(words)
  })
})

describe('consolidation', () => {
  const old = ['--timestamp', '2025-12-01', '--importance-score', '0.9', '--memory-id', 'e1']

  test('lists what is ready, or says that nothing is', async () => {
    expect((await run(['memory', 'consolidate'])).out).toBe('No event is ready to become knowledge.\n')
    await run([...event, ...old, '--content', 'the gateway is slow'])
    const { out } = await run(['memory', 'consolidate'])
    expect(out).toMatch(/^e1 {2}the gateway is slow {2}importance score 0\.9, .*, session s\n$/)
  })

  test('tells what was written of it, and why no model was asked', async () => {
    await run([...event, ...old, '--content', 'the gateway is slow'])
    const { exit, out, error } = await run(['memory', 'consolidate', '--apply'])
    expect(exit).toBe(0)
    expect(out).toMatch(/^\S+ {2}the gateway is slow {2}version 1, .*\n {2}from e1\n/)
    expect(out).toEndWith('1 concept written, 0 passed over, 0 open\n')
    expect(error).toContain('no chat model is chosen (LLM_MODEL_NAME): consolidating offline')
  })

  test('that stops before its end exits with 3 and says why', async () => {
    await run([...event, ...old, '--content', 'the gateway is slow'])
    machine.script(new MemoryError('llm_unavailable', 'no answer'))
    const { exit, out } = await run(['memory', 'consolidate', '--apply'])
    expect(exit).toBe(3)
    expect(out).toBe('0 concepts written, 0 passed over, 1 open\nno answer; run it again to go on where it stopped\n')
  })

  test('whose model decides nothing exits with 3 and says what to do', async () => {
    await run([...event, ...old, '--content', 'the gateway is slow'])
    machine.script(say('Nothing to add.'))
    const { exit, out } = await run(['memory', 'consolidate', '--apply'])
    expect(exit).toBe(3)
    expect(out).toMatch(/ 1 open\n.*decided nothing; run it again, or ask another model\n$/)
  })
})

describe('recall', () => {
  test('shows what is remembered, and why it is there', async () => {
    await run([...event, '--content', 'the gateway timed out', '--importance-score', '0.8'])
    const { out } = await run(['memory', 'recall', 'gateway', '--session', 's'])
    expect(out).toMatch(
      /^1\. episodic {2}\S+ {2}the gateway timed out {2}importance score 0\.8, .*\n {3}score 0\.\d+: words match/,
    )
    expect(out).toContain('of this session')
  })

  test('says that nothing fits', async () => {
    expect((await run(['memory', 'recall', 'gateway'])).out).toBe('Nothing that fits is remembered.\n')
  })

  test('names the flag of types there are not', async () => {
    const { exit, error } = await run(['memory', 'recall', 'x', '--types', 'facts'])
    expect({ exit, error }).toMatchObject({ exit: 2, error: expect.stringContaining('--types: must be some of') })
  })
})

describe('graph', () => {
  const graph = ['memory', 'graph', '--session', 's']

  test('prints the picture itself, and nothing else', async () => {
    const { exit, out, error } = await run(graph)
    expect({ exit, error }).toEqual({ exit: 0, error: '' })
    expect(out).toMatch(/^flowchart LR\n(?: {2}.*\n)+$/)
  })

  test('prints the graph as JSON with and without --json', async () => {
    await run([...event, '--content', 'turned \u202e and \u001b[31m'])
    const { out } = await run([...graph, '--format', 'json'])
    expect(JSON.parse(out)).toEqual(await json([...graph, '--format', 'json']))
    for (const steering of ['\u202e', '\u001b']) expect(out).not.toContain(steering)
  })

  test('puts the picture of another format into one JSON document with --json', async () => {
    const { out } = await run(graph)
    expect(await json(graph)).toEqual({ session_id: 's', format: 'mermaid', text: out })
  })

  test('says where it put the picture', async () => {
    const { out } = await run([...graph, '/picture.mmd'])
    expect(out).toMatch(/^\/picture\.mmd {2}mermaid, \d+ bytes\n$/)
  })

  test('says which formats there are', async () => {
    const { exit, error } = await run([...graph, '--format', 'svg'])
    expect(exit).toBe(2)
    expect(error).toMatch(/^knowhow: --format: takes .*mermaid.*json/)
  })
})

test.each([
  [['memory', 'link', 'RECALLS', 'a', 'b']],
  [['memory', 'used', 'p', '--session', 's', '--success']],
  [['memory', 'complete', 'x']],
  [['memory', 'trigger', '--event', 'x', '--session', 's']],
  [['memory', 'sweep']],
  [['memory', 'consolidate', '--apply']],
  [['session', 'end', 'x']],
  [['session', 'archive', 'x']],
])('%j makes no workspace, and says that there is none', async (argv) => {
  const { error } = await run([...argv, '--workspace', '/none'])
  expect(error).toContain('there is no workspace at /none')
  expect(machine.files.stat('/none')).toBeNull()
})
