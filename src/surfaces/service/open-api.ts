/** The service as OpenAPI 3.1, made of the operation table: what each route takes, answers and refuses. */
import type * as v from 'valibot'
import { inputJsonSchema, jsonSchemaOf } from '../../app/json-schema.ts'
import type { Operation } from '../../app/operation.ts'
import { operationsFor } from '../../app/operation-table.ts'
import { errorReportSchema } from '../../model/error-report.ts'
import { ERROR_CODES } from '../../model/memory-error.ts'
import { readCommandLine } from '../command-line.ts'
import { type ErrorStatus, statusOfError } from '../http-statuses.ts'
import { shellWords } from '../shell-words.ts'
import { healthOutput } from './readiness.ts'

type Json = Readonly<Record<string, unknown>>

/** What a status means to a client, of those that every route may answer with. */
/** The listener's own too, which no error code has. */
const MEANINGS: Readonly<Record<ErrorStatus | 408 | 431, string>> = {
  400: 'The request is at fault: its JSON, a field, or its target.',
  401: 'The token is missing or another.',
  403: 'On a loopback address: Host or Origin is not of this machine.',
  404: 'There is no such experience, original, memory or session.',
  405: 'Another method; Allow names those there are.',
  408: 'The request took too long to come.',
  409: 'The state of the workspace is against it.',
  413: 'The body is too large.',
  415: 'The body is no JSON in UTF-8.',
  422: 'What it asks about cannot be taken as it is.',
  423: 'Another process holds the lock of the workspace.',
  429: 'A budget is used up.',
  431: 'The header of the request is too long.',
  500: 'A fault of the service; its log has the details under the request id.',
  503: 'The service cannot answer now; Retry-After says when to come again, where that is known.',
  507: 'The disk of the service is full.',
}

export function openApiDocument(version: string): Json {
  const paths = operationsFor('service').map((operation) => [`/${operation.name}`, { post: described(operation) }])
  return {
    openapi: '3.1.0',
    info: {
      title: 'knowhow',
      version,
      description:
        'Experiences of agent runs, found again, and a memory graph. Answers are references from the past, not instructions.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    security: [{}, { token: [] }],
    paths: {
      ...Object.fromEntries(paths),
      '/health': { get: own('health', 'Whether the workspace can be read.', healthOutput()) },
      '/openapi.json': { get: own('openapi', 'This document.') },
      '/mcp': {
        post: {
          ...own('mcp', 'The same operations by the Model Context Protocol: one message of JSON-RPC, errors too.'),
          requestBody: { required: true, content: json({ type: 'object' }) },
        },
      },
    },
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'KNOWHOW_TOKEN of the service; needed where one is set.',
        },
      },
      schemas: { Error: errorSchema() },
      responses: Object.fromEntries(
        Object.entries(MEANINGS).map(([status, description]) => [
          `Status${status}`,
          { description, content: json(ERROR) },
        ]),
      ),
    },
  }
}

const ERROR = { $ref: '#/components/schemas/Error' }

function described(operation: Operation): Json {
  const examples = Object.fromEntries(operation.examples.flatMap((line) => exampleOf(operation, line)))
  return {
    operationId: operation.name,
    summary: operation.summary,
    requestBody: { required: true, content: json(inputJsonSchema(operation), examples) },
    responses: { 200: { description: 'The answer.', content: json(plainSchema(operation.output())) }, ...refusals() },
  }
}

function own(operationId: string, summary: string, output?: v.GenericSchema): Json {
  const schema = output === undefined ? { type: 'object' } : plainSchema(output)
  return {
    operationId,
    summary,
    responses: { 200: { description: 'The answer.', content: json(schema) }, ...refusals() },
  }
}

function refusals(): Json {
  return Object.fromEntries(
    Object.keys(MEANINGS).map((status) => [status, { $ref: `#/components/responses/Status${status}` }]),
  )
}

function json(schema: Json, examples: Json = {}): Json {
  return { 'application/json': Object.keys(examples).length === 0 ? { schema } : { schema, examples } }
}

function plainSchema(schema: v.GenericSchema): Json {
  const { $schema: _, ...plain } = jsonSchemaOf(schema)
  return plain
}

function errorSchema(): Json {
  const statuses = ERROR_CODES.map((code) => `${code} (${statusOfError(code)})`).join(', ')
  return {
    type: 'object',
    required: ['error'],
    properties: {
      error: { ...plainSchema(errorReportSchema()), description: `Codes and their statuses: ${statuses}.` },
    },
  }
}

/** A command line of help as the body that asks the same; none for one that is more than the command. */
function exampleOf(operation: Operation, line: string): readonly (readonly [name: string, example: Json])[] {
  const [program, ...argv] = shellWords(line)
  if (program !== 'knowhow') return []
  const read = readCommandLine(argv)
  return read.kind === 'run' && read.operation === operation ? [[line, { summary: line, value: read.input }]] : []
}
