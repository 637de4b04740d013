import { appendFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'

/** Names the file that the times of test files are written to, a line `milliseconds file` each. */
export const fileTimesVariable = 'THREADBOX_TEST_FILE_TIMES'

/** Measures test files from their first import to the end of their last hook: starting an installation is a part of it. */
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
