import type { SandboxView } from '@threadbox/sdk'
import { expect, test } from 'vitest'
import { sandboxOf } from './thread-sandbox.models.ts'

const limits = { memoryBytes: 1, cpus: 1, processes: 1, diskBytes: 1 }
const view = (code: string): SandboxView => ({ state: 'active', since: 0, limits, detail: { code, params: {} } })

test('C4: a turn is named as what keeps a sandbox awake only while it runs', () => {
  expect(sandboxOf({ sandbox: view('awake.turn'), isTurnRunning: true }).detail?.code).toBe('awake.turn')
  expect(sandboxOf({ sandbox: view('awake.turn'), isTurnRunning: false }).detail).toBeNull()
  expect(sandboxOf({ sandbox: view('ended.unknown'), isTurnRunning: false }).detail?.code).toBe('ended.unknown')
})
