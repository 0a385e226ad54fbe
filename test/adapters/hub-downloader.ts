/** One tokenizer by a process of its own: `hub-downloader.ts NAME` prints where it came from and its text. */
import process from 'node:process'
import { hubTokenizerFile } from '../../src/adapters/hub-tokenizer.ts'

const [name = ''] = process.argv.slice(2)
const { bytes, from } = await hubTokenizerFile(name, { environment: process.env, bytesMax: 1_000_000 })
console.log(JSON.stringify({ from, text: new TextDecoder().decode(bytes) }))
// Without this a pooled connection keeps the process for a while.
process.exit(0)
