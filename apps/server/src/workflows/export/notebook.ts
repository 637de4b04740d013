import { type Display, type Entry, mathSegments, type ToolCallEntry } from '@threadbox/protocol/public'
import {
  callLine,
  callProblem,
  displayText,
  type ExportSource,
  inputText,
  mcpCallTexts,
  missingNote,
  resultBytes,
  wholeOutput,
} from './exported-call.ts'
import { fenced, oneLine } from './markdown.ts'

type Cell = Record<string, unknown>
type Output = Record<string, unknown>

/** The format 4.5 of Jupyter: https://nbformat.readthedocs.io. Cells come one by one, so that a long one is no long string. */
export async function* notebookOf(
  source: ExportSource,
  thread: { title: string; entries: readonly Entry[] },
): AsyncGenerator<string> {
  const metadata = {
    kernelspec: { name: 'python3', display_name: 'Python 3', language: 'python' },
    language_info: { name: 'python' },
    title: thread.title,
  }
  yield `{"nbformat":4,"nbformat_minor":5,"metadata":${JSON.stringify(metadata)},"cells":[\n`
  yield JSON.stringify(markdownCell('title', `# ${oneLine(thread.title)}`))
  const count = { cells: 0 }
  for (const entry of thread.entries) {
    const cell = await cellOf(source, entry, count)
    if (cell !== undefined) yield `,\n${JSON.stringify(cell)}`
  }
  yield '\n]}\n'
}

async function cellOf(source: ExportSource, entry: Entry, count: { cells: number }): Promise<Cell | undefined> {
  if (entry.kind === 'user-message') return markdownCell(entry.id, `**You**\n\n${entry.text}`)
  if (entry.kind === 'text')
    return entry.text.trim() === '' ? undefined : markdownCell(entry.id, jupyterMath(entry.text))
  if (entry.kind !== 'tool-call') return undefined
  const code = codeOf(entry)
  if (code === undefined) return markdownCell(entry.id, noteOf(entry))
  count.cells += 1
  const problem = callProblem(entry)
  return {
    cell_type: 'code',
    id: entry.id,
    // Without the mark a run of the whole notebook would end at the first thing that did not work.
    metadata: problem === null ? {} : { tags: ['raises-exception'] },
    source: code,
    execution_count: count.cells,
    outputs: await outputsOf(source, entry),
  }
}

/** Jupyter takes every pair of dollars for a formula: those that are none are escaped. */
function jupyterMath(markdown: string): string {
  const parts = mathSegments(markdown).map(({ kind, text }) => {
    if (kind === 'inline') return `$${text}$`
    if (kind === 'display') return `$$${text}$$`
    return kind === 'code' ? text : text.replaceAll(/(?<!\\)\$/g, '\\$')
  })
  return parts.join('')
}

function markdownCell(id: string, text: string): Cell {
  return { cell_type: 'markdown', id, metadata: {}, source: text }
}

/** What a kernel of Jupyter runs to do the same; undefined for what only the sandbox can do. */
function codeOf(call: ToolCallEntry): string | undefined {
  if (call.tool === 'run_python') return inputText(call, 'code')
  if (call.tool === 'run_command') return `%%bash\n${inputText(call, 'command')}`
  if (call.tool !== 'write_file' || call.status !== 'succeeded') return undefined
  const [path, content] = [inputText(call, 'path'), inputText(call, 'content')].map(pythonText)
  return [
    'from pathlib import Path',
    `_path = Path(${path})`,
    '_path.parent.mkdir(parents=True, exist_ok=True)',
    `_ = _path.write_text(${content})`,
  ].join('\n')
}

/** A JSON string is one of Python, but for halves of characters, which both languages refuse to write. */
function pythonText(text: string): string {
  return JSON.stringify(text.toWellFormed())
}

function noteOf(call: ToolCallEntry): string {
  const problem = callProblem(call)
  const { result } = call
  return [
    fenced(callLine(call), 'text'),
    ...(result?.kind === 'diff' ? [fenced(result.diff, 'diff')] : []),
    ...mcpCallTexts(call).map((part) => fenced(part, 'text')),
    ...(problem === null ? [] : [oneLine(problem)]),
  ].join('\n\n')
}

async function outputsOf(source: ExportSource, call: ToolCallEntry): Promise<Output[]> {
  const output = await wholeOutput(source, call)
  const { text } = output
  const missing = missingNote(output)
  const { result } = call
  const displays = result?.kind === 'python' ? result.displays : []
  const traceback = result?.kind === 'python' ? result.traceback : null
  const note = missing === '' ? '' : `\n[${missing}]\n`
  return [
    ...(text === '' ? [] : [{ output_type: 'stream', name: 'stdout', text: `${text}${note}` }]),
    ...(await Promise.all(displays.map((display) => displayOutput(source, display)))),
    ...(traceback === null ? [] : [errorOutput(traceback)]),
  ]
}

async function displayOutput(source: ExportSource, { items }: Display): Promise<Output> {
  const data: Record<string, unknown> = {}
  for (const item of items) {
    const content = await contentOf(source, item)
    if (content !== undefined) data[item.mediaType] = content
  }
  return { output_type: 'display_data', data, metadata: {} }
}

/** Text as it is, JSON as a value, everything else in base64. */
async function contentOf(source: ExportSource, item: Display['items'][number]): Promise<unknown> {
  const isText = item.mediaType.startsWith('text/') || item.mediaType === 'image/svg+xml'
  const isJson = /[/+]json$/.test(item.mediaType)
  if (isText || isJson) {
    const text = await displayText(source, item)
    return text === undefined || !isJson ? text : jsonOf(text)
  }
  return (await resultBytes(source, { url: item.url ?? '', sizeBytes: item.sizeBytes }))?.toString('base64')
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function errorOutput(traceback: string): Output {
  const lines = traceback.trimEnd().split('\n')
  const [, name = 'Error', value = ''] = /^([\w.]+)(?:: (.*))?$/.exec(lines.at(-1) ?? '') ?? []
  return { output_type: 'error', ename: name, evalue: value, traceback: lines }
}
