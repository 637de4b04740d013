import type { LifecyclePolicy, UpdateWorkspace, Workspace, Workspaces } from '@threadbox/sdk'
import {
  type LimitName,
  type LimitProblem,
  limitNames,
  limitText,
  readLimit,
} from '../../../sandboxes/sandbox/state/limits.logic.ts'
import { type PolicyNumber, policyNumbers, readPolicy } from '../../../sandboxes/sandbox/state/policy.logic.ts'

export type ValueName = PolicyNumber | LimitName
const policyNames = Object.keys(policyNumbers) as PolicyNumber[]

/** The values of the form: texts as typed. An empty one stands for the inherited value. */
export type WorkspaceForm = {
  name: string
  instructions: string
  modelId: string | null
  hotKeep: LifecyclePolicy['hotKeep'] | null
  values: Record<ValueName, string>
}
type Values = Pick<Workspace, 'policy' | 'limits'>

/** Keeps files forever although the inherited value has a limit. */
const forEver = '0'

export function formOf(workspace: Workspace): WorkspaceForm {
  const names = [...policyNames, ...limitNames]
  return {
    name: workspace.name,
    instructions: workspace.instructions,
    modelId: workspace.modelId,
    hotKeep: workspace.policy.hotKeep ?? null,
    values: Object.fromEntries(names.map((name) => [name, textOf(workspace, name)])) as Record<ValueName, string>,
  }
}

/** The text of a value, empty if there is none. `never` is how “forever” is written. */
export function textOf(values: Values | Workspaces['installation'], name: ValueName): string {
  if (isLimit(name)) {
    const value = values.limits[name]
    return value === undefined ? '' : limitText(name, value)
  }
  const value = values.policy[name]
  if (value === undefined) return ''
  return value === null ? forEver : String(value)
}

export type ValueProblem = LimitProblem | { kind: 'unreadable' | 'range'; minimum: number; maximum: number }

/** Why a field can’t be saved; undefined if it can. */
export function problemOf(name: ValueName, text: string): ValueProblem | undefined {
  const result = readValue(name, text)
  return 'problem' in result ? result.problem : undefined
}

function readValue(name: ValueName, text: string): { value: number | null } | { problem: ValueProblem } {
  if (text.trim() === '') return { value: null }
  if (isLimit(name)) return readLimit(name, text, { usedDiskBytes: null })
  if (name === 'retentionDays' && text.trim() === forEver) return { value: 0 }
  const result = readPolicy(name, text)
  if ('change' in result) return { value: result.change[name] ?? null }
  const { minimum, maximum } = policyNumbers[name]
  return { problem: { kind: result.problem, minimum, maximum } }
}

/** The request with the changed values; null if nothing changed or a field is invalid. */
export function changeOf(workspace: Workspace, form: WorkspaceForm): UpdateWorkspace | null {
  const before = formOf(workspace)
  const names = [...policyNames, ...limitNames].filter((name) => form.values[name].trim() !== before.values[name])
  const read = names.map((name) => [name, readValue(name, form.values[name])] as const)
  if (form.name.trim() === '' || read.some(([, result]) => 'problem' in result)) return null
  const values = read.flatMap(([name, result]) => ('value' in result ? [[name, result.value] as const] : []))
  const policy = [
    ...values.filter(([name]) => !isLimit(name)),
    ...(form.hotKeep === before.hotKeep ? [] : [['hotKeep', form.hotKeep] as const]),
  ]
  const limits = values.filter(([name]) => isLimit(name))
  const change: UpdateWorkspace = {
    ...(form.name.trim() === before.name ? {} : { name: form.name.trim() }),
    ...(form.instructions === before.instructions ? {} : { instructions: form.instructions }),
    ...(form.modelId === before.modelId ? {} : { modelId: form.modelId }),
    ...(policy.length === 0 ? {} : { policy: Object.fromEntries(policy) }),
    ...(limits.length === 0 ? {} : { limits: Object.fromEntries(limits) }),
  }
  return Object.keys(change).length === 0 ? null : change
}

export function isLimit(name: ValueName): name is LimitName {
  return (limitNames as readonly string[]).includes(name)
}
