import { defineError } from '@threadbox/errors'

export const connectionNotFound = defineError({
  code: 'connection.not-found',
  kind: 'not-found',
  message: () => 'There is no connection with this id.',
  remedy: () => 'Choose one from the list of connections.',
})

export const connectionToolNotFound = defineError<{ tool: string }>({
  code: 'connection.tool-not-found',
  kind: 'not-found',
  message: ({ tool }) => `The connection has no tool called ${tool}.`,
  remedy: () => 'Look at its tools again: the server may have changed them.',
})

export const connectionNameTaken = defineError<{ name: string }>({
  code: 'connection.name-taken',
  kind: 'conflict',
  message: ({ name }) => `There is already a connection here whose tools would be called as those of ${name}.`,
  remedy: () => 'Give it another name.',
})

export const connectionLimit = defineError<{ limit: number }>({
  code: 'connection.limit',
  kind: 'conflict',
  message: ({ limit }) => `There are already ${limit} connections here, the most there can be.`,
  remedy: () => 'Remove one that is not needed.',
})

export const connectionUnreachable = defineError<{ problem: string }>({
  code: 'connection.unreachable',
  kind: 'unavailable',
  message: ({ problem }) => `The server of the connection could not be reached: ${problem}`,
  remedy: () => 'Check the address and that the server runs, then test the connection.',
})

export const connectionTimedOut = defineError<{ seconds: number }>({
  code: 'connection.timed-out',
  kind: 'unavailable',
  message: ({ seconds }) => `The server of the connection gave no whole answer within ${seconds} seconds.`,
  remedy: () => 'Try again later, or ask for less at once. What the call did on the server is not known.',
})

export const connectionUnauthorized = defineError<{ status: number }>({
  code: 'connection.unauthorized',
  kind: 'unavailable',
  message: ({ status }) => `The server of the connection refused the token (status ${status}).`,
  remedy: () => 'Enter a new token in Settings → Connections. Its rights may also be too few.',
})

export const connectionLoginNeeded = defineError({
  code: 'connection.login-needed',
  kind: 'unavailable',
  message: () => 'Somebody has to log in to the server of the connection.',
  remedy: () => 'Press Log in beside it in Settings → Connections.',
})

export const connectionLoginFailed = defineError<{ problem: string }>({
  code: 'connection.login-failed',
  kind: 'conflict',
  message: ({ problem }) => `The login at the server of the connection failed: ${problem}`,
  remedy: () => 'Begin the login again in Settings → Connections.',
})

export const connectionHasNoLogin = defineError({
  code: 'connection.has-no-login',
  kind: 'conflict',
  message: () => 'This connection uses a token or nothing, no login in the browser.',
  remedy: () => 'Choose "Log in in the browser" for it first.',
})

export const connectionHttpFailed = defineError<{ status: number }>({
  code: 'connection.http-failed',
  kind: 'unavailable',
  message: ({ status }) => `The server of the connection answered with status ${status}.`,
  remedy: () => 'Check that the address is that of an MCP server over streamable HTTP, then test the connection.',
})

export const connectionAnswerInvalid = defineError<{ problem: string }>({
  code: 'connection.answer-invalid',
  kind: 'unavailable',
  message: ({ problem }) => `What the server of the connection answered is not MCP: ${problem}`,
  remedy: () => 'Check the address. If it is right, the server has a defect.',
})

export const connectionRefused = defineError<{ problem: string }>({
  code: 'connection.request-refused',
  kind: 'unavailable',
  message: ({ problem }) => `The server of the connection refused the request. It says: ${problem}`,
  remedy: () => 'Change the request as it says, or do it another way.',
})

export const connectionToolGone = defineError<{ tool: string }>({
  code: 'connection.tool-gone',
  kind: 'unavailable',
  message: ({ tool }) => `The connection does not offer ${tool} any more, or was removed or switched off.`,
  remedy: () => 'Do it another way, or look at the connection in Settings → Connections.',
})

export const connectionToolOff = defineError<{ tool: string }>({
  code: 'connection.tool-off',
  kind: 'forbidden',
  message: ({ tool }) => `The tool ${tool} is switched off for this connection.`,
  remedy: () => 'Do it another way. A person can switch it on in Settings → Connections.',
})

export const connectionApprovalMissing = defineError<{ tool: string }>({
  code: 'connection.approval-missing',
  kind: 'forbidden',
  message: ({ tool }) => `A person has to allow ${tool}, and nobody watches this conversation.`,
  remedy: () => 'Do it another way. A person can allow the tool for good in Settings → Connections.',
})

export const connectionCallDenied = defineError<{ tool: string }>({
  code: 'connection.call-denied',
  kind: 'forbidden',
  message: ({ tool }) => `The user did not allow this call of ${tool}. It was not made.`,
  remedy: () => 'Do not call it again unless the user asks for it. Go on another way, or ask what they want.',
})

export const connectionProgramNotStarted = defineError<{ command: string; problem: string }>({
  code: 'connection.program-not-started',
  kind: 'unavailable',
  message: ({ command, problem }) => `${command} could not be started in the sandbox of the connection: ${problem}`,
  remedy: () => 'Check the command. npx, uvx, node and python3 are there; they install what they are given.',
})

/** `lastWords`: what the program printed last, without secrets; a dash when it said nothing. */
export const connectionProgramEnded = defineError<{ how: string; lastWords: string }>({
  code: 'connection.program-ended',
  kind: 'unavailable',
  message: ({ how, lastWords }) => `The program of the connection ended (${how}). Its last words: ${lastWords}`,
  remedy: () => 'Check its arguments and variables, then test the connection. What a call did until then is not known.',
})

export const connectionProgramRestarts = defineError<{ failures: number; minutes: number }>({
  code: 'connection.program-restarts',
  kind: 'unavailable',
  message: ({ failures, minutes }) =>
    `The program of the connection failed ${failures} times within ${minutes} minutes and is not started again for now.`,
  remedy: () => 'Test the connection in Settings → Connections: it says what is wrong, and starts it again.',
})

export const connectionProgramBusy = defineError<{ limit: number }>({
  code: 'connection.program-busy',
  kind: 'unavailable',
  message: ({ limit }) => `The program of the connection runs for ${limit} conversations already, the most at a time.`,
  remedy: () => 'Try again when one of them has ended its call.',
})

export const connectionProgramLimit = defineError<{ limit: number }>({
  code: 'connection.program-limit',
  kind: 'conflict',
  message: ({ limit }) => `Each person may have ${limit} connections that run a program, and these are there.`,
  remedy: () => 'Remove one, or let the administrator raise THREADBOX_CONNECTION_PROGRAMS.',
})

export const connectionSecretMissing = defineError({
  code: 'connection.secret-missing',
  kind: 'invalid',
  message: () => 'The secret variables were entered for the program as it was, and it would be another one.',
  remedy: () => 'Send all variables with their values.',
})

export const connectionKindOther = defineError<{ field: string }>({
  code: 'connection.kind-other',
  kind: 'invalid',
  message: ({ field }) => `This connection is of another kind: it has no ${field}.`,
  remedy: () => 'Make a new connection of the kind that is wanted.',
})
