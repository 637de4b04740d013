import { defineError } from '@threadbox/errors'

/** `problemCode` and its values: the same for the app, which translates it. Absent for texts of other programs. */
type Problem = { problem: string; problemCode?: string; systemCode?: string; answer?: string }

export const connectionNotFound = defineError({
  code: 'connection.not-found',
  kind: 'not-found',
  message: () => 'Connection not found.',
  remedy: () => 'Choose one from the list of connections.',
})

export const connectionToolNotFound = defineError<{ tool: string }>({
  code: 'connection.tool-not-found',
  kind: 'not-found',
  message: ({ tool }) => `The connection has no tool named ${tool}.`,
  remedy: () => 'Reload its tools; the server may have changed them.',
})

export const connectionNameTaken = defineError<{ name: string }>({
  code: 'connection.name-taken',
  kind: 'conflict',
  message: ({ name }) => `The name ${name} gives tools the same prefix as an existing connection.`,
  remedy: () => 'Choose another name.',
})

export const connectionLimit = defineError<{ limit: number }>({
  code: 'connection.limit',
  kind: 'conflict',
  message: ({ limit }) => `You can have up to ${limit} connections here.`,
  remedy: () => 'Remove a connection you don’t use.',
})

export const connectionUnreachable = defineError<Problem>({
  code: 'connection.unreachable',
  kind: 'unavailable',
  message: ({ problem }) => `Couldn’t reach the MCP server: ${problem}`,
  remedy: () => 'Check the URL and that the server is running, then test the connection.',
})

export const connectionTimedOut = defineError<{ seconds: number }>({
  code: 'connection.timed-out',
  kind: 'unavailable',
  message: ({ seconds }) => `The MCP server didn’t send a complete response within ${seconds} seconds.`,
  remedy: () => 'Try again later or request less data. The call may have been partly carried out on the server.',
})

export const connectionUnauthorized = defineError<{ status: number }>({
  code: 'connection.unauthorized',
  kind: 'unavailable',
  message: ({ status }) => `The MCP server rejected the token (HTTP status ${status}).`,
  remedy: () => 'Enter a new token in Settings → Connections, and check the token’s permissions.',
})

export const connectionLoginNeeded = defineError({
  code: 'connection.login-needed',
  kind: 'unavailable',
  message: () => 'The MCP server requires sign-in.',
  remedy: () => 'Select Sign in next to it in Settings → Connections.',
})

export const connectionLoginFailed = defineError<Problem>({
  code: 'connection.login-failed',
  kind: 'conflict',
  message: ({ problem }) => `Couldn’t sign in to the MCP server: ${problem}`,
  remedy: () => 'Sign in again in Settings → Connections.',
})

export const connectionHasNoLogin = defineError({
  code: 'connection.has-no-login',
  kind: 'conflict',
  message: () => 'This connection doesn’t use OAuth.',
  remedy: () => 'Set its authentication to “Sign in with OAuth” first.',
})

export const connectionHttpFailed = defineError<{ status: number }>({
  code: 'connection.http-failed',
  kind: 'unavailable',
  message: ({ status }) => `The MCP server responded with HTTP status ${status}.`,
  remedy: () => 'Check that the URL is an MCP server over streamable HTTP, then test the connection.',
})

export const connectionAnswerInvalid = defineError<Problem>({
  code: 'connection.answer-invalid',
  kind: 'unavailable',
  message: ({ problem }) => `The MCP server sent an invalid response: ${problem}`,
  remedy: () => 'Check the URL. If it’s correct, the problem is in the MCP server.',
})

export const connectionRefused = defineError<{ problem: string }>({
  code: 'connection.request-refused',
  kind: 'unavailable',
  message: ({ problem }) => `The MCP server rejected the request: ${problem}`,
  remedy: () => 'Change the request accordingly, or do it another way.',
})

export const connectionToolGone = defineError<{ tool: string }>({
  code: 'connection.tool-gone',
  kind: 'unavailable',
  message: ({ tool }) =>
    `${tool} is no longer available: the server no longer offers it, or the connection was removed or turned off.`,
  remedy: () => 'Do it another way, or check the connection in Settings → Connections.',
})

export const connectionToolOff = defineError<{ tool: string }>({
  code: 'connection.tool-off',
  kind: 'forbidden',
  message: ({ tool }) => `The tool ${tool} is turned off for this connection.`,
  remedy: () => 'Do it another way. A person can turn it on in Settings → Connections.',
})

export const connectionApprovalMissing = defineError<{ tool: string }>({
  code: 'connection.approval-missing',
  kind: 'forbidden',
  message: ({ tool }) => `${tool} needs approval, and this turn is unattended.`,
  remedy: () => 'Do it another way. A person can always allow the tool in Settings → Connections.',
})

export const connectionCallDenied = defineError<{ tool: string }>({
  code: 'connection.call-denied',
  kind: 'forbidden',
  message: ({ tool }) => `The user denied this call of ${tool}, so it wasn’t made.`,
  remedy: () => 'Don’t call it again unless the user asks you to. Do it another way, or ask what they want.',
})

export const connectionProgramNotStarted = defineError<{ command: string; problem: string }>({
  code: 'connection.program-not-started',
  kind: 'unavailable',
  message: ({ command, problem }) => `Couldn’t start ${command} in the connection’s sandbox: ${problem}`,
  remedy: () => 'Check the command. npx, uvx, node and python3 are available; npx and uvx install what you name.',
})

/** `lastWords`: the program's last output, without secrets; a dash when there was none. */
export const connectionProgramEnded = defineError<{ how: string; lastWords: string }>({
  code: 'connection.program-ended',
  kind: 'unavailable',
  message: ({ how, lastWords }) => `The MCP program exited (${how}). Last output: ${lastWords}`,
  remedy: () =>
    'Check its arguments and variables, then test the connection. An interrupted call may have been partly ' +
    'carried out.',
})

export const connectionProgramRestarts = defineError<{ failures: number; minutes: number }>({
  code: 'connection.program-restarts',
  kind: 'unavailable',
  message: ({ failures, minutes }) =>
    `The MCP program failed ${failures} times in ${minutes} minutes, so it’s not being restarted.`,
  remedy: () => 'Test the connection in Settings → Connections to see what’s wrong and start it again.',
})

export const connectionProgramBusy = defineError<{ limit: number }>({
  code: 'connection.program-busy',
  kind: 'unavailable',
  message: ({ limit }) => `The MCP program is already running for ${limit} conversations, the maximum.`,
  remedy: () => 'Try again when one of those calls has finished.',
})

export const connectionProgramLimit = defineError<{ limit: number }>({
  code: 'connection.program-limit',
  kind: 'conflict',
  message: ({ limit }) => `You can have up to ${limit} connections that run a program.`,
  remedy: () => 'Remove one, or ask an administrator to raise THREADBOX_CONNECTION_PROGRAMS.',
})

export const connectionSecretMissing = defineError({
  code: 'connection.secret-missing',
  kind: 'invalid',
  message: () => 'The saved secrets belong to a different program.',
  remedy: () => 'Send all variables with their values.',
})

export const connectionKindOther = defineError<{ field: string }>({
  code: 'connection.kind-other',
  kind: 'invalid',
  message: ({ field }) => `This type of connection has no ${field}.`,
  remedy: () => 'Create a new connection of the type you need.',
})
