/**
 * `node scripts/cruise.mjs FOLDER`: what dependency-cruiser says about FOLDER/src under the room rules, as JSON. It runs
 * under Node because under Bun dependency-cruiser does not find the visitor class of swc.
 */
import { createRequire } from 'node:module'
import process from 'node:process'
import swc from '@swc/core/Visitor.js'
import { cruise } from 'dependency-cruiser'

// The visitor knows every statement but `using`, and throws on it.
const { visitStatement } = swc.Visitor.prototype
swc.Visitor.prototype.visitStatement = function (statement) {
  if (statement.type !== 'UsingDeclaration') return visitStatement.call(this, statement)
  this.visitVariableDeclarators(statement.decls)
  return statement
}

const { options, forbidden } = createRequire(import.meta.url)('../.dependency-cruiser.cjs')
process.chdir(process.argv[2] ?? '.')
const { output } = await cruise(['src'], { ...options, validate: true, ruleSet: { forbidden } })
process.stdout.write(JSON.stringify(output))
