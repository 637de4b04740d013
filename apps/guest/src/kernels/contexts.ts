import { defineError } from '@threadbox/errors'
import type { OutputLog } from '../runs/output-log.ts'
import type { Run } from '../runs/run.ts'

export const kernelsMissing = defineError({
  code: 'kernel.missing',
  kind: 'unsupported',
  message: () => 'kernels are not there yet',
  remedy: () => 'wait',
})
export type Contexts = {
  startCell(request: { key: string; code: string; context: string; timeoutMs: number; log: OutputLog }): Run
}
