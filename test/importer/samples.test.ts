/** Real logs of others and hostile ones, each imported from a real disk. They are not part of the project. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ImportResult } from '../../src/importer/import-result.ts'
import { digest } from '../fakes/digest.ts'
import { diskMachine, runOnDisk } from '../fakes/disk-machine.ts'
import { noticeWithout, samplesFolder } from '../fakes/shared-folder.ts'

type Expected = readonly [path: string, format: ImportResult['format'], error?: string]

const SAMPLES: readonly Expected[] = [
  ['aider/chat-history.md', 'markdown'],
  ['claude-code/1af7fc5e-8455-4414-9ccd-011d40f70b2a.jsonl', 'jsonl'],
  ['claude-code/5c0375b4-57a5-4f26-b12d-d022ee4e51b7.jsonl', 'jsonl'],
  ['claude-code/edge_cases.jsonl', 'jsonl'],
  ['claude-code/representative_messages.jsonl', 'jsonl'],
  ['codex/function_calls.jsonl', 'jsonl'],
  ['codex/standard_session.jsonl', 'jsonl'],
  ['gemini-cli/standard_session.json', 'json'],
  ['gemini-cli/tool_calls.json', 'json'],
  ['github-actions/1_All Tests (Linux).txt', 'text'],
  ['mini-swe-agent/github_issue.traj.json', 'json'],
  ['mini-swe-agent/local.traj.json', 'json'],
  ['openai-chat/MockAirlineDomainEnv-few_shot.jsonl', 'jsonl'],
  ['reflexion/base_react_thought_log.txt', 'text'],
  ['swe-agent/coding_challenge_output.log', 'log'],
  ['swe-agent/function_calling_simple.traj', 'json'],
  ['swe-agent/marshmallow-code__marshmallow-1867.traj', 'json'],
  ['swe-agent/union_type_error.txt', 'text'],
  ['edge/ansi.log', 'log'],
  ['edge/bad-line-in-middle.jsonl', null, 'malformed_input line 4'],
  ['edge/big-numbers.json', 'json'],
  ['edge/binary.png', null, 'unsupported_format'],
  ['edge/chinese.md', 'markdown'],
  ['edge/cr-only.txt', 'text'],
  ['edge/crlf.md', 'markdown'],
  ['edge/deep-json.json', 'json'],
  ['edge/duplicate-keys.json', 'json'],
  ['edge/emoji-zwj.txt', 'text'],
  ['edge/empty-lines.jsonl', 'jsonl'],
  ['edge/empty.txt', 'text'],
  ['edge/invalid-utf8.json', null, 'malformed_input line 1'],
  ['edge/invalid-utf8.log', 'log'],
  ['edge/japanese.jsonl', 'jsonl'],
  ['edge/lone-surrogate-escape.jsonl', 'jsonl'],
  ['edge/no-extension', 'text'],
  ['edge/nul-bytes.log', 'log'],
  ['edge/one-megabyte-line.log', 'log'],
  ['edge/only-whitespace.log', 'log'],
  ['edge/raw-control-char.jsonl', null, 'malformed_input line 4'],
  ['edge/special-tokens.txt', 'text'],
  ['edge/torn-last-line.jsonl', null, 'malformed_input line 7'],
  ['edge/two-objects-on-one-line.jsonl', null, 'malformed_input line 2'],
  ['edge/utf16be-bom.txt', 'text'],
  ['edge/utf16le-bom.log', 'log'],
  ['edge/utf8-bom.jsonl', 'jsonl'],
  ['edge/windows-paths.log', 'log'],
]

/** Whose log a sample is, by the beginning of its path; of the others nothing is asked. */
const PRODUCERS = [
  ['claude-code/', 'claude-code'],
  ['codex/', 'codex'],
  ['gemini-cli/', 'gemini-cli'],
  ['github-actions/', 'github-actions'],
  ['mini-swe-agent/', 'mini-swe-agent'],
  ['openai-chat/', 'openai-chat'],
  ['swe-agent/function_calling_simple.traj', 'swe-agent'],
  ['swe-agent/marshmallow', 'swe-agent'],
  ['edge/japanese.jsonl', 'openai-chat'],
] as const

const samples = samplesFolder()
if (samples === null) noticeWithout('samples')

describe.skipIf(samples === null)('every sample', () => {
  let workspace: string
  // Where the samples are not, this is read all the same, and what is made here nobody removes.
  beforeAll(() => {
    workspace = mkdtempSync(join(tmpdir(), 'knowhow-samples-'))
  })
  afterAll(() => rmSync(workspace, { recursive: true }))
  const machine = diskMachine()

  test('is named here', () => {
    const listed = readFileSync(join(samples ?? '', 'INDEX.tsv'), 'utf8')
      .trimEnd()
      .split('\n')
      .slice(1)
    expect(SAMPLES.map(([path]) => path).sort()).toEqual(listed.map((line) => line.split('\t')[0] ?? '').sort())
  })

  for (const [path, format, error] of SAMPLES) {
    test(`${path}: ${error ?? format}`, async () => {
      const original = readFileSync(join(samples ?? '', path))
      const result = await runOnDisk<ImportResult>(machine, workspace, 'procedure_import', {
        files: [join(samples ?? '', path)],
        extractor: 'offline',
      })
      const [code, lineWords] = error?.split(' line ') ?? []
      expect(result.status).toBe(error === undefined ? 'complete' : 'incomplete')
      expect(result.format).toBe(format)
      expect(result.error?.code).toBe(code as string)
      if (lineWords !== undefined) expect(result.error?.message).toContain(`line ${lineWords}:`)
      expect(result.sha256).toBe(digest.sha256(original))
      expect(result.bytes).toBe(original.length)
      expect(readFileSync(join(workspace, result.trajectory ?? '')).equals(original)).toBe(true)
      if (error === undefined) expect(result.segments.done).toBe(result.segments.total as number)
      if (error !== undefined) return
      const inspected = await runOnDisk<{ producer: string | null; tools: number; failures: number }>(
        machine,
        workspace,
        'inspect',
        { file: join(samples ?? '', path) },
      )
      const [, producer] = PRODUCERS.find(([beginning]) => path.startsWith(beginning)) ?? []
      if (producer !== undefined) expect(inspected.producer).toBe(producer)
      // What the import says of itself is of the same reading.
      const { tools, failures } = inspected
      if (producer !== undefined && failures > 0) expect(result.reply).toContain(`${failures} of ${tools} calls failed`)
    }, 60_000)
  }
})
