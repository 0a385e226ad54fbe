/** What the protocol's own suite of conformance says of both ways to reach the tools. It asks nobody but this machine. */
import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endpointOn, knownMachine } from '../../fakes/mcp-client.ts'
import { conformanceOf, StdioBridge, translating } from '../../fakes/mcp-conformance.ts'
import { McpHttp } from '../../fakes/mcp-http.ts'
import { SOURCES } from '../../fakes/mcp-program.ts'
import { RunningService } from '../../fakes/running-service.ts'

/** Each scenario starts a program; no test waits for it to be over. */
const PATIENT_MS = 180_000

const PASSED = ['server-initialize', 'ping', 'tools-list', 'tools-call-simple-text', 'tools-call-error']

const NO_LOGGING = 'nothing is logged to the client: notices go to standard error'
const NO_PROMPTS = 'there are no prompts, nor templates to complete arguments of'
const NO_RESOURCES = 'there are no resources: what is kept is read by a tool'
const TEXT_ALONE = 'tools answer with text and a document'
const ASKS_NOTHING = 'a tool asks nothing of the client'

/** Scenarios that fail, as they want what is not offered, each with the reason. */
const NOT_OFFERED: Readonly<Record<string, string>> = {
  'logging-set-level': NO_LOGGING,
  'completion-complete': NO_PROMPTS,
  'tools-call-image': TEXT_ALONE,
  'tools-call-audio': TEXT_ALONE,
  'tools-call-embedded-resource': TEXT_ALONE,
  'tools-call-mixed-content': TEXT_ALONE,
  'tools-call-with-logging': NO_LOGGING,
  'tools-call-with-progress': 'no tool takes long enough to tell how far it is',
  'tools-call-sampling': ASKS_NOTHING,
  'tools-call-elicitation': ASKS_NOTHING,
  'json-schema-2020-12': 'it looks for one tool of its own in the list',
  'elicitation-sep1034-defaults': ASKS_NOTHING,
  'elicitation-sep1330-enums': ASKS_NOTHING,
  'resources-list': NO_RESOURCES,
  'resources-read-text': NO_RESOURCES,
  'resources-read-binary': NO_RESOURCES,
  'resources-templates-read': NO_RESOURCES,
  'resources-subscribe': NO_RESOURCES,
  'resources-unsubscribe': NO_RESOURCES,
  'prompts-list': NO_PROMPTS,
  'prompts-get-simple': NO_PROMPTS,
  'prompts-get-with-args': NO_PROMPTS,
  'prompts-get-embedded-resource': NO_PROMPTS,
  'prompts-get-with-image': NO_PROMPTS,
  'dns-rebinding-protection': 'the service looks at Host and Origin, before the endpoint is asked',
}

/** Scenarios that check nothing where there are no sessions. */
const NEED_SESSIONS = ['server-sse-polling', 'server-sse-multiple-streams']

const EXPECTED = {
  passed: PASSED.toSorted(),
  failed: Object.keys(NOT_OFFERED).toSorted(),
  empty: NEED_SESSIONS.toSorted(),
}

async function sorted(url: URL) {
  const { passed, failed, empty } = await conformanceOf(url)
  return { passed: passed.toSorted(), failed: failed.toSorted(), empty: empty.toSorted() }
}

describe('the suite of conformance', () => {
  test('finds over HTTP all that is offered, and nothing else lacking', async () => {
    await using http = await McpHttp.start(translating(endpointOn(knownMachine()).endpoint.fetch))
    expect(await sorted(http.url)).toEqual(EXPECTED)
  })

  test('finds at the service what needs no tool of its own, protection against DNS rebinding too', async () => {
    await using service = await RunningService.start()
    const { passed } = await sorted(new URL('/mcp', service.url))
    expect(passed).toEqual(['dns-rebinding-protection', 'ping', 'server-initialize', 'tools-list'])
  })

  test(
    'finds the same in the program on standard input and output',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'knowhow-mcp-conformance-'))
      const bridge = new StdioBridge([...SOURCES, 'mcp', '--quiet', '--workspace', join(folder, 'w')])
      await using http = await McpHttp.start(bridge.fetch)
      expect(await sorted(http.url)).toEqual(EXPECTED)
      await bridge[Symbol.asyncDispose]()
      for (const end of bridge.ends) expect(await end).toEqual({ exit: 0, error: '' })
      rmSync(folder, { recursive: true, force: true })
    },
    PATIENT_MS,
  )
})
