import { ChevronDown } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useModels } from '../../../people/models/api/models.queries.ts'
import { Button } from '../../../ui/button.tsx'
import { ModelMenu } from './model-menu.tsx'

/** The model of this thread: its own choice, else the default, else none (direct mode). */
export function ModelPicker(props: { modelId: string | null; onChoose: (modelId: string | null) => void }) {
  const { t } = useTranslation('composer')
  const models = useModels()
  const current =
    models.data?.find((model) => model.id === props.modelId) ?? models.data?.find((model) => model.isDefault)
  const name = current?.name ?? (models.isPending ? '' : t('directMode'))
  return (
    <ModelMenu
      currentId={current?.id ?? null}
      onChoose={props.onChoose}
      trigger={
        <Button variant="ghost" className="model-picker" aria-label={t('modelIs', { model: name })}>
          <span className="trunc">{name}</span>
          <ChevronDown className="i" size={14} />
        </Button>
      }
    />
  )
}
