import type { Manifest, ManifestVariable } from '@threadbox/protocol/guest'
import type { SurvivalItem } from '@threadbox/protocol/public'
import { item, type Manifests, type Outcome, spanOf, unreadIn } from './survival-item.logic.ts'
import { because, type StandsFor } from './survival-words.logic.ts'

const exited = because('kernel-exited')

/** Variables of kernels that keep running: nothing was saved, so nothing has to be restored. */
export function variableItems(manifests: Manifests): SurvivalItem[] {
  const reason = because('not-recorded', { span: spanOf(manifests) })
  const unnamed = manifests.before.unread.flatMap(({ part, context, leftOut }) =>
    part === 'variables' && leftOut !== undefined
      ? item('variable', moreVariables(leftOut, context), { outcome: 'unchecked', because: reason })
      : [],
  )
  return [...manifests.before.kernels.flatMap((kernel) => variablesOf(manifests, kernel)), ...unnamed]
}

function moreVariables(count: number, kernel = ''): StandsFor {
  return { code: 'more-variables', params: { count, kernel } }
}

function variablesOf(manifests: Manifests, kernel: Manifest['kernels'][number]): SurvivalItem[] {
  const later = manifests.after.kernels.find((candidate) => candidate.context === kernel.context)
  const isAlive = later?.pid === kernel.pid
  const all = { code: 'kernel-variables', params: { kernel: kernel.context } } as const
  if (kernel.state === 'not-answering' && kernel.variables.length === 0) {
    const reason = because('kernel-not-recorded', { span: spanOf(manifests) })
    return [item('variable', all, { outcome: isAlive ? 'unchecked' : 'lost', because: reason })]
  }
  if (!isAlive && kernel.variables.length === 0) return [item('variable', all, { outcome: 'lost', because: exited })]
  const problem = isAlive ? unreadIn(manifests, { part: 'variables', context: kernel.context }) : undefined
  const isWorking = [kernel, later].some((one) => one?.state === 'busy')
  return kernel.variables.map((variable) => {
    const { name, type } = variable
    if (!isAlive) return item('variable', name, { outcome: 'lost', because: exited, detail: type })
    if (problem !== undefined) return item('variable', name, { outcome: 'unchecked', because: problem, detail: type })
    const now = later?.variables.find((candidate) => candidate.name === name)
    return item('variable', name, { ...variableOutcome(variable, now, isWorking), detail: type })
  })
}

function variableOutcome(before: ManifestVariable, now: ManifestVariable | undefined, isWorking: boolean): Outcome {
  const isSameValue = now !== undefined && now.type === before.type && now.fingerprint === before.fingerprint
  const sameObject = { outcome: 'kept', because: because('same-object') } as const
  if (isSameValue && now.fingerprint !== null) return now.compared === 'content' ? { outcome: 'kept' } : sameObject
  // One of the two manifests had no time for the contents, so their hashes are of different things.
  if (now?.type === before.type && now.compared !== before.compared && objectOf(now) === objectOf(before)) {
    return sameObject
  }
  if (isSameValue || (now?.type === before.type && (now.fingerprint === null || before.fingerprint === null))) {
    return { outcome: 'unchecked', because: because('same-type') }
  }
  if (isWorking) return { outcome: 'unchecked', because: because('python-busy') }
  if (now === undefined) return { outcome: 'lost', because: because('variable-gone') }
  if (now.type === before.type) return { outcome: 'lost', because: because('value-changed') }
  return { outcome: 'lost', because: because('type-changed', { type: now.type }) }
}

function objectOf({ fingerprint }: ManifestVariable): string | undefined {
  return fingerprint?.split(':')[0]
}
