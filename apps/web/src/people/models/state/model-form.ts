import type { ModelConnection } from '@threadbox/sdk'
import { type Provider, type ProviderKind, providerOf } from './provider-catalog.ts'

/** The values of the connect form: every field is text. */
export type ModelForm = {
  provider: ProviderKind
  name: string
  model: string
  baseUrl: string
  apiKey: string
  contextTokens: string
  /** Empty: the known capability of the model. */
  seesImages: '' | 'yes' | 'no'
  inputUsdPerMillion: string
  outputUsdPerMillion: string
  /** Ids of models that take over, in this order. */
  fallbackIds: readonly string[]
}
export type ModelFormField = Exclude<keyof ModelForm, 'provider' | 'fallbackIds'>
export type ModelFormProblem = 'missing' | 'not-a-url' | 'not-a-count' | 'not-a-price'

/** The request for the form. Empty fields are left out, so that the server’s defaults apply. */
export type ModelFormRequest = {
  provider: ProviderKind
  model: string
  name?: string
  baseUrl?: string
  apiKey?: string
  contextTokens?: number
  supportsImages?: boolean
  /** Null: the list price. */
  inputUsdPerMillion?: number | null
  outputUsdPerMillion?: number | null
  fallbackIds?: string[]
}

export function emptyModelForm(provider: ProviderKind): ModelForm {
  return {
    provider,
    name: '',
    model: '',
    baseUrl: '',
    apiKey: '',
    contextTokens: '',
    seesImages: '',
    inputUsdPerMillion: '',
    outputUsdPerMillion: '',
    fallbackIds: [],
  }
}

/** The form of a connected model. The server never returns its key, so that field is empty. */
export function formOfModel(model: ModelConnection): ModelForm {
  return {
    provider: model.provider,
    name: model.name === model.model ? '' : model.name,
    model: model.model,
    baseUrl: model.baseUrl ?? '',
    apiKey: '',
    contextTokens: textOfNumber(model.contextTokens),
    seesImages: model.supportsImages ? 'yes' : 'no',
    inputUsdPerMillion: model.hasEnteredPrice ? textOfNumber(model.inputUsdPerMillion) : '',
    outputUsdPerMillion: model.hasEnteredPrice ? textOfNumber(model.outputUsdPerMillion) : '',
    fallbackIds: model.fallbackIds,
  }
}

/**
 * Parses the form. `hasKey`: a key is already known (stored, or in the server’s environment). `hasPrice`: an entered price
 * is known, which an empty field removes.
 */
export function readModelForm(
  form: ModelForm,
  options: { hasKey: boolean; hasPrice?: boolean; hasFallbacks?: boolean },
): { request: ModelFormRequest; problems: Partial<Record<ModelFormField, ModelFormProblem>> } {
  const provider = providerOf(form.provider)
  const problems = problemsOf(form, { provider, hasKey: options.hasKey })
  const removed = options.hasPrice === true ? null : undefined
  const optional = {
    name: textOrNothing(form.name),
    baseUrl: textOrNothing(form.baseUrl),
    apiKey: textOrNothing(form.apiKey),
    contextTokens: numberOrNothing(form.contextTokens),
    supportsImages: form.seesImages === '' ? undefined : form.seesImages === 'yes',
    inputUsdPerMillion: numberOrNothing(form.inputUsdPerMillion) ?? removed,
    outputUsdPerMillion: numberOrNothing(form.outputUsdPerMillion) ?? removed,
  }
  const given = Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined))
  const fallbackIds =
    form.fallbackIds.length === 0 && !options.hasFallbacks ? {} : { fallbackIds: [...form.fallbackIds] }
  return { request: { provider: form.provider, model: form.model.trim(), ...given, ...fallbackIds }, problems }
}

function problemsOf(form: ModelForm, options: { provider: Provider; hasKey: boolean }) {
  const problems: Partial<Record<ModelFormField, ModelFormProblem>> = {}
  if (form.model.trim() === '') problems.model = 'missing'
  if (options.provider.key === 'required' && !options.hasKey && form.apiKey.trim() === '') problems.apiKey = 'missing'
  if (form.baseUrl.trim() === '') {
    if (options.provider.url === 'required') problems.baseUrl = 'missing'
  } else if (!isWebAddress(form.baseUrl.trim())) problems.baseUrl = 'not-a-url'
  const context = numberOrNothing(form.contextTokens)
  if (context !== undefined && !(Number.isInteger(context) && context >= 1024)) problems.contextTokens = 'not-a-count'
  for (const field of ['inputUsdPerMillion', 'outputUsdPerMillion'] as const) {
    const price = numberOrNothing(form[field])
    if (price !== undefined && !(price >= 0 && price <= 10_000)) problems[field] = 'not-a-price'
  }
  return problems
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}

function textOfNumber(value: number | null): string {
  return value === null ? '' : String(value)
}

function textOrNothing(text: string): string | undefined {
  return text.trim() === '' ? undefined : text.trim()
}

/**
 * Parses a number as people write it: `200 000`, `200_000`, `0,80`. Anything else is NaN, which every check rejects.
 */
function numberOrNothing(text: string): number | undefined {
  const compact = text.replaceAll(/[\s_'’]/g, '')
  if (compact === '') return undefined
  return /^\d+([.,]\d+)?$/.test(compact) ? Number(compact.replace(',', '.')) : Number.NaN
}
