import { describe, expect, test } from 'bun:test'
import { hubNameOf } from '../../src/adapters/hub-name.ts'

describe('a name of the hub', () => {
  test.each([
    ['Qwen/Qwen3.8-27B', 'Qwen/Qwen3.8-27B', 'main'],
    ['openai-community/gpt2', 'openai-community/gpt2', 'main'],
    ['a/b@v1.0', 'a/b', 'v1.0'],
    ['a/b@refs/pr/12', 'a/b', 'refs/pr/12'],
    ['_a/b_', '_a/b_', 'main'],
    [`a/${'b'.repeat(96)}`, `a/${'b'.repeat(96)}`, 'main'],
  ])('%s', (source, repository, revision) => {
    expect(hubNameOf(source)).toEqual({ repository, revision })
  })
})

describe('no name of the hub', () => {
  test.each([
    ['a single word', 'gpt2'],
    ['a path', './models/qwen'],
    ['an absolute path', '/models/qwen'],
    ['a longer path', 'models/qwen/small'],
    ['a JSON file', 'models/tokenizer.json'],
    ['a Windows path', 'models\\qwen'],
    ['a drive', 'C:/qwen'],
    ['a built-in', 'builtin:qwen3'],
    ['an address', 'https://huggingface.co/a/b'],
    ['nothing', ''],
    ['an empty organisation', '/b'],
    ['an empty name', 'a/'],
    ['two dots', 'a/b..c'],
    ['the folder above', '../b'],
    ['two hyphens, which a cache could not tell from a slash', 'a--b/c'],
    ['a hyphen at the end', 'a/b-'],
    ['a repository of git', 'a/b.git'],
    ['97 characters', `a/${'b'.repeat(97)}`],
    ['a letter that is not ASCII', 'a/b\u00e9'],
    ['a line end', 'a/b\n'],
    ['a query', 'a/b?c'],
    ['an empty revision', 'a/b@'],
    ['a revision that leaves its folder', 'a/b@../../x'],
    ['an absolute revision', 'a/b@/etc/passwd'],
    ['a revision with a backslash', 'a/b@x\\y'],
    ['a revision that ends with a dot, which Windows drops', 'a/b@main.'],
    ['a revision with a NUL', 'a/b@x\0'],
    ['two revisions', 'a/b@x@y'],
    ['a revision of 201 characters', `a/b@${'r'.repeat(201)}`],
  ])('%s', (_, source) => {
    expect(hubNameOf(source)).toBeNull()
  })
})
