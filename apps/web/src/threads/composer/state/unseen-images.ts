import type { ModelConnection } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import type { Upload } from '../../../page/thread/state/uploads-store.ts'
import { useModels } from '../../../people/models/api/models.queries.ts'

/** The model that will be asked if it can’t see the attached images; undefined otherwise. */
export function blindModel(
  models: readonly ModelConnection[],
  message: { modelId: string | null; uploads: readonly Upload[] },
): ModelConnection | undefined {
  const model = models.find(({ id }) => id === message.modelId) ?? models.find(({ isDefault }) => isDefault)
  const hasImage = message.uploads.some(({ attachment }) => attachment?.mediaType.startsWith('image/') === true)
  return hasImage && model?.supportsImages === false ? model : undefined
}

/** Shown before sending, so that you don’t wait for a response about an image that the model never saw. */
export function useUnseenImages(modelId: string | null, uploads: readonly Upload[]): string | undefined {
  const { t } = useTranslation('composer')
  const models = useModels()
  const model = blindModel(models.data ?? [], { modelId, uploads })
  return model === undefined ? undefined : t('unseenPictures', { model: model.name })
}
