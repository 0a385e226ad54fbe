/**
 * `fts5-search build DATABASE FOLDER`, `fts5-search search DATABASE FOLDER QUERY` (looks at every file first and indexes
 * what changed), `fts5-search trust DATABASE FOLDER QUERY` (does not look). Searches print the five best files as JSON.
 */
import { readFileSync } from 'node:fs'
import { bringUpToDate, buildDatabase, searchDatabase } from './fts5-database.ts'

const [command, database = '', folder = '', query = ''] = process.argv.slice(2)
switch (command) {
  case 'build':
    buildDatabase(database, folder)
    break
  case 'search':
    bringUpToDate(database, folder)
    printHits()
    break
  case 'trust':
    printHits()
    break
  default:
    throw new Error('usage: fts5-search build|search|trust DATABASE FOLDER [QUERY]')
}

function printHits(): void {
  const results = searchDatabase(database, query, 5).map(({ name, score }) => ({
    path: `procedures/${name}`,
    score,
    experience: JSON.parse(readFileSync(`${folder}/${name}`, 'utf8')) as unknown,
  }))
  console.log(JSON.stringify({ query, results }))
}
