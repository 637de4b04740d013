import type { DiscoveredModel } from '@threadbox/sdk'
import { HardDrive, KeyRound, Plug } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../../ui/button.tsx'
import { Pill } from '../../../ui/pill.tsx'
import { useDiscoveredModels } from '../api/models.queries.ts'
import type { ProviderKind } from '../state/provider-catalog.ts'
import { type ProviderOffer, providerOffers } from '../state/suggestions.logic.ts'
import { ModelDialog } from './model-dialog.tsx'

const icons = {
  anthropic: KeyRound,
  openai: KeyRound,
  google: KeyRound,
  ollama: HardDrive,
  'openai-compatible': Plug,
} as const satisfies Record<ProviderKind, unknown>

const none: DiscoveredModel[] = []

/** The providers that can be connected, with the models found on this host. Each row opens the connect dialog. */
export function ProviderList() {
  const discovered = useDiscoveredModels()
  const [chosen, setChosen] = useState<ProviderOffer | null>(null)
  return (
    <>
      <ul className="prov">
        {providerOffers(discovered.data ?? none).map((offer) => (
          <ProviderRow key={offer.provider.kind} offer={offer} onConnect={() => setChosen(offer)} />
        ))}
      </ul>
      {chosen !== null && (
        <ModelDialog
          target={{ kind: 'new', provider: chosen.provider.kind, model: chosen.found[0] ?? '' }}
          onClose={() => setChosen(null)}
        />
      )}
    </>
  )
}

function ProviderRow(props: { offer: ProviderOffer; onConnect: () => void }) {
  const { t } = useTranslation('models')
  const { provider, foundAt } = props.offer
  const Icon = icons[provider.kind]
  const brand = provider.brand ?? t('other')
  return (
    <li>
      <Icon className="i" size={16} aria-hidden="true" />
      <b>{brand}</b>
      <span className="muted grow prov-text">
        {t(`provider.${provider.kind}`)}
        {foundAt !== null && (
          <Pill state="running">
            {foundAt.source === 'environment' ? t('foundKey') : t('foundAt', { address: foundAt.address ?? '' })}
          </Pill>
        )}
      </span>
      <Button
        variant={foundAt === null ? 'default' : 'primary'}
        onClick={props.onConnect}
        aria-label={foundAt === null ? t('connectBrand', { brand }) : undefined}
      >
        {foundAt === null ? t('connect') : t('useFound', { brand })}
      </Button>
    </li>
  )
}
