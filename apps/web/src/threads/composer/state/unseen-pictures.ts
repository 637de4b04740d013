import type { ModelConnection } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import type { Upload } from '../../../page/thread/state/uploads-store.ts'
import { useModels } from '../../../people/models/api/models.queries.ts'

/** The model that will be asked and cannot see the pictures that are attached; undefined when there is none. */
export function blindModel(
  models: readonly ModelConnection[],
  message: { modelId: string | null; uploads: readonly Upload[] },
): ModelConnection | undefined {
  const model = models.find(({ id }) => id === message.modelId) ?? models.find(({ isDefault }) => isDefault)
  const hasPicture = message.uploads.some(({ attachment }) => attachment?.mediaType.startsWith('image/') === true)
  return hasPicture && model?.supportsImages === false ? model : undefined
}

/** Said before sending, so that nobody waits for an answer about a picture that was never seen. */
export function useUnseenPictures(modelId: string | null, uploads: readonly Upload[]): string | undefined {
  const { t } = useTranslation('composer')
  const models = useModels()
  const model = blindModel(models.data ?? [], { modelId, uploads })
  return model === undefined ? undefined : t('unseenPictures', { model: model.name })
}
