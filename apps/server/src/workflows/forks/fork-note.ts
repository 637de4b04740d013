import type { ForkedFrom } from '@threadbox/protocol/public'

const sandboxes: Record<ForkedFrom['from'], string> = {
  memory:
    'Its sandbox is a live copy: files, processes and variables are as they were, and both are independent from here ' +
    'on. It has a new address and hostname, and connections to other machines were closed.',
  disk:
    'Its sandbox has a copy of the files as they were at the point of the fork. Earlier processes and variables are gone; ' +
    'restart what the task needs.',
  none: 'It has no sandbox yet.',
}

/** The note about a fork for the model. */
export function forkNoteOf({ from }: ForkedFrom): string {
  return `This conversation is a fork: it started as a copy of another thread, which continues separately. ${sandboxes[from]}`
}
