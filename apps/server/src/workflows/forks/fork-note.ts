import type { ForkedFrom } from '@threadbox/protocol/public'

const computers: Record<ForkedFrom['from'], string> = {
  memory:
    'Its computer is a live copy of the one of that thread: files, processes and variables are as they were, and from here ' +
    'on both are independent. It has another address and host name, and connections to other machines were closed.',
  disk:
    'Its computer has a copy of the files of then. Processes and variables of before are gone; start again what the task ' +
    'needs.',
  none: 'It has no computer yet.',
}

/** What the model has to know of a fork. */
export function forkNoteOf({ from }: ForkedFrom): string {
  return `This conversation is a fork: it began as a copy of another thread, which goes on by itself. ${computers[from]}`
}
