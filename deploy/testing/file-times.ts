import { appendFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'

/** Environment variable with the file to which the times of test files are written, a line `milliseconds file` each. */
export const fileTimesVariable = 'THREADBOX_TEST_FILE_TIMES'

/**
 * Measures test files from their first import to the end of their last hook, which includes starting an installation.
 */
export default class FileTimes implements Reporter {
  readonly #begun = new Map<string, number>()

  onTestModuleQueued({ moduleId }: TestModule): void {
    this.#begun.set(moduleId, performance.now())
  }

  onTestModuleEnd({ moduleId }: TestModule): void {
    const file = process.env[fileTimesVariable]
    const begun = this.#begun.get(moduleId)
    if (file === undefined || begun === undefined) return
    appendFileSync(file, `${Math.round(performance.now() - begun)} ${relative(process.cwd(), moduleId)}\n`)
  }
}
