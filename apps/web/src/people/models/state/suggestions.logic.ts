import type { DiscoveredModel, ModelConnection } from '@threadbox/sdk'
import { type Provider, type ProviderKind, providers } from './provider-catalog.ts'

/** A provider as a row of the list, with the models that were found, so that connecting needs no typing. */
export type ProviderOffer = {
  provider: Provider
  /** Names of models that are ready to use, found on the host or through a key in the environment. */
  found: readonly string[]
  foundAt: { source: 'machine' | 'environment'; address: string | null } | null
}

/** The list of providers with the discovered models. It keeps the order of the catalog, so that rows don’t jump. */
export function providerOffers(discovered: readonly DiscoveredModel[]): ProviderOffer[] {
  return providers.map((provider) => {
    const own = discovered.filter((model) => model.provider === provider.kind)
    const first = own[0]
    return {
      provider,
      found: own.map((model) => model.model),
      foundAt: first === undefined ? null : { source: first.source, address: hostOf(first.baseUrl) },
    }
  })
}

/** Suggestions while a model’s name is typed: found ones first, without those already connected. */
export function suggestedModels(
  kind: ProviderKind,
  options: { discovered: readonly DiscoveredModel[]; connected: readonly ModelConnection[] },
): string[] {
  const provider = providers.find((candidate) => candidate.kind === kind)
  const found = options.discovered.filter((model) => model.provider === kind).map((model) => model.model)
  const isConnected = (name: string) =>
    options.connected.some((model) => model.provider === kind && model.model === name)
  return [...new Set([...found, ...(provider?.suggestedModels ?? [])])].filter((name) => !isConnected(name))
}

function hostOf(baseUrl: string | null): string | null {
  return baseUrl !== null && URL.canParse(baseUrl) ? new URL(baseUrl).host : null
}
