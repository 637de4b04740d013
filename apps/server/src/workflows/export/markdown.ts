import type { Entry, ToolCallEntry } from '@threadbox/protocol/public'
import {
  callLine,
  callProblem,
  displayText,
  type ExportSource,
  inputText,
  mcpCallTexts,
  missingNote,
  wholeOutput,
} from './exported-call.ts'

/** The conversation as Markdown, piece by piece. Messages of the person are quoted, so that nothing in them ends them. */
export async function* markdownOf(
  source: ExportSource,
  thread: { title: string; entries: readonly Entry[] },
): AsyncGenerator<string> {
  yield `# ${oneLine(thread.title)}\n`
  for (const entry of thread.entries) {
    const text = await entryMarkdown(source, entry)
    if (text !== '') yield `\n${text}\n`
  }
}

async function entryMarkdown(source: ExportSource, entry: Entry): Promise<string> {
  if (entry.kind === 'user-message') {
    const files = entry.attachments.map(({ name, path }) => `- attached: ${code(name)} at ${code(path)}`)
    return [quoted(entry.text), ...files].filter((part) => part !== '').join('\n\n')
  }
  if (entry.kind === 'text') return entry.text.trim()
  return entry.kind === 'tool-call' ? await callMarkdown(source, entry) : ''
}

async function callMarkdown(source: ExportSource, call: ToolCallEntry): Promise<string> {
  const output = await wholeOutput(source, call)
  const { text } = output
  const missing = missingNote(output)
  const problem = callProblem(call)
  const { result } = call
  return [
    ...shown(call),
    ...(text.trim() === '' ? [] : [fenced(text, 'text')]),
    ...(missing === '' ? [] : [`*${missing}*`]),
    ...(result?.kind === 'python' ? await displaysMarkdown(source, result.displays) : []),
    ...(result?.kind === 'python' && result.traceback !== null ? [fenced(result.traceback, 'text')] : []),
    ...(result?.kind === 'diff' ? [fenced(result.diff, 'diff')] : []),
    ...mcpCallTexts(call).map((part) => fenced(part, 'text')),
    ...(problem === null ? [] : [`*${oneLine(problem)}*`]),
  ].join('\n\n')
}

function shown(call: ToolCallEntry): string[] {
  if (call.tool === 'run_command') return [fenced(inputText(call, 'command'), 'bash')]
  if (call.tool === 'run_python') return [fenced(inputText(call, 'code'), 'python')]
  return [code(callLine(call))]
}

type Displays = Extract<ToolCallEntry['result'], { kind: 'python' }>['displays']

async function displaysMarkdown(source: ExportSource, displays: Displays): Promise<string[]> {
  const parts = displays.map(async ({ items }) => {
    const plain = items.find(({ mediaType }) => mediaType === 'text/plain')
    const text = plain === undefined ? undefined : await displayText(source, plain)
    return text === undefined ? `*${items[0]?.mediaType ?? 'a result'}*` : fenced(text, 'text')
  })
  return await Promise.all(parts)
}

function quoted(text: string): string {
  return text.trim() === ''
    ? ''
    : text
        .trim()
        .split(/\r\n|[\n\r]/)
        .map((line) => (line === '' ? '>' : `> ${line}`))
        .join('\n')
}

/** A block that ends where it should, whatever is in it. */
export function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}`
}

function code(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length))
  const fence = '`'.repeat(longest + 1)
  const gap = longest > 0 ? ' ' : ''
  return `${fence}${gap}${oneLine(text)}${gap}${fence}`
}

export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
