import type { Manifest, ManifestVariable } from '@threadbox/protocol/guest'
import type { SurvivalItem } from '@threadbox/protocol/public'
import { item, type Manifests, type Outcome, unreadIn, wordsOf } from './survival-item.logic.ts'

/** Variables of kernels that keep running: nothing was saved, so nothing has to be restored. */
export function variableItems(manifests: Manifests): SurvivalItem[] {
  const reason = `They weren’t recorded ${wordsOf(manifests).before}.`
  const unnamed = manifests.before.unread.flatMap(({ part, context, leftOut }) =>
    part === 'variables' && leftOut !== undefined
      ? item('variable', `${leftOut} more variables of ${context}`, { outcome: 'unchecked', reason })
      : [],
  )
  return [...manifests.before.kernels.flatMap((kernel) => variablesOf(manifests, kernel)), ...unnamed]
}

function variablesOf(manifests: Manifests, kernel: Manifest['kernels'][number]): SurvivalItem[] {
  const later = manifests.after.kernels.find((candidate) => candidate.context === kernel.context)
  const isAlive = later?.pid === kernel.pid
  if (kernel.state === 'not-answering' && kernel.variables.length === 0) {
    const reason = `Its variables couldn’t be recorded ${wordsOf(manifests).before}: it didn’t respond.`
    const name = `all variables of ${kernel.context}`
    return [item('variable', name, { outcome: isAlive ? 'unchecked' : 'lost', reason })]
  }
  if (!isAlive && kernel.variables.length === 0) {
    return [
      item('variable', `all variables of ${kernel.context}`, {
        outcome: 'lost',
        reason: 'Its Python kernel exited.',
      }),
    ]
  }
  const problem = isAlive ? unreadIn(manifests, { part: 'variables', context: kernel.context }) : undefined
  const isWorking = [kernel, later].some((one) => one?.state === 'busy')
  return kernel.variables.map((variable) => {
    const { name, type } = variable
    if (!isAlive) {
      return item('variable', name, { outcome: 'lost', reason: 'Its Python kernel exited.', detail: type })
    }
    if (problem !== undefined) return item('variable', name, { outcome: 'unchecked', reason: problem, detail: type })
    const now = later?.variables.find((candidate) => candidate.name === name)
    return item('variable', name, { ...variableOutcome(variable, now, isWorking), detail: type })
  })
}

function variableOutcome(before: ManifestVariable, now: ManifestVariable | undefined, isWorking: boolean): Outcome {
  const isSameValue = now !== undefined && now.type === before.type && now.fingerprint === before.fingerprint
  const sameObject = { outcome: 'kept' as const, reason: 'Same object; its contents weren’t compared.' }
  if (isSameValue && now.fingerprint !== null) return now.compared === 'content' ? { outcome: 'kept' } : sameObject
  // One of the two manifests had no time for the contents: their hashes are of different things.
  if (now?.type === before.type && now.compared !== before.compared && objectOf(now) === objectOf(before)) {
    return sameObject
  }
  if (isSameValue || (now?.type === before.type && (now.fingerprint === null || before.fingerprint === null))) {
    return { outcome: 'unchecked', reason: 'Present with the same type; its contents couldn’t be compared.' }
  }
  if (isWorking) return { outcome: 'unchecked', reason: 'Python is busy and may have changed it.' }
  if (now === undefined) return { outcome: 'lost', reason: 'It no longer exists in Python.' }
  const reason = now.type === before.type ? 'Its value changed.' : `Its type is now ${now.type}.`
  return { outcome: 'lost', reason }
}

function objectOf({ fingerprint }: ManifestVariable): string | undefined {
  return fingerprint?.split(':')[0]
}
