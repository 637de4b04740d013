import { parseArgs } from 'node:util'

export const stages = ['check', 'unit', 'system', 'browser'] as const
export type Stage = (typeof stages)[number]

export type TestArguments = {
  stages: Stage[]
  /** Only these files of the stages, by path from the root of the repository; all if empty. */
  files: string[]
  /** Only tests whose name matches this pattern. */
  name: string | undefined
  /** At the promised counts, with everything that the default set does not repeat. */
  isFull: boolean
  /** Only tests that a change since this commit can reach. */
  changedSince: string | undefined
}

/** Reads `[STAGE…] [FILE…] [-t NAME] [--full] [--changed[=COMMIT]]`. */
export function readArguments(args: string[]): TestArguments {
  const { values, positionals } = parseArgs({
    // Without a commit it means all uncommitted changes.
    args: args.map((arg) => (arg === '--changed' ? '--changed=HEAD' : arg)),
    options: {
      full: { type: 'boolean', default: false },
      changed: { type: 'string' },
      testNamePattern: { type: 'string', short: 't' },
    },
    allowPositionals: true,
  })
  const named = positionals.filter((word) => !word.includes('/'))
  const unknown = named.find((word) => !isStage(word))
  if (unknown !== undefined) throw new Error(`Unknown stage: '${unknown}'. Stages: ${stages.join(', ')}.`)
  const files = positionals.filter((word) => word.includes('/'))
  const wanted = new Set<string>([...named, ...files.map(stageOf)])
  return {
    stages: wanted.size === 0 ? [...stages] : stages.filter((stage) => wanted.has(stage)),
    files,
    name: values.testNamePattern,
    isFull: values.full,
    changedSince: values.changed,
  }
}

/** The stage that a test file belongs to. */
export function stageOf(file: string): Stage {
  if (file.startsWith('tests/browser/')) return 'browser'
  const isSystem = /^tests\/(system|compatibility|chaos)\//.test(file) || file.endsWith('.system.test.ts')
  return isSystem ? 'system' : 'unit'
}

function isStage(word: string): boolean {
  return (stages as readonly string[]).includes(word)
}
