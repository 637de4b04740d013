import { useTranslation } from 'react-i18next'
import { LearnMore } from '../../../page/docs/docs-link.tsx'
import { docsPlaces } from '../../../page/docs/docs-places.ts'
import { Loaded } from '../../../page/parts/loaded.tsx'
import { Group, SectionHead } from '../../../page/parts/section.tsx'
import { useModels } from '../../../people/models/api/models.queries.ts'
import { ConnectedModels } from '../../../people/models/components/connected-models.tsx'
import { ProviderList } from '../../../people/models/components/provider-list.tsx'

export function ModelsSection() {
  const { t } = useTranslation('models')
  const models = useModels()
  return (
    <>
      <SectionHead title={t('title')} lead={t('lead')} />
      <Loaded query={models}>
        {(list) =>
          list.length === 0 ? (
            <p className="nothing">
              {t('empty')} <LearnMore to={docsPlaces.models} />
            </p>
          ) : (
            <ConnectedModels models={list} />
          )
        }
      </Loaded>
      <Group title={t('add')} action={<span className="faint">{t('keysStay')}</span>}>
        <ProviderList />
      </Group>
    </>
  )
}
