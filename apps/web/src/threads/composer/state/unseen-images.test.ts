import type { Attachment, ModelConnection } from '@threadbox/sdk'
import { expect, test } from 'vitest'
import type { Upload } from '../../../page/thread/state/uploads-store.ts'
import { blindModel } from './unseen-images.ts'

const model = (id: string, supportsImages: boolean, isDefault = false) =>
  ({ id, supportsImages, isDefault }) as ModelConnection
const upload = (mediaType: string | null) =>
  ({ attachment: mediaType === null ? null : ({ mediaType } as Attachment) }) as Upload
const models = [model('sees', true), model('blind', false, true)]

test('an image for a model that cannot see images is reported before it is sent', () => {
  const uploads = [upload('text/csv'), upload('image/png')]
  expect(blindModel(models, { modelId: 'blind', uploads })?.id).toBe('blind')
  expect(blindModel(models, { modelId: null, uploads })?.id).toBe('blind')
  expect(blindModel(models, { modelId: 'sees', uploads })).toBeUndefined()
})

test('other files, images being uploaded, and threads without a model are not reported', () => {
  expect(blindModel(models, { modelId: 'blind', uploads: [upload('text/csv'), upload(null)] })).toBeUndefined()
  expect(blindModel([], { modelId: null, uploads: [upload('image/png')] })).toBeUndefined()
})
