import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files that take a minute and more, the longest first: if one of them began last, the processors would wait for it. A
 * file that is not listed comes after them, in the runner’s order.
 */
const long = [
  'browser/screens-thread-desk',
  'browser/screens-thread-phone',
  'browser/large-upload',
  'browser/preview-left-open',
  'browser/lifecycle',
  'browser/terminal',
  'browser/agent-file',
  'browser/screenshot-hostile',
  'browser/story',
  'system/agent-file',
  'system/agents-live',
  'system/agents',
  'system/image-packages',
  'system/capture-memory-kills',
  'system/capture-kills',
  'system/image-languages',
  'system/power-loss/power-loss-host',
  'system/host-pause',
  'system/host-pause-damaged',
  'system/agents-live-secret',
  'system/thread-sleep',
  'system/pause-story',
  'system/cold-files',
  'system/memory-rewind',
  'system/memory-snapshots',
  'system/rescue',
  'system/rescue-hindered',
  'system/snapshots',
  'system/hostile-guest',
  'system/hostile-pages',
  'system/view-page',
  'system/durability',
  'system/fork',
  'system/thirteenth-wake',
  'system/host-spares',
  'system/agent-file-refused',
  'system/thread-computer',
  'system/terminals',
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
