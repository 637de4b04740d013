import { process as processes } from '@threadbox/protocol/guest'
import { z } from 'zod'
import type { AwakeSandbox } from '../../sandboxes/public.ts'
import { succeeded } from './outcomes.ts'
import { pathIn } from './sandbox-files.ts'
import { defineTool } from './tool.ts'
import { searchFailed } from './tools.errors.ts'

const input = z.object({
  pattern: z.string().min(1).max(2000).describe('Regular expression (Rust syntax), matched line by line.'),
  path: z.string().min(1).max(4096).optional().describe('File or folder to search. Default: /home/user.'),
  glob: z.string().max(200).optional().describe('Only search files whose name matches, for example *.py'),
  ignore_case: z.boolean().optional(),
  names_only: z.boolean().optional().describe('Return only the names of matching files.'),
})

/** With more matches a narrower search is better than reading them. */
const maxLines = 200
/** The longest path, and the part of a line that ripgrep prints. */
const maxLineCharacters = 5000
/** ripgrep cuts lines (`--max-columns`), and paths have a limit; what a guest returns instead has none. */
const maxCharacters = 1024 * 1024

/** Searches the text of files. */
export const searchFiles = defineTool({
  name: 'search_files',
  description:
    'Searches file contents with ripgrep and returns the file, line number and line of each match, at most 200. ' +
    'Skips hidden files and files ignored by .gitignore.',
  input,
  recovery: 'repeat',
  isWriting: false,
  run: async (call, context) => {
    const path = pathIn(call.path ?? '.')
    const search = await runForLines(context.sandbox, {
      argv: ['rg', ...argumentsOf(call), '--', path],
      maxLines,
      signal: context.signal,
    })
    // ripgrep exits with 1 when nothing matched and with 2 after an error, possibly with matches.
    if (search.exitCode !== null && search.exitCode > 1 && search.lines.length === 0) {
      throw searchFailed({ problem: search.errors.trim().slice(0, 500) || `exit code ${search.exitCode}` })
    }
    const note = search.isCut ? `\n[first ${maxLines} matches only; narrow the search]` : ''
    const text = search.lines.length === 0 ? 'No matches.' : search.lines.join('\n') + note
    return succeeded({ kind: 'text', text, path }, text)
  },
})

function argumentsOf(call: z.infer<typeof input>): string[] {
  return [
    '--color=never',
    '--no-heading',
    '--line-number',
    '--sort=path',
    '--max-columns=400',
    '--max-columns-preview',
    ...(call.ignore_case === true ? ['--ignore-case'] : []),
    ...(call.names_only === true ? ['--files-with-matches'] : []),
    ...(call.glob === undefined ? [] : [`--glob=${call.glob}`]),
    `--regexp=${call.pattern}`,
  ]
}

/** Runs a program by its arguments, without a shell, and ends it after its first lines. */
async function runForLines(
  sandbox: AwakeSandbox,
  options: { argv: readonly string[]; maxLines: number; signal: AbortSignal },
): Promise<{ lines: string[]; errors: string; exitCode: number | null; isCut: boolean }> {
  const [command = '', ...args] = options.argv
  const decoder = new TextDecoder()
  let text = ''
  let errors = ''
  let exitCode: number | null = null
  let pid: number | undefined
  let lineCount = 0
  let isCut = false
  const stream = sandbox.processes.start(
    { process: { cmd: command, args, envs: {} }, stdin: false },
    { signal: options.signal },
  )
  for await (const { event } of stream) {
    const what = event?.event
    if (what?.case === 'start') pid = what.value.pid
    if (what?.case === 'end') exitCode = what.value.exitCode
    if (what?.case !== 'data') continue
    const { output } = what.value
    if (output.case === 'stderr') errors = (errors + decoder.decode(output.value)).slice(0, 4000)
    if (output.case !== 'stdout') continue
    const piece = decoder.decode(output.value, { stream: true })
    text += piece
    lineCount += piece.split('\n').length - 1
    isCut = lineCount > options.maxLines || text.length > maxCharacters
    if (isCut) break
  }
  if (isCut && pid !== undefined) await killQuietly(sandbox, pid)
  const lines = text.split('\n').filter((line) => line !== '')
  return {
    lines: lines.slice(0, options.maxLines).map((line) => line.slice(0, maxLineCharacters)),
    errors,
    exitCode,
    isCut,
  }
}

async function killQuietly(sandbox: AwakeSandbox, pid: number): Promise<void> {
  const request = { process: { selector: { case: 'pid' as const, value: pid } }, signal: processes.Signal.SIGKILL }
  // It may have exited in the meantime, which is fine.
  await sandbox.processes.sendSignal(request).catch(() => undefined)
}
