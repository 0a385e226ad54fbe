/**
 * Writes `pinned-vectors.json`, components of vectors as the reference embedder makes them, for the tests of faster ones:
 * `bun scripts/embedder/pin-vectors.ts MODEL.bin`.
 */
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readArtifact } from './artifact.ts'
import { embed } from './reference-embedder.ts'

/** The first and last, and some between. */
const COLUMN_STEP = 51

/** Plain and repeated words, names, words without a row, other scripts, and texts that have no vector. */
const TEXTS = [
  'disk full',
  'retry retry retry the upload upload',
  'When a container is killed because it exceeds its memory limit',
  'the page takes ages to load for the first visitor each morning',
  'git rebase --onto main feature',
  'src/search/token-scanner.ts',
  'ECONNREFUSED 127.0.0.1:5432',
  'parseHTTPResponse in http_client.py',
  'error E0308: mismatched types',
  'kubernetesdeploymentcontroller',
  'zqxwvk',
  'zqxwvk zqxwvk disk',
  'C++ and c# with g++',
  'l’utilisateur n’a pas été trouvé',
  'Überprüfung der Zertifikate',
  '数据库连接失败',
  'データベースに接続できません',
  'ошибка подключения к базе данных',
  'a of the and to',
  `${'word '.repeat(1_000)}end`,
]

const [path] = process.argv.slice(2)
if (path === undefined) throw new Error('usage: pin-vectors.ts MODEL.bin')
const bytes = readFileSync(path)
const model = readArtifact(bytes)
const vectors = TEXTS.map((text) => {
  const vector = embed(text, model)
  const columns = [...(vector ?? []).keys()].filter((column) => column % COLUMN_STEP === 0)
  return { text, components: vector && Object.fromEntries(columns.map((column) => [column, vector[column]])) }
})
const sha256 = createHash('sha256').update(bytes).digest('hex')
const out = join(import.meta.dir, 'pinned-vectors.json')
writeFileSync(out, `${JSON.stringify({ sha256, width: model.width, rows: model.rowCount, vectors }, null, 2)}\n`)
