import type { IncomingMessage, ServerResponse } from 'node:http'
import { defineError } from '@threadbox/errors'
import { z } from 'zod'
import { readJson, sendJson } from '../ground/http.ts'
import { pathOf, type Route } from '../ground/server.ts'
import { type CellListener, type Context, silence } from './context.ts'
import type { Contexts } from './contexts.ts'
import { stripTerminalCodes } from './jupyter-messages.ts'

export const languageUnsupported = defineError<{ language: string }>({
  code: 'context.language-unsupported',
  kind: 'unsupported',
  message: ({ language }) => `This sandbox has no kernel for “${language}”.`,
  remedy: () => 'Use python, or run the program as a command.',
})

export const codeRequestInvalid = defineError<{ problem: string }>({
  code: 'context.request-invalid',
  kind: 'invalid',
  message: ({ problem }) => `The request is not valid: ${problem}`,
  remedy: () => 'Correct the request.',
})

const executeSchema = z.object({
  code: z.string(),
  context_id: z.string().nullish(),
  language: z.string().nullish(),
  env_vars: z.record(z.string(), z.string()).nullish(),
})
const createSchema = z.object({ language: z.string().nullish(), cwd: z.string().nullish() })
const keepAliveMs = 5_000

/** Names of the only supported language. */
const pythonNames = new Set(['python', 'python3', 'py'])

/** Routes of E2B's code interpreter; cells run in the same contexts. */
export function codeRoutes(contexts: Contexts): Route[] {
  return [
    {
      method: 'GET',
      path: '/health',
      access: 'open',
      handle: (_request, response) => sendJson(response, { body: 'OK' }),
    },
    {
      method: 'POST',
      path: '/execute',
      access: 'token',
      handle: (request, response) => execute(request, { response, contexts }),
    },
    {
      method: 'GET',
      path: '/contexts',
      access: 'token',
      handle: (_request, response) => sendJson(response, { body: contexts.list().map(describe) }),
    },
    {
      method: 'POST',
      path: '/contexts',
      access: 'token',
      handle: async (request, response) => {
        const { language, cwd } = parse(createSchema, await readJson(request))
        requirePython(language)
        sendJson(response, { body: describe(contexts.create({ cwd: cwd ?? undefined })) })
      },
    },
    {
      method: 'POST',
      path: /^\/contexts\/[^/]+\/restart$/,
      access: 'token',
      handle: async (request, response) => {
        await contexts.get(contextIdOf(request)).restart()
        sendJson(response, { body: null })
      },
    },
    {
      method: 'DELETE',
      path: /^\/contexts\/[^/]+$/,
      access: 'token',
      handle: async (request, response) => {
        await contexts.remove(contextIdOf(request))
        sendJson(response, { body: null })
      },
    },
  ]
}

function contextIdOf(request: IncomingMessage): string {
  return decodeURIComponent(pathOf(request).split('/')[2] ?? '')
}

function describe(context: Context) {
  return { id: context.id, language: 'python', cwd: context.cwd }
}

function requirePython(language: string | null | undefined) {
  if (language && !pythonNames.has(language)) throw languageUnsupported({ language })
}

function parse<Value>(schema: z.ZodType<Value>, body: unknown): Value {
  const parsed = schema.safeParse(body)
  if (!parsed.success) throw codeRequestInvalid({ problem: z.prettifyError(parsed.error) })
  return parsed.data
}

async function execute(request: IncomingMessage, options: { response: ServerResponse; contexts: Contexts }) {
  const { response, contexts } = options
  const body = parse(executeSchema, await readJson(request))
  if (body.context_id && body.language) {
    throw codeRequestInvalid({ problem: 'only one of context_id and language can be given' })
  }
  requirePython(body.language)
  const context = contexts.get(body.context_id ?? '')
  response.writeHead(200, { 'content-type': 'application/x-ndjson' })
  response.flushHeaders()
  const send = (line: object) => void response.write(`${JSON.stringify(line)}\n`)
  const cell = runWith(context, { code: body.code, variables: body.env_vars ?? {}, listener: ndjsonListener(send) })
  const keepAlive = setInterval(() => send({ type: 'keepalive' }), keepAliveMs)
  // The client has disconnected, so the execution is stopped.
  response.once('close', () => {
    cell.cancel()
    cell.kernel()?.interrupt()
  })
  try {
    await cell.done
  } catch (error) {
    const value = error instanceof Error ? error.message : 'The kernel has failed.'
    send({ type: 'error', name: 'KernelError', value, traceback: value })
  } finally {
    clearInterval(keepAlive)
  }
  send({ type: 'end_of_execution' })
  response.end()
}

/** Code that sets variables for one execution, and code that restores the previous ones. */
function variableCells(variables: Record<string, string>): { before: string; after: string } | undefined {
  if (Object.keys(variables).length === 0) return undefined
  const literal = `__import__('json').loads(${JSON.stringify(JSON.stringify(variables))})`
  const before = [
    `import os as _tb_os`,
    `_tb_kept = {name: _tb_os.environ.get(name) for name in ${literal}}`,
    `_tb_os.environ.update(${literal})`,
  ]
  const after = [
    `[_tb_os.environ.pop(name, None) if value is None else _tb_os.environ.update({name: value})`,
    ` for name, value in _tb_kept.items()]`,
    `del _tb_kept, _tb_os`,
  ]
  return { before: before.join('\n'), after: after.join('\n') }
}

/** Queues the cells together, so that no other client's cell runs between them. */
function runWith(
  context: Context,
  options: { code: string; variables: Record<string, string>; listener: CellListener },
) {
  const cells = variableCells(options.variables)
  const runSilently = (code: string) => {
    context.run({ code, silent: true, listener: silence }).done.catch(() => undefined)
  }
  if (cells !== undefined) runSilently(cells.before)
  const cell = context.run(options)
  if (cells !== undefined) runSilently(cells.after)
  return cell
}

/** MIME types with a field of their own in a result; others go into `extra`. */
const fieldOfType: Record<string, string> = {
  'text/plain': 'text',
  'text/html': 'html',
  'text/markdown': 'markdown',
  'image/svg+xml': 'svg',
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'application/pdf': 'pdf',
  'text/latex': 'latex',
  'application/json': 'json',
  'application/javascript': 'javascript',
  'e2b/data': 'data',
  'e2b/chart': 'chart',
}

function ndjsonListener(send: (line: object) => void): CellListener {
  return {
    onExecutionCount: (count) => send({ type: 'number_of_executions', execution_count: count }),
    onStream: ({ name, text }) => send({ type: name, text, timestamp: Date.now() * 1_000_000 }),
    onError: ({ name, value, traceback }) =>
      send({ type: 'error', name, value, traceback: stripTerminalCodes(traceback.join('\n')) }),
    onDisplay: ({ bundle, isResult }) => send({ type: 'result', ...fieldsOf(bundle), is_main_result: isResult }),
  }
}

function fieldsOf(bundle: object): Record<string, unknown> {
  const data = (bundle as { data?: Record<string, unknown> }).data ?? {}
  const fields: Record<string, unknown> = {}
  const extra: Record<string, unknown> = {}
  for (const [type, value] of Object.entries(data)) {
    const field = fieldOfType[type]
    if (field === undefined) extra[type] = value
    else fields[field] = field === 'text' ? withoutQuotes(String(value)) : value
  }
  return Object.keys(extra).length === 0 ? fields : { ...fields, extra }
}

/** A string result arrives as its Python literal; clients expect its text. */
function withoutQuotes(text: string): string {
  return /^(['"]).*\1$/s.test(text) && text.length > 1 ? text.slice(1, -1) : text
}
