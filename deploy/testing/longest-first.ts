import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files that take a minute and more, the longest first: where one of them began last, the processors would wait for it.
 * A file that is not here comes after them, as the runner puts it.
 */
const long = [
  'browser/screens-thread-desk',
  'browser/screens-thread-phone',
  'browser/preview-left-open',
  'system/agents',
  'system/agents-live',
  'system/host-pause',
  'system/thread-computer',
  'system/thread-sleep',
  'system/power-loss/power-loss-host',
  'system/memory-snapshots',
  'system/rescue',
  'system/agent-file',
  'browser/lifecycle',
  'browser/terminal',
  'browser/agent-file',
  'browser/screenshot-hostile',
  'browser/story',
  'system/thirteenth-wake',
  'system/host-spares',
  'system/pause-story',
  'system/view-page',
  'system/snapshots',
  'system/terminals',
  'system/durability',
  'system/limits',
]

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const rank = ({ moduleId }: TestSpecification) => {
      const at = long.findIndex((name) => moduleId.endsWith(`/tests/${name}.test.ts`))
      return at < 0 ? long.length : at
    }
    return sorted.sort((left, right) => rank(left) - rank(right))
  }
}
