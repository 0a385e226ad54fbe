/** Messages in which models call a tool in words, and summaries that tell of calls. */
import { describe, expect, test } from 'bun:test'
import { writtenCall } from '../../src/agent/written-call.ts'
import type { ToolSchema } from '../../src/ports.ts'

const text = { type: 'string' }
const tools: readonly ToolSchema[] = [
  {
    name: 'procedure_search',
    description: 'Finds.',
    parameters: { type: 'object', properties: { query: text, limit: { type: 'number' } }, required: ['query'] },
  },
  {
    name: 'procedure_create',
    description: 'Writes.',
    parameters: {
      type: 'object',
      properties: { filename: text, description: text, content: text, operation_key: text },
      required: ['filename', 'description', 'content', 'operation_key'],
    },
  },
]

const JSON_CALL = '{"name":"procedure_search","arguments":{"query":"stale index"}}'
const SUMMARY =
  'The agent was asked to mend the nightly build. It found that the lock file was stale and deleted it. The build passed afterwards.'

describe('a call of a tool in words', () => {
  test.each([
    // By code.
    'functions.procedure_search({"query": "stale index"})',
    'procedure_search(query="stale index")',
    '`procedure_search(query="stale index")`',
    '```\nprocedure_search(query="stale index")\n```',
    '```python\nprint(default_api.procedure_search(query="it\'s (stale)"))\n```',
    'result = procedure_search(query="x")\nprint(result)',
    'await procedure_search({ query: "x" });',
    '[procedure_search(query="x"), procedure_search(query="y")]',
    'procedure_search(query="x"',
    // By JSON.
    JSON_CALL,
    `\`\`\`json\n${JSON_CALL}\n\`\`\``,
    '{"procedure_search":{"query":"x"}}',
    '{"procedure_search": "x"}',
    `[${JSON_CALL}]`,
    '{"type":"function","function":{"name":"functions.procedure_search","arguments":"{}"}}',
    '{"tool_calls":[{"id":"a","function":{"name":"procedure_search","arguments":"{}"}}]}',
    '{"action":"procedure_search","action_input":{"query":"x"}}',
    '{"name":"procedure_create","arguments":{"filename":"a.json","content":"never closed',
    '{"procedure_search":{"query":"never closed',
    'procedure_search\n{"query":"x"}',
    'functions.procedure_search:0 {"query":"x"}',
    '{"name":"functions.procedure_search:0","arguments":{"query":"x"}}',
    '{"tool":"procedure_search","query":"x"}',
    'procedure_search: {"query":"x"}',
    'Tool: procedure_search\nArguments: {"query":"x"}',
    // By tags and tokens.
    '<tool_call>\n{"name": "procedure_search", "arguments": {"query": "x"}}\n</tool_call>',
    '<tool_call>procedure_search\n<arg_key>query</arg_key><arg_value>x</arg_value></tool_call>',
    '<|python_tag|>procedure_search(query="x")',
    '<|python_tag|>procedure_search.call(query="x")',
    '{"recipient_name": "functions.procedure_search", "parameters": {}}',
    'I will look.\n{"name": "procedure_search", "arguments": {"query": "x"}}',
    '<procedure_search><query>x</query></procedure_search>',
    '<procedure_search query="x" />',
    '<procedure_search>\n<query>x</query>',
    '<tool_use><tool_name>procedure_search</tool_name><arguments>{"query":"x"}</arguments></tool_use>',
    `<tool_use>\n${JSON_CALL}\n</tool_use>`,
    `<tool_call>\n${JSON_CALL}`,
    `<function_calls>\n<invoke name="procedure_search">\n<parameter name="query">x</parameter>\n</invoke>\n</function_calls>`,
    '<function=procedure_search>\n<parameter=query>\nx\n</parameter>\n</function>',
    `<|tool_call|>[${JSON_CALL}]<|/tool_call|>`,
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>procedure_search\n```json\n{"query":"x"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    '<|channel|>commentary to=functions.procedure_search <|constrain|>json<|message|>{"query":"x"}',
    '[TOOL_CALLS]procedure_search[ARGS]{"query":"x"}',
    `[TOOL_REQUEST]${JSON_CALL}[END_TOOL_REQUEST]`,
    'Thought: I search first.\nAction: procedure_search\nAction Input: {"query":"x"}',
    'Action: procedure_search\nAction Input: stale index\nObservation: nothing was found. So the agent did not know of it.',
    // By its name.
    'procedure_search',
    '`functions.procedure_search`',
    'procedure_search()',
    '**procedure_search**',
    // Beside an announcement.
    `I will search first.\n\n${JSON_CALL}`,
    'Let me look: `procedure_search(query="x")`',
    'Okay, now I need to search: procedure_search(query="x")',
    `${JSON_CALL}\n\nI will wait for the result.`,
    'Let me call procedure_search first.',
    '我来搜索一下：procedure_search(query="x")',
    `1. ${JSON_CALL}`,
    // Behind a summary, and by itself.
    `${SUMMARY}\n\n<tool_call>\n${JSON_CALL}\n</tool_call>`,
    `${SUMMARY}\n\nI will keep that.\n\n\`\`\`json\n${JSON_CALL}\n\`\`\`\n`,
    `<tool_call>\n${JSON_CALL}\n</tool_call>\n<tool_response>\n{"results":[]}\n</tool_response>\n${SUMMARY}`,
    // Of a tool whose arguments name another.
    '<tool_call>{"name":"procedure_create","arguments":{"content":"first procedure_search for it"}}</tool_call>',
    '<invoke name="procedure_create"><parameter name="content">procedure_search first</parameter></invoke>',
    '<procedure_create><content>procedure_search first</content></procedure_create>',
    'Let me call procedure_create now, after procedure_search.',
  ])('is one of the tool that it names first: %s', (message) => {
    expect(writtenCall(message, tools)).toBe(/procedure_(?:search|create)/.exec(message)?.[0] ?? 'none')
  })

  test.each([
    ['{"query":"stale index"}', 'procedure_search'],
    ['```json\n{"filename":"a.json","description":"d","content":"c","operation_key":"k"}\n```', 'procedure_create'],
  ])('is one by its arguments alone: %s', (message, tool) => {
    expect(writtenCall(message, tools)).toBe(tool)
  })

  test.each([
    // Calls that sentences tell of.
    `The request was ${JSON_CALL}. It found nothing, so the agent wrote a new one.`,
    `The request was ${JSON_CALL}`,
    'Action: procedure_search was called; it returned nothing.',
    'procedure_search(query="x") found nothing, so no experience was updated.',
    '`procedure_search(query="x")` found nothing. The build was mended by hand.',
    `${JSON_CALL}\n\nThat request found nothing. ${SUMMARY}`,
    `${SUMMARY}\n\nCalls of the agent:\n- procedure_search(query="x")\n- procedure_create(filename="a.json")`,
    `${SUMMARY}\n\n1. ${JSON_CALL}\n2. ${JSON_CALL}`,
    `The agent's first call was cut off:\n\n\`\`\`json\n${JSON_CALL}\n\`\`\`\n\nThe server answered with 400. It was asked again and answered.`,
    `<tool_call> tags around procedure_search were written as text; the server had no parser for them.`,
    'The model wrote <tool_call>{"name":"procedure_search"}</tool_call> as text, and the loop refused it.',
    '<procedure_search> is no tag that the parser knows; the run failed because of it.',
    '<procedure_search></procedure_search> was printed by the template. The agent removed it.',
    'Tool: procedure_search was missing from the list, so the run stopped.',
    '[TOOL_CALLS] came out as text; procedure_search was never made.',
    'functions.procedure_search({"query":"x"}) was refused as unknown. The prefix was taken off, and it worked.',
    '{"name":"procedure_search"} was the whole body. The server wanted arguments too.',
    '{"tool":"make build","query":"was the whole log"}',
    'procedure_search:0 was the id of the call that was refused.',
    '{"procedure_search":{}} came back with invalid_argument. The agent added a query.',
    'Thought and Action lines were parsed by a pattern. Action: procedure_search matched it, Observation did not.',
    // Words alone.
    SUMMARY,
    'procedure_search was called twice and found nothing.',
    'Searched with procedure_search, then wrote procedures/mend-build.json by procedure_create.',
    'Nothing to keep. procedure_search showed that procedures/mend-build.json says it already.',
    'I searched with procedure_search and found an experience that says the same. The run is over; nothing is open.',
    'No new experience. I did not call procedure_create.',
    'I am done: procedure_search found nothing, and the piece holds nothing new.',
    `${JSON_CALL}\nI will say no more of it: it found nothing, and the build was mended by hand.`,
    '{"summary":"The build was mended.","open":[],"wrote":["procedures/mend-build.json"]}',
    '{"name":"mend-build","description":"procedure_search found nothing","open":"no"}',
    '{"name":"other","arguments":{}}',
    '- procedure_search: no hits\n- procedure_create: wrote mend-build.json',
    '# Summary\n\nTools: procedure_search (2), procedure_create (1)\n\nThe build passes.',
    '任务：修复夜间构建。代理调用了 procedure_search，没有结果。构建已通过。',
    'Now the build passes; procedure_search had nothing to add, and procedures/mend-build.json was written.',
    '',
  ])('is none: %s', (message) => {
    expect(writtenCall(message, tools)).toBeNull()
  })
})

test('a call is found behind hostile text as long as a reply may be', () => {
  const parts = [
    '{"name":"procedure_search"',
    'procedure_search(',
    '<tool_call>',
    '<procedure_search>',
    '- `',
    '[',
    'I will ',
  ]
  for (const part of parts.flatMap((each) => [each, `${each}\n`])) {
    const message = part.repeat(131_072 / part.length)
    expect(writtenCall(`${message}\n\n${JSON_CALL}`, tools)).toBe('procedure_search')
  }
})
