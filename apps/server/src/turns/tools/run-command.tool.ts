import { z } from 'zod'
import type { CallOutcome } from '../record/turn-record.ts'
import { type ExecutionEnd, followExecution } from './follow-run.ts'
import { endStatusOf, outputForModel } from './run-outcome.ts'
import { defineTool, type ToolContext } from './tool.ts'

const defaultTimeoutSeconds = 600
const maxTimeoutSeconds = 86_400

const input = z.object({
  command: z.string().min(1).max(100_000).describe('Bash command or script.'),
  timeout_seconds: z
    .number()
    .int()
    .min(1)
    .max(maxTimeoutSeconds)
    .optional()
    .describe(
      `Time limit. The command and everything it started are killed when it expires. Default ${defaultTimeoutSeconds}.`,
    ),
})

/** Runs a command in the thread's shell session. */
export const runCommand = defineTool({
  name: 'run_command',
  description:
    'Runs a Bash command in the sandbox as the user `user` and returns its output and exit code. All commands share ' +
    'one shell session that lasts across messages: the working directory, exported variables, functions and an ' +
    'activated virtual environment persist. Commands you run in parallel each get a copy of the session. There is no ' +
    'terminal and no input: use flags such as -y. Long output is shortened for you and saved in full to a file. ' +
    'Start servers with start_service. Start any other long job that must outlive the command in the background with ' +
    'its output in a file, for example `nohup python train.py > train.log 2>&1 &`.',
  input,
  recovery: 'attach',
  isWriting: false,
  run: async ({ command, timeout_seconds }, context) => {
    const timeoutMs = (timeout_seconds ?? defaultTimeoutSeconds) * 1000
    const end = await followExecution(context, {
      start: { case: 'startCommand', value: { command, timeoutMs } },
      onDisplay: async () => undefined,
    })
    return outcomeOf(context, { end, timeoutMs })
  },
})

async function outcomeOf(context: ToolContext, run: { end: ExecutionEnd; timeoutMs: number }): Promise<CallOutcome> {
  const ended = run.end.kind === 'ended' ? run.end.ended : undefined
  const { status, error } = endStatusOf(run.end, { timeoutMs: run.timeoutMs, isSuccess: ended?.exitCode === 0 })
  const output = await outputForModel(context)
  const exitCode = ended === undefined || error !== null ? null : ended.exitCode
  const facts = [
    exitCode === null ? null : `exit code ${exitCode}`,
    ended === undefined ? null : `${(ended.durationMs / 1000).toFixed(1)} s`,
    ended === undefined || ended.cwd === '' ? null : `directory ${ended.cwd}`,
    ended === undefined || ended.stillRunning.length === 0
      ? null
      : `still running in the background: ${ended.stillRunning.join('; ')}`,
  ].filter((fact) => fact !== null)
  const reason = error === null ? '' : `\n${error.message} ${error.remedy}`
  const body = output === '' ? '(no output)' : output
  return {
    status,
    result: { kind: 'command', exitCode, cwd: ended?.cwd === '' ? null : (ended?.cwd ?? null) },
    error,
    output: { text: `${body}\n[${facts.join(', ')}]${reason}`.replace('\n[]', ''), isError: error !== null },
    stillRunning: ended?.stillRunning ?? [],
  }
}
