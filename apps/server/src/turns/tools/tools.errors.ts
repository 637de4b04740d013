import { defineError } from '@threadbox/errors'

export const commandTimedOut = defineError<{ seconds: number }>({
  code: 'command.timed-out',
  kind: 'interrupted',
  message: ({ seconds }) => `The call exceeded its time limit of ${seconds} s and was stopped.`,
  remedy: () => 'Set a longer time limit, or run it in the background and check on it later.',
})

export const commandOutOfMemory = defineError<{ detail: string }>({
  code: 'command.out-of-memory',
  kind: 'out-of-space',
  message: ({ detail }) => `The call exceeded the sandbox’s memory limit and was killed. ${detail}`.trim(),
  remedy: () => 'Process less data at a time, or raise the sandbox’s memory limit and run it again.',
})

export const commandOutOfProcesses = defineError<{ detail: string }>({
  code: 'command.out-of-processes',
  kind: 'out-of-space',
  message: ({ detail }) => `The call exceeded the sandbox’s process limit and was killed. ${detail}`.trim(),
  remedy: () => 'Start fewer processes at a time, or raise the sandbox’s process limit and run it again.',
})

export const commandSignalled = defineError<{ signal: string }>({
  code: 'command.signalled',
  kind: 'interrupted',
  message: ({ signal }) => `The command was terminated by signal ${signal}, which threadbox didn’t send.`,
  remedy: () => 'Find out what sent it: another command, the program itself, or a sandbox limit.',
})

export const kernelDied = defineError({
  code: 'python.kernel-died',
  kind: 'interrupted',
  message: () => 'The Python kernel stopped while this was running. Its variables are lost; files are kept.',
  remedy: () => 'Run the cells you need again. A new kernel starts automatically.',
})

export const callInterrupted = defineError({
  code: 'call.interrupted',
  kind: 'interrupted',
  message: () => 'threadbox or the sandbox stopped while this was running, so it’s unknown how far it got.',
  remedy: () => 'Check what it changed before you run it again.',
})

export const callStopped = defineError({
  code: 'call.stopped',
  kind: 'interrupted',
  message: () => 'The user stopped this call. It may have run partly.',
  remedy: () => 'Do not run it again unless the user asks for it.',
})

export const callInputInvalid = defineError<{ problem: string }>({
  code: 'call.input-invalid',
  kind: 'invalid',
  message: ({ problem }) => `The tool call is not valid: ${problem}`,
  remedy: () => 'Call an available tool, with input that matches its input schema.',
})

export const fileIsBinary = defineError<{ path: string; sizeBytes: number }>({
  code: 'file.is-binary',
  kind: 'invalid',
  message: ({ path, sizeBytes }) => `${path} (${sizeBytes} bytes) is not UTF-8 text.`,
  remedy: () => 'Use view_image for images, run_python for data formats, or `file` and `xxd` with run_command.',
})

export const fileTooLarge = defineError<{ path: string; limitBytes: number }>({
  code: 'file.too-large',
  kind: 'too-large',
  message: ({ path, limitBytes }) => `${path} is larger than this tool’s limit of ${limitBytes} bytes.`,
  remedy: () => 'Use a command or Python instead.',
})

export const fileUnavailable = defineError<{ path: string; problem: string }>({
  code: 'file.unavailable',
  kind: 'invalid',
  message: ({ path, problem }) => `Can’t use ${path}: ${problem}`,
  remedy: () => 'Check its type and permissions with `ls -l`. Use run_command with sudo if needed.',
})

export const textNotFound = defineError<{ path: string; hint: string }>({
  code: 'edit.text-not-found',
  kind: 'invalid',
  message: ({ path, hint }) => `old_text was not found in ${path}. ${hint}`.trim(),
  remedy: () => 'Read that part of the file and copy the text exactly, including spaces and line endings.',
})

export const textNotUnique = defineError<{ path: string; count: number; lines: string }>({
  code: 'edit.text-not-unique',
  kind: 'invalid',
  message: ({ path, count, lines }) => `old_text occurs ${count} times in ${path}, on lines ${lines}.`,
  remedy: () => 'Include more surrounding lines to make it unique, or set replace_all.',
})

export const editChangesNothing = defineError({
  code: 'edit.changes-nothing',
  kind: 'invalid',
  message: () => 'old_text and new_text are the same.',
  remedy: () => 'Leave the file as it is, or provide a different new_text.',
})

export const imageNotShown = defineError<{ path: string; problem: string }>({
  code: 'image.not-shown',
  kind: 'invalid',
  message: ({ path, problem }) => `Can’t view ${path}: ${problem}`,
  remedy: () => 'Convert it to a PNG or JPEG file of at most 4 MiB (for example with Pillow), then view that file.',
})

export const searchFailed = defineError<{ problem: string }>({
  code: 'search.failed',
  kind: 'invalid',
  message: ({ problem }) => `Search failed: ${problem}`,
  remedy: () => 'Check the pattern (Rust regular expression syntax) and the path.',
})
