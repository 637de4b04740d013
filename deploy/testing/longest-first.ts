import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files that take a minute and more, the longest first: if one of them began last, the processors would wait for it. A
 * file that is not listed comes after them, in the runner’s order.
 */
const long = [
  'browser/docs-site',
  'browser/screens-thread-desk',
  'browser/screens-other-desk',
  'browser/screenshot-hostile',
  'browser/screens-thread-phone',
  'browser/thread',
  'browser/files-pane',
  'browser/tabs',
  'browser/story',
  'browser/lifecycle',
  'browser/agent-file',
  'browser/sign-in-behind-nginx',
  'browser/limits',
  'browser/terminal',
  'browser/screenshot-pixels',
  'browser/workspaces',
  'browser/files-viewer',
  'browser/screenshot',
  'browser/behind-a-proxy',
  'browser/rewind',
  'browser/preview-pane',
  'browser/large-upload',
  'browser/preview-left-open',
  'system/idle-freeze',
  'system/launcher',
  'system/rewind-situations',
  'system/disk-flood',
  'system/secret-canary',
  'system/durability',
  'system/agent-file',
  'system/capture-memory-kills',
  'system/hostile-guest',
  'system/agents-live',
  'system/host-pause',
  'system/measured-installation',
  'system/hostile-pages',
  'system/power-loss/power-loss-host',
  'system/git-credentials',
  'system/agents',
  'compatibility/api-fuzz',
  'system/memory-snapshots',
  'system/terminals',
  'system/fork',
  'system/isolation',
  'system/files-pane',
  'system/connection-programs',
  'system/host-lifecycle',
  'system/egress-matrix',
  'system/host-pause-damaged',
  'system/network-fails-closed',
  'system/image-packages',
  'system/runs',
  'system/isolation-in-gvisor',
  'system/agent-file-refused',
  'system/thread-sleep',
  'system/snapshots',
  'system/brokered-clients',
  'system/cold-files',
  'system/host-spares',
  'system/rescue-hindered',
  'system/memory-rewind',
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
