import { defineError } from '@threadbox/errors'

export const commandTimedOut = defineError<{ seconds: number }>({
  code: 'command.timed-out',
  kind: 'interrupted',
  message: ({ seconds }) => `It ran into its time limit of ${seconds} s and was ended.`,
  remedy: () => 'Give it more time, or start it in the background and look at it later.',
})

export const commandOutOfMemory = defineError<{ detail: string }>({
  code: 'command.out-of-memory',
  kind: 'out-of-space',
  message: ({ detail }) => `It used more memory than the sandbox has and was ended. ${detail}`.trim(),
  remedy: () => 'Work on less at once, or raise the memory limit of the sandbox and run it again.',
})

export const commandOutOfProcesses = defineError<{ detail: string }>({
  code: 'command.out-of-processes',
  kind: 'out-of-space',
  message: ({ detail }) => `It kept the sandbox full of processes and was ended. ${detail}`.trim(),
  remedy: () => 'Start fewer programs at once, or raise the limit of processes of the sandbox and run it again.',
})

export const commandSignalled = defineError<{ signal: string }>({
  code: 'command.signalled',
  kind: 'interrupted',
  message: ({ signal }) => `It was ended by the signal ${signal}, which threadbox did not send.`,
  remedy: () => 'Look for what sent it: another command, the program itself, or a limit of the sandbox.',
})

export const kernelDied = defineError({
  code: 'python.kernel-died',
  kind: 'interrupted',
  message: () => 'The Python kernel ended while this was running. Its variables are gone; files are not.',
  remedy: () => 'Run the cells that set up what you need again; a new kernel starts by itself.',
})

export const callInterrupted = defineError({
  code: 'call.interrupted',
  kind: 'interrupted',
  message: () => 'Threadbox or the sandbox stopped while this was running, so nobody knows how far it got.',
  remedy: () => 'Look at what it was to change before running it again.',
})

export const callStopped = defineError({
  code: 'call.stopped',
  kind: 'interrupted',
  message: () => 'The user stopped it.',
  remedy: () => 'Run it again if it is still wanted.',
})

export const callInputInvalid = defineError<{ problem: string }>({
  code: 'call.input-invalid',
  kind: 'invalid',
  message: ({ problem }) => `The call cannot be run as it was written: ${problem}`,
  remedy: () => 'Call the tool again with inputs that fit its description.',
})

export const fileIsBinary = defineError<{ path: string; sizeBytes: number }>({
  code: 'file.is-binary',
  kind: 'invalid',
  message: ({ path, sizeBytes }) => `${path} (${sizeBytes} bytes) is not text in UTF-8, so it cannot be read as lines.`,
  remedy: () => 'Use view_image for a picture, run_python for data formats, or `file` and `xxd` in run_command.',
})

export const fileTooLarge = defineError<{ path: string; limitBytes: number }>({
  code: 'file.too-large',
  kind: 'too-large',
  message: ({ path, limitBytes }) => `${path} is larger than this tool handles (${limitBytes} bytes).`,
  remedy: () => 'Work on it with a command or with Python instead.',
})

export const fileUnavailable = defineError<{ path: string; problem: string }>({
  code: 'file.unavailable',
  kind: 'invalid',
  message: ({ path, problem }) => `${path} could not be used: ${problem}`,
  remedy: () => 'Check its permissions and its kind with `ls -l`; use run_command with sudo where that is needed.',
})

export const textNotFound = defineError<{ path: string; hint: string }>({
  code: 'edit.text-not-found',
  kind: 'invalid',
  message: ({ path, hint }) => `old_text does not occur in ${path}. ${hint}`.trim(),
  remedy: () => 'Read that part of the file and copy the text exactly, with its spaces and line ends.',
})

export const textNotUnique = defineError<{ path: string; count: number; lines: string }>({
  code: 'edit.text-not-unique',
  kind: 'invalid',
  message: ({ path, count, lines }) => `old_text occurs ${count} times in ${path}, at lines ${lines}.`,
  remedy: () => 'Add lines around it until it is unique, or set replace_all.',
})

export const editChangesNothing = defineError({
  code: 'edit.changes-nothing',
  kind: 'invalid',
  message: () => 'old_text and new_text are the same.',
  remedy: () => 'Leave the file as it is, or say what it should become.',
})

export const imageNotShown = defineError<{ path: string; problem: string }>({
  code: 'image.not-shown',
  kind: 'invalid',
  message: ({ path, problem }) => `${path} cannot be shown: ${problem}`,
  remedy: () => 'Convert it to PNG or JPEG, at most 4 MiB, for example with Pillow, and view that.',
})

export const searchFailed = defineError<{ problem: string }>({
  code: 'search.failed',
  kind: 'invalid',
  message: ({ problem }) => `The search failed: ${problem}`,
  remedy: () => 'Check the pattern (Rust regular expressions) and the path.',
})
