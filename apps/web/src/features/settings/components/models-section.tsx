import { useTranslation } from 'react-i18next'
import { useModels } from '../../models/api/models.queries.ts'
import { ConnectedModels } from '../../models/components/connected-models.tsx'
import { ProviderList } from '../../models/components/provider-list.tsx'
import { Loaded } from './loaded.tsx'
import { Group, SectionHead } from './section.tsx'

export function ModelsSection() {
  const { t } = useTranslation('models')
  const models = useModels()
  return (
    <>
      <SectionHead title={t('title')} lead={t('lead')} />
      <Loaded query={models}>
        {(list) => (list.length === 0 ? <p className="nothing">{t('empty')}</p> : <ConnectedModels models={list} />)}
      </Loaded>
      <Group title={t('add')} action={<span className="faint">{t('keysStay')}</span>}>
        <ProviderList />
      </Group>
    </>
  )
}
