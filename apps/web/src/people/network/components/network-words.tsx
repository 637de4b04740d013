import type { Network, NetworkLevel } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'

/** What a policy allows, in one line, and the levels that decide it. */
export function NetworkFacts(props: { network: Network }) {
  const { t } = useTranslation('network')
  const format = useFormat()
  const { effective, sources, privateNames } = props.network
  return (
    <p>
      {effective.kind === 'allowlist'
        ? t('reaches.allowlist', { count: effective.names.length })
        : t(`reaches.${effective.kind}`)}{' '}
      <Sources sources={sources} />
      {privateNames.length > 0 && (
        <span className="facts"> {t('reachesPrivate', { names: format.items(privateNames) })}</span>
      )}
    </p>
  )
}

function Sources(props: { sources: readonly NetworkLevel[] }) {
  const { t } = useTranslation('network')
  const format = useFormat()
  return <span className="badge">{format.items(props.sources.map((level) => t(`level.${level}`)))}</span>
}
