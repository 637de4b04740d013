import { z } from 'zod'
import { type RestartObstacle, restartObstacles } from '../public/survival-codes.ts'

/** How guests wrote obstacles before they had codes. Can be removed together with the words in `unread.ts`. */
const wordsOfObstacles: Record<string, RestartObstacle> = {
  'It was a background part of a shell command, which only memory holds.': 'shell-part',
  'It ran in a terminal, whose screen is gone.': 'terminal',
  'It worked for the Python kernel.': 'python-helper',
  'Its command line is not known.': 'no-command-line',
  'Its directory does not exist any more.': 'no-directory',
  'It read from another program.': 'piped-input',
  'It read its program from its input.': 'program-from-input',
}

/** Why an ended process can’t be restarted as it was; empty if it can. */
export const obstacleSchema = z.union([
  z.enum(['', ...restartObstacles]),
  z.string().transform((words): RestartObstacle => wordsOfObstacles[words] ?? 'unknown'),
])
